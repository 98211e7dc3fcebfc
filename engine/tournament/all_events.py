"""All events of tournaments: those of every one, and those of formats."""

from __future__ import annotations

from typing import Final

from engine.events import EpochClosed, EpochOpened, EpochVoided, Event, HouseOpened, LotDrawn
from engine.tournament.events import TOURNAMENT_EVENTS
from engine.tournament.formats import FORMATS

__all__ = ["ALL_TOURNAMENT_EVENTS", "stands_in_stream"]

_OWN: Final = dict.fromkeys(
    (*TOURNAMENT_EVENTS, *(kind for one in FORMATS.values() for kind in one.EVENTS))
)

ALL_TOURNAMENT_EVENTS: Final[tuple[type[Event], ...]] = tuple(
    kind for kind in _OWN if kind.__module__.startswith("engine.tournament.")
)
"""Without those of the house, such as lots."""

_IN_ITS_STREAM: Final = frozenset(
    (*ALL_TOURNAMENT_EVENTS, HouseOpened, EpochOpened, EpochClosed, EpochVoided, LotDrawn)
)


def stands_in_stream(event: Event) -> bool:
    """Whether the stream of a tournament can have such an event; tables have others."""
    return type(event) in _IN_ITS_STREAM
