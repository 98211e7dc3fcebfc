"""All events of tournaments: those of every one, and those of formats."""

from __future__ import annotations

from typing import Final

from engine.events import Event
from engine.tournament.events import TOURNAMENT_EVENTS
from engine.tournament.formats import FORMATS

__all__ = ["ALL_TOURNAMENT_EVENTS"]

_OWN: Final = dict.fromkeys(
    (*TOURNAMENT_EVENTS, *(kind for one in FORMATS.values() for kind in one.EVENTS))
)

ALL_TOURNAMENT_EVENTS: Final[tuple[type[Event], ...]] = tuple(
    kind for kind in _OWN if kind.__module__.startswith("engine.tournament.")
)
"""Without those of the house, such as lots."""
