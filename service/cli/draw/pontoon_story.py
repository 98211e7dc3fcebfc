"""The story of a deal of Pontoon in words, an event a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from rich.text import Text

from engine.cards import HIDDEN
from engine.events import DeckShuffled, Event, SatOut
from engine.games.pontoon import bank_events as b
from engine.games.pontoon import events as e
from engine.games.pontoon.totals import best
from service.cli.draw.cards import Faces
from service.cli.draw.pontoon import total_told
from service.cli.draw.teller import Teller
from service.cli.words import counted, listed

__all__ = ["pontoon_story"]

_PAUSES: Final = {
    b.Pause.NOT_ENOUGH_PLAYERS: "too few players are here",
    b.Pause.NO_ELIGIBLE_BANKER: "nobody can hold the bank",
}
_VOIDS: Final = {
    b.Void.BANK_PASSED_BY_PONTOON: "a pontoon takes the bank",
    b.Void.BUYER_NOT_ELIGIBLE: "the buyer cannot hold the bank",
    b.Void.TABLE_CLOSED: "the table closes",
}
_PASSINGS: Final = {
    b.Passing.PONTOON: "by a pontoon",
    b.Passing.SALE: "by the sale",
    b.Passing.AUCTION: "by the auction",
    b.Passing.VACATED: "free of charge",
}


def _chips(amount: int) -> str:
    return counted(amount, "chip")


# --- the deal ---------------------------------------------------------------------------------


def _deal_started(t: Teller, x: e.DealStarted) -> Text:
    against = listed([t.whom(seat) for seat in x.punters])
    return t.line(f"--- Deal {x.deal}: {t.does(x.banker, 'deal')} to {against} ---")


def _card_dealt(t: Teller, x: e.CardDealt) -> Text | None:
    if x.card.value == HIDDEN:
        return None  # that everybody gets a card is no news
    return t.line(t.does(x.to, "get"), " ", t.cards((x.card.value,)), ".")


def _bank_seen(t: Teller, x: e.BankerHandSeen) -> Text | None:
    if HIDDEN in x.cards.value:
        return None
    return t.line(t.does(x.seat, "look"), " at ", t.cards(x.cards.value), ".")


def _hand_split(t: Teller, x: e.HandSplit) -> Text:
    return t.line(
        t.does(x.seat, "split"), " ", t.cards(x.cards), f", {_chips(x.stake)} on each hand."
    )


def _bought(t: Teller, x: e.CardBought) -> Text:
    if x.card.value == HIDDEN:
        return t.line(t.does(x.seat, "buy"), f" a card for {x.amount}.")
    return t.line(t.does(x.seat, "buy"), " ", t.cards((x.card.value,)), f" for {x.amount}.")


def _stayed(t: Teller, x: e.BankerStayed) -> Text:
    if x.paying is None:
        return t.line("The bank stays on 21 and pays pontoons and five-card tricks only.")
    return t.line(f"The bank stays on {x.total} and pays {x.paying}.")


def _returned(t: Teller, x: e.CardsReturned) -> None:
    del t, x  # where cards go is no news either


def _settled(t: Teller, x: e.HandSettled) -> Text:
    verb = ("win", "wins") if x.outcome is e.Outcome.WON else ("lose", "loses")
    double = ", double" if x.multiplier == 2 else ""
    return t.line(t.does(x.seat, *verb), f" {_chips(abs(x.net))}{double}.")


def _revealed(t: Teller, x: e.HandRevealed) -> Text:
    # The hand is over: its ace counts what is best.
    return t.line(t.does(x.seat, "show"), " ", t.cards(x.cards), f": {best(x.cards)}.")


# --- the bank ---------------------------------------------------------------------------------


def _passed(t: Teller, x: b.BankPassed) -> Text:
    return t.line(f"The bank goes to {t.whom(x.to)} {_PASSINGS[x.reason]}.")


def _offer(t: Teller, x: b.BankOfferMade) -> Text:
    told = f" {t.whom(x.to)} a trade of the bank for {x.price} (offer {x.offer_id})."
    return t.line(t.does(x.from_, "offer"), told)


def _agreed(t: Teller, x: b.BankSaleAgreed) -> Text:
    told = f" to pay {t.whom(x.seller)} {x.price} for the bank."
    return t.line(t.does(x.buyer, "agree"), told)


def _shoot_settled(t: Teller, x: b.ShootBetSettled) -> Text:
    if x.net > 0:
        return t.line(t.does(x.seat, "get"), f" {x.net} from the kitty.")
    return t.line(t.does(x.seat, "lose"), f" {-x.net} to the kitty.")


def _auction_closed(t: Teller, x: b.AuctionClosed) -> Text:
    if x.to is None:
        return t.line("The auction is over: nobody bid.")
    return t.line(t.does(x.to, "buy"), f" the bank for {x.price}.")


def _sat_out(t: Teller, x: SatOut) -> Text:
    when = " after this deal" if x.when == "DEAL_END" else ""
    return t.line(t.does(x.seat, "sit"), f" out{when}.")


_SENTENCES: Final[Mapping[type[Event], Callable[[Teller, Any], Text | None]]] = {
    SatOut: _sat_out,
    DeckShuffled: lambda t, x: t.line(
        "The pack is shuffled."
        if x.purpose == "DEAL"
        else "The pack is shuffled to cut for the bank."
    ),
    e.DealStarted: _deal_started,
    e.CardDealt: _card_dealt,
    e.BetPlaced: lambda t, x: t.line(t.does(x.seat, "bet"), f" {x.amount}."),
    e.BankerHandSeen: _bank_seen,
    e.BankerPontoonRevealed: lambda t, x: t.line(
        "The bank shows ", t.cards(x.cards), ": a pontoon, everybody pays double."
    ),
    e.PontoonDeclared: lambda t, x: t.line(
        t.does(x.seat, "declare"), " a pontoon with ", t.cards((x.ace,)), "."
    ),
    e.HandSplit: _hand_split,
    e.CardBought: _bought,
    e.CardTwisted: lambda t, x: t.line(t.does(x.seat, "twist"), " ", t.cards((x.card,)), "."),
    e.HandStuck: lambda t, x: t.line(t.does(x.seat, "stick"), "."),
    e.FiveCardTrickMade: lambda t, x: t.line(t.does(x.seat, "have", "has"), " a five-card trick."),
    e.HandBusted: lambda t, x: t.line(
        t.does(x.seat, "are", "is"), " bust with ", t.cards(x.cards), "."
    ),
    e.StakeCollected: lambda t, x: t.line(f"The bank takes {_chips(x.amount)}."),
    e.CardsReturned: _returned,
    e.BankerHandRevealed: lambda t, x: t.line(
        "The bank shows ", t.cards(x.cards), f": {total_told(x.cards)}."
    ),
    e.BankerCardDrawn: lambda t, x: t.line("The bank draws ", t.cards((x.card,)), "."),
    e.BankerStayed: _stayed,
    e.BankerBusted: lambda t, _: t.line("The bank is bust."),
    e.BankerFiveCardTrickMade: lambda t, _: t.line("The bank has a five-card trick."),
    e.HandRevealed: _revealed,
    e.HandSettled: _settled,
    e.BankFellShort: lambda t, x: t.line(
        f"The bank has no more: {x.paid} of {x.owed} are paid to {t.whom(x.seat)}."
    ),
    e.DealEnded: lambda t, _: t.line("The deal is over."),
    b.TableResumed: lambda t, _: t.line("Play goes on."),
    b.TablePaused: lambda t, x: t.line(f"Play pauses: {_PAUSES[x.reason]}."),
    b.BankCardCut: lambda t, x: t.line(
        t.does(x.seat, "cut"), " ", t.cards((x.card,)), " for the bank."
    ),
    b.BankerChosen: lambda t, x: t.line(t.does(x.seat, "hold"), " the bank."),
    b.BankPassed: _passed,
    b.BankVacated: lambda t, x: t.line(
        t.does(x.from_, "give up", "gives up"), " the bank; nobody holds it."
    ),
    b.BankOfferMade: _offer,
    b.BankOfferWithdrawn: lambda t, x: t.line(f"Offer {x.offer_id} is withdrawn."),
    b.BankOfferDeclined: lambda t, x: t.line(f"Offer {x.offer_id} is declined."),
    b.BankOfferLapsed: lambda t, x: t.line(f"Offer {x.offer_id} lapses."),
    b.BankSaleAgreed: _agreed,
    b.BankSold: lambda t, x: t.line(t.does(x.seller, "get"), f" {x.price} for the bank."),
    b.BankSaleVoided: lambda t, x: t.line(
        f"The sale is void, {_VOIDS[x.reason]}: ", t.whom(x.buyer), f" keeps {_chips(x.refund)}."
    ),
    b.KittyFormed: lambda t, x: t.line(t.does(x.seat, "put"), f" {x.amount} into the kitty."),
    b.KittyToppedUp: lambda t, x: t.line(
        t.does(x.seat, "add"), f" {x.amount} to the kitty: {x.kitty}."
    ),
    b.KittyReturned: lambda t, x: t.line(
        t.does(x.seat, "take"), f" the kitty of {_chips(x.amount)} home."
    ),
    b.ShootBetPlaced: lambda t, x: t.line(t.does(x.seat, "shoot"), f" {x.amount}."),
    b.ShootBetPassed: lambda t, x: t.line(
        t.does(x.seat, "do", "does"),
        " not shoot." if not x.auto else " not shoot: nothing is left.",
    ),
    b.ShootBetForfeited: lambda t, x: t.line(
        f"The kitty takes the {x.amount} that {t.whom(x.seat)} shot: {x.kitty}."
    ),
    b.ShootBetSettled: _shoot_settled,
    b.AuctionOpened: lambda t, x: t.line(
        "The bank is auctioned: "
        + (f"{listed([t.whom(s) for s in x.order])} may bid." if x.order else "nobody may bid.")
    ),
    b.AuctionBidPlaced: lambda t, x: t.line(t.does(x.seat, "bid"), f" {x.amount} for the bank."),
    b.AuctionPassed: lambda t, x: t.line(t.does(x.seat, "bid"), " no more."),
    b.AuctionClosed: _auction_closed,
}


def pontoon_story(event: Event, faces: Faces, me: int | None) -> Text | None:
    """What an event says to whoever sits at ``me``; None if nothing."""
    sentence = _SENTENCES.get(type(event))
    return None if sentence is None else sentence(Teller(faces, me), event)
