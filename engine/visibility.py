"""Who may see what: audience masks, private values, and the one redaction.

Every private value of an event carries its *audience*, a 32-bit mask written by ``decide`` from
public facts alone (rules C10).  A viewer is a mask too, and one test serves every game::

    audience & viewer

========  =============================================
bits      viewer
========  =============================================
0 … 29    the seat of that number
30        everybody else: observers, the public
31        the server itself and auditors: in every audience
========  =============================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

__all__ = [
    "AUDITOR",
    "EVERYONE",
    "MAX_SEATS",
    "OBSERVER",
    "SERVER",
    "Private",
    "hide",
    "private_fields",
    "redact",
    "seat_viewer",
    "seats_only",
]

T = TypeVar("T")
E = TypeVar("E")

MAX_SEATS: Final = 30

OBSERVER: Final = 1 << 30
"""The viewer who holds no seat."""

AUDITOR: Final = 1 << 31
"""The viewer who sees everything: the server, and auditors where they may look."""

SERVER: Final = AUDITOR
"""The audience of what no player may see."""

EVERYONE: Final = (1 << 32) - 1
"""The audience of what is public."""


def seat_viewer(seat: int) -> int:
    """The viewer mask of a seat (0 … 29).

    >>> seat_viewer(2)
    4
    """
    if not 0 <= seat < MAX_SEATS:
        raise ValueError(f"seat {seat} outside 0..{MAX_SEATS - 1}")
    return 1 << seat


def seats_only(*seats: int) -> int:
    """The audience of some seats, and of the server as always.

    >>> hex(seats_only(0, 2))
    '0x80000005'
    """
    mask = SERVER
    for seat in seats:
        mask |= seat_viewer(seat)
    return mask


class Private(NamedTuple, Generic[T]):
    """A value with its audience.

    ``shown`` is false once the value was redacted.  The hidden form depends on nothing but the
    shape: 0 for a card or a number, as many zeros as there were items for a list (the length of
    a hidden list is public), an empty text, empty bytes.

    A list may be a secret in part: ``public`` then holds the items that everybody has seen, each
    in its place, and zeros for the others; it is what a viewer outside the audience gets.
    """

    value: T
    audience: int
    shown: bool = True
    public: T | None = None

    def __repr__(self) -> str:
        """Who may see it, and not what: a text goes where no audience is asked, into logs."""
        return f"Private(audience={self.audience:#010x}, shown={self.shown})"


def _hidden(value: object) -> object:
    if isinstance(value, tuple):
        return (0,) * len(cast("tuple[object, ...]", value))
    if isinstance(value, str):
        return ""
    if isinstance(value, bytes):
        return b""
    return 0


@cache
def private_fields(kind: Any) -> tuple[str, ...]:
    """Names of the fields of an event class that hold a :class:`Private` value, in order."""
    return tuple(f.name for f in fields(kind) if "Private[" in str(f.type))


def redact(event: E, viewer: int) -> E:
    """The event as ``viewer`` may see it; the event itself if nothing has to be hidden.

    >>> from engine.events import DeckShuffled
    >>> redact(DeckShuffled(purpose="GAME", order=Private((7, 9), SERVER)), OBSERVER).order.value
    (0, 0)
    """
    names = private_fields(cast("Any", type(event)))
    hidden = [name for name in names if not getattr(event, name).audience & viewer]
    return hide(event, hidden) if hidden else event


def hide(event: E, names: Sequence[str]) -> E:
    """The event with some of its private values hidden, whoever may see them."""
    hidden: dict[str, Private[object]] = {}
    for name in names:
        private: Private[object] = getattr(event, name)
        rest = _hidden(private.value) if private.public is None else private.public
        hidden[name] = Private(rest, private.audience, shown=False, public=private.public)
    return replace(event, **hidden)  # type: ignore[type-var]
