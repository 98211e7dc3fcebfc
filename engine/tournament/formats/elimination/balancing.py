"""Who moves where: the published procedure of stud.

Tables are kept within one player of each other.  A table moves players between its hands: of those
who moved least often so far the one nearest to the left of the dealer, to the seat of the shortest
table that was the last to open.  Tables are broken from the highest number down.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.tournament.formats.elimination.sizes import (
    Sizes,
    is_playing,
    longest,
    size_of,
    tables_of,
)
from engine.tournament.persistent import members
from engine.tournament.state import Tournament

__all__ = [
    "TOO_SHORT",
    "breaks_next",
    "breaks_now",
    "has_room",
    "is_too_short",
    "movable",
    "mover",
    "others",
    "roomy",
    "seat_for",
    "shorter_table",
]

TOO_SHORT = 3
"""A table that has so many players less than the longest does not deal."""


def mover(state: Tournament, table: int) -> int:
    """The entry that a resting table moves."""
    here = state.tables[table]
    seats = len(here.seats)

    def order(seat: int) -> tuple[int, int]:
        return state.entries[here.seats[seat].entry].moves, (seat - here.dealer - 1) % seats

    return here.seats[min(movable(state, table), key=order)].entry


def movable(state: Tournament, table: int) -> list[int]:
    """Seats whose entries sit there, play and stay, ascending."""
    seats = state.tables[table].seats
    return [at for at, seat in enumerate(seats) if not seat.duty and is_playing(state, seat)]


def seat_for(state: Tournament, table: int) -> int:
    """The open seat that was the last to open; of several the one with the lowest number."""
    seats = state.tables[table].seats
    return max(state.tables[table].open_seats(), key=lambda at: (seats[at].since, -at))


def roomy(state: Tournament, sizes: Sizes, among: int) -> Iterator[tuple[int, int]]:
    """Players and number of each of those tables (a set) that has an open seat, shortest first."""
    for size, tables in enumerate(sizes[: state.structure.table_size]):  # none at full tables
        for table in members(tables & among):
            if state.tables[table].open_seats():
                yield size, table


def others(state: Tournament, table: int) -> int:
    """The tables that ``table`` may move players to: all others that are open."""
    return ~state.opening & ~(1 << table)


def shorter_table(state: Tournament, sizes: Sizes, table: int) -> int | None:
    """The table to which ``table`` moves a player: the shortest, if it is two or more shorter."""
    mine = size_of(sizes, table)
    size, other = next(roomy(state, sizes, others(state, table)), (mine, -1))
    return other if mine - size >= 2 else None


def is_too_short(sizes: Sizes, table: int) -> bool:
    """Whether a table waits for players: alone, or far shorter than the longest."""
    return size_of(sizes, table) < max(2, longest(sizes) - TOO_SHORT + 1)


def breaks_next(state: Tournament, sizes: Sizes) -> int | None:
    """The table that is to be broken, if all players fit at the others."""
    every = tables_of(sizes)
    tables = every.bit_count()
    players = sum(size * group.bit_count() for size, group in enumerate(sizes))
    if state.opening or tables < 2 or players > (tables - 1) * state.structure.table_size:
        return None
    return every.bit_length() - 1


def breaks_now(state: Tournament, sizes: Sizes) -> int | None:
    """The table that is to be broken, if it rests and everybody there finds a seat elsewhere."""
    table = breaks_next(state, sizes)
    idle = state.resting & ~state.busy
    if table is None or not idle >> table & 1 or not has_room(state, sizes, table):
        return None
    return table


def has_room(state: Tournament, sizes: Sizes, table: int) -> bool:
    """Whether everybody who plays at a table finds an open seat elsewhere now."""
    wanted = size_of(sizes, table)
    for _, other in roomy(state, sizes, others(state, table)):
        if wanted <= 0:
            break
        wanted -= len(state.tables[other].open_seats())
    return wanted <= 0
