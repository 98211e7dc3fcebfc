"""Actions of Parlour."""

from __future__ import annotations

from dataclasses import dataclass

from engine.actions import HostAction, SeatAction
from engine.cards import Card

__all__ = ["ACTIONS", "Fold", "Keep", "Peek", "StartHand", "Swap"]


@dataclass(frozen=True, slots=True)
class StartHand(HostAction):
    """Take the antes, shuffle and deal."""


@dataclass(frozen=True, slots=True)
class Keep(SeatAction):
    """Spend the turn without a change."""


@dataclass(frozen=True, slots=True)
class Swap(SeatAction):
    """Throw away one card, ``cards`` names it, and take another from the draw pile."""

    cards: tuple[Card, ...] | None = None


@dataclass(frozen=True, slots=True)
class Peek(SeatAction):
    """Pay an ante to look at card ``index`` (from 0) of seat ``target``; once a turn."""

    target: int | None = None
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Fold(SeatAction):
    """Give up the hand."""


ACTIONS = (StartHand, Keep, Swap, Peek, Fold)
