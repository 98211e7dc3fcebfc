"""What a table does between two hands: see off who is out, break, move, deal together or alone."""

from __future__ import annotations

from engine.tournament import events as e
from engine.tournament.formats.elimination.balancing import (
    breaks_next,
    has_room,
    is_too_short,
    movable,
    mover,
    others,
    roomy,
    seat_for,
    shorter_table,
)
from engine.tournament.formats.elimination.sizes import is_playing, play_of, size_of, tables_of
from engine.tournament.persistent import members
from engine.tournament.state import Tournament
from engine.tournament.steps import Draw, Steps
from engine.tournament.tables import allow_deal, see_off

__all__ = ["deal", "is_together", "last_ones", "rearrange"]


def is_together(state: Tournament, ended: int = -1) -> bool:
    """Whether it is hand for hand: so few places before the money that all deal at once.

    A round goes on to its end though an exclusion brings the money: those who lost all in it are
    ranked together.  ``ended``: the table whose hand has just ended, if it is that.
    """
    before, play = state.left - len(state.prizes), play_of(state)
    return (bool(state.prizes) and 0 < before <= play.hand_for_hand) or any(
        state.entries[entry].table != ended for entry, _ in play.busted
    )


def rearrange(steps: Steps, table: int, draw: Draw) -> None:
    """See off who is out of a resting table, then break it or move players, where it is due."""
    see_off(steps, table)
    if steps.state.busy >> table & 1:
        return
    sizes = play_of(steps.state).sizes
    empty = not size_of(sizes, table) and tables_of(sizes).bit_count() > 1
    due = breaks_next(steps.state, sizes)
    if empty or (due == table and has_room(steps.state, sizes, table)):
        _break(steps, table, draw)
    elif due is None:
        _balance(steps, table)


def last_ones(state: Tournament) -> list[int]:
    """The entry that still plays when only one does; none where nobody does."""
    tables = members(play_of(state).sizes[1])
    return [
        seat.entry
        for table in tables
        for seat in state.tables[table].seats
        if is_playing(state, seat)
    ]


def _break(steps: Steps, table: int, draw: Draw) -> None:
    """Its players draw lots for the seats that are open, those of the shortest table first."""
    seats = movable(steps.state, table)
    order = steps.draw(draw, "table_broken", len(seats))
    for at in order:
        entry = steps.state.tables[table].seats[seats[at]].entry
        state = steps.state
        _, other = next(roomy(state, play_of(state).sizes, others(state, table)))
        steps.emit(e.MoveOrdered(entry, other, seat_for(state, other)))
    steps.emit(e.TableBroken(table))


def _balance(steps: Steps, table: int) -> None:
    """Move players until no other table is two or more shorter."""
    while True:
        other = shorter_table(steps.state, play_of(steps.state).sizes, table)
        if other is None:
            return
        entry = mover(steps.state, table)
        steps.emit(e.MoveOrdered(entry, other, seat_for(steps.state, other)))


def deal(steps: Steps, tables: int) -> None:
    """Let these tables (a set) deal that rest; hand for hand all, once every one is ready."""
    state = steps.state
    if is_together(state):
        tables = 0 if state.dealing or state.busy else state.resting
    sizes = play_of(state).sizes
    for table in members(tables & state.resting):
        if not is_too_short(sizes, table):
            allow_deal(steps, table)
