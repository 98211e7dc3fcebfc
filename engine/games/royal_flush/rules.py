"""What a Royal Flush table accepts, and what comes of it (royal_flush 6, 7, 10)."""

from __future__ import annotations

from engine.actions import (
    Action,
    AddChips,
    CloseTable,
    LeaveSeat,
    OpenTable,
    SitIn,
    SitOut,
    TakeSeat,
    TimeOut,
)
from engine.cards import PACK
from engine.errors import Refused
from engine.events import (
    ChipsAdded,
    DeckShuffled,
    Event,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableOpened,
    TurnTimedOut,
)
from engine.games.royal_flush import actions as a
from engine.games.royal_flush import events as e
from engine.games.royal_flush.layout import gather, sizes
from engine.games.royal_flush.options import read_options
from engine.games.royal_flush.state import Phase, State, is_running, target_of
from engine.kernel import Offer, Range, Shuffler, Steps, Words
from engine.options import parse_options
from engine.table import require_amount, require_room
from engine.visibility import SERVER, Private

__all__ = ["decide", "legal_actions"]

_SCOPES = ("step", "round", "game")


def decide(
    steps: Steps[State], actor: int, action: Action, shuffler: Shuffler
) -> tuple[tuple[Event, ...], State]:
    """The facts of an action.  Raises ``Refused``; checks in the order of 6.1 and 6.3."""
    match action:
        case a.DealPiles():
            _require_turn(steps.state, actor, Phase.DEAL)
            _deal(steps)
        case a.SearchPile():
            _search(steps, _check_search(steps.state, actor, action.pile))
        case a.GatherPiles():
            _require_turn(steps.state, actor, Phase.GATHER)
            _gather(steps)
        case a.AutoPlay():
            if action.scope not in _SCOPES:
                raise Refused("BAD_PARAMETER", field="scope", expected="step, round or game")
            _require_turn(steps.state, actor, *_RUNNING)
            _auto_play(steps, action.scope)
        case a.AbandonGame():
            _require_turn(steps.state, actor, *_RUNNING)
            _abandon(steps, e.Why.PLAYER)
        case a.StartGame():
            _start(steps, shuffler)
        case TimeOut():
            _time_out(steps)
        case TakeSeat():
            _take_seat(steps, actor, action)
        case AddChips():
            _add_chips(steps, actor, action)
        case LeaveSeat():
            _leave(steps, actor)
        case OpenTable():
            _open(steps, action)
        case CloseTable():
            _close(steps)
        case SitOut() | SitIn():  # not offered (6.3)
            _require_phase(steps.state)
        case _:
            raise TypeError(f"{type(action).__name__} is no action of Royal Flush")
    return steps.result()


_RUNNING = (Phase.DEAL, Phase.SEARCH, Phase.GATHER)


# --- checks ---------------------------------------------------------------------------------


def _require_phase(state: State, *phases: Phase) -> None:
    if state.phase not in phases:
        if state.phase is Phase.CLOSED:
            raise Refused("TABLE_CLOSED")
        raise Refused("WRONG_PHASE", phase=state.phase, expected=" or ".join(phases) or "none")


def _require_seated(state: State, actor: int) -> None:
    if actor != 0 or state.player is None:
        raise Refused("NOT_SEATED", seat=actor)


def _require_turn(state: State, actor: int, *phases: Phase) -> None:
    """Phase, then membership (6.1); a running game is always the player's turn (6.2)."""
    _require_phase(state, *phases)
    _require_seated(state, actor)


def _check_search(state: State, actor: int, pile: int | None) -> int:
    """The pile to search: 6.6 in its order."""
    number = require_amount("pile", pile, 1, 5)
    _require_turn(state, actor, Phase.SEARCH)
    if number > len(state.piles):
        raise Refused("NO_SUCH_PILE", pile=number, piles=len(state.piles))
    if number < state.next_pile:
        raise Refused("PILE_ALREADY_SEARCHED", pile=number, next=state.next_pile)
    if number > state.next_pile:
        raise Refused("PILE_OUT_OF_ORDER", pile=number, next=state.next_pile)
    return number


# --- the table ------------------------------------------------------------------------------


def _open(steps: Steps[State], action: OpenTable) -> None:
    _require_phase(steps.state, Phase.NONE)
    _, texts = read_options(action.options)
    _, start = parse_options((), action.start)
    steps.emit(TableOpened("royal_flush", texts, start))


def _take_seat(steps: Steps[State], actor: int, action: TakeSeat) -> None:
    chips = require_amount("chips", action.chips)
    _require_phase(steps.state, Phase.LOBBY, Phase.GAME_OVER)
    if actor != 0:
        raise Refused("SEAT_OUT_OF_RANGE", seat=actor, seats=1)
    if steps.state.player is not None:
        raise Refused("SEAT_TAKEN", seat=0)
    steps.emit(SeatTaken(0, action.player, chips))


def _add_chips(steps: Steps[State], actor: int, action: AddChips) -> None:
    amount = require_amount("amount", action.amount, 1)
    if steps.state.phase is Phase.CLOSED:
        raise Refused("TABLE_CLOSED")
    player = steps.state.player
    if actor != 0 or player is None:
        raise Refused("NOT_SEATED", seat=actor)
    if is_running(steps.state):
        raise Refused("IN_HAND")
    require_room("amount", player.chips, amount)
    steps.emit(ChipsAdded(0, amount))


