"""Events of Palace Poker (palace_poker 6.14).

``auto`` is true when the engine acted for the seat (6.12, 6.13).  Private: palace cards, and what
a battle's hands were worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.cards import Card
from engine.events import Event
from engine.ranking import HandValue
from engine.visibility import Private

__all__ = [
    "EVENTS",
    "AntePosted",
    "BannerDealt",
    "BannerRejected",
    "BattleCalled",
    "BattleDeclared",
    "BattleFolded",
    "BattleRaised",
    "BattleResolved",
    "CardsCaptured",
    "Cause",
    "DealerCardDrawn",
    "DealerChosen",
    "DecidedBy",
    "End",
    "Folded",
    "HandEnded",
    "HandShown",
    "HandStarted",
    "MusterCompleted",
    "PalaceCardDealt",
    "PalaceRevealed",
    "PlayerEliminated",
    "PotAwarded",
    "SoldierBought",
    "SoldiersDiscarded",
    "Stayed",
    "TurnStarted",
    "UncalledReturned",
]

Chips = tuple[tuple[int, int], ...]
"""(seat, chips) pairs."""


class DecidedBy(StrEnum):
    """What decided a battle (7.4, 7.5)."""

    HAND = "HAND"
    OWN_SUIT_COUNT = "OWN_SUIT_COUNT"
    TOTAL_TIE = "TOTAL_TIE"


class Cause(StrEnum):
    """Why a player is out of the hand (5.10.1)."""

    FOLD = "FOLD"
    BATTLE_FOLD = "BATTLE_FOLD"
    BATTLE_LOST = "BATTLE_LOST"
    BATTLE_TIE = "BATTLE_TIE"


class End(StrEnum):
    """How a hand ended (5.10.3, 5.11)."""

    LAST_STANDING = "LAST_STANDING"
    SAME_SUIT_SHARE = "SAME_SUIT_SHARE"
    SPLIT_FINAL_TIE = "SPLIT_FINAL_TIE"
    SHOWDOWN = "SHOWDOWN"


# --- the deal (5.2-5.6) -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HandStarted(Event):
    """A hand begins, counted from 1; ``seats``: stacks of those dealt in, seats ascending.

    ``dealer`` is None before the first dealer is drawn for (5.3).
    """

    hand: int
    dealer: int | None
    seats: Chips


@dataclass(frozen=True, slots=True)
class DealerCardDrawn(Event):
    """A contestant's face-up card in draw 1, 2, … for the deal (5.3)."""

    seat: int
    card: Card
    draw: int


@dataclass(frozen=True, slots=True)
class DealerChosen(Event):
    """The draw has one highest card: its seat deals (5.3.2)."""

    seat: int


@dataclass(frozen=True, slots=True)
class AntePosted(Event):
    """A seat paid its ante; ``short``: all it had, which was less (5.4)."""

    seat: int
    amount: int
    short: bool


@dataclass(frozen=True, slots=True)
class BannerRejected(Event):
    """A candidate whose suit the group has already (5.5.2)."""

    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class BannerDealt(Event):
    """The banner of a seat (5.5)."""

    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class PalaceCardDealt(Event):
    """Palace card ``index`` 0…2, for its owner's eyes (5.6.1)."""

    seat: int
    index: int
    card: Private[Card]


# --- turns (5.7, 6.3-6.6) ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TurnStarted(Event):
    """A turn begins; ``forced``: to bet or to fold (5.12)."""

    seat: int
    forced: bool


@dataclass(frozen=True, slots=True)
class Stayed(Event):
    """A turn passed without an effect."""

    seat: int
    auto: bool


@dataclass(frozen=True, slots=True)
class Folded(Event):
    """A fold on one's own turn."""

    seat: int
    auto: bool


@dataclass(frozen=True, slots=True)
class SoldierBought(Event):
    """The top card of the draw pile joined the soldiers for ``paid`` chips."""

    seat: int
    card: Card
    paid: int


@dataclass(frozen=True, slots=True)
class SoldiersDiscarded(Event):
    """Soldiers went to the discard pile, in the order of the request."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class MusterCompleted(Event):
    """The soldiers kept after a purchase or capture, oldest first."""

    seat: int
    soldiers: tuple[Card, ...]
    auto: bool


# --- battles (5.8-5.10, 6.7-6.10) -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BattleDeclared(Event):
    """An attack; ``paid`` includes ``excess``; ``to_call``: what the defender owes."""

    attacker: int
    defender: int
    paid: int
    excess: int
    short: bool
    to_call: int


@dataclass(frozen=True, slots=True)
class BattleCalled(Event):
    """The call that decides the battle; ``short``: less than was due (8.3)."""

    seat: int
    paid: int
    short: bool
    auto: bool


@dataclass(frozen=True, slots=True)
class BattleRaised(Event):
    """A raise, in its two parts."""

    seat: int
    called: int
    raised: int


@dataclass(frozen=True, slots=True)
class BattleFolded(Event):
    """``seat`` gave up the battle."""

    seat: int
    winner: int
    auto: bool


@dataclass(frozen=True, slots=True)
class UncalledReturned(Event):
    """The unmatched part of a payment went back from the pot (5.8.7)."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class PalaceRevealed(Event):
    """A palace was shown to the seats named in ``to``, or to ``all`` (4.4)."""

    owner: int
    to: tuple[str, ...]
    cards: Private[tuple[Card, ...]]


@dataclass(frozen=True, slots=True)
class BattleResolved(Event):
    """Who won, and by what; no winner in a total tie.

    Value and own-suit count of a side are for its owner and those who were shown its palace; the
    counts are None unless the values are equal.
    """

    attacker: int
    defender: int
    winner: int | None
    decided_by: DecidedBy
    examiner: int
    attacker_value: Private[HandValue]
    defender_value: Private[HandValue]
    attacker_count: Private[int | None]
    defender_count: Private[int | None]


@dataclass(frozen=True, slots=True)
class PlayerEliminated(Event):
    """A player is out of the hand, the ``exit``-th to go (5.10.1)."""

    seat: int
    cause: Cause
    exit: int


@dataclass(frozen=True, slots=True)
class CardsCaptured(Event):
    """The loser's soldiers in their order, then his banner, joined the winner's soldiers."""

    winner: int
    loser: int
    cards: tuple[Card, ...]


# --- the end (5.10.3, 7.6, 8) -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HandShown(Event):
    """A palace at the showdown, and what the whole hand is worth."""

    seat: int
    palace: tuple[Card, ...]
    value: HandValue


@dataclass(frozen=True, slots=True)
class PotAwarded(Event):
    """A layer of the pot, None: above all caps; shares clockwise from the dealer's left."""

    cap: int | None
    amount: int
    shares: Chips


@dataclass(frozen=True, slots=True)
class HandEnded(Event):
    """The hand is over; ``stacks`` of those dealt in, seats ascending."""

    end: End
    stacks: Chips


EVENTS = (
    HandStarted,
    DealerCardDrawn,
    DealerChosen,
    AntePosted,
    BannerRejected,
    BannerDealt,
    PalaceCardDealt,
    TurnStarted,
    Stayed,
    Folded,
    SoldierBought,
    SoldiersDiscarded,
    MusterCompleted,
    BattleDeclared,
    BattleCalled,
    BattleRaised,
    BattleFolded,
    UncalledReturned,
    PalaceRevealed,
    BattleResolved,
    PlayerEliminated,
    CardsCaptured,
    HandShown,
    PotAwarded,
    HandEnded,
)
