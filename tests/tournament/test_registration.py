"""Registration: who enters, who waits, who leaves, and what they pay."""

from __future__ import annotations

import pytest

from engine.tournament import actions as a
from engine.tournament import events as e
from engine.tournament.orders import Pay
from engine.tournament.registration import MOST_WITHDRAWALS
from engine.tournament.state import EntryStatus, Phase
from engine.tournament.structure import Payouts
from tests.tournament.hall import Hall, bets, running, structure
from tests.tournament.refusals import refused

LATE = {"levels": (bets(minutes=10), bets(40)), "late_levels": 1}


def open_hall(**fields: object) -> Hall:
    """A tournament that players may register for."""
    hall = Hall()
    hall.ask(a.CreateTournament(structure(**fields)))
    return hall


def test_nothing_can_be_asked_of_what_was_not_created():
    """The first action is the structure."""
    assert refused(Hall(), a.Register(), "ann").reason == "NO_TOURNAMENT"
    assert refused(open_hall(), a.CreateTournament(structure())).reason == "ALREADY_CREATED"


def test_an_entry_costs_its_buy_in_and_its_fee():
    """Both are in the books at once, apart from each other."""
    hall = open_hall(buy_in=100, fee=9)
    (event,) = hall.ask(a.Register(), "ann")
    assert event == e.EntryMade(0, "ann", 100, 9)
    assert (hall.state.money.pool, hall.state.money.fees) == (100, 9)
    assert hall.entry("ann").status is EntryStatus.ENTERED


def test_nobody_registers_twice_and_nobody_without_a_name():
    """A second registration, and one by nobody, change nothing."""
    hall = open_hall()
    hall.register("ann")
    assert refused(hall, a.Register(), "ann").reason == "ALREADY_REGISTERED"
    assert refused(hall, a.Register(), None).detail["field"] == "actor"


def test_who_unregisters_gets_everything_back_and_may_come_again():
    """It is as if he had never paid."""
    hall = open_hall(buy_in=100, fee=9)
    hall.register("ann")
    assert hall.ask(a.Unregister(), "ann") == (e.EntryWithdrawn(0),)
    assert hall.state.money.taken == 0
    assert refused(hall, a.Unregister(), "ann").reason == "NOT_REGISTERED"
    hall.register("ann")
    assert hall.state.entry_of("ann") == 1


def test_nobody_comes_and_goes_without_end():
    """Every registration has a number for good; others are not touched by it."""
    hall = open_hall(waiting=1, max_entrants=2)
    for _ in range(MOST_WITHDRAWALS):
        hall.register("ann")
        hall.ask(a.Unregister(), "ann")
    error = refused(hall, a.Register(), "ann")
    assert (error.reason, error.detail["withdrawals"]) == ("TOO_OFTEN", MOST_WITHDRAWALS)
    hall.register("bob")
    assert hall.entry("bob").withdrawn == 0


def test_a_full_field_lets_others_wait_who_move_up_in_their_order():
    """Who waits has paid; the first who waits has the place of who leaves."""
    hall = open_hall(max_entrants=2, waiting=3, buy_in=100, fee=9)
    hall.register("ann", "bob", "cid", "dan", "eve")
    assert hall.entry("cid").status is EntryStatus.WAITING
    assert hall.state.money.waiting == 327
    assert refused(hall, a.Register(), "fay").detail == {"max_entrants": 2, "waiting": 3}
    hall.ask(a.Unregister(), "cid")
    hall.ask(a.Unregister(), "ann")
    assert hall.entry("dan").status is EntryStatus.ENTERED
    assert hall.entry("eve").status is EntryStatus.WAITING
    assert (hall.state.field, hall.state.money.waiting) == (2, 109)


def test_without_a_waiting_list_a_full_field_is_full():
    """No place, no entry."""
    hall = open_hall(max_entrants=2)
    hall.register("ann", "bob")
    assert refused(hall, a.Register(), "cid").reason == "TOURNAMENT_FULL"


def test_who_still_waits_at_the_start_gets_his_money_back():
    """Buy-in and fee go to his account; nothing of it is in the pool."""
    hall = open_hall(max_entrants=2, waiting=5, buy_in=100, fee=9)
    hall.register("ann", "bob", "cid")
    hall.ask(a.StartTournament())
    (pay,) = hall.orders(Pay)
    assert (pay.player, pay.amount) == ("cid", 109)
    hall.carry_out(pay)
    assert not hall.orders(Pay)
    assert hall.state.prizes == (200,)


def test_a_free_waiting_list_owes_nothing():
    """Where nothing was paid nothing is paid back."""
    hall = open_hall(max_entrants=2, waiting=5)
    hall.register("ann", "bob", "cid")
    hall.ask(a.StartTournament())
    assert not hall.orders(Pay)
    assert hall.state.entry_of("cid") is None


def test_it_starts_by_itself_when_it_is_full_if_it_is_to():
    """The last registration starts it."""
    hall = open_hall(max_entrants=3, start="full")
    hall.register("ann", "bob")
    assert hall.state.phase is Phase.REGISTERING
    hall.register("cid")
    assert hall.state.phase is Phase.RUNNING
    assert refused(hall, a.StartTournament()).reason == "ALREADY_STARTED"


def test_what_its_host_started_before_it_was_full_takes_late_entries_to_the_last():
    """Nothing is left to be started then."""
    hall = running(3, max_entrants=4, start="full", **LATE)
    hall.register("late")
    assert hall.entry("late").status is EntryStatus.PLAYING


