"""Actions of Palace Poker (palace_poker 6.2–6.11).

Absent amounts are 0, absent lists are empty (6.1.2).
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.actions import HostAction, SeatAction
from engine.cards import Card

__all__ = [
    "ACTIONS",
    "Bet",
    "Buy",
    "Call",
    "Discard",
    "Fold",
    "Muster",
    "Raise",
    "StartHand",
    "Stay",
]


@dataclass(frozen=True, slots=True)
class StartHand(HostAction):
    """Antes, banners, palaces, first turn (6.2)."""


@dataclass(frozen=True, slots=True)
class Stay(SeatAction):
    """Do nothing (6.3)."""


@dataclass(frozen=True, slots=True)
class Discard(SeatAction):
    """Throw away one or more soldiers (6.4)."""

    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Buy(SeatAction):
    """Pay a small bet for the top card of the draw pile (6.5)."""


@dataclass(frozen=True, slots=True)
class Muster(SeatAction):
    """Throw away any soldiers after a purchase or capture; at most five may stay (6.6)."""

    discard: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Bet(SeatAction):
    """Attack seat ``target`` (6.7); without an amount, at the price."""

    target: int | None = None
    amount: int | None = None


@dataclass(frozen=True, slots=True)
class Call(SeatAction):
    """Pay the amount to call; the battle is decided (6.8)."""


@dataclass(frozen=True, slots=True)
class Raise(SeatAction):
    """Call and pay ``amount`` more (6.9); without an amount, the least there may be."""

    amount: int | None = None


@dataclass(frozen=True, slots=True)
class Fold(SeatAction):
    """Give up the battle (6.10), or on one's own turn the hand (6.11)."""


ACTIONS = (StartHand, Stay, Discard, Buy, Muster, Bet, Call, Raise, Fold)
