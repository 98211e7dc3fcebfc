"""Events of Royal Casino (royal_casino 6–10, in the order of 6.9)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, NamedTuple

from engine.cards import Card
from engine.events import Event
from engine.visibility import Private

__all__ = [
    "EVENTS",
    "BuildCreated",
    "BuildExtended",
    "BuildKind",
    "BuildRaised",
    "Captured",
    "CardTrailed",
    "CardsCaptured",
    "DealEnded",
    "DealScored",
    "DealStarted",
    "DealStopped",
    "DeckRevealed",
    "GameDrawn",
    "GameStarted",
    "GameWon",
    "HandDealt",
    "Item",
    "OvertimeStarted",
    "PotPaid",
    "Reason",
    "ResidueAwarded",
    "Scored",
    "SideForfeited",
    "StakePosted",
    "Stop",
    "SweepMade",
    "TableDealt",
]

Groups = tuple[tuple[Card, ...], ...]


class Item(StrEnum):
    """What scores, in counting order (7.2)."""

    MOST_CARDS = "MOST_CARDS"
    MOST_SPADES = "MOST_SPADES"
    BIG_CASINO = "BIG_CASINO"
    LITTLE_CASINO = "LITTLE_CASINO"
    ACE_S = "ACE_S"
    ACE_C = "ACE_C"
    ACE_H = "ACE_H"
    ACE_D = "ACE_D"
    SWEEPS = "SWEEPS"


class BuildKind(StrEnum):
    """One group, or several (4.2)."""

    SINGLE = "SINGLE"
    MULTIPLE = "MULTIPLE"


class Stop(StrEnum):
    """Why a deal ended before its last card (7.6, 10.5)."""

    AUTOMATIC = "AUTOMATIC"
    FORFEIT = "FORFEIT"


class Reason(StrEnum):
    """Why a game ended (9.2)."""

    TARGET = "TARGET"
    AUTOMATIC = "AUTOMATIC"
    OVERTIME = "OVERTIME"
    FORFEIT = "FORFEIT"
    DEAL_CAP = "DEAL_CAP"
    ABANDONED = "ABANDONED"


@dataclass(frozen=True, slots=True)
class Captured:
    """A build that was captured; its cards group by group."""

    NOTATION: ClassVar[str] = "{id} {value}/{owner} {cards}"

    id: str
    value: int
    owner: int
    cards: tuple[Card, ...]


class Scored(NamedTuple):
    """An item, the side that holds it if one does, and what its score gained."""

    item: Item
    side: int | None
    points: int


@dataclass(frozen=True, slots=True)
class GameStarted(Event):
    """A game begins; all scores are 0 (6.2.2)."""

    first_dealer: int


@dataclass(frozen=True, slots=True)
class StakePosted(Event):
    """A seat paid its stake into the pot (8.1)."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class DealStarted(Event):
    """A deal of the game begins, counted from 1; ``locks`` by side (7.5.1)."""

    deal_no: int
    dealer: int
    locks: tuple[Item | None, ...]
    overtime: bool


@dataclass(frozen=True, slots=True)
class HandDealt(Event):
    """A seat got hand cards, in the order dealt, for its own eyes (5.3, 5.5)."""

    seat: int
    count: int
    cards: Private[tuple[Card, ...]]


@dataclass(frozen=True, slots=True)
class TableDealt(Event):
    """The four cards dealt face up to the table, in the order dealt (5.3)."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class CardTrailed(Event):
    """A hand card lies loose (6.6.2); ``auto``: nobody chose it (10.2)."""

    seat: int
    card: Card
    auto: bool


@dataclass(frozen=True, slots=True)
class CardsCaptured(Event):
    """A capture: the loose cards in groups, the builds by number (6.4.7)."""

    seat: int
    card: Card
    groups: Groups
    builds: tuple[Captured, ...]
    auto: bool


@dataclass(frozen=True, slots=True)
class BuildCreated(Event):
    """A new build; ``card`` is the one that was played (6.5.8)."""

    seat: int
    card: Card
    id: str
    value: int
    kind: BuildKind
    groups: Groups


@dataclass(frozen=True, slots=True)
class BuildExtended(Event):
    """Groups of its value were added to a build (6.5.8)."""

    seat: int
    card: Card
    id: str
    value: int
    added_groups: Groups
    previous_owner: int


@dataclass(frozen=True, slots=True)
class BuildRaised(Event):
    """The played card joined the only group of a build; further groups may stand beside (6.5.8)."""

    seat: int
    card: Card
    id: str
    old_value: int
    value: int
    kind: BuildKind
    added_groups: Groups
    previous_owner: int


@dataclass(frozen=True, slots=True)
class SweepMade(Event):
    """A capture emptied the table (7.3)."""

    seat: int
    side: int


@dataclass(frozen=True, slots=True)
class ResidueAwarded(Event):
    """What lay loose at the end went to the last capturer, in card order (6.6.3)."""

    seat: int
    side: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class DealStopped(Event):
    """The deal ended before its last card and is not counted (7.6, 10.5)."""

    reason: Stop


@dataclass(frozen=True, slots=True)
class DealScored(Event):
    """The count: items in order, and by side what they follow from (7.8)."""

    items: tuple[Scored, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    counts: tuple[int, ...]
    spades: tuple[int, ...]
    raw_sweeps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DeckRevealed(Event):
    """The whole deck in its order: the deal is over (4.5)."""

    deck: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class OvertimeStarted(Event):
    """Sides are tied at the target or past it: the game goes on without it (7.7.2)."""

    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DealEnded(Event):
    """The game goes on (9.1)."""

    next_dealer: int


@dataclass(frozen=True, slots=True)
class SideForfeited(Event):
    """All seats of a side have left (10.5)."""

    side: int


@dataclass(frozen=True, slots=True)
class GameWon(Event):
    """The game is over; ``seats``: all of the side (9.2)."""

    side: int
    seats: tuple[int, ...]
    reason: Reason
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameDrawn(Event):
    """The game is over, and these sides share the pot (9.2)."""

    sides: tuple[int, ...]
    reason: Reason
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PotPaid(Event):
    """A seat's part of the pot (8.4)."""

    seat: int
    amount: int


EVENTS = (
    GameStarted,
    StakePosted,
    DealStarted,
    HandDealt,
    TableDealt,
    CardTrailed,
    CardsCaptured,
    BuildCreated,
    BuildExtended,
    BuildRaised,
    SweepMade,
    ResidueAwarded,
    DealStopped,
    DealScored,
    DeckRevealed,
    OvertimeStarted,
    DealEnded,
    SideForfeited,
    GameWon,
    GameDrawn,
    PotPaid,
)
