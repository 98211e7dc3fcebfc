"""Actions of Pontoon and Shoot Pontoon (pontoon 6, S.2–S.10).

Trading the bank and feeding the kitty answer no decision: the banker's turn between deals goes on
(10.3), and offers come from anybody at any time (6.13).
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.actions import HostAction, SeatAction, TableAction

__all__ = [
    "ACTIONS",
    "AcceptBankOffer",
    "AddToKitty",
    "AuctionBank",
    "BankerDraw",
    "BankerStay",
    "BidForBank",
    "BuyCard",
    "DeclarePontoon",
    "DeclineBankOffer",
    "FormKitty",
    "OfferBankPurchase",
    "OfferBankSale",
    "PassBankBid",
    "PassShootBet",
    "PlaceBet",
    "PlaceShootBet",
    "ResignBank",
    "SplitHand",
    "StartDeal",
    "StartGame",
    "Stick",
    "TwistCard",
    "WithdrawBankOffer",
]


@dataclass(frozen=True, slots=True)
class StartGame(HostAction):
    """Find a banker, or go on with the one there is (9.1)."""


@dataclass(frozen=True, slots=True)
class StartDeal(SeatAction):
    """The banker deals (6.1)."""


@dataclass(frozen=True, slots=True)
class PlaceBet(SeatAction):
    """The initial stake (6.2)."""

    amount: int | None = None


@dataclass(frozen=True, slots=True)
class DeclarePontoon(SeatAction):
    """Show the ace of a pontoon (6.4)."""


@dataclass(frozen=True, slots=True)
class SplitHand(SeatAction):
    """Make two hands of a pair (6.5); ``shoot_bet`` is for the new hand (S.6)."""

    shoot_bet: int | None = None


@dataclass(frozen=True, slots=True)
class BuyCard(SeatAction):
    """A card face down for ``amount`` (6.6); ``shoot_bet`` with the fourth card (S.5)."""

    amount: int | None = None
    shoot_bet: int | None = None


@dataclass(frozen=True, slots=True)
class TwistCard(SeatAction):
    """A card face up (6.7); ``shoot_bet`` with the fourth card (S.5)."""

    shoot_bet: int | None = None


@dataclass(frozen=True, slots=True)
class Stick(SeatAction):
    """Take no more cards (6.8)."""


@dataclass(frozen=True, slots=True)
class BankerDraw(SeatAction):
    """The banker takes a card (6.11)."""


@dataclass(frozen=True, slots=True)
class BankerStay(SeatAction):
    """The banker takes no more cards (6.11)."""


@dataclass(frozen=True, slots=True)
class ResignBank(SeatAction):
    """Give the bank up for nothing (6.12)."""


@dataclass(frozen=True, slots=True)
class OfferBankSale(TableAction):
    """The banker offers the bank to a seat (6.13)."""

    to: int | None = None
    price: int | None = None


@dataclass(frozen=True, slots=True)
class OfferBankPurchase(TableAction):
    """Somebody offers to buy the bank (6.13)."""

    price: int | None = None


@dataclass(frozen=True, slots=True)
class WithdrawBankOffer(TableAction):
    """Take an offer of one's own back (6.13)."""

    offer_id: int | None = None


@dataclass(frozen=True, slots=True)
class DeclineBankOffer(TableAction):
    """Refuse an offer (6.13)."""

    offer_id: int | None = None


@dataclass(frozen=True, slots=True)
class AcceptBankOffer(TableAction):
    """Agree to an offer (6.13)."""

    offer_id: int | None = None


@dataclass(frozen=True, slots=True)
class FormKitty(TableAction):
    """Put up a kitty where there is none (S.2)."""

    amount: int | None = None


@dataclass(frozen=True, slots=True)
class AddToKitty(TableAction):
    """Add to the kitty (S.2)."""

    amount: int | None = None


@dataclass(frozen=True, slots=True)
class PlaceShootBet(SeatAction):
    """A bet against the kitty on the first hand (S.4)."""

    amount: int | None = None


@dataclass(frozen=True, slots=True)
class PassShootBet(SeatAction):
    """No first shoot bet (S.4)."""


@dataclass(frozen=True, slots=True)
class AuctionBank(SeatAction):
    """Sell the bank to the highest bidder, when the kitty is dry (S.9)."""


@dataclass(frozen=True, slots=True)
class BidForBank(SeatAction):
    """Bid in the auction (S.10)."""

    amount: int | None = None


@dataclass(frozen=True, slots=True)
class PassBankBid(SeatAction):
    """Bid no more in this auction (S.10)."""


ACTIONS = (
    StartGame,
    StartDeal,
    PlaceBet,
    DeclarePontoon,
    SplitHand,
    BuyCard,
    TwistCard,
    Stick,
    BankerDraw,
    BankerStay,
    ResignBank,
    OfferBankSale,
    OfferBankPurchase,
    WithdrawBankOffer,
    DeclineBankOffer,
    AcceptBankOffer,
    FormKitty,
    AddToKitty,
    PlaceShootBet,
    PassShootBet,
    AuctionBank,
    BidForBank,
    PassBankBid,
)