def _leave(steps: Steps[State], actor: int) -> None:
    """10.2."""
    if steps.state.phase is Phase.CLOSED:
        raise Refused("TABLE_CLOSED")
    player = steps.state.player
    if actor != 0 or player is None:
        raise Refused("NOT_SEATED", seat=actor)
    if is_running(steps.state):
        _abandon(steps, e.Why.LEFT)
    steps.emit(SeatLeft(0, player.chips))


def _close(steps: Steps[State]) -> None:
    _require_phase(steps.state, Phase.LOBBY, Phase.GAME_OVER)
    player = steps.state.player
    if player is not None:
        steps.emit(SeatLeft(0, player.chips))
    steps.emit(TableClosed("HOST"))


# --- the game -------------------------------------------------------------------------------


def _start(steps: Steps[State], shuffler: Shuffler) -> None:
    """6.4."""
    state = steps.state
    _require_phase(state, Phase.LOBBY, Phase.GAME_OVER)
    if state.player is None:
        raise Refused("SEATS_NOT_FULL")
    steps.emit(e.GameStarted(state.won + state.lost + state.abandoned + 1))
    order = shuffler.shuffle("GAME", PACK)
    steps.emit(DeckShuffled("GAME", Private(order, SERVER)))
    sought = target_of(steps.state)
    if sought.possible == 1:
        steps.emit(e.TargetFixed(sought.wanted))


def _deal(steps: Steps[State]) -> None:
    """6.5."""
    state = steps.state
    steps.emit(e.PilesDealt(state.round, sizes(len(state.stock), 6 - state.round)))


def _search(steps: Steps[State], pile: int) -> None:
    """6.6 and 7.7: the events in the order of the list there."""
    state = steps.state
    turn = state.round
    cards = tuple([state.deck[place] for place in state.piles[pile - 1]])
    before = target_of(state)
    thrown = 0
    while thrown < len(cards) and cards[thrown] not in before.wanted:
        thrown += 1
    if cards:
        steps.emit(e.PileTurnedUp(turn, pile, len(cards)))
    if thrown:
        steps.emit(e.CardsDiscarded(turn, pile, cards[:thrown]))
    if thrown == len(cards):
        steps.emit(e.PileEmptied(turn, pile))
    else:
        found = cards[thrown]
        steps.emit(e.CardFound(turn, pile, found, len(cards) - thrown - 1))
        if found not in state.claimed:
            steps.emit(e.CardClaimed(found, len(state.claimed) + 1))
            after = target_of(steps.state)
            if before.possible > 1 and after.possible == 1:
                steps.emit(e.TargetFixed(after.wanted))
    if turn == 5:
        _judge(steps)


def _judge(steps: Steps[State]) -> None:
    """7.11: won exactly when what is left is a possible hand; by 7.8 its size tells already."""
    state = steps.state
    left = tuple(state.deck[place] for place in state.piles[0])
    sought = target_of(state)
    excess = len(left) - state.options.size
    is_hand = sought.possible == 1 and sorted(left) == list(sought.wanted)
    if is_hand != (excess == 0):
        raise AssertionError("royal_flush 7.8: a card of a possible hand was lost")
    steps.emit(e.GameWon(left) if is_hand else e.GameLost(left, excess))
    steps.emit(e.DeckRevealed(state.deck))


def _gather(steps: Steps[State]) -> None:
    """6.7."""
    state = steps.state
    stock, order = gather(state.piles, state.options.gather_style)
    steps.emit(e.PilesGathered(state.round, order, len(stock), len(state.discard)))


def _step(steps: Steps[State]) -> None:
    """The mandatory next step of a running game (5.1)."""
    phase = steps.state.phase
    if phase is Phase.DEAL:
        _deal(steps)
    elif phase is Phase.SEARCH:
        _search(steps, steps.state.next_pile)
    else:
        _gather(steps)


def _auto_play(steps: Steps[State], scope: str) -> None:
    """6.8: the events of the single steps and none of its own."""
    turn = steps.state.round
    _step(steps)
    if scope == "step":
        return
    while is_running(steps.state) and (scope == "game" or steps.state.round == turn):
        _step(steps)


def _abandon(steps: Steps[State], why: e.Why) -> None:
    """6.9, 10: the cards are published however the game ends (4.5)."""
    steps.emit(e.GameAbandoned(steps.state.round, why))
    steps.emit(e.DeckRevealed(steps.state.deck))


def _time_out(steps: Steps[State]) -> None:
    """10.1."""
    _require_phase(steps.state, *_RUNNING)
    steps.emit(TurnTimedOut(0))
    if steps.state.options.on_timeout == "auto_play":
        _auto_play(steps, "game")
    else:
        _abandon(steps, e.Why.TIME_OUT)


def legal_actions(state: State, seat: int) -> tuple[Offer, ...]:
    """6.11."""
    if seat != 0 or state.player is None or not is_running(state):
        return ()
    if state.phase is Phase.DEAL:
        first = Offer(a.DealPiles)
    elif state.phase is Phase.SEARCH:
        first = Offer(a.SearchPile, (Range("pile", state.next_pile, state.next_pile),))
    else:
        first = Offer(a.GatherPiles)
    return first, Offer(a.AutoPlay, (Words("scope", _SCOPES),)), Offer(a.AbandonGame)
