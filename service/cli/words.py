"""Words that agree with their numbers, and names of seats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

__all__ = ["counted", "listed", "ordinal", "seat_name"]

_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "card"), counted(0, "card")
    ('1 card', '0 cards')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def ordinal(number: int) -> str:
    """The place in a row of things.

    >>> ordinal(1), ordinal(2), ordinal(4), ordinal(11), ordinal(22)
    ('1st', '2nd', '4th', '11th', '22nd')
    """
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else _ENDINGS.get(number % 10, 'th')}"


def listed(things: Sequence[str]) -> str:
    """Things one after the other.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    *most, last = things
    return f"{', '.join(most)} and {last}" if most else last


def seat_name(seat: int, me: int | None, *, object: bool = False) -> str:  # noqa: A002
    """What a seat is called by whoever sits at ``me``.

    >>> seat_name(2, 1), seat_name(2, 2), seat_name(2, 2, object=True)
    ('Seat 2', 'You', 'you')
    """
    if seat == me:
        return "you" if object else "You"
    return f"Seat {seat}"
