"""Events of Royal Flush (royal_flush 6.10).  All are public; the deck's order is the common
``DeckShuffled``'s private field."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.cards import Card
from engine.events import Event

__all__ = [
    "EVENTS",
    "CardClaimed",
    "CardFound",
    "CardsDiscarded",
    "DeckRevealed",
    "GameAbandoned",
    "GameLost",
    "GameStarted",
    "GameWon",
    "PileEmptied",
    "PileTurnedUp",
    "PilesDealt",
    "PilesGathered",
    "TargetFixed",
    "Why",
]


class Why(StrEnum):
    """Why a game was abandoned."""

    PLAYER = "PLAYER"
    TIME_OUT = "TIME_OUT"
    LEFT = "LEFT"


@dataclass(frozen=True, slots=True)
class GameStarted(Event):
    """A game begins; games of a table are counted from 1 (6.4)."""

    game_no: int


@dataclass(frozen=True, slots=True)
class TargetFixed(Event):
    """Exactly one hand is left possible: its cards in canonical order (7.6)."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class PilesDealt(Event):
    """The stock was dealt: cards per pile, pile 1 first (6.5)."""

    round: int
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PileTurnedUp(Event):
    """The search of a pile of ``size`` cards begins (6.6)."""

    round: int
    pile: int
    size: int


@dataclass(frozen=True, slots=True)
class CardsDiscarded(Event):
    """Cards thrown away, in search order (6.6, 7.7)."""

    round: int
    pile: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class CardFound(Event):
    """The search of a pile stopped at ``card``, with ``cards_under`` unseen below it (7.7)."""

    round: int
    pile: int
    card: Card
    cards_under: int


@dataclass(frozen=True, slots=True)
class CardClaimed(Event):
    """A found card is claimed for the first time: the ``count``-th (7.4)."""

    card: Card
    count: int


@dataclass(frozen=True, slots=True)
class PileEmptied(Event):
    """Nothing of a pile is left (7.7)."""

    round: int
    pile: int


@dataclass(frozen=True, slots=True)
class PilesGathered(Event):
    """The piles are the new stock: ``order`` names them from its top; round just ended (6.7)."""

    round: int
    order: tuple[int, ...]
    stock_size: int
    discard_size: int


@dataclass(frozen=True, slots=True)
class GameWon(Event):
    """Exactly the hand is left, in this order (7.11)."""

    hand: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class GameLost(Event):
    """What is left, and how many cards too many (7.11)."""

    remaining: tuple[Card, ...]
    excess: int


@dataclass(frozen=True, slots=True)
class GameAbandoned(Event):
    """The game ended early (6.9, 10)."""

    round: int
    reason: Why


@dataclass(frozen=True, slots=True)
class DeckRevealed(Event):
    """The initial order of the game, top card first (4.5)."""

    deck: tuple[Card, ...]


EVENTS = (
    GameStarted,
    TargetFixed,
    PilesDealt,
    PileTurnedUp,
    CardsDiscarded,
    CardFound,
    CardClaimed,
    PileEmptied,
    PilesGathered,
    GameWon,
    GameLost,
    GameAbandoned,
    DeckRevealed,
)
