"""Events of the bank: who holds it, what it is sold for, and the kitty (pontoon 6.13, 9, S).

All of them are public.  ``kitty`` is the kitty after the event.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.cards import Card
from engine.events import Event

__all__ = [
    "BANK_EVENTS",
    "AuctionBidPlaced",
    "AuctionClosed",
    "AuctionOpened",
    "AuctionPassed",
    "BankCardCut",
    "BankOfferDeclined",
    "BankOfferLapsed",
    "BankOfferMade",
    "BankOfferWithdrawn",
    "BankPassed",
    "BankSaleAgreed",
    "BankSaleVoided",
    "BankSold",
    "BankVacated",
    "BankerChosen",
    "KittyFormed",
    "KittyReturned",
    "KittyToppedUp",
    "Method",
    "Passing",
    "Pause",
    "ShootBetForfeited",
    "ShootBetPassed",
    "ShootBetPlaced",
    "ShootBetSettled",
    "TablePaused",
    "TableResumed",
    "Void",
]


class Method(StrEnum):
    """How a banker was found (9.1)."""

    CUT = "CUT"
    NOMINATED = "NOMINATED"


class Pause(StrEnum):
    """Why a table waits for the host (9.6, 10.3)."""

    NOT_ENOUGH_PLAYERS = "NOT_ENOUGH_PLAYERS"
    NO_ELIGIBLE_BANKER = "NO_ELIGIBLE_BANKER"


class Passing(StrEnum):
    """Why the bank changed hands."""

    PONTOON = "PONTOON"
    SALE = "SALE"
    AUCTION = "AUCTION"
    VACATED = "VACATED"


class Void(StrEnum):
    """Why an agreed sale came to nothing (9.5, 9.7)."""

    BANK_PASSED_BY_PONTOON = "BANK_PASSED_BY_PONTOON"
    BUYER_NOT_ELIGIBLE = "BUYER_NOT_ELIGIBLE"
    TABLE_CLOSED = "TABLE_CLOSED"


# --- who is banker (9.1, 9.5, 9.6) ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableResumed(Event):
    """Play goes on with the banker there is."""


@dataclass(frozen=True, slots=True)
class TablePaused(Event):
    """Play waits for ``start_game``."""

    reason: Pause


@dataclass(frozen=True, slots=True)
class BankCardCut(Event):
    """A card cut for the bank."""

    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class BankerChosen(Event):
    """There is a banker; the whole pack will be shuffled."""

    seat: int
    method: Method


@dataclass(frozen=True, slots=True)
class BankPassed(Event):
    """The bank changed hands."""

    from_: int
    to: int
    reason: Passing


@dataclass(frozen=True, slots=True)
class BankVacated(Event):
    """There is no banker any more."""

    from_: int


# --- trading (6.13) ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BankOfferMade(Event):
    """An offer to sell or to buy the bank; ids count 1, 2, … per table."""

    offer_id: int
    from_: int
    to: int
    price: int


@dataclass(frozen=True, slots=True)
class BankOfferWithdrawn(Event):
    """Its sender took an offer back."""

    offer_id: int


@dataclass(frozen=True, slots=True)
class BankOfferDeclined(Event):
    """Its receiver refused an offer."""

    offer_id: int


@dataclass(frozen=True, slots=True)
class BankOfferLapsed(Event):
    """An offer is void (6.13c)."""

    offer_id: int


@dataclass(frozen=True, slots=True)
class BankSaleAgreed(Event):
    """The price left the buyer's stack."""

    offer_id: int
    seller: int
    buyer: int
    price: int


@dataclass(frozen=True, slots=True)
class BankSold(Event):
    """The price reached the seller."""

    seller: int
    buyer: int
    price: int


@dataclass(frozen=True, slots=True)
class BankSaleVoided(Event):
    """The price went back to the buyer."""

    reason: Void
    buyer: int
    refund: int


# --- Part B -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KittyFormed(Event):
    """The banker put up a kitty (S.2)."""

    seat: int
    amount: int
    kitty: int


@dataclass(frozen=True, slots=True)
class KittyToppedUp(Event):
    """The banker added to the kitty (S.2)."""

    seat: int
    amount: int
    kitty: int


@dataclass(frozen=True, slots=True)
class KittyReturned(Event):
    """The whole kitty went home to the old banker (S.11)."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class ShootBetPlaced(Event):
    """A bet of ``amount`` against the kitty, on top of what the hand carries."""

    seat: int
    hand: int
    amount: int


@dataclass(frozen=True, slots=True)
class ShootBetPassed(Event):
    """No first shoot bet; ``auto``: the rules passed (S.4)."""

    seat: int
    auto: bool


@dataclass(frozen=True, slots=True)
class ShootBetForfeited(Event):
    """The shoot bet of a bust hand joined the kitty (S.7)."""

    seat: int
    hand: int
    amount: int
    kitty: int


@dataclass(frozen=True, slots=True)
class ShootBetSettled(Event):
    """A shoot bet was paid from the kitty or joined it (S.8)."""

    seat: int
    hand: int
    net: int
    kitty: int


@dataclass(frozen=True, slots=True)
class AuctionOpened(Event):
    """The bank is auctioned among these bidders, in order (S.10)."""

    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AuctionBidPlaced(Event):
    """The highest bid."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class AuctionPassed(Event):
    """A bidder is out of the auction; ``auto``: the rules passed (S.10)."""

    seat: int
    auto: bool


@dataclass(frozen=True, slots=True)
class AuctionClosed(Event):
    """The auction is over; ``to`` and ``price`` are None if nobody bid."""

    sold: bool
    to: int | None
    price: int | None


BANK_EVENTS = (
    TableResumed,
    TablePaused,
    BankCardCut,
    BankerChosen,
    BankPassed,
    BankVacated,
    BankOfferMade,
    BankOfferWithdrawn,
    BankOfferDeclined,
    BankOfferLapsed,
    BankSaleAgreed,
    BankSold,
    BankSaleVoided,
    KittyFormed,
    KittyToppedUp,
    KittyReturned,
    ShootBetPlaced,
    ShootBetPassed,
    ShootBetForfeited,
    ShootBetSettled,
    AuctionOpened,
    AuctionBidPlaced,
    AuctionPassed,
    AuctionClosed,
)
