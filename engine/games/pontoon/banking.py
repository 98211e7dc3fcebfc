"""The bank between deals: who gets it, dealing, resigning, kitty (pontoon 6.1, 6.12, 9.1, S.2)."""

from __future__ import annotations

from engine.cards import PACK, rank_of
from engine.errors import Refused
from engine.events import DeckShuffled
from engine.games.pontoon import actions as a
from engine.games.pontoon import auction
from engine.games.pontoon import bank_events as b
from engine.games.pontoon import events as e
from engine.games.pontoon.bounds import Bounds
from engine.games.pontoon.checks import (
    acting_banker,
    require_banker,
    require_host,
    require_member,
    require_phase,
    require_shoot,
)
from engine.games.pontoon.ending import lapse, vacate
from engine.games.pontoon.funds import can_bank, counted, cover_need, opponents
from engine.games.pontoon.playing import deal_round
from engine.games.pontoon.state import Phase, State
from engine.kernel import Shuffler, Steps
from engine.table import require_amount
from engine.visibility import SERVER, Private

__all__ = [
    "add_to_kitty",
    "deal_obstacle",
    "form_kitty",
    "game_obstacle",
    "kitty_bounds",
    "resign_bank",
    "start_deal",
    "start_game",
    "time_is_over",
    "top_up_bounds",
]


# --- a banker is found (9.1) ------------------------------------------------------------------


def _wanted(state: State) -> int:
    options = state.options
    return options.min_to_continue if state.deals else options.min_to_start


def _candidates(state: State) -> list[int]:
    """Who may become banker in ``start_game``; a nominated seat alone."""
    options = state.options
    eligible = [seat for seat in range(len(state.seats)) if can_bank(state, seat)]
    if options.nominated is not None and (options.fixed_bank or not state.deals):
        return [seat for seat in eligible if seat == options.nominated]
    return eligible


def _refused(state: State, obstacle: str) -> Refused:
    """A refusal that says how many players, or how many chips, it takes."""
    if obstacle == "NOT_ENOUGH_PLAYERS":
        return Refused(obstacle, needed=_wanted(state))
    if obstacle == "BANK_CANNOT_COVER" and state.banker is not None:
        return Refused(obstacle, need=cover_need(state, state.banker))
    return Refused(obstacle)


def game_obstacle(state: State) -> str:
    """Why ``start_game`` is refused in ``WAITING``, if it is."""
    if counted(state) < _wanted(state):
        return "NOT_ENOUGH_PLAYERS"
    if state.banker is None and not _candidates(state):
        return "NO_ELIGIBLE_BANKER"
    return ""


def start_game(steps: Steps[State], actor: int, action: a.StartGame, shuffler: Shuffler) -> None:
    """9.1."""
    del actor, action
    state = steps.state
    require_host(state, Phase.WAITING)
    obstacle = game_obstacle(state)
    if obstacle:
        raise _refused(state, obstacle)
    if state.banker is not None:
        steps.emit(b.TableResumed())
        return
    candidates = _candidates(state)
    options = state.options
    if options.nominated is not None and (options.fixed_bank or not state.deals):
        steps.emit(b.BankerChosen(candidates[0], b.Method.NOMINATED))
        return
    if len(candidates) > 1:
        candidates = [_cut(steps, candidates, shuffler)]
    steps.emit(b.BankerChosen(candidates[0], b.Method.CUT))


def _cut(steps: Steps[State], seats: list[int], shuffler: Shuffler) -> int:
    """The highest card, the tied cutting again from the rest."""
    order = shuffler.shuffle("BANK_CUT", PACK)
    steps.emit(DeckShuffled("BANK_CUT", Private(order, SERVER)))
    left = list(order)
    while len(seats) > 1:
        if len(left) < len(seats):
            return seats[0]
        cards = {seat: left.pop(0) for seat in seats}
        for seat, card in cards.items():
            steps.emit(b.BankCardCut(seat, card))
        highest = max(map(rank_of, cards.values()))
        seats = [seat for seat, card in cards.items() if rank_of(card) == highest]
    return seats[0]


# --- a deal is started (6.1) ------------------------------------------------------------------


def _lacks_players(state: State, banker: int) -> bool:
    punters = len(opponents(state, banker))
    return not punters or 1 + punters < _wanted(state)


