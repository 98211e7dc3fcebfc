"""Royal Flush: whole events of the choice and of the series."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Refused
from engine.games.royal_flush.options import read_options
from engine.tournament import actions as a
from engine.tournament import orders as o
from engine.tournament.formats.solitaires import ChoiceMade, GameScored, play_of
from engine.tournament.state import Phase
from engine.tournament.structure import Structure
from tests.tournament.formats.manager import Manager

CHOICES = (
    ("choice.any", "points=1500000 target_mode=royal_flush"),
    ("choice.aces", "points=7000000 target_mode=four_of_a_kind target_rank=A"),
    ("choice.ann", "points=90000000 target_mode=named_cards named_cards=Qs,Qh"),
)
BASE = Structure(name="Flush", game="royal_flush", table_size=1, buy_in=10, max_entrants=5000)


def series(games: int = 3) -> Structure:
    return BASE._replace(format="series", settings=(("games", str(games)),))


def choice(games: int = 1) -> Structure:
    return BASE._replace(format="choice", settings=(*CHOICES, ("games", str(games))))


def game(manager: Manager, order: o.StartHand) -> a.HandEnded:
    """A game: won one time in three."""
    before = manager.state.tables[order.table].seats[0].chips
    won = manager.chance.random() < 1 / 3
    left = 0 if won else manager.chance.randrange(1, 6)
    result = a.SeatResult(0, before, before + won, left)
    return a.HandEnded(order.table, order.hand, (result,), dealer=-1, over=True)


def scored(manager: Manager) -> dict[int, list[GameScored]]:
    found: dict[int, list[GameScored]] = {n: [] for n in range(len(manager.state.entries))}
    for event in manager.made(GameScored):
        assert isinstance(event, GameScored)
        found[event.entry].append(event)
    return found


@given(st.integers(2, 9), st.integers(1, 5), st.integers(0, 999))
@settings(max_examples=15, deadline=None)
def test_a_series_ranks_by_wins_then_cards(players: int, games: int, seed: int) -> None:
    manager = Manager(series(games), players, game, seed)
    manager.start()
    manager.run()
    places = manager.finished()
    keys = {
        entry: (sum(one.points for one in ones), -sum(one.left for one in ones))
        for entry, ones in scored(manager).items()
    }
    assert all(len(ones) == games for ones in scored(manager).values())
    assert places == [1 + sum(key > keys[n] for key in keys.values()) for n in range(players)]
    assert sum(entry.won for entry in manager.state.entries) == 10 * players


@given(st.integers(2, 9), st.integers(1, 4), st.integers(0, 999))
@settings(max_examples=15, deadline=None)
def test_a_choice_ranks_by_points_cards_and_commitment(players: int, games: int, seed: int) -> None:
    """Whoever commits, at whatever time that is allowed; the others keep or get a choice."""
    manager = Manager(choice(games), players, game, seed)
    names = ["any", "aces", "ann", "none"]

    def commit() -> None:
        for entry in range(players):
            name = manager.chance.choice(names)
            if name != "none":
                manager.may(a.Commit(name), "NOTHING_CHANGES", player=f"p{entry}")

    commit()
    manager.start()
    worths = {"any": 1_500_000, "aces": 7_000_000, "ann": 90_000_000}
    expected = {entry: [0, 0, 0] for entry in range(players)}
    for _ in range(games):
        while play_of(manager.state).open and manager.state.phase is Phase.RUNNING:
            before = play_of(manager.state)
            made = len(manager.made(GameScored))
            manager.step()
            for event in manager.made(GameScored)[made:]:
                assert isinstance(event, GameScored)
                record = before.records[event.entry]
                assert event.points in {0, worths[record.choice]}
                mine = expected[event.entry]
                expected[event.entry] = [mine[0] - event.points, mine[1] + event.left,
                                         mine[2] + record.order]  # fmt: skip
        if manager.state.clock is not None:
            commit()
            manager.ask(a.ClockRanOut(manager.state.clock.since))
    manager.run()
    places = manager.finished()
    assert places == [
        1 + sum(key < expected[n] for key in expected.values()) for n in range(players)
    ]


@pytest.mark.parametrize("make", [series, choice])
def test_exclusions_and_pauses(make: Any) -> None:
    for seed in range(15):
        manager = Manager(make(3), 6, game, seed)
        manager.start()
        excluded: list[int] = []
        while manager.state.phase is Phase.RUNNING:
            what = manager.chance.randrange(20)
            if what == 0 and not manager.state.paused:
                manager.ask(a.PauseTournament(500 if manager.state.clock else None))
            elif what == 1 and len(excluded) < 3:
                entry = manager.chance.randrange(6)
                if manager.may(a.Disqualify(f"p{entry}", "why"), "ALREADY_OUT"):
                    excluded.append(entry)
            elif not manager.step():
                manager.ask(a.ResumeTournament())
        manager.run()
        places = manager.finished()
        assert (
            sorted(places[entry] for entry in excluded)
            == list(range(6, 6 - len(excluded), -1))[::-1]
        )


def test_what_was_chosen_is_what_the_table_plays() -> None:
    manager = Manager(choice(), 3, game)
    manager.ask(a.Commit("ann"), "p2")
    manager.ask(a.Commit("aces"), "p0")
    manager.ask(a.Commit("any"), "p2")
    manager.start()
    assert [(e.entry, e.choice, e.order) for e in manager.made(ChoiceMade)] == [  # type: ignore[attr-defined]
        (2, "ann", 1), (0, "aces", 2), (2, "any", 3), (1, "any", 4),
    ]  # fmt: skip
    opened = {order.seats[0].entry: order for order in manager.orders(o.OpenTable)}
    aces, anything = dict(opened[0].options), dict(opened[1].options)
    assert (aces["target_mode"], aces["target_rank"]) == ("four_of_a_kind", "A")
    assert opened[1].options == opened[2].options
    assert anything["target_mode"] == "royal_flush"


def test_a_choice_made_anew_leaves_nothing_of_the_one_before() -> None:
    """A table at which one was played can play any other: as one that was opened for it would."""
    manager = Manager(choice(), 3, game)
    for player, chosen in (("p0", "any"), ("p1", "aces"), ("p2", "ann")):
        manager.ask(a.Commit(chosen), player)
    manager.start()
    opened = [dict(order.options) for order in manager.orders(o.OpenTable)]
    assert len({tuple(options.items()) for options in opened}) == 3
    for before in opened:
        for after in opened:
            assert read_options({**before, **after}) == read_options(after)


def test_all_play_the_same_packs() -> None:
    manager = Manager(choice(), 3, game)
    manager.start()
    opened = {order.seats[0].entry: order for order in manager.orders(o.OpenTable)}
    assert {order.packs for order in opened.values()} == {"all"}


def test_the_earlier_commitment_decides_at_last() -> None:
    manager = Manager(choice(), 3, lost)
    for player in ("p1", "p2", "p0"):
        manager.ask(a.Commit("ann"), player)
    manager.start()
    manager.run()
    assert manager.finished() == [3, 1, 2]


def lost(manager: Manager, order: o.StartHand) -> a.HandEnded:
    """A game lost with three cards left."""
    result = a.SeatResult(0, 0, 0, 3)
    return a.HandEnded(order.table, order.hand, (result,), over=True)


def test_commitments_of_all_games_add_up() -> None:
    """p1 is the first and the third to commit, p0 the second for both games: they share."""
    manager = Manager(choice(2), 2, lost)
    manager.ask(a.Commit("ann"), "p1")
    manager.ask(a.Commit("ann"), "p0")
    manager.start()
    while manager.state.clock is None:
        manager.step()
    manager.ask(a.Commit("any"), "p1")
    manager.run()
    assert manager.finished() == [1, 1]
    assert [entry.won for entry in manager.state.entries] == [10, 10]


@pytest.mark.parametrize("make", [series, choice])
def test_the_last_one_to_play_is_excluded(make: Any) -> None:
    """His table is not even open; all others have played, so it is over."""
    manager = Manager(make(1), 3, lost)
    manager.start()
    for table in (0, 1):
        manager.ask(a.TableReady(table))
        manager.carry_out(next(x for x in manager.orders(o.StartHand) if x.table == table))
    assert manager.state.phase is Phase.RUNNING
    manager.ask(a.Disqualify("p2", "why"))
    manager.run()
    assert manager.finished()[2] == 3


def test_who_is_excluded_and_still_plays_holds_nobody_up() -> None:
    """The clock between two games began without him, and his game does not set it again."""
    manager = Manager(choice(2), 3, lost)
    manager.start()
    for table in (0, 1, 2):
        manager.ask(a.TableReady(table))
    for table in (0, 1):
        manager.carry_out(next(x for x in manager.orders(o.StartHand) if x.table == table))
    manager.ask(a.Disqualify("p2", "why"))
    clock = manager.state.clock
    assert clock is not None
    (last,) = manager.orders(o.StartHand)
    manager.carry_out(last)
    assert manager.state.clock == clock
    assert len(manager.made(GameScored)) == 2
    manager.run()
    assert manager.finished()[2] == 3


def test_when_commitments_are_taken() -> None:
    manager = Manager(choice(2), 2, game)

    def refused(name: str | None, player: str = "p0") -> str:
        with pytest.raises(Refused) as found:
            manager.ask(a.Commit(name), player)
        return found.value.reason

    assert refused("kings") == "BAD_PARAMETER"
    assert refused(None) == "BAD_PARAMETER"
    assert refused("any", "nobody") == "NOT_REGISTERED"
    manager.ask(a.Commit("any"), "p0")
    assert refused("any") == "NOTHING_CHANGES"
    manager.start()
    assert refused("aces") == "COMMITMENTS_CLOSED"
    while manager.state.clock is None:
        manager.step()
    manager.ask(a.Commit("aces"), "p0")
    assert refused("aces") == "NOTHING_CHANGES"
    manager.ask(a.ClockRanOut(manager.state.clock.since))
    assert refused("any") == "COMMITMENTS_CLOSED"
    manager.run()
    assert refused("any") == "COMMITMENTS_CLOSED"
    with pytest.raises(Refused) as found:
        manager.ask(a.TakeAddOn(), "p0")
    assert found.value.reason == "UNKNOWN_ACTION"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"stack": 5}, "stack"),
        ({"table_size": 2}, "table_size"),
        ({"min_entrants": 1}, "min_entrants"),
        ({"settings": (("games", "0"), *CHOICES)}, "settings.games"),
        ({"settings": (("game", "1"), *CHOICES)}, "settings.game"),
        ({"options": (("target_mode", "royal_flush"),)}, "options.target_mode"),
        ({"settings": CHOICES[:1]}, "settings"),
        ({"settings": (*CHOICES, ("choice.x", "target_mode=royal_flush"))}, "settings.choice.x"),
        ({"settings": (*CHOICES, ("choice.x", "points=2000000"))}, "settings.choice.x"),
        ({"settings": (*CHOICES, ("choice.", "points=2000000 target_suit=s"))}, "settings.choice."),
        ({"settings": (*CHOICES, ("choice.x", "points=2000000 stake=1"))}, "settings.choice.x"),
        (
            {"settings": (*CHOICES, ("choice.x", "points=999999 target_suit=s"))},
            "settings.choice.x",
        ),
        (
            {"settings": (*CHOICES, ("choice.x", f"points={10**15 + 1} target_suit=s"))},
            "settings.choice.x",
        ),
        (
            {"settings": (*CHOICES, ("choice.x", "points=2000000 target_suit=s target_suit=h"))},
            "settings.choice.x",
        ),
    ],
)
def test_structures_that_cannot_work(change: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        Manager(choice()._replace(**change), 0, game)
    assert (refused.value.reason, refused.value.detail["field"]) == ("INVALID_STRUCTURE", field)


@pytest.mark.parametrize("points", [10**6, 10**15])
def test_the_bounds_of_points(points: int) -> None:
    pair = ("choice.x", f"points={points} target_suit=s")
    Manager(choice()._replace(settings=(*CHOICES, pair)), 0, game)


@pytest.mark.parametrize(
    "results",
    [
        (),
        (a.SeatResult(0, 1, 1, 4),),
        (a.SeatResult(0, 0, 2, 0),),
        (a.SeatResult(0, 0, -1, 0),),
        (a.SeatResult(0, 0, 1, 1),),
        (a.SeatResult(0, 0, 0, 53),),
        (a.SeatResult(0, 0, 0, -1),),
    ],
)
def test_reports_that_cannot_be(results: tuple[a.SeatResult, ...]) -> None:
    manager = Manager(series(), 2, game)
    manager.start()
    manager.ask(a.TableReady(0))
    with pytest.raises(Refused) as refused:
        manager.ask(a.HandEnded(0, 1, results))
    assert refused.value.reason == "BAD_REPORT"


def test_five_hundred_entrants() -> None:
    """No action costs more because there are many: only the start and the end know the field."""
    manager = Manager(choice(), 500, game)
    manager.start()
    manager.run_at_once()
    assert min(manager.finished()) == 1
