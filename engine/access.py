"""Who looked at what players do not show: a fact like any other (design 6).

Looking is recorded before anything is shown.  It stands on a stream of its own beside the table's,
so that play is not disturbed by it.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.events import Event

__all__ = ["ACCESS_EVENTS", "AuditorLooked"]


@dataclass(frozen=True, slots=True)
class AuditorLooked(Event):
    """Hidden cards of closed epochs were shown to an auditor, or copied from the store.

    ``reader``: opaque id of the auditor; empty: whoever operates the store.  ``table``: the
    table's id; empty: all of them.  ``surface``: what it was asked by, such as ``ReplayHand``.
    ``eyes``: ``auditor``, ``seat 2``, or ``complete`` for commits as they are stored.  ``hand``: 0
    where it was not one hand.  Shown was what follows ``first_version``, up to ``last_version``;
    of all tables: positions of the log.
    """

    reader: str
    table: str
    surface: str
    eyes: str
    hand: int
    first_version: int
    last_version: int


ACCESS_EVENTS = (AuditorLooked,)
