"""Trading the bank by offer and acceptance (pontoon 6.13)."""

from __future__ import annotations

from engine.errors import Refused
from engine.games.pontoon import actions as a
from engine.games.pontoon import bank_events as b
from engine.games.pontoon.checks import require_banker, require_member, require_phase
from engine.games.pontoon.ending import lapse, pass_bank
from engine.games.pontoon.funds import bank_need, free, is_active, others
from engine.games.pontoon.state import TRADING, BankOffer, Phase, State
from engine.kernel import Shuffler, Steps
from engine.table import require_amount

__all__ = [
    "accept_bank_offer",
    "decline_bank_offer",
    "offer_bank_purchase",
    "offer_bank_sale",
    "withdraw_bank_offer",
]


def _require_trader(state: State, actor: int) -> None:
    """Checks 0 to 2."""
    require_member(state, actor)
    if state.options.sale == "off":
        raise Refused("SALE_NOT_ALLOWED")


def _require_trading(state: State, actor: int) -> None:
    """Checks 0 to 3."""
    _require_trader(state, actor)
    any_time = state.options.sale == "any_time"
    require_phase(state, *(TRADING if any_time else TRADING[:1]))


def _make(steps: Steps[State], sender: int, receiver: int, buyer: int, price: int) -> None:
    """The checks of both kinds of offers from the buyer on."""
    state = steps.state
    who = state.seats[buyer] if 0 <= buyer < len(state.seats) else None
    if who is None or who.out_next or not is_active(state, buyer):
        raise Refused("PLAYER_NOT_ACTIVE", seat=buyer)
    if state.sale is not None:
        raise Refused("SALE_ALREADY_AGREED")
    if any((offer.from_, offer.to) == (sender, receiver) for offer in state.offers):
        raise Refused("OFFER_ALREADY_OPEN")
    steps.emit(b.BankOfferMade(state.offers_made + 1, sender, receiver, price))


def offer_bank_sale(
    steps: Steps[State], actor: int, action: a.OfferBankSale, shuffler: Shuffler
) -> None:
    """6.13a."""
    del shuffler
    state = steps.state
    _require_trading(state, actor)
    require_banker(state, actor)
    to = require_amount("to", action.to)
    price = require_amount("price", action.price)
    if to == actor:
        raise Refused("BAD_PARAMETER", field="to", expected="another seat")
    _make(steps, actor, to, to, price)


def offer_bank_purchase(
    steps: Steps[State], actor: int, action: a.OfferBankPurchase, shuffler: Shuffler
) -> None:
    """6.13a."""
    del shuffler
    state = steps.state
    _require_trading(state, actor)
    banker = state.banker
    if banker is None or actor == banker:
        raise Refused("IS_BANKER", seat=actor)
    price = require_amount("price", action.price)
    _make(steps, actor, banker, actor, price)


def _offer(state: State, offer_id: int | None) -> BankOffer:
    wanted = require_amount("offer_id", offer_id)
    for offer in state.offers:
        if offer.offer_id == wanted:
            return offer
    raise Refused("OFFER_NOT_FOUND", offer_id=wanted)


def _require_own(actor: int, party: int) -> None:
    if actor != party:
        raise Refused("NOT_YOUR_OFFER")


def withdraw_bank_offer(
    steps: Steps[State], actor: int, action: a.WithdrawBankOffer, shuffler: Shuffler
) -> None:
    """6.13b."""
    del shuffler
    _require_trader(steps.state, actor)
    offer = _offer(steps.state, action.offer_id)
    _require_own(actor, offer.from_)
    steps.emit(b.BankOfferWithdrawn(offer.offer_id))


def decline_bank_offer(
    steps: Steps[State], actor: int, action: a.DeclineBankOffer, shuffler: Shuffler
) -> None:
    """6.13b."""
    del shuffler
    _require_trader(steps.state, actor)
    offer = _offer(steps.state, action.offer_id)
    _require_own(actor, offer.to)
    steps.emit(b.BankOfferDeclined(offer.offer_id))


def accept_bank_offer(
    steps: Steps[State], actor: int, action: a.AcceptBankOffer, shuffler: Shuffler
) -> None:
    """6.13d."""
    del shuffler
    state = steps.state
    _require_trading(state, actor)
    offer = _offer(state, action.offer_id)
    _require_own(actor, offer.to)
    seller = state.banker
    if seller is None:
        raise AssertionError("an offer is open and there is no bank")
    price = offer.price
    buyer = offer.to if offer.from_ == seller else offer.from_
    between = state.phase is Phase.BETWEEN_DEALS
    spare = state.stacks[buyer] if between else free(state, buyer)
    if price > spare:
        raise Refused("INSUFFICIENT_CHIPS", most=max(0, spare))
    if between:
        need = bank_need(state, buyer)
        if state.stacks[buyer] - price < need or not others(state, buyer):
            raise Refused("BANK_CANNOT_COVER", need=need)
    steps.emit(b.BankSaleAgreed(offer.offer_id, seller, buyer, price))
    if between:
        steps.emit(b.BankSold(seller, buyer, price))
        pass_bank(steps, buyer, b.Passing.SALE)
    else:
        lapse(steps)
