"""What formats do with tables: draw seats, allow hands, see entries off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.options import Kind, Option
from engine.tournament import events as e
from engine.tournament.state import Duty, EntryStatus, Tournament
from engine.tournament.steps import Draw, Steps
from engine.tournament.structure import MAX_ENTRANTS

__all__ = [
    "TABLES_AT_ONCE",
    "allow_deal",
    "draw_tables",
    "entered",
    "may_open",
    "open_table",
    "see_off",
]

TABLES_AT_ONCE: Final = Option(
    "tables_at_once",
    Kind.INT,
    0,
    "so many tables are open at a time, the next opens when one is closed; 0: all",
    high=MAX_ENTRANTS,
)
"""A setting of formats whose tables have nothing to do with each other."""


def entered(state: Tournament) -> list[int]:
    """The entries that have a place and play not yet, by number: the field at the start."""
    return [
        number for number, entry in enumerate(state.entries) if entry.status is EntryStatus.ENTERED
    ]


def draw_tables(steps: Steps, draw: Draw, purpose: str, entries: Sequence[int], size: int) -> None:
    """Draw seats at as few tables of ``size`` as hold all, as many at each within one."""
    order = [entries[at] for at in steps.draw(draw, purpose, len(entries))]
    tables = -(-len(order) // size)
    for table in range(tables):
        open_table(steps, order[table::tables], size)


def open_table(steps: Steps, entries: Sequence[int], size: int) -> int:
    """A new table with these entries in its first seats; its number."""
    number = len(steps.state.tables)
    seats = (*entries, *(-1,) * (size - len(entries)))
    steps.emit(e.TableDrawn(number, seats))
    return number


def may_open(state: Tournament, at_once: int) -> bool:
    """Whether another table may be opened where ``at_once`` may be open at a time; 0: all."""
    return not at_once or state.standing.bit_count() < at_once


def allow_deal(steps: Steps, table: int) -> None:
    """Let a resting table deal its next hand at the level that is on.

    Not now if all are paused or on a break, or something is still to be done about its seats.
    """
    state = steps.state
    if not (state.paused or state.on_break or state.busy >> table & 1):
        steps.emit(e.DealAllowed(table, state.tables[table].hand + 1, max(0, state.level)))


def see_off(steps: Steps, table: int) -> None:
    """Order away from a resting table whoever is out."""
    for seat in steps.state.tables[table].seats:
        if seat.entry < 0 or seat.duty is not Duty.NONE:
            continue
        if steps.state.entries[seat.entry].status is EntryStatus.OUT:
            steps.emit(e.RemovalOrdered(seat.entry))
