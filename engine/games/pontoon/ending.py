"""The end of a deal, the next banker, vacancies and closing (pontoon 9.2–9.8, S.11)."""

from __future__ import annotations

from collections.abc import Callable

from engine.events import SeatLeft, TableClosed
from engine.games.pontoon import bank_events as b
from engine.games.pontoon import events as e
from engine.games.pontoon.funds import can_bank, is_active, with_escrow
from engine.games.pontoon.state import BankOffer, Phase, Sale, State, clockwise, running
from engine.games.pontoon.totals import public_faces
from engine.kernel import Steps
from engine.visibility import EVERYONE, Private, seats_only

__all__ = ["close", "end_deal", "lapse", "pass_bank", "return_kitty", "vacate"]


def end_deal(
    steps: Steps[State], revealed: frozenset[tuple[int, int]], takers: tuple[int, ...]
) -> None:
    """9.2; ``takers``: punters with a pontoon, who come first for the bank (9.5.1)."""
    _return_cards(steps, revealed)
    steps.emit(e.DealEnded(steps.state.deals))
    limit = steps.state.options.max_deals
    if limit and steps.state.deals >= limit:
        close(steps, "MAX_DEALS")
        return
    _next_banker(steps, takers)
    _remove_leavers(steps)


def _return_cards(steps: Steps[State], revealed: frozenset[tuple[int, int]]) -> None:
    """9.3; who has seen a card keeps it in mind (4.3)."""
    state = steps.state
    deal = running(state)
    for punter in deal.punters:
        split = len(punter.hands) > 1
        for hand in punter.hands:
            if hand.bust:
                continue
            if (punter.seat, hand.number) in revealed:
                cards = Private(hand.cards, EVERYONE)
            else:
                seen = public_faces(hand, split, state.options)
                owner = seats_only(punter.seat)
                cards = Private(hand.cards, owner, public=seen if any(seen) else None)
            steps.emit(e.CardsReturned(punter.seat, hand.number, cards))
    if state.banker is not None:
        steps.emit(e.CardsReturned(state.banker, None, Private(deal.bank, EVERYONE)))


def _remove_leavers(steps: Steps[State]) -> None:
    for seat, who in enumerate(steps.state.seats):
        if who is not None and who.leaving:
            steps.emit(SeatLeft(seat, steps.state.stacks[seat]))


# --- offers and kitty -------------------------------------------------------------------------


def _always(offer: BankOffer) -> bool:
    del offer
    return True


def lapse(steps: Steps[State], which: Callable[[BankOffer], bool] = _always) -> None:
    """Open offers lapse, lowest id first (6.13c)."""
    for offer in steps.state.offers:
        if which(offer):
            steps.emit(b.BankOfferLapsed(offer.offer_id))


def return_kitty(steps: Steps[State]) -> None:
    """S.11."""
    state = steps.state
    if state.kitty and state.banker is not None:
        steps.emit(b.KittyReturned(state.banker, state.kitty))


def _void_sale(steps: Steps[State], sale: Sale, reason: b.Void) -> None:
    steps.emit(b.BankSaleVoided(reason, sale.buyer, sale.price))


def pass_bank(steps: Steps[State], to: int, reason: b.Passing) -> None:
    """The bank changes hands (9.5, 9.6): the kitty goes home, offers lapse."""
    old = steps.state.banker
    if old is None:
        raise AssertionError("no banker whose bank could pass")
    return_kitty(steps)
    steps.emit(b.BankPassed(old, to, reason))
    lapse(steps)


# --- the next banker --------------------------------------------------------------------------


def _next_banker(steps: Steps[State], takers: tuple[int, ...]) -> None:
    """9.5, the first rule that applies."""
    state = steps.state
    sale = state.sale
    stacks = with_escrow(state)
    if not state.options.fixed_bank:
        for seat in takers:
            if can_bank(state, seat, stacks):
                if sale is not None:
                    _void_sale(steps, sale, b.Void.BANK_PASSED_BY_PONTOON)
                pass_bank(steps, seat, b.Passing.PONTOON)
                return
    if sale is not None and _carry_out(steps, sale, stacks):
        return
    banker = steps.state.banker
    if banker is not None and not is_active(steps.state, banker):
        vacate(steps)


def _carry_out(steps: Steps[State], sale: Sale, stacks: tuple[int, ...]) -> bool:
    """9.5.2; whether the sale decided who is banker."""
    state = steps.state
    buyer = state.seats[sale.buyer]
    leaving = buyer is not None and buyer.leaving
    if state.banker is None or not (leaving or can_bank(state, sale.buyer, stacks)):
        _void_sale(steps, sale, b.Void.BUYER_NOT_ELIGIBLE)
        return False
    steps.emit(b.BankSold(state.banker, sale.buyer, sale.price))
    pass_bank(steps, sale.buyer, b.Passing.SALE)
    if leaving:
        vacate(steps)
    return True


def vacate(steps: Steps[State], *, gone: bool = False) -> None:
    """The bank is given up (9.6, 9.8).

    ``gone``: the banker is leaving his seat in this step and counts for nothing any more.
    """
    state = steps.state
    old = state.banker
    if old is None:
        raise AssertionError("no banker who could give the bank up")
    if state.phase is not Phase.WAITING:
        heir = _heir(_without(state, old) if gone else state, old)
        if heir is not None:
            pass_bank(steps, heir, b.Passing.VACATED)
            return
    return_kitty(steps)
    steps.emit(b.BankVacated(old))
    lapse(steps)
    if state.phase is not Phase.WAITING:
        steps.emit(b.TablePaused(b.Pause.NO_ELIGIBLE_BANKER))


def _without(state: State, seat: int) -> State:
    """The table as if nobody sat there."""
    seats = tuple(None if each == seat else who for each, who in enumerate(state.seats))
    return state._replace(seats=seats)


def _heir(state: State, old: int) -> int | None:
    """9.6: clockwise from the old banker's left, who has not given the bank up himself."""
    if state.options.fixed_bank:
        return None
    for seat in clockwise(state, old):
        if seat not in state.vacated and can_bank(state, seat):
            return seat
    return None


# --- closing ----------------------------------------------------------------------------------


def close(steps: Steps[State], reason: str) -> None:
    """9.7."""
    sale = steps.state.sale
    if sale is not None:
        _void_sale(steps, sale, b.Void.TABLE_CLOSED)
    return_kitty(steps)
    lapse(steps)
    _remove_leavers(steps)
    steps.emit(TableClosed(reason))
