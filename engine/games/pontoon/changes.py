"""Small changes of a Pontoon table that several events share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from engine.games.pontoon.state import Hand, State, running

__all__ = ["add", "put", "with_hand"]

T = TypeVar("T")


def put(row: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    """A row with another value at one place."""
    return (*row[:place], value, *row[place + 1 :])


def add(row: tuple[int, ...], place: int, amount: int) -> tuple[int, ...]:
    """A row with more at one place."""
    return (*row[:place], row[place] + amount, *row[place + 1 :])


def with_hand(state: State, seat: int, number: int, change: Callable[[Hand], Hand]) -> State:
    """The state with one hand of a punter changed."""
    deal = running(state)
    punters = tuple(
        punter._replace(
            hands=tuple(change(hand) if hand.number == number else hand for hand in punter.hands)
        )
        if punter.seat == seat
        else punter
        for punter in deal.punters
    )
    return state._replace(deal=deal._replace(punters=punters))
