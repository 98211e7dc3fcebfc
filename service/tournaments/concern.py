"""Whom the events of a tournament concern: most of them one player, or those at one table."""

from __future__ import annotations

from collections.abc import Iterable

from engine.events import Event
from engine.tournament import events as e
from engine.tournament.state import Entry, TableStatus, Tournament

__all__ = ["concerned", "open_table"]


def concerned(state: Tournament, events: Iterable[Event]) -> set[str] | None:
    """The players that events concern, which led to ``state``; None: everybody.

    What a table says to those who sit there, such as that a hand is dealt, it says itself.
    """
    found: set[str] = set()
    for event in events:
        entries = _entries(state, event)
        if entries is None:
            return None
        found.update(state.entries[entry].player for entry in entries)
    return found


def _entries(state: Tournament, event: Event) -> Iterable[int] | None:
    match event:
        case e.DealAllowed():
            return ()
        case e.TableDrawn(_, entries):
            return [entry for entry in entries if entry >= 0]
        case e.TableStood(table) | e.DealPlayed(table) | e.TableBroken(table) | e.TableDone(table):
            return [seat.entry for seat in state.tables[table].seats if seat.entry >= 0]
        case _:
            entry: int | None = getattr(event, "entry", None)
            return None if entry is None else (entry,)


def open_table(state: Tournament, entry: Entry) -> int | None:
    """The table at which an entry sits and can be found; None: at none."""
    if entry.table < 0 or state.tables[entry.table].status is TableStatus.OPENING:
        return None
    return entry.table
