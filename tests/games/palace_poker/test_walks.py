"""Whole hands at random: all options, two to ten players, nonsense among what is legal.

The laws (tests/laws) walk tables of their own with most options at their defaults; here every
option is drawn, stacks are small enough for caps and odd chips, and hands go to their end.
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
from engine.events import Event, SeatLeft
from engine.games.palace_poker import actions as a
from engine.games.palace_poker import events as e
from engine.games.palace_poker.state import Phase, State
from engine.kernel import HOST, Offer
from engine.visibility import AUDITOR, OBSERVER, redact, seat_viewer
from tests.games.palace_poker.tables import GAME
from tests.laws.samples import concrete, covers, sample
from tests.laws.walks import Shuffles

NEARLY = {
    Phase.TURN: (a.Bet, a.Bet, a.Discard, a.Buy, a.Stay),
    Phase.MUSTER: (a.Muster,),
    Phase.BATTLE: (a.Raise,),
}
HAND_ACTIONS = [kind for kind in GAME.ACTIONS if kind is not a.StartHand]


class Tally(NamedTuple):
    """What the walks came by, so that it shows when they stop coming by it."""

    events: Counter[str]
    refusals: Counter[str]
    ends: Counter[str]
    layers: Counter[int]


def options(rng: Random) -> dict[str, str]:
    """Every option, in range."""
    small = rng.choice((1, 2, 3, 5, 10))
    return {
        "small_bet": str(small),
        "big_bet": str(rng.randint(small, 4 * small)),
        "ante": str(rng.randint(0, small)),
        "betting_structure": rng.choice(("limit", "no_limit")),
        "soldierless_raise": rng.choice(("small_bet", "twice_small_bet")),
        "max_raises": rng.choice(("none", "1", "2", "4")),
        "final_two": rng.choice(("after_quiet_round", "immediate", "showdown")),
        "ace_low_straight": rng.choice(("true", "false")),
        "max_turns": rng.choice(("none", "none", "4", "9", "30")),
        "battle_reveal": rng.choice(("combatants", "all")),
        "max_seats": str(rng.randint(2, 10)),
    }


class Walk:
    """A table; every step is checked."""

    def __init__(self, seed: int, tally: Tally) -> None:
        self.rng = Random(seed)
        self.tally = tally
        self.shuffles = Shuffles(seed)
        self.state: State = GAME.initial()
        self.chips = 0
        self.do(HOST, OpenTable(options(self.rng), {"dealer": "0"} if seed % 3 else {}))
        self.opened = self.state
        self.names = 0
        for seat in range(GAME.seats(self.state)):
            if seat < 2 or self.rng.randrange(4):
                self.sit(seat)
        # One viewer, who never leaves, is told everything from here on.
        self.viewer = self.rng.choice((OBSERVER, OBSERVER | seat_viewer(0), seat_viewer(1)))
        self.told = self.state

    def sit(self, seat: int) -> None:
        chips = self.rng.choice((1, 3, 17, 50, 200, 1000))
        self.names += 1
        self.do(seat, TakeSeat(f"player-{self.names}", chips))

    def do(self, actor: int, action: Action) -> tuple[Event, ...]:
        before = self.state
        events, self.state = GAME.decide(before, actor, action, self.shuffles)
        folded = before
        for event in events:
            folded = GAME.evolve(folded, event)
            self.check_event(event, folded)
        assert folded == self.state
        if hasattr(self, "told"):
            self.check_told(events)
        self.check_position()
        return events

    def check_event(self, event: Event, state: State) -> None:
        """Chips and cards are conserved after every single event (4.1, 8.2)."""
        self.tally.events[type(event).__name__] += 1
        match event:
            case e.HandEnded():
                self.tally.ends[event.end] += 1
            case e.PotAwarded():
                self.tally.layers[len(event.shares)] += 1
            case SeatLeft():
                self.chips -= event.chips
        total = sum(state.stacks) + (state.hand.pot if state.hand else 0)
        if type(event).__name__ in {"SeatTaken", "ChipsAdded"}:
            self.chips = total
        assert total == self.chips
        assert min(state.stacks, default=0) >= 0
        if state.hand and state.hand.draw:
            seen = GAME.view(state, AUDITOR)
            rows = (*seen.palaces, *seen.soldiers, seen.draw, seen.discard, seen.rejects)
            held = [card for row in rows for card in row] + [b for b in seen.banners if b]
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

    def refuse(self, actor: int, action: Action) -> str:
        """Try something; it is accepted exactly if it is offered."""
        offers = GAME.legal_actions(self.state, actor)
        legal = any(covers(offer, action) for offer in offers)
        try:
            GAME.decide(self.state, actor, action, Shuffles(1))
        except Refused as no:
            reason = no.reason
            self.tally.refusals[reason] += 1
        else:
            reason = ""
        assert legal == (not reason), (actor, action, reason)
        return reason

    def nonsense(self, offers: tuple[Offer, ...]) -> None:
        seat = self.rng.randrange(-1, GAME.seats(self.state) + 1)
        kinds: Sequence[type[Action]] = HAND_ACTIONS
        if self.rng.randrange(4):
            seat = GAME.to_act(self.state)[0]
            kinds = NEARLY[self.state.phase] if self.rng.randrange(4) else kinds
        self.refuse(seat, sample(self.rng, GAME, self.rng.choice(kinds), offers))

    def bystanders(self) -> None:
        """Somebody comes, goes, sits out or in; the viewer's seats stay."""
        seat = self.rng.randrange(2, max(3, GAME.seats(self.state)))
        kind = self.rng.choice((LeaveSeat, SitOut, SitIn, AddChips, TakeSeat))
        action: TableAction
        if kind is TakeSeat:
            self.names += 1
            action = TakeSeat(f"player-{self.names}", self.rng.randint(1, 99))
        else:
            action = AddChips(self.rng.randint(1, 50)) if kind is AddChips else kind()
        try:
            GAME.decide(self.state, seat, action, Shuffles(1))
        except Refused as no:
            self.tally.refusals[no.reason] += 1
        else:
            self.do(seat, action)

    def hand(self) -> None:
        """One hand, from its start to its end."""
        self.do(HOST, a.StartHand())
        hand = self.state.hand
        assert hand
        small = self.state.options.small_bet
        dealt = hand.dealt.bit_count()
        bound = (dealt + 1) * (self.chips // small + dealt)
        turns = 0
        while self.state.hand:
            (actor,) = GAME.to_act(self.state)
            offers = GAME.legal_actions(self.state, actor)
            dice = self.rng.randrange(100)
            if dice < 30:
                self.nonsense(offers)
            elif dice < 36:
                self.bystanders()
            elif dice < 39:
                self.do(HOST, TimeOut())
            else:
                offer = offers[min(self.rng.randrange(len(offers)) for _ in range(2))]
                if self.rng.randrange(3) == 0:
                    offer = self.rng.choice(offers[:3])
                action = self.rng.choice(list(concrete(offer)))
                if isinstance(action, a.Muster) and self.rng.randrange(4):
                    action = min(concrete(offer), key=lambda one: len(one.discard))  # type: ignore[attr-defined]
                turns += any(isinstance(event, e.TurnStarted) for event in self.do(actor, action))
            assert turns <= bound, "5.13"


def play(seeds: range) -> Tally:
    """Three hands or fewer at each of the tables."""
    tally = Tally(Counter(), Counter(), Counter(), Counter())
    for seed in seeds:
        walk = Walk(seed, tally)
        for _ in range(3):
            if not GAME.can_start(walk.state):
                break
            walk.hand()
    return tally


@pytest.mark.parametrize(
    ("tables", "hands"), [(120, 300), pytest.param(400, 700, marks=pytest.mark.long)]
)
def test_hundreds_of_hands_of_every_kind(tables: int, hands: int) -> None:
    """C7, 4.1, 5.13, 6, 8.2, 12.0."""
    tally = play(range(tables))
    assert set(tally.events) >= {kind.__name__ for kind in GAME.EVENTS}
    assert set(tally.ends) >= set(e.End) - {e.End.SPLIT_FINAL_TIE}
    assert sum(tally.ends.values()) > hands
    assert {1, 2} <= set(tally.layers)
    assert set(tally.refusals) >= {
        "BAD_PARAMETER", "INVALID_CARD", "NOT_SEATED", "NOT_IN_HAND", "NOT_YOUR_TURN",
        "WRONG_PHASE", "BATTLE_REQUIRED", "DISCARD_EMPTY", "DUPLICATE_CARD", "NOT_YOUR_SOLDIER",
        "INSUFFICIENT_CHIPS", "INVALID_TARGET", "SAME_BANNER_SUIT",
        "NO_CHIPS", "AMOUNT_NOT_ALLOWED", "BET_TOO_SMALL", "BET_TOO_LARGE", "RAISE_CAP_REACHED",
        "OPPONENT_ALL_IN", "RAISE_TOO_SMALL", "RAISE_TOO_LARGE", "ALREADY_LEAVING", "ALREADY_OUT",
        "NOT_OUT", "IN_HAND", "SEAT_TAKEN",
    }  # fmt: skip


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_ten_thousand_hands() -> None:
    """As above, tables that the everyday run does not come to."""
    assert sum(play(range(1000, 5000)).ends.values()) > 5000
