"""Seats: drawn by lot, balanced, broken, given late; by the published procedure."""

from __future__ import annotations

from random import Random

import pytest

from engine.events import LotDrawn
from engine.tournament import actions as a
from engine.tournament import events as e
from engine.tournament.orders import (
    CloseTable,
    GiveSeat,
    MoveSeat,
    OpenTable,
    StartHand,
    TakeSeatAway,
)
from engine.tournament.state import Duty, TableStatus
from tests.tournament.hall import Hall, InOrder, bets, running, structure
from tests.tournament.refusals import refused

LATE = {"levels": (bets(minutes=10), bets(40)), "late_levels": 1}


class Drawn(InOrder):
    """Lots by chance, always the same."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def order(self, purpose: str, count: int) -> tuple[int, ...]:
        return tuple(self.random.sample(range(count), count))


def sizes(hall: Hall) -> dict[int, int]:
    """How many sit at each table that is not done."""
    return {
        number: len(table.taken())
        for number, table in enumerate(hall.state.tables)
        if table.status is not TableStatus.DONE
    }


def dealing(hall: Hall) -> set[int]:
    return {order.table for order in hall.orders(StartHand)}


def test_seats_are_drawn_by_one_lot_over_the_field():
    """The lot is on record, and the tables follow from it."""
    hall = running(5, Drawn(7), table_size=3)
    (lot,) = [event for event in hall.events if isinstance(event, LotDrawn)]
    drawn = [event for event in hall.events if isinstance(event, e.TableDrawn)]
    assert sorted(lot.order) == [0, 1, 2, 3, 4]
    assert drawn[0].entries == (lot.order[0], lot.order[2], lot.order[4])
    assert drawn[1].entries == (lot.order[1], lot.order[3], -1)


@pytest.mark.parametrize(
    ("players", "expected"),
    [(2, [2]), (8, [8]), (9, [5, 4]), (16, [8, 8]), (17, [6, 6, 5]), (25, [7, 6, 6, 6])],
)
def test_as_few_tables_as_hold_all_each_within_one_player(players, expected):
    """Of eight seats by default."""
    assert list(sizes(running(players)).values()) == expected


def test_only_who_has_a_place_is_seated():
    """Who unregistered or waits is not."""
    hall = Hall()
    hall.ask(a.CreateTournament(structure(max_entrants=3, waiting=1)))
    hall.register("ann", "bob", "cid", "dan")
    hall.ask(a.Unregister(), "bob")
    hall.ask(a.StartTournament())
    (order,) = hall.orders(OpenTable)
    assert [sitting.player for sitting in order.seats] == ["ann", "cid", "dan"]
    assert (order.size, order.seats[0].chips) == (8, 1_000)
    assert dict(order.options)["small_bet"] == "20"


def test_a_table_that_is_two_longer_moves_a_player_between_its_hands():
    """Table 0 has five players, table 1 comes down to three: one moves after table 0's hand."""
    hall = running(10, table_size=5)
    hall.lose(1, 4)
    hall.settle()
    assert not hall.orders(MoveSeat)
    hall.lose(1, 3)
    hall.settle()
    assert dealing(hall) == {0, 1}
    hall.play(0, dealer=1)
    (move,) = hall.orders(MoveSeat)
    assert (move.table, move.to_table) == (0, 1)
    assert dealing(hall) == {1}
    hall.settle()
    assert sizes(hall) == {0: 4, 1: 4}
    assert dealing(hall) == {0, 1}


def test_who_moves_is_nearest_to_the_left_of_the_dealer_to_the_seat_that_opened_last():
    """Seats 2 and 4 of table 1 opened, seat 2 after seat 4; the dealer of table 0 was seat 3."""
    hall = running(10, table_size=5)
    hall.lose(1, 4)
    hall.settle()
    hall.lose(1, 2)
    hall.settle()
    hall.play(0, dealer=3)
    (move,) = hall.orders(MoveSeat)
    assert (move.sitting.seat, move.to_seat) == (4, 2)


def test_who_moved_least_often_moves_first():
    """The one left of the dealer has moved before, so the next one goes."""
    hall = running(10, table_size=5)
    hall.lose(1, 3, 4)
    hall.settle()
    hall.play(0, dealer=4)
    hall.settle()
    assert hall.entry("p0").moves == 1
    assert (hall.entry("p0").table, hall.entry("p0").seat) == (1, 4)
    hall.lose(0, 1, 2)
    hall.settle()
    assert sizes(hall) == {0: 2, 1: 4}
    hall.play(1, dealer=2)
    (move,) = hall.orders(MoveSeat)
    assert (move.table, move.sitting.player) == (1, "p1")


