"""Levels and breaks: by time or by hands, the same for all tables, never within a hand."""

from __future__ import annotations

import pytest

from engine.tournament import actions as a
from engine.tournament import events as e
from engine.tournament.events import ClockKind
from engine.tournament.orders import GiveChips, OpenTable, RunClock, StartHand
from engine.tournament.structure import AddOn, Level
from tests.tournament.hall import Hall, bets, running, structure
from tests.tournament.refusals import refused

TIMED = (bets(20, minutes=10), bets(40, minutes=8, break_minutes=5), bets(60, minutes=3))


def ring(hall: Hall) -> None:
    """The running clock runs out."""
    (clock,) = hall.orders(RunClock)
    hall.carry_out(clock)


def small_bets(hall: Hall) -> dict[int, str]:
    """What tables deal for."""
    return {order.table: dict(order.options)["small_bet"] for order in hall.orders(StartHand)}


def clock(hall: Hall) -> tuple[ClockKind, int] | None:
    """The running clock, and its milliseconds."""
    clocks = hall.orders(RunClock)
    return (clocks[0].kind, clocks[0].milliseconds) if clocks else None


def test_the_first_level_begins_when_all_tables_are_open():
    """Nobody deals before, and the clock begins with it."""
    hall = Hall()
    hall.ask(a.CreateTournament(structure(levels=TIMED, table_size=2)))
    hall.register("ann", "bob", "cid", "dan")
    hall.ask(a.StartTournament())
    first, second = hall.orders(OpenTable)
    hall.carry_out(first)
    assert not hall.orders(StartHand)
    assert clock(hall) is None
    hall.carry_out(second)
    assert small_bets(hall) == {0: "20", 1: "20"}
    assert clock(hall) == (ClockKind.LEVEL, 600_000)


def test_the_ante_is_half_the_small_bet_and_the_big_bet_twice_unless_named():
    """What a level says of the game's options."""
    named = Level((("small_bet", "30"), ("big_bet", "90")))
    hall = running(2, levels=(bets(20, hands=1), named))
    (order,) = hall.orders(StartHand)
    assert order.options == (("small_bet", "20"), ("big_bet", "40"), ("ante", "10"))
    hall.play(0)
    (order,) = hall.orders(StartHand)
    assert order.options == (("small_bet", "30"), ("big_bet", "90"), ("ante", "15"))


def test_a_hand_is_played_at_the_level_at_which_it_was_dealt():
    """The level ends while both tables play; each has the new one from its next hand on."""
    hall = running(4, table_size=2, levels=TIMED)
    ring(hall)
    assert hall.state.level == 1
    assert small_bets(hall) == {0: "20", 1: "20"}
    hall.play(0)
    assert small_bets(hall) == {0: "40", 1: "20"}
    assert clock(hall) == (ClockKind.LEVEL, 480_000)


def test_a_break_begins_when_the_last_table_has_played_its_hand():
    """So that it is equally long for all; then the next level begins for all."""
    hall = running(4, table_size=2, levels=TIMED)
    ring(hall)
    ring(hall)
    assert hall.state.on_break
    hall.play(0)
    assert clock(hall) is None
    assert set(small_bets(hall)) == {1}
    hall.play(1)
    assert clock(hall) == (ClockKind.BREAK, 300_000)
    assert not small_bets(hall)
    ring(hall)
    assert small_bets(hall) == {0: "60", 1: "60"}


def test_the_last_level_lasts_to_the_end():
    """Whatever its length says, it has no clock."""
    hall = running(4, table_size=2, levels=(bets(20, minutes=1), bets(40, minutes=5)))
    ring(hall)
    assert (hall.state.level, clock(hall)) == (1, None)


def test_a_level_by_hands_is_over_when_the_tables_played_so_many_on_average():
    """Two hands a level, two tables: after four hands, wherever they were played."""
    hall = running(4, table_size=2, levels=(bets(20, hands=2), bets(40, hands=1), bets(60)))
    for _ in range(3):
        hall.play(0)
    assert hall.state.level == 0
    hall.play(1)
    assert hall.state.level == 1
    hall.play(1)
    hall.play(0)
    assert hall.state.level == 2


def test_a_break_follows_a_level_by_hands_too():
    """At two tables the second one plays its hand to the end first."""
    levels = (bets(20, hands=1, break_minutes=1), bets(40))
    hall = running(4, table_size=2, levels=levels)
    hall.play(0)
    hall.play(0)
    assert hall.state.on_break
    hall.play(1)
    assert clock(hall) == (ClockKind.BREAK, 60_000)


def test_a_clock_that_ran_out_is_reported_once():
    """A report of another clock, or a second one of the same, is stale."""
    hall = running(2, levels=TIMED)
    (order,) = hall.orders(RunClock)
    assert refused(hall, a.ClockRanOut(order.version - 1)).reason == "STALE_REPORT"
    hall.carry_out(order)
    assert refused(hall, a.ClockRanOut(order.version)).reason == "STALE_REPORT"
    assert hall.state.level == 1


def test_a_pause_waits_for_the_hands_that_run_and_stops_the_clock():
    """It goes on with what it had left, at the tables that rest and for the clock."""
    hall = running(4, table_size=2, levels=TIMED)
    hall.ask(a.PauseTournament(250_000))
    assert clock(hall) is None
    hall.play(0)
    assert set(small_bets(hall)) == {1}
    (_, resumed) = hall.ask(a.ResumeTournament())
    assert resumed == e.DealAllowed(0, 2, 0)
    assert clock(hall) == (ClockKind.LEVEL, 250_000)
    assert hall.state.clock is not None
    assert hall.orders(RunClock)[0].version == hall.state.version - 1


