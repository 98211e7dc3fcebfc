"""No more tables open at a time than the host allows: the next one opens when one is closed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Refused
from engine.tournament import actions as a
from engine.tournament import events as e
from engine.tournament import orders as o
from engine.tournament.decider import decide
from engine.tournament.formats import format_of
from engine.tournament.formats.solitaires import GameScored
from engine.tournament.state import Phase, TableStatus, Tournament
from engine.tournament.structure import Structure
from tests.tournament.formats import test_matches, test_rounds, test_solitaires
from tests.tournament.formats.manager import Manager, Plays
from tests.tournament.hall import InOrder, structure

Make = Callable[[int], tuple[Structure, Plays]]


def with_limit(made: Structure, most: int) -> Structure:
    return made._replace(settings=(*made.settings, ("tables_at_once", str(most))))


def series(most: int) -> tuple[Structure, Plays]:
    return with_limit(test_solitaires.series(2), most), test_solitaires.game


def choice(most: int) -> tuple[Structure, Plays]:
    return with_limit(test_solitaires.choice(2), most), test_solitaires.game


def swiss(most: int) -> tuple[Structure, Plays]:
    return with_limit(test_matches.structure("swiss", best_of=2), most), test_matches.deal


def all_play_all(most: int) -> tuple[Structure, Plays]:
    return with_limit(test_matches.structure("all_play_all"), most), test_matches.deal


def knock_out(most: int) -> tuple[Structure, Plays]:
    made = test_matches.structure("knock_out", best_of=2, losses=2)
    return with_limit(made, most), test_matches.deal


def house_bank(most: int) -> tuple[Structure, Plays]:
    made = test_rounds.structure(deals=3, eliminate_every=2)._replace(table_size=4)
    return with_limit(made, most), test_rounds.deal


def rotating_bank(most: int) -> tuple[Structure, Plays]:
    made = test_rounds.structure(bank="rotating", deals=1)._replace(table_size=3)
    return with_limit(made, most), test_rounds.deal


KINDS = (series, choice, swiss, all_play_all, knock_out, house_bank, rotating_bank)


def manager_of(kind: tuple[Structure, Plays], players: int, seed: int = 0) -> Manager:
    made, plays = kind
    return Manager(made, players, plays, seed)


def check_limit(manager: Manager, most: int) -> None:
    """Never more."""
    assert manager.state.standing.bit_count() <= most


@pytest.mark.parametrize("make", KINDS)
@given(st.integers(2, 14), st.integers(1, 5), st.integers(0, 999))
@settings(max_examples=6, deadline=None)
def test_to_the_payout(make: Make, players: int, most: int, seed: int) -> None:
    """Everybody plays all that he would without the limit, though few play at a time."""
    manager = manager_of(make(most), players, seed)
    manager.start()
    while manager.step():
        check_limit(manager, most)
    places = manager.finished()
    assert min(places) == 1
    collected = manager.state.structure.buy_in * players
    assert sum(entry.won for entry in manager.state.entries) == collected


@pytest.mark.parametrize("make", KINDS)
@given(st.integers(3, 14), st.integers(1, 4), st.integers(0, 9_999))
@settings(max_examples=10, deadline=None)
def test_with_exclusions_pauses_and_an_end_before_its_time(
    make: Make, players: int, most: int, seed: int
) -> None:
    """Whoever is excluded, whether he has a table yet or not; nothing is left open or unpaid."""
    manager = manager_of(make(most), players, seed)
    manager.start()
    chance = manager.chance
    while manager.state.phase is Phase.RUNNING:
        what = chance.randrange(40)
        if what == 0 and not manager.state.paused:
            manager.ask(a.PauseTournament(500 if manager.state.clock else None))
        elif what in {1, 2}:
            entry = chance.randrange(players)
            manager.may(a.Disqualify(f"p{entry}", "why"), "ALREADY_OUT", "LAST_ONE")
        elif what == 3 and chance.randrange(20) == 0:
            manager.ask(a.CancelTournament("fire"))
        elif not manager.step():
            manager.ask(a.ResumeTournament())
        check_limit(manager, most)
    manager.run()
    state = manager.state
    assert not state.standing
    assert not state.owed
    assert not state.money.pool
    for number, entry in enumerate(state.entries):
        if entry.disqualified:
            assert state.place(number) is not None
            assert not entry.won


def open_tables(manager: Manager) -> list[int]:
    """The entries whose tables are not closed, by table."""
    tables = [table for table in manager.state.tables if table.status is not TableStatus.DONE]
    return [table.seats[0].entry for table in tables]


def play_table(manager: Manager) -> None:
    """The lowest table that is open is played out and closed."""
    number = manager.state.standing.bit_length() - 1
    number = min(n for n in range(number + 1) if manager.state.standing >> n & 1)
    while manager.state.standing >> number & 1:
        due = [order for order in o.orders(manager.state) if getattr(order, "table", -1) == number]
        manager.carry_out(due[0])


@pytest.mark.parametrize("make", [series, choice])
def test_entries_play_in_the_order_in_which_they_were_made(make: Make) -> None:
    """p1 takes his entry back before the start and enters again: he is the last one."""
    manager = manager_of(make(2), 4)
    manager.ask(a.Unregister(), "p1")
    manager.ask(a.Register(), "p1")
    manager.start()
    assert open_tables(manager) == [0, 2]
    play_table(manager)
    assert open_tables(manager) == [2, 3]
    play_table(manager)
    assert open_tables(manager) == [3, 4]


def test_everybody_plays_all_of_his_series_at_one_table() -> None:
    manager = manager_of(series(1), 3)
    manager.start()
    manager.run()
    assert len(manager.state.tables) == 3
    scored = Counter(event.entry for event in manager.made(GameScored))  # type: ignore[attr-defined]
    assert scored == dict.fromkeys(range(3), 2)


def test_each_game_of_a_choice_has_tables_and_packs_of_its_own() -> None:
    manager = manager_of(choice(2), 3)
    manager.start()
    manager.run()
    packs = [manager.opened[number].packs for number in range(6)]
    assert packs == ["game 1"] * 3 + ["game 2"] * 3


def test_without_a_limit_the_tables_stay_and_their_packs_too() -> None:
    manager = manager_of(choice(0), 3)
    manager.start()
    manager.run()
    assert [manager.opened[number].packs for number in range(3)] == ["all"] * 3


def test_packs_are_awaited_until_the_last_one_has_played_them() -> None:
    """Though all tables that were opened so far are closed: the next one is about to be drawn."""
    manager = manager_of(choice(1), 3)

    def deals_later(packs: str) -> bool:
        return format_of(manager.state.structure).deals_later(manager.state, packs)

    assert not deals_later("game 1")
    manager.start()
    for _ in range(2):
        assert deals_later("game 1")
        play_table(manager)
    assert deals_later("game 1")
    assert not deals_later("game 2")
    play_table(manager)
    assert not deals_later("game 1")
    clock = manager.state.clock
    assert clock is not None
    manager.ask(a.ClockRanOut(clock.since))
    assert deals_later("game 2")
    assert not deals_later("game 1")


def test_packs_are_awaited_by_nobody_once_the_last_one_is_excluded() -> None:
    manager = manager_of(choice(1), 2)
    manager.start()
    play_table(manager)
    manager.ask(a.Disqualify("p1", "why"))
    assert not format_of(manager.state.structure).deals_later(manager.state, "game 1")
    manager.run()
    assert manager.finished() == [1, 2]


def test_who_was_not_seated_yet_shares_in_a_cancelled_tournament() -> None:
    """Pontoon: nobody has won or lost a chip, so all get the same, seated or not."""
    manager = manager_of(rotating_bank(1), 6)
    manager.start()
    manager.ask(a.CancelTournament("fire"))
    paid = [event.amount for event in manager.made(e.MoneyAwarded)]  # type: ignore[attr-defined]
    assert paid == [50] * 6
    rows = format_of(manager.state.structure).standings(manager.state)
    assert [row.score for row in rows] == [200] * 6


@pytest.mark.parametrize("gone", [1, 2, 3])
def test_a_table_of_a_round_opens_without_who_was_excluded_before(gone: int) -> None:
    """Six at two tables of three.  With nobody left to sit at the second one it is never opened."""
    manager = manager_of(rotating_bank(1), 6, seed=3)
    manager.start()
    waiting = [n for n, entry in enumerate(manager.state.entries) if entry.table < 0]
    assert len(waiting) == 3
    for entry in waiting[:gone]:
        manager.ask(a.Disqualify(f"p{entry}", "why"))
    play_table(manager)
    drawn = [event.entries for event in manager.made(e.TableDrawn)]  # type: ignore[attr-defined]
    if gone == 3:
        assert len(drawn) == 1
    else:
        assert {*drawn[1]} - {-1} == {*waiting[gone:]}
    manager.run()
    places = manager.finished()
    assert [places[entry] for entry in waiting[:gone]] == list(range(6, 6 - gone, -1))


def test_a_match_of_somebody_excluded_takes_no_table() -> None:
    """Four matches, one table: who was to meet the excluded one goes on without a game."""
    manager = manager_of(knock_out(1), 8, seed=1)
    manager.start()
    waiting = [n for n, entry in enumerate(manager.state.entries) if entry.table < 0]
    manager.ask(a.Disqualify(f"p{waiting[0]}", "why"))
    while manager.step():
        check_limit(manager, 1)
    seated = {sitting.entry for order in manager.opened.values() for sitting in order.seats}
    assert seated == {*range(8)} - {waiting[0]}
    manager.finished()


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (test_solitaires.series(), "an integer 0 to 20000"),
        (test_matches.structure("swiss", duplicate=True), "0 with duplicate"),
        (test_rounds.structure(best_losers=1), "0 with best_losers"),
        (structure(), "left out"),
    ],
)
def test_where_it_cannot_be(made: Structure, expected: str) -> None:
    """Whoever played later would gain by it, or the tables need each other."""
    most = 20_001 if made.format == "series" else 1
    with pytest.raises(Refused) as refused:
        decide(Tournament(), None, a.CreateTournament(with_limit(made, most)), InOrder())
    assert refused.value.reason == "INVALID_STRUCTURE"
    assert refused.value.detail["field"] == "settings.tables_at_once"
    assert str(refused.value.detail["expected"]).startswith(expected)
    if made.format not in {"series", "elimination"}:
        decide(Tournament(), None, a.CreateTournament(with_limit(made, 0)), InOrder())


def test_five_hundred_entries_eight_at_a_time() -> None:
    """No event costs more because so many wait."""
    manager = manager_of(series(8), 500)
    manager.start()
    while outstanding := list(o.orders(manager.state)):
        for order in outstanding:
            manager.carry_out(order)
        check_limit(manager, 8)
    assert min(manager.finished()) == 1