def test_a_mover_keeps_his_chips_and_both_tables_know_once():
    """The order names what he has; reported twice it is stale."""
    hall = running(10, table_size=5)
    hall.lose(1, 3, 4)
    hall.settle()
    hall.play(0, {0: 700, 1: 1_300}, dealer=0)
    (move,) = hall.orders(MoveSeat)
    assert move.sitting == (1, 2, "p2", 1_300)
    hall.carry_out(move)
    assert refused(hall, a.SeatMoved(2)).reason == "STALE_REPORT"
    assert refused(hall, a.SeatMoved(99)).reason == "STALE_REPORT"
    assert hall.dealt_in(1)[hall.entry("p2").seat] == 1_300
    assert hall.orders(MoveSeat) == []


def test_a_seat_is_given_to_nobody_while_somebody_is_on_his_way():
    """The seat is kept; the hand that runs there is not touched."""
    hall = running(10, table_size=5)
    hall.lose(1, 3, 4)
    hall.settle()
    hall.play(0)
    kept = hall.table(1).seats[4]
    assert (kept.duty, kept.chips) == (Duty.AWAIT, 0)
    hall.play(1)
    assert dealing(hall) == set()
    hall.settle()
    assert dealing(hall) == {0, 1}


def test_a_table_three_short_waits_until_it_is_filled():
    """Two short deals, three short does not."""
    hall = running(10, table_size=5)
    hall.lose(1, 3, 4)
    hall.settle()
    assert dealing(hall) == {0, 1}
    hall.lose(1, 2)
    hall.settle()
    assert (sizes(hall), dealing(hall)) == ({0: 5, 1: 2}, {0})
    hall.play(0)
    hall.settle()
    assert (sizes(hall), dealing(hall)) == ({0: 4, 1: 3}, {0, 1})


def test_a_table_that_waits_deals_when_the_longest_gets_shorter():
    """Nobody has moved, but it is no more three short."""
    hall = running(20, table_size=10, levels=(bets(),))
    hall.lose(1, 9, 8, 7)
    hall.settle()
    assert (sizes(hall), dealing(hall)) == ({0: 10, 1: 7}, {0})
    hall.lose(0, 9, 8)
    hall.settle()
    assert (sizes(hall), dealing(hall)) == ({0: 8, 1: 7}, {0, 1})


def test_the_highest_table_is_broken_when_all_fit_at_the_others():
    """After its hand its players draw lots for the open seats, the shortest table first."""
    hall = running(9, table_size=3)
    hall.lose(0, 2)
    hall.settle()
    hall.lose(1, 2)
    hall.settle()
    hall.play(0)
    assert dealing(hall) == {0, 1, 2}
    hall.lose(2, 2)
    hall.settle()
    assert sizes(hall) == {0: 3, 1: 3}
    assert e.TableBroken(2) in hall.events
    assert hall.table(2).status is TableStatus.DONE
    assert dealing(hall) == {0, 1}


def test_a_table_that_waits_is_broken_as_soon_as_there_is_room():
    """It has one player left and does not deal; a seat opens elsewhere, and he moves there."""
    hall = running(9, table_size=3)
    hall.lose(2, 1, 2)
    hall.settle()
    assert dealing(hall) == {0, 1}
    hall.lose(0, 2)
    assert not hall.orders(MoveSeat)
    hall.settle()
    assert (sizes(hall), dealing(hall)) == ({0: 3, 1: 3}, {0, 1})


def test_nobody_is_balanced_while_a_table_is_to_be_broken():
    """Table 2 is to be broken after its hand: until then table 0 keeps its four players."""
    hall = running(12, table_size=4)
    for table, seat in ((2, 3), (2, 2), (1, 3), (1, 2)):
        hall.lose(table, seat)
        hall.settle()
    assert (sizes(hall), dealing(hall)) == ({0: 4, 1: 2, 2: 2}, {0, 1, 2})
    hall.play(0)
    assert not hall.orders(MoveSeat)
    hall.play(2)
    hall.settle()
    assert sizes(hall) == {0: 4, 1: 4}


