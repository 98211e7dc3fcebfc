"""Events of Parlour.  Private: cards dealt (one seat), shown (two seats), thrown away (those who
knew them, or everyone by option), the house card (the server alone)."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Card
from engine.events import Event
from engine.visibility import Private


@dataclass(frozen=True, slots=True)
class HandStarted(Event):
    """A hand begins; ``seats`` are dealt in, in turn order, the dealer last."""

    hand_no: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AntePaid(Event):
    """A seat paid into the pot."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class CardDealt(Event):
    """The top card of the draw pile became card ``index`` of a hand."""

    seat: int
    index: int
    card: Private[Card]


@dataclass(frozen=True, slots=True)
class HouseCardDealt(Event):
    """The top card of the draw pile lies face down until the showdown."""

    card: Private[Card]


@dataclass(frozen=True, slots=True)
class PackCut(Event):
    """``draw`` cards are the draw pile, the rest is out of the hand."""

    draw: int


@dataclass(frozen=True, slots=True)
class CardShown(Event):
    """``seat`` paid ``price`` to look at card ``index`` of ``target``."""

    seat: int
    target: int
    index: int
    price: int
    card: Private[Card]


@dataclass(frozen=True, slots=True)
class CardDiscarded(Event):
    """Card ``index`` of a hand was thrown away."""

    seat: int
    index: int
    card: Private[Card]


@dataclass(frozen=True, slots=True)
class Kept(Event):
    """A seat kept its cards."""

    seat: int


@dataclass(frozen=True, slots=True)
class Folded(Event):
    """A seat gave up its hand."""

    seat: int


@dataclass(frozen=True, slots=True)
class HouseCardRevealed(Event):
    """The house card is turned up."""

    card: Card


@dataclass(frozen=True, slots=True)
class HandShown(Event):
    """A hand at the showdown and what it counts."""

    seat: int
    cards: tuple[Card, ...]
    points: int


@dataclass(frozen=True, slots=True)
class PotAwarded(Event):
    """A seat won chips of the pot."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class HandEnded(Event):
    """The hand is over and the cards are put away."""

    hand_no: int


EVENTS = (
    HandStarted,
    AntePaid,
    CardDealt,
    HouseCardDealt,
    PackCut,
    CardShown,
    CardDiscarded,
    Kept,
    Folded,
    HouseCardRevealed,
    HandShown,
    PotAwarded,
    HandEnded,
)
