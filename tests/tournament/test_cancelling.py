"""A tournament that is cancelled is settled by the written rule, to the unit."""

from __future__ import annotations

from engine.tournament import actions as a
from engine.tournament.money import prize_pool
from engine.tournament.orders import (
    CloseTable,
    MoveSeat,
    Order,
    Pay,
    TakeSeatAway,
    orders,
    orders_about,
)
from engine.tournament.state import Phase, TableStatus
from engine.tournament.structure import Payouts
from tests.tournament.hall import Hall, bets, running, structure
from tests.tournament.refusals import refused


def due(hall: Hall) -> dict[str, int]:
    """What each player gets."""
    return {pay.player: pay.amount for pay in hall.orders(Pay)}


def cancel(hall: Hall) -> None:
    hall.ask(a.CancelTournament("the hall is on fire"))
    assert hall.state.phase is Phase.CANCELLED


def test_before_the_start_everybody_has_back_all_he_paid():
    """Who waits too; who withdrew has it already."""
    hall = Hall()
    hall.ask(a.CreateTournament(structure(max_entrants=3, waiting=1, buy_in=100, fee=9)))
    hall.register("ann", "bob", "cid", "dan")
    hall.ask(a.Unregister(), "bob")
    hall.register("eve")
    cancel(hall)
    assert due(hall) == dict.fromkeys(("ann", "cid", "dan", "eve"), 109)
    hall.settle()
    assert hall.state.money.paid == hall.state.money.taken == 436


def test_a_fee_comes_back_where_there_is_no_buy_in():
    """Before the start and later."""
    hall = Hall()
    hall.ask(a.CreateTournament(structure(fee=9)))
    hall.register("ann", "bob")
    cancel(hall)
    assert due(hall) == {"ann": 9, "bob": 9}
    started = running(2, fee=9)
    cancel(started)
    assert due(started) == {"p0": 9, "p1": 9}


def test_before_the_money_half_goes_equally_and_half_by_chips():
    """Fees of those still in go back, those of who is out stay; hands that run do not count."""
    hall = running(4, buy_in=100, fee=9, payouts=(Payouts(2, (6_000, 4_000)),))
    hall.lose(0, 3)
    hall.settle()
    cancel(hall)
    assert due(hall) == {
        "p0": 200 // 3 + 1 + 100 + 9,
        "p1": 200 // 3 + 1 + 50 + 9,
        "p2": 200 // 3 + 50 + 9,
    }
    assert hall.state.money.pool == 0
    assert hall.state.money.fees == 9


def test_in_the_money_each_has_the_least_prize_left_and_the_rest_goes_by_chips():
    """Two are left of three who are paid; the third has his prize."""
    hall = running(3, buy_in=100, payouts=(Payouts(3, (5_000, 3_000, 2_000)),), min_entrants=3)
    hall.lose(0, 2)
    hall.settle()
    hall.play(0, {0: 2_400, 1: 600})
    cancel(hall)
    assert due(hall) == {"p0": 90 + 48, "p1": 90 + 12}
    assert hall.state.money.pool == 0


def test_late_entries_that_have_no_seat_yet_have_their_chips():
    """And the guarantee is not in the pool before the prizes are set."""
    late = {"levels": (bets(minutes=10), bets(40)), "late_levels": 1}
    hall = running(2, buy_in=100, guarantee=5_000, **late)
    hall.register("eve")
    cancel(hall)
    assert due(hall) == {"p0": 100, "p1": 100, "eve": 100}
    assert hall.state.money.added == 0
    assert prize_pool(hall.state) == (0, 0)


def test_all_tables_are_closed_whatever_was_to_be_done_there():
    """Nothing else is ordered any more, and what is reported late is stale."""
    hall = running(10, table_size=5)
    hall.lose(1, 3, 4)
    hall.settle()
    hall.play(0)
    cancel(hall)
    kinds: set[type[Order]] = {type(order) for order in orders(hall.state)}
    assert kinds == {CloseTable}
    assert refused(hall, a.SeatMoved(0)).reason == "STALE_REPORT"
    results = (a.SeatResult(0, 3_000, 3_000),)
    assert refused(hall, a.HandEnded(1, 2, results)).reason == "STALE_REPORT"
    hall.settle()
    assert list(orders(hall.state)) == []
    assert refused(hall, a.TableGone(0)).reason == "STALE_REPORT"


def test_a_table_that_was_being_broken_is_closed_too():
    """Whoever follows the last events closes it: nobody has to leave it any more."""
    hall = running(4, table_size=2)
    hall.lose(0, 1)
    hall.settle()
    hall.lose(1, 1)
    hall.carry_out(hall.orders(TakeSeatAway)[0])
    assert hall.orders(MoveSeat)
    assert not hall.orders(CloseTable)
    known = len(hall.events)
    cancel(hall)
    about = orders_about(hall.state, hall.events[known:])
    assert [order.table for order in about if isinstance(order, CloseTable)] == [0, 1]


def test_a_paused_tournament_can_be_cancelled_and_one_that_is_over_cannot():
    """Twice neither; and a reason is wanted."""
    hall = running(2, buy_in=100)
    hall.ask(a.PauseTournament())
    assert refused(hall, a.CancelTournament(" ")).detail["field"] == "reason"
    cancel(hall)
    assert refused(hall, a.CancelTournament("again")).reason == "ALREADY_OVER"
    over = running(2)
    over.lose(0, 1)
    assert refused(over, a.CancelTournament("late")).reason == "ALREADY_OVER"


def test_tables_that_are_not_open_yet_are_done_with():
    """Nobody ever sat there: nothing is ordered, and that they are open is no news any more."""
    hall = Hall()
    hall.ask(a.CreateTournament(structure(table_size=2, buy_in=100)))
    hall.register("ann", "bob", "cid", "dan")
    hall.ask(a.StartTournament())
    hall.ask(a.TableReady(0))
    cancel(hall)
    kinds = {type(order): order for order in orders(hall.state)}
    assert set(kinds) == {CloseTable, Pay}
    assert kinds[CloseTable].table == 0
    assert hall.state.tables[1].status is TableStatus.DONE
    assert refused(hall, a.TableReady(1)).reason == "STALE_REPORT"
    hall.settle()
    assert hall.state.issued == hall.state.removed == 4 * 1_000
