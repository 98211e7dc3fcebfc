"""Whole sessions at random: all options, two to eight players, trades, auctions, nonsense.

The laws (tests/laws) walk tables with options drawn too, but seldom far; here tables go through
many deals, bystanders come and go, the bank is traded, and money is short enough to run out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import pytest

from engine.actions import (
    Action,
    AddChips,
    CloseTable,
    HostAction,
    LeaveSeat,
    OpenTable,
    SitIn,
    SitOut,
    TableAction,
    TakeSeat,
    TimeOut,
)
from engine.cards import PACK
from engine.errors import Refused
from engine.events import DeckShuffled, Event, SeatLeft
from engine.games.pontoon import actions as a
from engine.games.pontoon import bank_events as b
from engine.games.pontoon import events as e
from engine.games.pontoon.funds import all_chips
from engine.games.pontoon.state import Phase, State
from engine.kernel import HOST, Offer
from engine.visibility import AUDITOR, OBSERVER, redact, seat_viewer
from tests.games.pontoon.tables import GAME, options
from tests.laws.samples import concrete, covers, sample
from tests.laws.walks import Shuffles

NEARLY: dict[Phase, tuple[type[Action], ...]] = {
    Phase.BETWEEN_DEALS: (a.StartDeal, a.AuctionBank, a.FormKitty, a.AddToKitty),
    Phase.BETTING: (a.PlaceBet,),
    Phase.SHOOT_BETTING: (a.PlaceShootBet,),
    Phase.PLAYER_TURNS: (a.BuyCard, a.BuyCard, a.TwistCard, a.SplitHand, a.Stick, a.DeclarePontoon),
    Phase.BANKER_TURN: (a.BankerDraw,),
    Phase.AUCTION: (a.BidForBank,),
}
SEAT_ACTIONS = [kind for kind in GAME.ACTIONS if kind is not a.StartGame]
TRADES = (
    a.OfferBankSale,
    a.OfferBankPurchase,
    a.AcceptBankOffer,
    a.AcceptBankOffer,
    a.WithdrawBankOffer,
    a.DeclineBankOffer,
)


class Tally(NamedTuple):
    """What the walks came by, so that it shows when they stop coming by it."""

    events: Counter[str]
    refusals: Counter[str]
    words: Counter[str]


class Walk:
    """A table; every step is checked."""

    def __init__(self, seed: int, tally: Tally) -> None:
        self.rng = Random(seed)
        self.tally = tally
        self.shuffles = Shuffles(seed)
        self.state: State = GAME.initial()
        self.chips = 0
        self.names = 0
        self.pack: list[int] = []
        self.do(HOST, OpenTable(options(self.rng)))
        self.opened = self.state
        self.told = self.state
        for seat in range(GAME.seats(self.state)):
            if seat < 2 or self.rng.randrange(3):
                self.sit(seat)
        # One viewer, who never leaves, is told everything from here on.
        self.viewer = self.rng.choice((OBSERVER, OBSERVER | seat_viewer(0), seat_viewer(1)))
        self.told = self.state

    def sit(self, seat: int) -> None:
        self.names += 1
        least = self.state.options.min_bet
        chips = least * self.rng.choice((1, 3, 10, 50, 200)) + self.rng.randrange(least)
        self.do(seat, TakeSeat(f"player-{self.names}", chips))

    def do(self, actor: int, action: Action) -> tuple[Event, ...]:
        before = self.state
        events, self.state = GAME.decide(before, actor, action, self.shuffles)
        assert events
        folded = before
        for event in events:
            self.check_pack(folded, event)
            folded = GAME.evolve(folded, event)
            self.check_event(event, folded)
        assert folded == self.state
        if hasattr(self, "viewer"):
            self.check_told(events)
        self.check_position()
        return events

    def check_pack(self, state: State, event: Event) -> None:
        """The pack keeps its exact order from deal to deal (9.3, 9.4)."""
        match event:
            case DeckShuffled("DEAL", order):
                self.pack = list(order.value)
            case e.CardDealt() | e.CardBought():
                assert self.pack.pop(0) == event.card.value
            case e.CardTwisted() | e.BankerCardDrawn():
                assert self.pack.pop(0) == event.card
            case e.CardsReturned():
                self.pack += event.cards.value
            case b.BankerChosen():
                self.pack = []
            case e.DealStarted():
                assert self.pack
                assert len(self.pack) == 52
        if self.pack and state.deal and not isinstance(event, b.BankerChosen):
            assert len(self.pack) <= 52

    def check_event(self, event: Event, state: State) -> None:
        """Chips and cards are conserved after every single event (4.1, 8.7)."""
        self.tally.events[type(event).__name__] += 1
        match event:
            case b.BankPassed() | b.BankSaleVoided() | b.TablePaused():
                self.tally.words[event.reason] += 1
            case SeatLeft():
                self.chips -= event.chips
        total = all_chips(state)
        if type(event).__name__ in {"SeatTaken", "ChipsAdded"}:
            self.chips = total
        assert total == self.chips, event
        assert min(state.stacks, default=0) >= 0
        assert state.kitty >= 0
        if self.pack:
            assert list(state.stock) == self.pack
        if state.phase is not Phase.NONE:
            seen = GAME.view(state, AUDITOR)
            held = [card for row in (*seen.cards, seen.bank_hand, seen.stock) for card in row]
            assert sorted(held) == list(PACK)

    def check_told(self, events: tuple[Event, ...]) -> None:
        """What the viewer sees follows from what he was sent."""
        for event in events:
            self.told = GAME.evolve(self.told, redact(event, self.viewer))
        assert GAME.view(self.told, self.viewer) == GAME.view(self.state, self.viewer)

    def check_position(self) -> None:
        lines = GAME.lines(GAME.view(self.state, AUDITOR))
        opened = getattr(self, "opened", self.state)
        assert GAME.place(opened, lines) == self.state

    def try_(self, actor: int, action: Action) -> str:
        """Try something; it counts only if it is accepted."""
        try:
            GAME.decide(self.state, actor, action, Shuffles(1))
        except Refused as no:
            self.tally.refusals[no.reason] += 1
            return no.reason
        self.do(actor, action)
        return ""

    def refuse(self, actor: int, action: Action) -> None:
        """Try something; it is accepted exactly if it is offered."""
        offers = GAME.legal_actions(self.state, actor)
        legal = any(covers(offer, action) for offer in offers)
        reason = ""
        try:
            GAME.decide(self.state, actor, action, Shuffles(1))
        except Refused as no:
            reason = no.reason
            self.tally.refusals[reason] += 1
        assert legal == (not reason), (actor, action, reason)

    def nonsense(self, offers: Sequence[Offer]) -> None:
        seat = self.rng.randrange(-1, GAME.seats(self.state) + 1)
        kinds: Sequence[type[Action]] = [k for k in SEAT_ACTIONS if k not in TRADES]
        acting = GAME.to_act(self.state)
        if acting and self.rng.randrange(4):
            seat = acting[0]
            kinds = NEARLY[self.state.phase] if self.rng.randrange(4) else kinds
        self.refuse(seat, sample(self.rng, GAME, self.rng.choice(kinds), offers))

    def bystanders(self) -> None:
        """Somebody comes, goes, sits out or in; the viewer's seats stay."""
        first = 2 if self.viewer != OBSERVER else 0
        seats = GAME.seats(self.state)
        if first >= seats:
            return
        seat = self.rng.randrange(first, seats)
        kind = self.rng.choice((LeaveSeat, SitOut, SitIn, SitIn, AddChips, TakeSeat, TakeSeat))
        action: TableAction
        if kind is TakeSeat:
            self.names += 1
            chips = self.state.options.min_bet * self.rng.randint(1, 60)
            action = TakeSeat(f"player-{self.names}", chips)
        elif kind is AddChips:
            action = AddChips(self.rng.randint(1, 50))
        else:
            action = kind()
        self.try_(seat, action)

    def trade(self) -> None:
        """Somebody trades; also with himself, with nobody, and with other people's offers."""
        seats = GAME.seats(self.state)
        kind = self.rng.choice(TRADES)
        seat = self.rng.randrange(-1, seats)
        if self.state.banker is not None and kind is a.OfferBankSale and self.rng.randrange(4):
            seat = self.state.banker
        made = self.state.offers_made
        price = self.rng.choice((None, -1, 0, 1, 5, self.state.options.min_bet, 2**62, 2**63))
        match kind:
            case a.OfferBankSale:
                self.try_(seat, a.OfferBankSale(self.rng.randrange(-1, seats + 1), price))
            case a.OfferBankPurchase:
                self.try_(seat, a.OfferBankPurchase(price))
            case _:
                if self.state.offers and self.rng.randrange(6):
                    offer = self.rng.choice(self.state.offers)
                    party = self.rng.choice((offer.from_, offer.to, seat))
                    self.try_(party, kind(offer.offer_id))  # type: ignore[call-arg]
                else:
                    wrong = self.rng.choice((None, -1, made, made + 1, 2**64))
                    self.try_(seat, kind(wrong))  # type: ignore[call-arg]

    def step(self) -> None:
        """One thing happens."""
        acting = GAME.to_act(self.state)
        dice = self.rng.randrange(100)
        if dice < 12:
            self.bystanders()
        elif dice < 24:
            self.trade()
        elif not acting:
            action = CloseTable() if dice == 99 and not self.rng.randrange(4) else a.StartGame()
            self.try_(HOST, action)
        elif dice < 44:
            self.nonsense([o for seat in acting for o in GAME.legal_actions(self.state, seat)])
        elif dice < 49:
            self.do(HOST, TimeOut())
        else:
            (seat,) = acting
            offers = GAME.legal_actions(self.state, seat)
            first = min(self.rng.randrange(len(offers)) for _ in range(2))
            offer = offers[first] if self.rng.randrange(2) else self.rng.choice(offers)
            self.do(seat, self.rng.choice(list(concrete(offer))))