def deal_obstacle(state: State, banker: int) -> str:
    """Why ``start_deal`` is refused to the banker, if it is."""
    if _lacks_players(state, banker):
        return "NOT_ENOUGH_PLAYERS"
    if state.options.shoot and not state.kitty:
        return "KITTY_REQUIRED"
    if state.stacks[banker] < cover_need(state, banker):
        return "BANK_CANNOT_COVER"
    return ""


def start_deal(steps: Steps[State], actor: int, action: a.StartDeal, shuffler: Shuffler) -> None:
    """6.1."""
    del action
    acting_banker(steps.state, actor, Phase.BETWEEN_DEALS)
    state = steps.state
    obstacle = deal_obstacle(state, actor)
    if obstacle:
        raise _refused(state, obstacle)
    _deal(steps, actor, shuffler)


def _deal(steps: Steps[State], banker: int, shuffler: Shuffler) -> None:
    lapse(steps)
    if steps.state.reshuffle:
        order = shuffler.shuffle("DEAL", PACK)
        steps.emit(DeckShuffled("DEAL", Private(order, SERVER)))
    state = steps.state
    steps.emit(e.DealStarted(state.deals + 1, banker, tuple(opponents(state, banker))))
    deal_round(steps)


def resign_bank(steps: Steps[State], actor: int, action: a.ResignBank, shuffler: Shuffler) -> None:
    """6.12."""
    del action, shuffler
    acting_banker(steps.state, actor, Phase.BETWEEN_DEALS)
    vacate(steps)


def time_is_over(steps: Steps[State], banker: int, shuffler: Shuffler) -> None:
    """What happens when the banker lets the time between deals run out (10.3)."""
    state = steps.state
    if _lacks_players(state, banker):
        lapse(steps)
        steps.emit(b.TablePaused(b.Pause.NOT_ENOUGH_PLAYERS))
    elif state.options.shoot and not state.kitty:
        if state.auction_used or state.options.fixed_bank:
            vacate(steps)
        else:
            auction.open_auction(steps)
    elif deal_obstacle(state, banker):
        vacate(steps)
    else:
        _deal(steps, banker, shuffler)


# --- the kitty (S.2) --------------------------------------------------------------------------


def _spare(state: State, banker: int) -> int:
    """What the banker may put into the kitty and still deal."""
    return state.stacks[banker] - cover_need(state, banker)


def kitty_bounds(state: State, banker: int) -> Bounds:
    """What a new kitty may hold."""
    options = state.options
    return Bounds(options.min_bet, min(options.max_bet, _spare(state, banker)))


def top_up_bounds(state: State, banker: int) -> Bounds:
    """What may be added to a kitty."""
    return Bounds(1, _spare(state, banker))


def _kitty_checks(state: State, actor: int) -> None:
    require_member(state, actor)
    require_shoot(state)
    require_phase(state, Phase.BETWEEN_DEALS)
    require_banker(state, actor)


def _require_spare(state: State, banker: int, amount: int) -> None:
    if amount > state.stacks[banker]:
        raise Refused("INSUFFICIENT_CHIPS", stack=state.stacks[banker])
    if amount > _spare(state, banker):
        raise Refused("BANK_CANNOT_COVER", need=cover_need(state, banker))


def form_kitty(steps: Steps[State], actor: int, action: a.FormKitty, shuffler: Shuffler) -> None:
    """S.2."""
    del shuffler
    state = steps.state
    _kitty_checks(state, actor)
    amount = require_amount("amount", action.amount)
    if state.kitty:
        raise Refused("KITTY_EXISTS", kitty=state.kitty)
    options = state.options
    if not options.min_bet <= amount <= options.max_bet:
        raise Refused("KITTY_OUT_OF_RANGE", low=options.min_bet, high=options.max_bet)
    _require_spare(state, actor, amount)
    steps.emit(b.KittyFormed(actor, amount, amount))


def add_to_kitty(steps: Steps[State], actor: int, action: a.AddToKitty, shuffler: Shuffler) -> None:
    """S.2."""
    del shuffler
    state = steps.state
    _kitty_checks(state, actor)
    if not state.kitty:
        raise Refused("KITTY_REQUIRED")
    amount = require_amount("amount", action.amount, 1)
    _require_spare(state, actor, amount)
    steps.emit(b.KittyToppedUp(actor, amount, state.kitty + amount))
