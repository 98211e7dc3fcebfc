"""Actions of Royal Flush (royal_flush 6)."""

from __future__ import annotations

from dataclasses import dataclass

from engine.actions import HostAction, SeatAction

__all__ = [
    "ACTIONS",
    "AbandonGame",
    "AutoPlay",
    "DealPiles",
    "GatherPiles",
    "SearchPile",
    "StartGame",
]


@dataclass(frozen=True, slots=True)
class StartGame(HostAction):
    """Shuffle and begin a game (6.4)."""


@dataclass(frozen=True, slots=True)
class DealPiles(SeatAction):
    """Deal the stock into the piles of the round (6.5)."""


@dataclass(frozen=True, slots=True)
class SearchPile(SeatAction):
    """Search the next pile (6.6); ``pile`` counts from 1."""

    pile: int | None = None


@dataclass(frozen=True, slots=True)
class GatherPiles(SeatAction):
    """Gather the piles to the next stock (6.7)."""


@dataclass(frozen=True, slots=True)
class AutoPlay(SeatAction):
    """Carry out mandatory steps: ``step``, ``round`` or ``game`` (6.8)."""

    scope: str | None = None


@dataclass(frozen=True, slots=True)
class AbandonGame(SeatAction):
    """Give the game up (6.9)."""


ACTIONS = (StartGame, DealPiles, SearchPile, GatherPiles, AutoPlay, AbandonGame)
