"""From the first card of a deal to its settlement (pontoon 6.1–6.11, S.3–S.7).

Everything here is allowed already: ``rules`` tests, these functions state the facts.  ``go_on``
does what nobody has to decide, and acts for seats that are leaving (10.5).
"""

from __future__ import annotations

from engine.games.pontoon import bank_events as b
from engine.games.pontoon import events as e
from engine.games.pontoon.bounds import default_bet
from engine.games.pontoon.ending import end_deal
from engine.games.pontoon.funds import free, room
from engine.games.pontoon.settling import Banker, settle
from engine.games.pontoon.state import (
    FIVE,
    Deal,
    Hand,
    Phase,
    Punter,
    State,
    active_hand,
    punter_of,
    running,
    to_act,
)
from engine.games.pontoon.totals import best, is_ace, is_bust, is_pontoon
from engine.kernel import Steps
from engine.visibility import EVERYONE, SERVER, Private, seats_only

__all__ = [
    "act_by_default",
    "banker_draw",
    "banker_stay",
    "buy",
    "deal_round",
    "declare",
    "go_on",
    "pass_shoot",
    "shooter",
    "split",
    "stick",
    "twist",
]


def deal_round(steps: Steps[State]) -> None:
    """A card face down to each punter in turn order, then to the banker (6.1, 6.3)."""
    for punter in running(steps.state).punters:
        _deal_to(steps, punter.seat, punter.hands[0].number)
    banker = _banker(steps.state)
    steps.emit(e.CardDealt(banker, None, Private(steps.state.stock[0], SERVER)))


def _deal_to(steps: Steps[State], seat: int, number: int) -> None:
    card = Private(steps.state.stock[0], seats_only(seat))
    steps.emit(e.CardDealt(seat, number, card))


def _banker(state: State) -> int:
    if state.banker is None:
        raise AssertionError("a deal without a banker")
    return state.banker


def _second_cards(steps: Steps[State]) -> None:
    """6.3."""
    deal_round(steps)
    deal = running(steps.state)
    banker = _banker(steps.state)
    steps.emit(e.BankerHandSeen(banker, Private(deal.bank, seats_only(banker))))
    if is_pontoon(deal.bank, False, steps.state.options):
        steps.emit(e.BankerPontoonRevealed(deal.bank))
        _settle(steps, Banker.PONTOON)


# --- the punters' turns -----------------------------------------------------------------------


def _place_shoot(steps: Steps[State], seat: int, number: int, amount: int) -> None:
    if amount:
        steps.emit(b.ShootBetPlaced(seat, number, amount))


def declare(steps: Steps[State], punter: Punter, hand: Hand) -> None:
    """6.4."""
    place = 1 if is_ace(hand.cards[0]) else 2
    steps.emit(e.PontoonDeclared(punter.seat, hand.number, hand.cards[place - 1], place))


def split(steps: Steps[State], punter: Punter, hand: Hand, shoot: int) -> None:
    """6.5, S.6."""
    new = max(each.number for each in punter.hands) + 1
    steps.emit(e.HandSplit(punter.seat, hand.number, new, hand.cards, punter.bet))
    _place_shoot(steps, punter.seat, new, shoot)
    _deal_to(steps, punter.seat, hand.number)
    _deal_to(steps, punter.seat, new)


def buy(steps: Steps[State], punter: Punter, hand: Hand, amount: int, shoot: int) -> None:
    """6.6, S.5."""
    _place_shoot(steps, punter.seat, hand.number, shoot)
    card = Private(steps.state.stock[0], seats_only(punter.seat))
    steps.emit(e.CardBought(punter.seat, hand.number, amount, card))
    _after_card(steps, punter.seat, hand.number)


def twist(steps: Steps[State], punter: Punter, hand: Hand, shoot: int) -> None:
    """6.7, S.5."""
    _place_shoot(steps, punter.seat, hand.number, shoot)
    steps.emit(e.CardTwisted(punter.seat, hand.number, steps.state.stock[0]))
    _after_card(steps, punter.seat, hand.number)


def stick(steps: Steps[State], punter: Punter, hand: Hand) -> None:
    """6.8."""
    steps.emit(e.HandStuck(punter.seat, hand.number))


def _hand(deal: Deal, seat: int, number: int) -> Hand:
    punter = punter_of(deal, seat)
    hands = punter.hands if punter else ()
    return next(hand for hand in hands if hand.number == number)


