"""Whom the events of a tournament concern: most of them one player, or those at one table."""

from __future__ import annotations

from collections.abc import Iterable

from engine.events import Event
from engine.tournament import events as e
from engine.tournament.chips import chips_of
from engine.tournament.state import Entry, TableStatus, Tournament

__all__ = ["concerned", "open_table", "way_of"]


def concerned(before: Tournament, after: Tournament, events: Iterable[Event]) -> set[str] | None:
    """The players that events concern, which led from one state to another; None: everybody.

    :func:`way_of` of all others is what it was.
    What a table says to those who sit there, such as that a hand is dealt, it says itself.
    """
    found: set[str] = set()
    for event in events:
        entries = _entries(before, after, event)
        if entries is None:
            return None
        found.update(after.entries[entry].player for entry in entries)
    return found


def _entries(before: Tournament, after: Tournament, event: Event) -> Iterable[int] | None:
    match event:
        case e.DealAllowed():
            return ()
        case e.TableDrawn(_, entries):
            return [entry for entry in entries if entry >= 0]
        case e.TableStood(table) | e.DealPlayed(table) | e.TableBroken(table) | e.TableDone(table):
            tables = [state.tables[table] for state in (before, after) if table < len(state.tables)]
            return [seat.entry for each in tables for seat in each.seats if seat.entry >= 0]
        case _:
            entry: int | None = getattr(event, "entry", None)
            return None if entry is None else (entry,)


def open_table(state: Tournament, entry: Entry) -> int | None:
    """The table at which an entry sits and can be found; None: at none."""
    if entry.table < 0 or state.tables[entry.table].status is TableStatus.OPENING:
        return None
    return entry.table


def way_of(state: Tournament, player: str) -> tuple[object, ...]:
    """What a player's way consists of: where the tournament stands, and he in it."""
    common = (state.phase, state.paused, state.accepts, state.level, state.on_break, state.clock)
    number = state.players.get(player)
    if number is None:
        return (*common, state.prizes)
    entry = state.entries[number]
    return (*common, state.prizes, entry, open_table(state, entry), chips_of(state, number))