def test_too_few_do_not_start():
    """How many there are, and how many there should be."""
    hall = open_hall(min_entrants=3)
    hall.register("ann", "bob")
    why = refused(hall, a.StartTournament())
    assert (why.reason, why.detail) == (
        "TOO_FEW_ENTRANTS",
        {"entrants": 2, "expected": "3 or more"},
    )


def test_after_the_start_nobody_enters_or_leaves():
    """Without late levels entries are closed with the start."""
    hall = running(2)
    assert refused(hall, a.Register(), "eve").reason == "REGISTRATION_CLOSED"
    assert refused(hall, a.ReEnter(), "p0").reason == "REGISTRATION_CLOSED"
    assert refused(hall, a.Unregister(), "p0").reason == "ALREADY_STARTED"


def test_late_entries_count_until_their_levels_are_over():
    """Then the prizes are set, of everything that was paid."""
    hall = running(2, buy_in=100, **LATE)
    hall.register("eve")
    assert not hall.state.prizes
    hall.ask(a.ClockRanOut(hall.state.clock.since))  # type: ignore[union-attr]
    assert hall.state.prizes == (300,)
    assert refused(hall, a.Register(), "fay").reason == "REGISTRATION_CLOSED"


def test_re_entries_are_for_those_who_are_out_and_so_many():
    """Each is an entry of its own, for another buy-in."""
    hall = running(3, buy_in=100, fee=1, re_entries=1, **LATE)
    assert refused(hall, a.ReEnter(), "eve").reason == "NOT_REGISTERED"
    assert refused(hall, a.ReEnter(), "p2").reason == "STILL_IN"
    hall.lose(0, 2)
    assert refused(hall, a.Register(), "p2").reason == "ALREADY_REGISTERED"
    hall.settle()
    (made, *_) = hall.ask(a.ReEnter(), "p2")
    assert made == e.EntryMade(3, "p2", 100, 1, again=1)
    assert (hall.state.field, hall.state.left, hall.state.money.pool) == (4, 3, 400)
    assert hall.state.place(2) == 4
    hall.settle()
    hall.lose(0, hall.entry("p2").seat)
    assert refused(hall, a.ReEnter(), "p2").detail == {"re_entries": 1}


def test_re_entries_take_no_place_of_others():
    """The limit is on players: four may come, though there are four entries of three."""
    hall = running(3, max_entrants=4, re_entries=1, **LATE)
    hall.lose(0, 2)
    hall.ask(a.ReEnter(), "p2")
    hall.register("eve")
    assert hall.state.field == 5
    assert refused(hall, a.Register(), "fay").reason == "TOURNAMENT_FULL"


def test_who_is_out_can_be_kept_from_coming_again():
    """While entries are open; what his place would win goes to the first one."""
    two = (Payouts(2, (6_000, 4_000)),)
    hall = running(3, re_entries=1, buy_in=100, payouts=two, **LATE)
    hall.lose(0, 2)
    hall.settle()
    assert hall.ask(a.Disqualify("p2", "abuse")) == (e.EntryDisqualified(2, "abuse"),)
    assert refused(hall, a.ReEnter(), "p2").reason == "DISQUALIFIED"
    assert refused(hall, a.Disqualify("p2", "abuse")).reason == "ALREADY_OUT"
    hall.lose(0, 1)
    assert [hall.state.place(entry) for entry in range(3)] == [1, 2, 3]
    hall.settle()
    assert hall.state.money.paid == 300


@pytest.mark.parametrize("closed", [False, True])
def test_whoever_is_excluded_wins_nothing_by_entries_he_had_before(closed: bool) -> None:
    """But what was awarded already, when entries closed, is his: four entries, four prizes."""
    four = (Payouts(2, (10_000,)), Payouts(4, (4_000, 3_000, 2_000, 1_000)))
    hall = running(3, re_entries=1, buy_in=100, payouts=four, **LATE)
    hall.lose(0, 2)
    hall.settle()
    hall.ask(a.ReEnter(), "p2")
    hall.settle()
    if closed:
        hall.ask(a.ClockRanOut(hall.state.clock.since))  # type: ignore[union-attr]
    events = hall.ask(a.Disqualify("p2", "abuse"))
    excluded = [event.entry for event in events if isinstance(event, e.EntryDisqualified)]
    assert excluded == ([3] if closed else [3, 2])
    hall.play(0)
    hall.settle()
    hall.lose(0, 1)
    hall.settle()
    assert [hall.state.place(entry) for entry in range(4)] == [1, 2, 4, 3]
    kept = 40 if closed else 0
    assert [entry.won for entry in hall.state.entries] == [280 - kept, 120, kept, 0]


def test_who_is_disqualified_before_the_start_has_his_money_and_stays_away():
    """The next one who waits has the place."""
    hall = open_hall(max_entrants=2, waiting=1, buy_in=100)
    hall.register("ann", "bob", "cid")
    events = hall.ask(a.Disqualify("ann", "two accounts"))
    assert events == (
        e.EntryDisqualified(0, "two accounts"),
        e.EntryWithdrawn(0),
        e.EntryAdmitted(2),
    )
    assert refused(hall, a.Register(), "ann").reason == "DISQUALIFIED"
    assert refused(hall, a.Disqualify("ann", "again")).reason == "NOT_REGISTERED"
