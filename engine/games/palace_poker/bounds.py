"""How much may be bet and raised (palace_poker 6.5, 6.7, 6.9): tests and offers agree here."""

from __future__ import annotations

from typing import NamedTuple

from engine.games.palace_poker.state import Battle, Hand, State, opponent, price

__all__ = [
    "Bounds",
    "bet_bounds",
    "buy_obstacle",
    "raise_bounds",
    "raise_obstacle",
]


class Bounds(NamedTuple):
    """Amounts from ``low`` to ``high``; ``low`` stands for an amount left out or 0."""

    low: int
    high: int


def buy_obstacle(state: State, hand: Hand) -> str:
    """Why the actor cannot buy, if he cannot (6.5)."""
    if not hand.draw and not hand.discard:
        return "NO_CARDS_TO_BUY"
    if state.stacks[hand.actor] < state.options.small_bet:
        return "INSUFFICIENT_CHIPS"
    return ""


def bet_bounds(state: State, hand: Hand, target: int) -> Bounds:
    """What the actor may pay to attack ``target`` (6.7.4, 6.7.5).

    The excess of no limit is no more than the defender can match beyond his own price.
    """
    stack = state.stacks[hand.actor]
    base = min(price(state, hand, hand.actor), stack)
    if not state.options.no_limit:
        return Bounds(base, base)
    room = max(0, state.stacks[target] - price(state, hand, target))
    return Bounds(base, min(stack, base + room))


def raise_obstacle(state: State, hand: Hand, battle: Battle) -> str:
    """Why the actor cannot raise, if he cannot (6.9.1)."""
    most = state.options.max_raises
    if most is not None and battle.raises >= most:
        return "RAISE_CAP_REACHED"
    if not state.stacks[opponent(hand, battle)]:
        return "OPPONENT_ALL_IN"
    if state.stacks[hand.actor] <= battle.to_call:
        return "INSUFFICIENT_CHIPS"
    return ""


def raise_bounds(state: State, hand: Hand, battle: Battle) -> Bounds:
    """What the actor may raise by when nothing keeps him from it (6.9.2, 6.9.3)."""
    options = state.options
    stack = state.stacks[hand.actor] - battle.to_call
    most = min(stack, state.stacks[opponent(hand, battle)])
    if options.no_limit:
        return Bounds(min(options.big_bet, most), most)
    full = options.big_bet if hand.soldiers[hand.actor] else options.soldierless_step
    step = min(full, most)
    return Bounds(step, step)
