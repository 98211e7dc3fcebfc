"""Events of a deal of Pontoon (pontoon 6.16); those of the bank are in ``bank_events``.

Private: cards that lie face down, the cards that the banker looks at, and cards that go back
under the pack, of which everybody keeps what he has seen (4.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.cards import Card
from engine.events import Event
from engine.visibility import Private

__all__ = [
    "DEAL_EVENTS",
    "BankFellShort",
    "BankerBusted",
    "BankerCardDrawn",
    "BankerFiveCardTrickMade",
    "BankerHandRevealed",
    "BankerHandSeen",
    "BankerPontoonRevealed",
    "BankerStayed",
    "BetPlaced",
    "CardBought",
    "CardDealt",
    "CardTwisted",
    "CardsReturned",
    "DealEnded",
    "DealStarted",
    "Face",
    "FiveCardTrickMade",
    "HandBusted",
    "HandRevealed",
    "HandSettled",
    "HandSplit",
    "HandStuck",
    "Outcome",
    "PontoonDeclared",
    "StakeCollected",
]


class Face(StrEnum):
    """How a card lies on the table."""

    DOWN = "down"
    UP = "up"


class Outcome(StrEnum):
    """What became of a hand (8)."""

    WON = "WON"
    LOST = "LOST"


# --- cards and bets (6.1-6.3) -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DealStarted(Event):
    """Deal number ``deal``, from 1; ``punters`` in turn order (5.2)."""

    deal: int
    banker: int
    punters: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CardDealt(Event):
    """A card face down; ``hand`` is absent for the banker, whose cards nobody sees yet (4.3)."""

    to: int
    hand: int | None
    card: Private[Card]
    face: Face = Face.DOWN


@dataclass(frozen=True, slots=True)
class BetPlaced(Event):
    """A punter's initial stake."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class BankerHandSeen(Event):
    """The banker looks at his two cards (6.3)."""

    seat: int
    cards: Private[tuple[Card, ...]]


@dataclass(frozen=True, slots=True)
class BankerPontoonRevealed(Event):
    """The banker has a pontoon: the deal is over (8.1)."""

    cards: tuple[Card, ...]


# --- the punters' turns (6.4-6.9) -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PontoonDeclared(Event):
    """A pontoon; ``place`` of the ace that is turned up: 1 or 2 among the hand's cards."""

    seat: int
    hand: int
    ace: Card
    place: int


@dataclass(frozen=True, slots=True)
class HandSplit(Event):
    """A pair became two hands; ``cards``: the one that stays, the one that moves."""

    seat: int
    hand: int
    new_hand: int
    cards: tuple[Card, ...]
    stake: int


@dataclass(frozen=True, slots=True)
class CardBought(Event):
    """A card face down for ``amount`` chips."""

    seat: int
    hand: int
    amount: int
    card: Private[Card]
    face: Face = Face.DOWN


@dataclass(frozen=True, slots=True)
class CardTwisted(Event):
    """A card face up."""

    seat: int
    hand: int
    card: Card
    face: Face = Face.UP


@dataclass(frozen=True, slots=True)
class HandStuck(Event):
    """A hand takes no more cards."""

    seat: int
    hand: int


@dataclass(frozen=True, slots=True)
class FiveCardTrickMade(Event):
    """Five cards, not bust: the hand is closed."""

    seat: int
    hand: int


@dataclass(frozen=True, slots=True)
class HandBusted(Event):
    """A total above 21: all cards are exposed."""

    seat: int
    hand: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class StakeCollected(Event):
    """The stake of a bust hand went to the banker."""

    seat: int
    hand: int
    amount: int


@dataclass(frozen=True, slots=True)
class CardsReturned(Event):
    """Cards went under the stock in this order (9.3); ``hand`` is absent for the banker.

    Each viewer sees the faces he had seen before.
    """

    seat: int
    hand: int | None
    cards: Private[tuple[Card, ...]]


# --- the banker's turn (6.10, 6.11) -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BankerHandRevealed(Event):
    """The banker's two cards are turned up."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class BankerCardDrawn(Event):
    """The banker took a card, face up."""

    card: Card


@dataclass(frozen=True, slots=True)
class BankerStayed(Event):
    """The banker stays on ``total`` and pays from ``paying`` on; None at 21."""

    total: int
    paying: int | None


@dataclass(frozen=True, slots=True)
class BankerBusted(Event):
    """The banker's total is above 21."""


@dataclass(frozen=True, slots=True)
class BankerFiveCardTrickMade(Event):
    """The banker has five cards and is not bust."""


# --- the settlement (8) -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HandRevealed(Event):
    """A hand is turned up at the settlement."""

    seat: int
    hand: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class HandSettled(Event):
    """A hand is paid or lost.

    ``owed`` is ``stake`` times ``multiplier``; ``net``: what the punter gained beyond his stake,
    negative if he lost.
    """

    seat: int
    hand: int
    outcome: Outcome
    stake: int
    multiplier: int
    owed: int
    net: int


@dataclass(frozen=True, slots=True)
class BankFellShort(Event):
    """The bank could not pay in full (10.2)."""

    seat: int
    hand: int
    owed: int
    paid: int


@dataclass(frozen=True, slots=True)
class DealEnded(Event):
    """The deal is settled and its cards are under the pack."""

    deal: int


DEAL_EVENTS = (
    DealStarted,
    CardDealt,
    BetPlaced,
    BankerHandSeen,
    BankerPontoonRevealed,
    PontoonDeclared,
    HandSplit,
    CardBought,
    CardTwisted,
    HandStuck,
    FiveCardTrickMade,
    HandBusted,
    StakeCollected,
    CardsReturned,
    BankerHandRevealed,
    BankerCardDrawn,
    BankerStayed,
    BankerBusted,
    BankerFiveCardTrickMade,
    HandRevealed,
    HandSettled,
    BankFellShort,
    DealEnded,
)