def play(seeds: range, steps: int = 260) -> Tally:
    """One table for each seed."""
    tally = Tally(Counter(), Counter(), Counter())
    for seed in seeds:
        walk = Walk(seed, tally)
        for _ in range(steps):
            walk.step()
    return tally


def test_no_host_action_comes_from_a_seat() -> None:
    """C3: dealing is the banker's, finding one the host's."""
    assert [kind for kind in GAME.ACTIONS if issubclass(kind, HostAction)] == [a.StartGame]


RARE = {"BankSaleVoided", b.Void.BANK_PASSED_BY_PONTOON, "NOT_A_BIDDER", "SALE_ALREADY_AGREED"}
"""What takes hundreds of deals to come about."""


@pytest.mark.parametrize(
    ("tables", "deals", "unmet"),
    [(80, 300, RARE), pytest.param(260, 1000, set(), marks=pytest.mark.long)],
)
def test_hundreds_of_deals_of_every_kind(tables: int, deals: int, unmet: set[str]) -> None:
    """C7, 4.1, 5.5, 6, 8.7, 9.3, 12.0."""
    tally = play(range(tables))
    assert tally.events["DealEnded"] > deals
    assert set(tally.events) >= {kind.__name__ for kind in GAME.EVENTS} - unmet
    words = {*b.Passing, *b.Void, *b.Pause}
    # Two reasons to void a sale need more luck: test_next_banker, test_closing.
    assert set(tally.words) >= words - {b.Void.BUYER_NOT_ELIGIBLE, b.Void.TABLE_CLOSED} - unmet
    assert {*tally.refusals, *unmet} >= {
        "TABLE_CLOSED", "NOT_SEATED", "ALREADY_LEAVING", "SHOOT_NOT_AVAILABLE", "SALE_NOT_ALLOWED",
        "WRONG_PHASE", "NOT_BANKER", "NOT_A_PUNTER", "IS_BANKER", "NOT_A_BIDDER", "NOT_YOUR_TURN",
        "BAD_PARAMETER", "NOT_ENOUGH_PLAYERS", "KITTY_REQUIRED", "BANK_CANNOT_COVER",
        "BET_OUT_OF_RANGE", "INSUFFICIENT_CHIPS", "KITTY_EXCEEDED", "NOT_A_PONTOON",
        "MUST_DECLARE_PONTOON", "NOT_A_PAIR", "BUY_AFTER_TWIST", "TOTAL_IS_21", "BUY_OUT_OF_RANGE",
        "SHOOT_NOT_NOW", "STICK_TOO_LOW", "PLAYER_NOT_ACTIVE", "SALE_ALREADY_AGREED",
        "OFFER_ALREADY_OPEN", "OFFER_NOT_FOUND", "NOT_YOUR_OFFER", "ALREADY_OUT", "NOT_OUT",
        "IN_HAND", "SEAT_TAKEN", "AUCTION_IN_PROGRESS", "KITTY_EXISTS", "KITTY_OUT_OF_RANGE",
        "SHOOT_BET_TOO_SMALL", "KITTY_NOT_DRY", "AUCTION_USED", "BID_TOO_LOW",
    }  # fmt: skip


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_thousands_of_deals() -> None:
    """As above, tables that the everyday run does not come to."""
    assert play(range(1000, 4000)).events["DealEnded"] > 10_000
