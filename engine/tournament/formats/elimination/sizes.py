"""What the format keeps: above all how many play at each table.

Kept by size, so that the shortest and the longest table are known at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, cast

from engine.tournament.state import Duty, EntryStatus, Seat, TableStatus, Tournament

__all__ = ["Play", "Sizes", "longest", "play_of", "resized", "size_of", "strength", "tables_of"]

Sizes = tuple[int, ...]
"""By number of players: the set of tables, open or about to be, that so many play at."""

NO_SIZES: Final[Sizes] = (0,) * 11


class Play(NamedTuple):
    """What the format keeps.

    ``sizes``: tables by how many play there.  ``deals``: hands that had ended when the level began.
    ``hand_for_hand``: the setting.  ``busted``: (entry, stack at the start of the hand) of those
    who lost all and have no place yet.
    """

    sizes: Sizes = NO_SIZES
    deals: int = 0
    hand_for_hand: int = 0
    busted: tuple[tuple[int, int], ...] = ()


def play_of(state: Tournament) -> Play:
    """What the format keeps of an elimination tournament."""
    return cast("Play", state.play)


def is_playing(state: Tournament, seat: Seat) -> bool:
    """Whether a seat is, or is kept, for an entry that plays and is to stay."""
    if seat.entry < 0 or seat.duty is Duty.MOVE:
        return False
    return state.entries[seat.entry].status is EntryStatus.PLAYING


def strength(state: Tournament, table: int) -> int:
    """How many play at a table once all that is ordered is done."""
    return sum(is_playing(state, seat) for seat in state.tables[table].seats)


def resized(sizes: Sizes, state: Tournament, tables: Iterable[int]) -> Sizes:
    """The sizes once those tables (-1: none) are counted anew; broken ones are not counted."""
    counted = list(sizes)
    for table in {*tables} - {-1}:
        bit = 1 << table
        counted = [group & ~bit for group in counted]
        if state.tables[table].status not in {TableStatus.BREAKING, TableStatus.DONE}:
            counted[strength(state, table)] |= bit
    return tuple(counted)


def tables_of(sizes: Sizes) -> int:
    """All of them, a set."""
    every = 0
    for tables in sizes:
        every |= tables
    return every


def longest(sizes: Sizes) -> int:
    """Players at the longest table; 0 if there is none."""
    return max((size for size, tables in enumerate(sizes) if tables), default=0)


def size_of(sizes: Sizes, table: int) -> int:
    """How many play at one of them; 0 if it is none of them."""
    return next((size for size, tables in enumerate(sizes) if tables >> table & 1), 0)
