"""A tournament with the house around it: whose it is, and the epoch that its lots come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.events import Event, HouseEvent
from engine.house import House, evolve_house
from engine.tournament.evolve import fold
from engine.tournament.state import Phase, Tournament

__all__ = ["Housed", "house_after", "is_over", "with_events"]


class Housed(NamedTuple):
    """A tournament at a version of its stream."""

    state: Tournament = Tournament()
    house: House = House()


def with_events(before: Housed, events: Sequence[Event]) -> Housed:
    """The tournament after the events of a commit."""
    return Housed(fold(events, before.state), house_after(before.house, events))


def house_after(house: House, events: Iterable[Event]) -> House:
    """The house after those of these events that are its own."""
    for event in events:
        if isinstance(event, HouseEvent):
            house = evolve_house(house, event)
    return house


def is_over(state: Tournament) -> bool:
    """Whether nothing is left to be drawn: it has its end, though money may still be owed."""
    return state.phase in {Phase.FINISHED, Phase.CANCELLED}
