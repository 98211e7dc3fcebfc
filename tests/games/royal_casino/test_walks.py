"""Whole games at random: what holds in every one of them (royal_casino 5, 7.4, 8.1, 9, 10)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from engine.actions import Action, LeaveSeat, OpenTable, SitIn, SitOut, TakeSeat, TimeOut
from engine.cards import PACK
from engine.events import Event, TurnTimedOut
from engine.games.royal_casino import events as e
from engine.games.royal_casino.actions import StartDeal, StartGame
from engine.games.royal_casino.events import Item
from engine.games.royal_casino.state import Phase, State
from engine.kernel import HOST, fold
from engine.script import Recorded, export, run_text
from engine.visibility import AUDITOR
from tests.games.royal_casino.tables import GAME
from tests.laws.walks import Shuffles

PLAYS = (e.CardTrailed, e.CardsCaptured, e.BuildCreated, e.BuildExtended, e.BuildRaised)


def options(rng: Random) -> dict[str, str]:
    """Every option at random; games that are over soon."""
    timing = rng.choice(("at_scoring", "instant"))
    sweeps = rng.choice(("true", "false"))
    return {
        "players": rng.choice("2344"),
        "direction": rng.choice(("clockwise", "counter_clockwise")),
        "dealer_rotation": rng.choice(("against_play", "with_play")),
        "first_dealer": rng.choice(("none", "1")),
        "target_score": str(rng.randint(11, 21)),
        "sweeps": sweeps,
        "last_play_sweep": rng.choice(("true", "false")) if sweeps == "true" else "false",
        "endgame_rule": rng.choice(
            ("locked", "capped", "off") if timing != "instant" else ("locked", "capped")
        ),
        "auto_win_timing": timing,
        "count_order": rng.choice(("simultaneous", "sequential")),
        "equal_card_rule": rng.choice(("must_take_equal", "no_trail_only")),
        "raise_own_build": rng.choice(("true", "false")),
        "partner_builds": rng.choice(("forbidden", "allowed")),
        "max_deals": rng.choice(("1", "3", "100")),
        "stake": rng.choice(("0", "7")),
        "max_timeouts": rng.choice(("1", "3")),
    }


def steps(rng: Random, state: State, tame: bool) -> Iterator[tuple[int, Action]]:
    """What is tried next at a table, in this order; all but the last may be left out."""
    if not tame and rng.randrange(30) == 0:
        seat = rng.randrange(len(state.seats))
        who = state.seats[seat]
        if who is not None and not who.leaving:
            sitting: Action = SitIn() if who.out else SitOut()
            yield seat, LeaveSeat() if rng.randrange(5) == 0 else sitting
            return
    if state.phase is not Phase.PLAYING:
        yield HOST, StartDeal()
    elif not tame and rng.randrange(15) == 0:
        yield HOST, TimeOut()
    else:
        (seat,) = GAME.to_act(state)
        plays = GAME.listing(state, seat, 10**6).plays
        built = [play for play in plays if "=" in play.text]
        yield seat, rng.choice(built if built and rng.randrange(2) else plays).action


class Life:
    """A table through one game, its events and what was done."""

    def __init__(self, seed: int, *, tame: bool = False) -> None:
        rng = Random(seed)
        self.shuffles = Shuffles(seed)
        self.state = GAME.initial()
        self.record: list[Recorded] = []
        self.before: list[State] = []
        self.do(HOST, OpenTable(options(rng)))
        for seat in range(len(self.state.seats)):
            self.do(seat, TakeSeat(f"p{seat}", 10))
        self.do(HOST, StartGame(0))
        while self.state.phase in {Phase.BETWEEN_DEALS, Phase.PLAYING}:
            for actor, action in steps(rng, self.state, tame):
                self.do(actor, action)

    def do(self, actor: int, action: Action) -> None:
        self.before.append(self.state)
        events, self.state = GAME.decide(self.state, actor, action, self.shuffles)
        self.record.append(Recorded(actor, action, events))
        self.check(events)

    def check(self, events: tuple[Event, ...]) -> None:
        state = self.state
        assert fold(GAME, events, self.before[-1]) == state
        assert GAME.place(state, GAME.lines(GAME.view(state, AUDITOR))) == state
        deal = state.deal
        if deal is None:
            return
        held = [card for zone in (*deal.hands, *deal.piles) for card in zone]
        built = [card for build in deal.builds for card in build.cards]
        assert sorted([*held, *built, *deal.loose, *deal.stock]) == list(PACK)
        assert len(deal.loose) <= 16  # 5.10
        assert deal.hands[deal.turn]

    @property
    def events(self) -> list[Event]:
        return [event for one in self.record for event in one.events]


@pytest.mark.parametrize(
    "seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(12, 60))]
)
def test_a_game_comes_to_its_end_with_everything_in_its_place(seed: int) -> None:
    """52 cards, all chips, 48 plays a deal, seven points at least, one winner or a shared pot."""
    life = Life(seed)
    events = life.events
    (end,) = [one for one in events if isinstance(one, (e.GameWon, e.GameDrawn))]
    stakes = sum(one.amount for one in events if isinstance(one, e.StakePosted))
    assert sum(one.amount for one in events if isinstance(one, e.PotPaid)) == stakes
    assert life.state.pot == 0
    for deal in deals(events):
        plays = [one for one in deal if isinstance(one, PLAYS)]
        (deck,) = [one.deck for one in deal if isinstance(one, e.DeckRevealed)]
        assert sorted(deck) == list(PACK)
        scored = [one for one in deal if isinstance(one, e.DealScored)]
        stopped = [one for one in deal if isinstance(one, e.DealStopped)]
        assert len(scored) + len(stopped) == 1
        if scored:
            check_count(life.state, len(plays), scored[0])
        else:
            assert len(plays) <= 48
    assert isinstance(end, (e.GameWon, e.GameDrawn))
    assert life.state.scores == end.scores


def check_count(state: State, plays: int, scored: e.DealScored) -> None:
    """5.6, 7.2, 7.8."""
    assert plays == 48
    assert sum(scored.counts) == 52
    assert sum(scored.spades) == 13
    gains = [after - before for before, after in zip(scored.before, scored.after, strict=True)]
    assert all(gain >= 0 for gain in gains)
    assert sum(gains) == sum(item.points for item in scored.items)
    told = [item.item for item in scored.items]
    assert told == list(Item)[: len(told)]
    if not state.options.sequential:
        assert len(told) >= 8


def deals(events: list[Event]) -> list[list[Event]]:
    """The events of each deal."""
    starts = [place for place, one in enumerate(events) if isinstance(one, e.DealStarted)]
    ends = [*starts[1:], len(events)]
    return [events[start:end] for start, end in zip(starts, ends, strict=True)]


@pytest.mark.parametrize("games", [60, pytest.param(160, marks=pytest.mark.long)])
def test_the_walks_meet_every_event_and_every_end(games: int) -> None:
    """Otherwise they would prove little; overtime is rare, and scripts have it."""
    kinds: set[type[Event]] = set()
    reasons: set[str] = set()
    for seed in range(games):
        for event in Life(seed, tame=seed % 3 == 0).events:
            kinds.add(type(event))
            if isinstance(event, (e.GameWon, e.GameDrawn)):
                reasons.add(event.reason)
    assert kinds >= {*GAME.EVENTS, TurnTimedOut} - {e.OvertimeStarted}
    assert reasons >= set(e.Reason) - {e.Reason.OVERTIME}


@pytest.mark.parametrize("seed", range(3))
def test_a_game_is_written_as_a_script_that_holds(seed: int) -> None:
    """hand_script 2.4: the whole of it, and from a position in its midst."""
    life = Life(seed)
    texts = [export(GAME, life.record)]
    middle = len(life.record) // 2
    opened = dict(life.record[0].events[0].options)  # type: ignore[attr-defined]
    texts.append(
        export(
            GAME, life.record[middle:], before=life.before[middle], options=tuple(opened.items())
        )
    )
    for text in texts:
        for _, failure in run_text(text, "exported.hand"):
            assert failure is None, str(failure)
