"""How the events of the bank change a Pontoon table (see ``evolve``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.cards import PACK
from engine.events import Event
from engine.games.pontoon import bank_events as b
from engine.games.pontoon.changes import add, with_hand
from engine.games.pontoon.state import (
    Auction,
    BankOffer,
    Hand,
    Phase,
    Sale,
    State,
    punter_of,
    running,
)

__all__ = ["BANK_HANDLERS"]


def _nothing(state: State, event: Event) -> State:
    del event
    return state


# --- who is banker ----------------------------------------------------------------------------


def _table_resumed(state: State, event: b.TableResumed) -> State:
    del event
    return state._replace(phase=Phase.BETWEEN_DEALS)


def _table_paused(state: State, event: b.TablePaused) -> State:
    del event
    return state._replace(phase=Phase.WAITING)


def _banker_chosen(state: State, event: b.BankerChosen) -> State:
    """9.1: the whole pack is back, in canonical order; an interval is over (9.6)."""
    return state._replace(
        phase=Phase.BETWEEN_DEALS,
        banker=event.seat,
        stock=PACK,
        reshuffle=True,
        vacated=frozenset(),
        auction_used=False,
    )


def _bank_passed(state: State, event: b.BankPassed) -> State:
    vacated = state.vacated
    if event.reason is b.Passing.VACATED:
        vacated |= {event.from_}
    return state._replace(banker=event.to, vacated=vacated)


def _bank_vacated(state: State, event: b.BankVacated) -> State:
    del event
    return state._replace(banker=None, vacated=frozenset(), auction_used=False)


# --- trading ----------------------------------------------------------------------------------


def _offer_made(state: State, event: b.BankOfferMade) -> State:
    offer = BankOffer(event.offer_id, event.from_, event.to, event.price)
    return state._replace(offers=(*state.offers, offer), offers_made=event.offer_id)


def _without_offer(
    state: State,
    event: b.BankOfferWithdrawn | b.BankOfferDeclined | b.BankOfferLapsed | b.BankSaleAgreed,
) -> State:
    offers = tuple(offer for offer in state.offers if offer.offer_id != event.offer_id)
    return state._replace(offers=offers)


def _sale_agreed(state: State, event: b.BankSaleAgreed) -> State:
    return _without_offer(state, event)._replace(
        stacks=add(state.stacks, event.buyer, -event.price), sale=Sale(event.buyer, event.price)
    )


def _bank_sold(state: State, event: b.BankSold) -> State:
    return state._replace(stacks=add(state.stacks, event.seller, event.price), sale=None)


def _sale_voided(state: State, event: b.BankSaleVoided) -> State:
    return state._replace(stacks=add(state.stacks, event.buyer, event.refund), sale=None)


# --- the kitty --------------------------------------------------------------------------------


def _into_kitty(state: State, event: b.KittyFormed | b.KittyToppedUp) -> State:
    return state._replace(stacks=add(state.stacks, event.seat, -event.amount), kitty=event.kitty)


def _kitty_returned(state: State, event: b.KittyReturned) -> State:
    return state._replace(stacks=add(state.stacks, event.seat, event.amount), kitty=0)


def _next_shooter(state: State) -> State:
    if state.phase is not Phase.SHOOT_BETTING:
        return state
    deal = running(state)
    return state._replace(deal=deal._replace(shooter=deal.shooter + 1))


def _shoot_bet_placed(state: State, event: b.ShootBetPlaced) -> State:
    def place(hand: Hand) -> Hand:
        return hand._replace(shoot=hand.shoot + event.amount)

    state = with_hand(state, event.seat, event.hand, place)
    return _next_shooter(state._replace(stacks=add(state.stacks, event.seat, -event.amount)))


def _shoot_bet_passed(state: State, event: b.ShootBetPassed) -> State:
    del event
    return _next_shooter(state)


def _without_shoot(hand: Hand) -> Hand:
    return hand._replace(shoot=0)


def _shoot_bet_forfeited(state: State, event: b.ShootBetForfeited) -> State:
    return with_hand(state, event.seat, event.hand, _without_shoot)._replace(kitty=event.kitty)


def _shoot_bet_settled(state: State, event: b.ShootBetSettled) -> State:
    """S.8: a bet that is won goes home and brings as much from the kitty."""
    punter = punter_of(running(state), event.seat)
    hands = punter.hands if punter else ()
    bet = sum(hand.shoot for hand in hands if hand.number == event.hand)
    state = with_hand(state, event.seat, event.hand, _without_shoot)
    stacks = add(state.stacks, event.seat, bet + event.net)
    return state._replace(stacks=stacks, kitty=event.kitty)


# --- the auction ------------------------------------------------------------------------------


def _auction(state: State) -> Auction:
    if state.auction is None:
        raise AssertionError("no auction is running")
    return state.auction


def _after(bidders: tuple[int, ...], order: tuple[int, ...], seat: int) -> int:
    """The first of ``bidders`` after ``seat`` in the cyclic ``order``; -1 if there is none."""
    at = order.index(seat)
    return next((each for each in order[at + 1 :] + order[: at + 1] if each in bidders), -1)


def _auction_opened(state: State, event: b.AuctionOpened) -> State:
    turn = event.order[0] if event.order else -1
    return state._replace(
        phase=Phase.AUCTION, auction_used=True, auction=Auction(event.order, turn)
    )


def _bid_placed(state: State, event: b.AuctionBidPlaced) -> State:
    bidders = _auction(state).bidders
    turn = _after(bidders, bidders, event.seat)
    return state._replace(auction=Auction(bidders, turn, event.amount, event.seat))


def _auction_passed(state: State, event: b.AuctionPassed) -> State:
    auction = _auction(state)
    bidders = tuple(seat for seat in auction.bidders if seat != event.seat)
    turn = auction.turn
    if turn == event.seat:
        turn = _after(bidders, auction.bidders, event.seat)
    return state._replace(auction=auction._replace(bidders=bidders, turn=turn))


def _auction_closed(state: State, event: b.AuctionClosed) -> State:
    stacks = state.stacks
    if event.to is not None and event.price is not None and state.banker is not None:
        stacks = add(add(stacks, event.to, -event.price), state.banker, event.price)
    return state._replace(phase=Phase.BETWEEN_DEALS, stacks=stacks, auction=None)


BANK_HANDLERS: Mapping[type[Event], Callable[[State, Any], State]] = {
    b.TableResumed: _table_resumed,
    b.TablePaused: _table_paused,
    b.BankCardCut: _nothing,
    b.BankerChosen: _banker_chosen,
    b.BankPassed: _bank_passed,
    b.BankVacated: _bank_vacated,
    b.BankOfferMade: _offer_made,
    b.BankOfferWithdrawn: _without_offer,
    b.BankOfferDeclined: _without_offer,
    b.BankOfferLapsed: _without_offer,
    b.BankSaleAgreed: _sale_agreed,
    b.BankSold: _bank_sold,
    b.BankSaleVoided: _sale_voided,
    b.KittyFormed: _into_kitty,
    b.KittyToppedUp: _into_kitty,
    b.KittyReturned: _kitty_returned,
    b.ShootBetPlaced: _shoot_bet_placed,
    b.ShootBetPassed: _shoot_bet_passed,
    b.ShootBetForfeited: _shoot_bet_forfeited,
    b.ShootBetSettled: _shoot_bet_settled,
    b.AuctionOpened: _auction_opened,
    b.AuctionBidPlaced: _bid_placed,
    b.AuctionPassed: _auction_passed,
    b.AuctionClosed: _auction_closed,
}
