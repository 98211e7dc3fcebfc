"""Actions of Royal Casino (royal_casino 6.2–6.6)."""

from __future__ import annotations

from dataclasses import dataclass

from engine.actions import HostAction, SeatAction
from engine.cards import Card

__all__ = ["ACTIONS", "BuildCards", "CaptureCards", "StartDeal", "StartGame", "TrailCard"]


@dataclass(frozen=True, slots=True)
class StartGame(HostAction):
    """Begin a game; ``first_dealer`` counts where neither option nor last game says (6.2.2)."""

    first_dealer: int | None = None


@dataclass(frozen=True, slots=True)
class StartDeal(HostAction):
    """Shuffle and deal (6.3)."""


@dataclass(frozen=True, slots=True)
class TrailCard(SeatAction):
    """Leave a hand card loose on the table (6.6)."""

    card: Card | None = None


@dataclass(frozen=True, slots=True)
class CaptureCards(SeatAction):
    """Take loose cards and whole builds with a hand card (6.4)."""

    card: Card | None = None
    loose: tuple[Card, ...] = ()
    builds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BuildCards(SeatAction):
    """Create a build of ``value``, or extend or raise the build ``base`` to it (6.5)."""

    card: Card | None = None
    value: int | None = None
    loose: tuple[Card, ...] = ()
    base: str | None = None


ACTIONS = (StartGame, StartDeal, TrailCard, CaptureCards, BuildCards)