def test_a_broken_table_is_closed_when_the_last_one_has_left():
    """Neither before nor twice."""
    hall = running(4, table_size=2)
    hall.lose(0, 1)
    hall.settle()
    hall.lose(1, 1)
    (removal,) = hall.orders(TakeSeatAway)
    hall.carry_out(removal)
    (move,) = hall.orders(MoveSeat)
    assert not hall.orders(CloseTable)
    assert refused(hall, a.TableGone(1)).reason == "STALE_REPORT"
    hall.carry_out(move)
    (close,) = hall.orders(CloseTable)
    hall.carry_out(close)
    assert refused(hall, a.TableGone(1)).reason == "STALE_REPORT"
    assert dealing(hall) == {0}


def test_a_late_entry_draws_a_seat_at_the_shortest_table():
    """Among its open seats, while a hand runs there."""
    hall = running(9, **LATE)
    hall.register("eve")
    assert hall.events[-2] == LotDrawn("late_seat", (0, 1, 2, 3))
    (order,) = hall.orders(GiveSeat)
    assert (order.table, order.sitting) == (1, (4, 9, "eve", 1_000))
    hall.carry_out(order)
    assert refused(hall, a.SeatGiven(9)).reason == "STALE_REPORT"
    assert sizes(hall) == {0: 5, 1: 5}


def test_a_late_entry_without_a_seat_opens_a_table_that_others_fill():
    """It deals once it is no more three short; the next late entry sits there too."""
    hall = running(8, **LATE)
    hall.register("eve", "fay")
    (order,) = hall.orders(OpenTable)
    assert [sitting.player for sitting in order.seats] == ["eve"]
    hall.play(0)
    assert not hall.orders(MoveSeat)
    hall.settle()
    assert (sizes(hall), dealing(hall)) == ({0: 8, 1: 2}, {0})
    hall.play(0)
    hall.settle()
    assert (sizes(hall), dealing(hall)) == ({0: 5, 1: 5}, {0, 1})


def test_players_are_balanced_while_a_late_table_opens():
    """Though it will be broken as soon as it stands, as all fit at the others."""
    hall = running(10, table_size=5, **LATE)
    hall.lose(1, 3, 4)
    hall.register("eve")
    (opening,) = hall.orders(OpenTable)
    for order in hall.orders(TakeSeatAway):
        hall.carry_out(order)
    hall.play(0)
    (move,) = hall.orders(MoveSeat)
    assert (move.table, move.to_table) == (0, 1)
    hall.carry_out(opening)
    hall.settle()
    assert (sizes(hall), dealing(hall)) == ({0: 4, 1: 5}, {0, 1})


def test_reports_of_what_cannot_be_are_refused():
    """A table that stands already, a hand that does not run, chips from nowhere."""
    hall = running(3)
    first = a.HandEnded(0, 1, (a.SeatResult(0, 1_000, 1_000),))
    assert refused(hall, a.TableReady(0)).reason == "STALE_REPORT"
    assert refused(hall, a.TableReady(5)).reason == "STALE_REPORT"
    assert refused(hall, a.TableReady(-1)).reason == "STALE_REPORT"
    assert refused(hall, a.HandEnded(0, 2, first.results)).reason == "STALE_REPORT"
    for wrong in (
        [(0, 1_000, 1_001)],
        [(0, 999, 999)],
        [(0, 1_000, -1), (1, 1_000, 2_001)],
        [(7, 0, 0)],
        [(1, 1_000, 1_000), (0, 1_000, 1_000)],
        [(0, 1_000, 1_000), (0, 1_000, 1_000)],
    ):
        results = tuple(a.SeatResult(*item) for item in wrong)
        assert refused(hall, a.HandEnded(0, 1, results)).reason == "BAD_REPORT"
    hall.ask(first)
    assert refused(hall, first).reason == "STALE_REPORT"


def test_hands_reported_together_are_as_if_one_after_the_other():
    """All of them, or none where one cannot be."""
    reports = tuple(a.HandEnded(table, 1, (a.SeatResult(0, 1_000, 1_000),)) for table in range(3))
    alone, together = running(9, table_size=3), running(9, table_size=3)
    assert refused(together, a.HandsEnded(())).reason == "BAD_REPORT"
    for wrong in (
        (*reports, reports[0]),
        (*reports[:2], a.HandEnded(2, 2, reports[2].results)),
    ):
        assert refused(together, a.HandsEnded(wrong)).reason == "STALE_REPORT"
    for report in reports:
        alone.ask(report)
    together.ask(a.HandsEnded(reports))
    assert (together.state, together.events) == (alone.state, alone.events)
    assert together.state.deals == 3
