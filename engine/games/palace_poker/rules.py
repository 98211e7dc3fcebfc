"""What a Palace Poker table accepts (palace_poker 6): tests in their order, then the facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from engine import actions as ca
from engine.actions import UNREADABLE
from engine.cards import suit_of
from engine.errors import Refused
from engine.events import Event, TurnTimedOut
from engine.games.palace_poker import actions as a
from engine.games.palace_poker import seating, turns
from engine.games.palace_poker.bounds import (
    bet_bounds,
    buy_obstacle,
    raise_bounds,
    raise_obstacle,
)
from engine.games.palace_poker.deal import deal
from engine.games.palace_poker.state import Battle, Cards, Hand, Phase, State, eligible
from engine.kernel import Cards as CardChoice
from engine.kernel import Offer, Range, Shuffler, Steps
from engine.table import is_amount, require_amount

__all__ = ["decide", "legal_actions"]

TURN: Final = (Phase.TURN,)
MUSTER: Final = (Phase.MUSTER,)
BATTLE: Final = (Phase.BATTLE,)


# --- tests that all actions of a hand share (6.1) ---------------------------------------------


def _require_actor(state: State, seat: int, phases: tuple[Phase, ...]) -> Hand:
    """The hand that the seat is to act in, with an action of these phases (6.1.3)."""
    if state.phase is Phase.CLOSED:
        raise Refused("TABLE_CLOSED")
    hand = state.hand
    if hand is None:
        raise Refused("WRONG_PHASE", phase=state.phase)
    if hand.actor == seat:
        if state.phase not in phases:
            raise Refused("WRONG_PHASE", phase=state.phase, expected=" or ".join(phases))
        return hand
    if not 0 <= seat < len(state.seats) or state.seats[seat] is None:
        raise Refused("NOT_SEATED", seat=seat)
    if not hand.alive >> seat & 1:
        raise Refused("NOT_IN_HAND", seat=seat)
    raise Refused("NOT_YOUR_TURN", seat=seat, to_act=hand.actor)


def _require_free(hand: Hand) -> None:
    if hand.forced:
        raise Refused("BATTLE_REQUIRED")


def _require_cards(field: str, cards: object) -> Cards:
    """A list of card codes."""
    if not isinstance(cards, tuple):
        raise Refused("BAD_PARAMETER", field=field, expected="a list of cards")
    listed = cast("Cards", cards)
    if not all(is_amount(card, 1, 52) for card in listed):
        raise Refused("INVALID_CARD", field=field)
    return listed


def _require_soldiers(hand: Hand, cards: Cards) -> None:
    """6.1.4."""
    if len(set(cards)) != len(cards):
        raise Refused("DUPLICATE_CARD")
    if not set(cards) <= set(hand.soldiers[hand.actor]):
        raise Refused("NOT_YOUR_SOLDIER")


def _amount(value: int | None) -> int:
    """An amount of a hand action, 0 if it is absent (6.1.2)."""
    return 0 if value is None else require_amount("amount", value)


def _battle(hand: Hand) -> Battle:
    if hand.battle is None:
        raise AssertionError("the phase is BATTLE without a battle")
    return hand.battle


# --- a turn -----------------------------------------------------------------------------------


def _stay(steps: Steps[State], actor: int, action: a.Stay, shuffler: Shuffler) -> None:
    """6.3."""
    del action, shuffler
    _require_free(_require_actor(steps.state, actor, TURN))
    turns.stay(steps)


def _discard(steps: Steps[State], actor: int, action: a.Discard, shuffler: Shuffler) -> None:
    """6.4."""
    del shuffler
    cards = _require_cards("cards", action.cards)
    hand = _require_actor(steps.state, actor, TURN)
    _require_free(hand)
    if not cards:
        raise Refused("DISCARD_EMPTY")
    _require_soldiers(hand, cards)
    turns.discard(steps, cards)


def _buy(steps: Steps[State], actor: int, action: a.Buy, shuffler: Shuffler) -> None:
    """6.5."""
    del action
    hand = _require_actor(steps.state, actor, TURN)
    _require_free(hand)
    obstacle = buy_obstacle(steps.state, hand)
    if obstacle:
        raise Refused(obstacle)
    turns.buy(steps, shuffler)


def _muster(steps: Steps[State], actor: int, action: a.Muster, shuffler: Shuffler) -> None:
    """6.6."""
    del shuffler
    cards = _require_cards("discard", action.discard)
    hand = _require_actor(steps.state, actor, MUSTER)
    _require_soldiers(hand, cards)
    if len(hand.soldiers[actor]) - len(cards) > turns.MAX_SOLDIERS:
        raise Refused("TOO_MANY_SOLDIERS", most=turns.MAX_SOLDIERS)
    turns.muster(steps, cards)


def _bet(steps: Steps[State], actor: int, action: a.Bet, shuffler: Shuffler) -> None:
    """6.7."""
    del shuffler
    target = action.target
    if target is not None and (target == UNREADABLE or not is_amount(target, -(2**63))):
        raise Refused("BAD_PARAMETER", field="target", expected="a seat")
    amount = _amount(action.amount)
    state = steps.state
    hand = _require_actor(state, actor, TURN)
    if target is None or not 0 <= target < len(state.seats) or target == actor:
        raise Refused("INVALID_TARGET", target=target)
    if not hand.alive >> target & 1:
        raise Refused("INVALID_TARGET", target=target)
    if suit_of(hand.banners[target]) == suit_of(hand.banners[actor]):
        raise Refused("SAME_BANNER_SUIT", target=target)
    if not state.stacks[actor] and not hand.forced:
        raise Refused("NO_CHIPS")
    low, high = bet_bounds(state, hand, target)
    if not state.options.no_limit:
        if amount not in {0, low}:
            raise Refused("AMOUNT_NOT_ALLOWED", expected=low)
    elif amount:
        if amount > state.stacks[actor]:
            raise Refused("INSUFFICIENT_CHIPS", stack=state.stacks[actor])
        if amount < low:
            raise Refused("BET_TOO_SMALL", least=low)
        if amount > high:
            raise Refused("BET_TOO_LARGE", most=high)
    turns.bet(steps, target, amount or low)


def _fold(steps: Steps[State], actor: int, action: a.Fold, shuffler: Shuffler) -> None:
    """6.10, 6.11."""
    del action, shuffler
    hand = _require_actor(steps.state, actor, (Phase.TURN, Phase.BATTLE))
    if hand.battle is None:
        turns.fold_turn(steps)
    else:
        turns.fold_battle(steps, hand.battle)


# --- an answer --------------------------------------------------------------------------------


def _call(steps: Steps[State], actor: int, action: a.Call, shuffler: Shuffler) -> None:
    """6.8."""
    del action, shuffler
    turns.call(steps, _battle(_require_actor(steps.state, actor, BATTLE)))


def _raise(steps: Steps[State], actor: int, action: a.Raise, shuffler: Shuffler) -> None:
    """6.9."""
    del shuffler
    amount = _amount(action.amount)
    state = steps.state
    hand = _require_actor(state, actor, BATTLE)
    battle = _battle(hand)
    obstacle = raise_obstacle(state, hand, battle)
    if obstacle:
        raise Refused(obstacle)
    low, high = raise_bounds(state, hand, battle)
    if not state.options.no_limit:
        if amount not in {0, low}:
            raise Refused("AMOUNT_NOT_ALLOWED", expected=low)
    elif amount:
        if amount < low:
            raise Refused("RAISE_TOO_SMALL", least=low)
        if amount > high:
            raise Refused("RAISE_TOO_LARGE", most=high)
    turns.raise_(steps, battle, amount or low)


# --- the host ---------------------------------------------------------------------------------


def _start(steps: Steps[State], actor: int, action: a.StartHand, shuffler: Shuffler) -> None:
    """6.2."""
    del actor, action
    if steps.state.phase is not Phase.IDLE:
        raise Refused("WRONG_PHASE", phase=steps.state.phase)
    if eligible(steps.state).bit_count() < 2:
        raise Refused("NOT_ENOUGH_PLAYERS")
    deal(steps, shuffler)


def _time_out(steps: Steps[State], actor: int, action: ca.TimeOut, shuffler: Shuffler) -> None:
    """6.13."""
    del actor, action, shuffler
    if steps.state.hand is None:
        raise Refused("WRONG_PHASE", phase=steps.state.phase)
    steps.emit(TurnTimedOut(steps.state.hand.actor))
    turns.act_late(steps)


_Handler = Callable[[Steps[State], int, Any, Shuffler], None]

_HANDLERS: Mapping[type[ca.Action], _Handler] = {
    a.StartHand: _start,
    a.Stay: _stay,
    a.Discard: _discard,
    a.Buy: _buy,
    a.Muster: _muster,
    a.Bet: _bet,
    a.Call: _call,
    a.Raise: _raise,
    a.Fold: _fold,
    ca.TimeOut: _time_out,
    ca.TakeSeat: seating.take_seat,
    ca.LeaveSeat: seating.leave_seat,
    ca.SitOut: seating.sit_out,
    ca.SitIn: seating.sit_in,
    ca.AddChips: seating.add_chips,
    ca.OpenTable: seating.open_table,
    ca.CloseTable: seating.close_table,
}


def decide(
    steps: Steps[State], actor: int, action: ca.Action, shuffler: Shuffler
) -> tuple[tuple[Event, ...], State]:
    """The facts of an action.  Raises ``Refused``."""
    handler = _HANDLERS.get(type(action))
    if handler is None:
        raise TypeError(f"{type(action).__name__} is no action of Palace Poker")
    handler(steps, actor, action, shuffler)
    turns.act_for_leavers(steps)
    return steps.result()


# --- offers -----------------------------------------------------------------------------------

_STAY: Final = Offer(a.Stay)
_BUY: Final = Offer(a.Buy)
_CALL: Final = Offer(a.Call)
_FOLD: Final = Offer(a.Fold)
_TARGETS: Final = tuple(Range("target", seat, seat) for seat in range(10))


def legal_actions(state: State, seat: int) -> tuple[Offer, ...]:
    """What the seat may answer the running decision with, amounts as ranges."""
    hand = state.hand
    if hand is None or hand.actor != seat:
        return ()
    if state.phase is Phase.MUSTER:
        soldiers = hand.soldiers[seat]
        least = max(0, len(soldiers) - turns.MAX_SOLDIERS)
        return (Offer(a.Muster, (CardChoice("discard", soldiers, least, len(soldiers)),)),)
    if hand.battle is not None:
        if raise_obstacle(state, hand, hand.battle):
            return _CALL, _FOLD
        low, high = raise_bounds(state, hand, hand.battle)
        return _CALL, Offer(a.Raise, (Range("amount", low, high, low),)), _FOLD
    if state.phase is not Phase.TURN:
        return ()
    offers: list[Offer] = []
    if not hand.forced:
        offers.append(_STAY)
        soldiers = hand.soldiers[seat]
        if soldiers:
            offers.append(Offer(a.Discard, (CardChoice("cards", soldiers, 1, len(soldiers)),)))
        if not buy_obstacle(state, hand):
            offers.append(_BUY)
    if state.stacks[seat] or hand.forced:
        suit = suit_of(hand.banners[seat])
        for target, banner in enumerate(hand.banners):
            if banner and suit_of(banner) != suit:
                low, high = bet_bounds(state, hand, target)
                offers.append(Offer(a.Bet, (_TARGETS[target], Range("amount", low, high, low))))
    offers.append(_FOLD)
    return tuple(offers)