def _after_card(steps: Steps[State], seat: int, number: int) -> None:
    """6.9, S.7."""
    hand = _hand(running(steps.state), seat, number)
    if is_bust(hand.cards):
        steps.emit(e.HandBusted(seat, number, hand.cards))
        steps.emit(e.StakeCollected(seat, number, hand.stake))
        if hand.shoot:
            kitty = steps.state.kitty + hand.shoot
            steps.emit(b.ShootBetForfeited(seat, number, hand.shoot, kitty))
        steps.emit(e.CardsReturned(seat, number, Private(hand.cards, EVERYONE)))
    elif len(hand.cards) == FIVE:
        steps.emit(e.FiveCardTrickMade(seat, number))


# --- the banker's turn ------------------------------------------------------------------------


def _reveal_bank(steps: Steps[State]) -> None:
    """6.10."""
    deal = running(steps.state)
    steps.emit(e.BankerHandRevealed(deal.bank))
    if all(hand.bust for punter in deal.punters for hand in punter.hands):
        end_deal(steps, frozenset(), ())


def banker_draw(steps: Steps[State]) -> None:
    """6.11."""
    steps.emit(e.BankerCardDrawn(steps.state.stock[0]))
    cards = running(steps.state).bank
    if is_bust(cards):
        steps.emit(e.BankerBusted())
        _settle(steps, Banker.BUST)
    elif len(cards) == FIVE:
        steps.emit(e.BankerFiveCardTrickMade())
        _settle(steps, Banker.TRICK)


def banker_stay(steps: Steps[State]) -> None:
    """6.11."""
    total = best(running(steps.state).bank)
    steps.emit(e.BankerStayed(total, total + 1 if total < 21 else None))
    _settle(steps, Banker.STAYED)


def _settle(steps: Steps[State], banker: Banker) -> None:
    takers = _pontoons(steps.state, undeclared=banker is Banker.PONTOON)
    revealed = settle(steps, banker)
    end_deal(steps, revealed, takers)


def _pontoons(state: State, *, undeclared: bool) -> tuple[int, ...]:
    """Punters whose unsplit pontoon may take the bank, in turn order (9.5.1)."""
    options = state.options
    if undeclared and not options.tied_pontoon_passes:
        return ()
    return tuple(
        punter.seat
        for punter in running(state).punters
        if len(punter.hands) == 1 and is_pontoon(punter.hands[0].cards, False, options)
    )


# --- what nobody decides ----------------------------------------------------------------------


def pass_shoot(steps: Steps[State], seat: int, *, auto: bool = False) -> None:
    """S.4."""
    steps.emit(b.ShootBetPassed(seat, auto))


def act_by_default(steps: Steps[State], seat: int) -> None:
    """What a seat does in a deal whose time is over, or which is leaving (10.3, 10.5)."""
    state = steps.state
    deal = running(state)
    match state.phase:
        case Phase.BETTING:
            punter = punter_of(deal, seat)
            if punter is not None:
                steps.emit(e.BetPlaced(seat, default_bet(state, punter)))
        case Phase.SHOOT_BETTING:
            pass_shoot(steps, seat)
        case Phase.PLAYER_TURNS:
            found = active_hand(deal)
            if found is not None:
                _play_by_default(steps, *found)
        case _:
            if not state.stock or best(deal.bank) >= state.options.stick_min:
                banker_stay(steps)
            else:
                banker_draw(steps)


def _play_by_default(steps: Steps[State], punter: Punter, hand: Hand) -> None:
    state = steps.state
    if is_pontoon(hand.cards, len(punter.hands) > 1, state.options):
        declare(steps, punter, hand)
    elif not state.stock or best(hand.cards) >= state.options.stick_min:
        stick(steps, punter, hand)
    else:
        twist(steps, punter, hand, 0)


def shooter(state: State) -> int | None:
    """The place of the punter who is to decide on a first shoot bet (S.4)."""
    deal = state.deal
    return deal.shooter if deal and state.phase is Phase.SHOOT_BETTING else None


def go_on(steps: Steps[State], before: int | None = None) -> None:
    """Everything until somebody has to decide.

    ``before``: the ``shooter`` there was; who had the turn already keeps it, also where an
    escrow has taken all that he had free.
    """
    while steps.state.deal is not None:
        state = steps.state
        seat = to_act(state)
        if seat is None:
            if state.phase is Phase.PLAYER_TURNS:
                _reveal_bank(steps)
            else:
                _second_cards(steps)
            continue
        comes = shooter(state) not in {None, before}
        if comes and min(room(state), free(state, seat)) <= 0:
            pass_shoot(steps, seat, auto=True)
            continue
        who = state.seats[seat]
        if who is None or not who.leaving:
            return
        act_by_default(steps, seat)
