"""Who holds which seat, and whose eyes that gives him.

What a player may see of an event follows from the seats he held just after it, live as in every
replay.  The occupancy before a commit travels with the commit; nothing keeps a table's whole
history of sitting down and leaving in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from engine.events import Event, PositionSet, SeatLeft, SeatTaken
from engine.house import Table
from engine.visibility import OBSERVER, seat_viewer

__all__ = ["Seated", "seated_after", "seated_at", "viewer_of", "viewers"]

Seated: TypeAlias = Mapping[int, str]
"""Occupied seats and their players."""


_MOVING: Final = frozenset({SeatTaken, SeatLeft, PositionSet})
"""Events after which somebody else sits somewhere."""


def seated_at(table: Table) -> Seated:
    """Who sits at a table now."""
    return {seat: name for seat, (name, _) in table.game.players(table.state).items()}


def seated_after(seated: Seated, event: Event) -> Seated:
    """The occupancy after an event.

    A position that is set seats players of the laboratory, who are nobody's principals.

    >>> seated_after({0: "ann"}, SeatLeft(0, 5))
    {}
    """
    match event:
        case SeatTaken():
            return {**seated, event.seat: event.player}
        case SeatLeft():
            return {seat: name for seat, name in seated.items() if seat != event.seat}
        case PositionSet():
            return {}
        case _:
            return seated


def viewer_of(seated: Seated, player: str) -> int:
    """The viewer mask of a player: the seats he holds, and what everybody sees.

    >>> viewer_of({0: "ann", 2: "bob"}, "bob") == OBSERVER | seat_viewer(2)
    True
    """
    mask = OBSERVER
    for seat, name in seated.items():
        if name == player and player:
            mask |= seat_viewer(seat)
    return mask


def viewers(seated: Seated, events: Iterable[Event], player: str) -> list[int]:
    """The viewer mask of a player just after each event of a commit."""
    events = tuple(events)
    mask = viewer_of(seated, player)
    if _MOVING.isdisjoint(map(type, events)):
        return [mask] * len(events)
    masks: list[int] = []
    for event in events:
        moved = seated_after(seated, event)
        if moved is not seated:
            seated, mask = moved, viewer_of(moved, player)
        masks.append(mask)
    return masks