def test_a_pause_names_what_the_clock_has_left():
    """No more than it had, and nothing where none runs."""
    hall = running(2, levels=TIMED)
    for wrong in (None, -1, 600_001):
        why = refused(hall, a.PauseTournament(wrong))
        assert why.detail == {"field": "left_ms", "expected": "an integer 0 to 600000"}
    hall.ask(a.PauseTournament(600_000))
    assert refused(hall, a.PauseTournament(0)).reason == "ALREADY_PAUSED"
    assert refused(hall, a.ClockRanOut(hall.state.clock.since)).reason == "STALE_REPORT"
    untimed = running(2)
    assert refused(untimed, a.PauseTournament(5)).detail["field"] == "left_ms"
    assert refused(untimed, a.ResumeTournament()).reason == "NOT_PAUSED"


def test_only_what_runs_is_paused():
    """Neither before the start nor after the end."""
    hall = Hall()
    hall.ask(a.CreateTournament(structure()))
    assert refused(hall, a.PauseTournament()).reason == "NOT_RUNNING"
    over = running(2)
    over.lose(0, 1)
    assert refused(over, a.PauseTournament()).reason == "NOT_RUNNING"
    assert refused(over, a.ResumeTournament()).reason == "NOT_RUNNING"


def test_a_break_that_is_called_in_a_pause_has_its_clock_afterwards():
    """The clock of the break is whole when play goes on."""
    hall = running(2, levels=TIMED)
    ring(hall)
    ring(hall)
    hall.ask(a.PauseTournament())
    hall.play(0)
    assert clock(hall) is None
    hall.ask(a.ResumeTournament())
    assert clock(hall) == (ClockKind.BREAK, 300_000)
    assert not small_bets(hall)


ADD_ON = {
    "levels": (bets(20, minutes=10, break_minutes=5), bets(40)),
    "late_levels": 1,
    "add_on": AddOn(1, 500, 50, 5),
}


def test_an_add_on_is_bought_once_during_its_break():
    """Its cost is in the pool before the prizes are set; its chips come by an order."""
    hall = running(2, buy_in=100, **ADD_ON)
    assert refused(hall, a.TakeAddOn(), "p0").reason == "NO_ADD_ON"
    ring(hall)
    assert refused(hall, a.TakeAddOn(), "p0").reason == "NO_ADD_ON"
    hall.play(0)
    assert refused(hall, a.TakeAddOn(), "eve").reason == "NOT_REGISTERED"
    assert hall.ask(a.TakeAddOn(), "p0") == (e.AddOnBought(0, 500, 50, 5),)
    assert refused(hall, a.TakeAddOn(), "p0").reason == "ADD_ON_TAKEN"
    (order,) = hall.orders(GiveChips)
    assert (order.sitting.chips, order.chips) == (1_000, 500)
    hall.carry_out(order)
    assert refused(hall, a.ChipsGiven(0)).reason == "STALE_REPORT"
    assert hall.dealt_in(0) == {0: 1_500, 1: 1_000}
    ring(hall)
    assert hall.state.prizes == (250,)
    assert hall.state.money.fees == 5
    assert refused(hall, a.TakeAddOn(), "p1").reason == "NO_ADD_ON"


def test_an_add_on_has_its_own_break():
    """During the one before it there is none to buy."""
    levels = (bets(minutes=5, break_minutes=5), bets(40, minutes=5, break_minutes=5), bets(60))
    hall = running(2, levels=levels, late_levels=2, add_on=AddOn(2, 500, 50))
    ring(hall)
    hall.play(0)
    assert refused(hall, a.TakeAddOn(), "p0").reason == "NO_ADD_ON"
    ring(hall)
    ring(hall)
    hall.play(0)
    hall.ask(a.TakeAddOn(), "p0")
    assert hall.orders(GiveChips)


def test_nobody_deals_before_the_chips_of_an_add_on_are_there():
    """The break may be over; the table waits for its order."""
    hall = running(2, **ADD_ON)
    ring(hall)
    hall.play(0)
    hall.ask(a.TakeAddOn(), "p1")
    ring(hall)
    assert not hall.orders(StartHand)
    hall.settle()
    assert hall.orders(StartHand)


@pytest.mark.parametrize("status", ["out", "coming"])
def test_only_who_sits_buys_an_add_on(status):
    """Neither who is out nor who has no seat yet."""
    hall = running(3, **ADD_ON)
    ring(hall)
    hall.lose(0, 2)
    if status == "coming":
        hall.register("eve")
    player = {"out": "p2", "coming": "eve"}[status]
    assert refused(hall, a.TakeAddOn(), player).reason == "NOT_SEATED"


def test_a_clock_goes_on_with_what_it_had_when_nobody_could_play():
    """Once a clock, and never with more than it measures."""
    hall = running(4, levels=TIMED, table_size=2)
    (order,) = hall.orders(RunClock)
    for left in (0, -1, 600_001):
        assert refused(hall, a.TimeGivenBack(order.version, left)).reason == "BAD_REPORT"
    assert refused(hall, a.TimeGivenBack(order.version + 1, 5)).reason == "STALE_REPORT"
    hall.ask(a.TimeGivenBack(order.version, 400_000))
    assert clock(hall) == (ClockKind.LEVEL, 400_000)
    assert refused(hall, a.TimeGivenBack(order.version, 400_000)).reason == "STALE_REPORT"
    assert refused(hall, a.ClockRanOut(order.version)).reason == "STALE_REPORT"
    ring(hall)
    assert hall.state.level == 1
    (order,) = hall.orders(RunClock)
    hall.ask(a.PauseTournament(7))
    assert refused(hall, a.TimeGivenBack(order.version, 7)).reason == "STALE_REPORT"
