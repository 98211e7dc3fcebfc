"""Small changes of a Pontoon table that several events share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from engine.games.pontoon.state import Deal, Hand, Punter, State, running

__all__ = ["add", "put", "with_hand", "with_punters"]

T = TypeVar("T")


def put(row: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    """A row with another value at one place."""
    return (*row[:place], value, *row[place + 1 :])


def add(row: tuple[int, ...], place: int, amount: int) -> tuple[int, ...]:
    """A row with more at one place."""
    return (*row[:place], row[place] + amount, *row[place + 1 :])


def with_hand(
    state: State, seat: int, number: int, change: Callable[[Hand], Hand], **changes: Any
) -> State:
    """The state with one hand of a punter changed, and other fields of its own."""
    deal = running(state)
    for place, punter in enumerate(deal.punters):
        if punter.seat == seat:
            hands = punter.hands
            for at, hand in enumerate(hands):
                if hand.number == number:
                    hands = (*hands[:at], change(hand), *hands[at + 1 :])
            changed = Punter(seat, punter.bet, hands)
            return with_punters(state, put(deal.punters, place, changed), **changes)
    raise AssertionError(f"seat {seat} is not in the deal")


def with_punters(state: State, punters: tuple[Punter, ...], **changes: Any) -> State:
    """The state with other punters of the deal, and other fields of its own."""
    deal = running(state)
    return state._replace(deal=Deal(punters, deal.bank, deal.bank_up, deal.shooter), **changes)
