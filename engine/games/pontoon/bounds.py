"""What may be bet and paid: tests and offers agree here (pontoon 6.2, 6.5–6.7, 10, S.4–S.6)."""

from __future__ import annotations

from typing import NamedTuple

from engine.errors import Refused
from engine.games.pontoon.funds import free, room
from engine.games.pontoon.state import Hand, Punter, State, running

__all__ = [
    "Bounds",
    "bet_bounds",
    "bet_range",
    "buy_bounds",
    "buy_budget",
    "card_price",
    "default_bet",
    "first_shoot_bounds",
    "own_cover",
    "require_cover",
    "shoot_most",
    "split_is_covered",
]


class Bounds(NamedTuple):
    """Amounts from ``low`` to ``high``, both included; none if ``high`` is less."""

    low: int
    high: int


def _reserved(state: State) -> int:
    """Minimum bets of the punters who bet after the one whose turn it is (10.1)."""
    waiting = sum(not punter.bet for punter in running(state).punters)
    return max(0, waiting - 1) * state.options.min_bet


def _bank_stack(state: State) -> int:
    return state.stacks[state.banker] if state.banker is not None else 0


def own_cover(state: State, punter: Punter) -> int:
    """What twice a stake and a shoot bet may come to together (10.1), or once the stake (10.2)."""
    stack = state.stacks[punter.seat]
    return stack - punter.staked if state.options.full_cover else stack


def _weight(state: State) -> int:
    """How often a stake counts against :func:`own_cover`."""
    return 2 if state.options.full_cover else 1


def _bank_cover(state: State, reserved: int = 0) -> int:
    """The greatest stake that the bank covers (10.1)."""
    return _bank_stack(state) // 2 - running(state).staked - reserved


def require_cover(state: State, punter: Punter, stake: int, shoot: int) -> None:
    """The cover checks (6.0): raises ``INSUFFICIENT_CHIPS``, ``BANK_CANNOT_COVER``, and
    ``KITTY_EXCEEDED``."""
    if (stake or shoot) and _weight(state) * stake + shoot > own_cover(state, punter):
        raise Refused("INSUFFICIENT_CHIPS", stack=state.stacks[punter.seat])
    if stake and state.options.full_cover:
        most = _bank_cover(state, _reserved(state))
        if stake > most:
            raise Refused("BANK_CANNOT_COVER", most=max(0, most))
    if shoot > room(state):
        raise Refused("KITTY_EXCEEDED", room=room(state))


def bet_range(state: State, seat: int) -> Bounds:
    """What a first bet is held to before it is asked whether it is covered (6.2)."""
    options = state.options
    stack = state.stacks[seat]
    if not options.full_cover and stack < options.min_bet:
        return Bounds(stack, stack)
    return Bounds(options.min_bet, options.max_bet)


def bet_bounds(state: State, punter: Punter) -> Bounds:
    """What a punter may really bet at first (6.2, 10)."""
    low, high = bet_range(state, punter.seat)
    high = min(high, own_cover(state, punter) // _weight(state))
    if state.options.full_cover:
        high = min(high, _bank_cover(state, _reserved(state)))
    return Bounds(low, high)


def default_bet(state: State, punter: Punter) -> int:
    """10.3."""
    return min(state.options.min_bet, state.stacks[punter.seat])


def card_price(punter: Punter, hand: Hand) -> Bounds:
    """What the hand's next bought card may cost (6.6)."""
    return Bounds(punter.bet, hand.bought[-1] if hand.bought else 2 * punter.bet)


def buy_bounds(state: State, punter: Punter, hand: Hand) -> Bounds:
    """What may really be paid for it, without a shoot bet."""
    low, high = card_price(punter, hand)
    high = min(high, own_cover(state, punter) // _weight(state))
    if state.options.full_cover:
        high = min(high, _bank_cover(state))
    return Bounds(low, high)


def buy_budget(state: State, punter: Punter) -> tuple[int, int]:
    """How often a price counts, and what price and shoot bet may come to together."""
    return _weight(state), own_cover(state, punter)


def split_is_covered(state: State, punter: Punter) -> bool:
    """Whether a second stake is covered (6.5)."""
    if _weight(state) * punter.bet > own_cover(state, punter):
        return False
    return not state.options.full_cover or punter.bet <= _bank_cover(state)


def shoot_most(state: State, punter: Punter, stake: int) -> int:
    """The greatest shoot bet beside a stake that is moved as well (S.5, S.6)."""
    left = own_cover(state, punter) - _weight(state) * stake
    return max(0, min(room(state), left))


def first_shoot_bounds(state: State, punter: Punter) -> Bounds:
    """S.4."""
    return Bounds(1, min(room(state), free(state, punter.seat)))
