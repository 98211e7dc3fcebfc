"""Places and prizes: who is out when, hand for hand near the money, ties, the end."""

from __future__ import annotations

from engine.tournament import actions as a
from engine.tournament import events as e
from engine.tournament.formats import format_of
from engine.tournament.orders import CloseTable, Pay, StartHand
from engine.tournament.state import Phase
from engine.tournament.structure import Payouts
from tests.tournament.hall import Hall, bets, running
from tests.tournament.refusals import refused

PAID = {
    "payouts": (Payouts(3, (5_000, 3_000, 2_000)),),
    "min_entrants": 3,
    "buy_in": 100,
    "table_size": 3,
}
LATE = {"levels": (bets(minutes=10), bets(40)), "late_levels": 1}


def dealing(hall: Hall) -> set[int]:
    return {order.table for order in hall.orders(StartHand)}


def standings(hall: Hall) -> list[tuple[str, int | None, int, int]]:
    """Player, place, chips, prize."""
    return [item[1:] for item in format_of(hall.state.structure).standings(hall.state)]


def places(hall: Hall) -> dict[str, int | None]:
    return {player: place for player, place, _, _ in standings(hall)}


def test_who_loses_all_is_out_and_the_last_one_in_wins():
    """Places in the order of coming out; the pool goes to the places that are paid."""
    hall = running(3, **PAID)
    hall.lose(0, 2)
    hall.settle()
    assert standings(hall) == [
        ("p0", None, 2_000, 0),
        ("p1", None, 1_000, 0),
        ("p2", 3, 0, 60),
    ]
    hall.lose(0, 0)
    assert hall.state.phase is Phase.FINISHED
    assert hall.events[-1] == e.TournamentFinished()
    assert standings(hall) == [("p1", 1, 0, 150), ("p0", 2, 0, 90), ("p2", 3, 0, 60)]
    assert {(pay.player, pay.amount) for pay in hall.orders(Pay)} == {("p1", 150), ("p0", 90)}
    assert [order.table for order in hall.orders(CloseTable)] == [0]
    hall.settle()
    assert (hall.state.money.paid, hall.state.money.pool, hall.state.standing) == (300, 0, 0)
    assert hall.state.removed == hall.state.issued


def test_of_two_who_lose_all_in_a_hand_the_larger_stack_has_the_better_place():
    """The stacks at the start of the hand count."""
    hall = running(4, **PAID | {"table_size": 4})
    hall.play(0, {0: 1_300, 1: 700})
    hall.lose(0, 0, 1, 2)
    assert places(hall) == {"p3": 1, "p0": 2, "p2": 3, "p1": 4}


def test_equal_stacks_share_a_place_and_the_prizes_of_all_places_they_fill():
    """Two share the second place: 30 % and 20 % are halved, the odd unit to the first entry."""
    hall = running(3, **PAID | {"buy_in": 105})
    hall.lose(0, 1, 2)
    assert hall.state.prizes == (158, 94, 63)
    assert standings(hall) == [("p0", 1, 0, 158), ("p1", 2, 0, 79), ("p2", 2, 0, 78)]


def test_hand_for_hand_begins_one_place_before_the_money():
    """Four are left, three are paid: no table deals before the others have ended their hands."""
    hall = running(5, **PAID)
    hall.lose(0, 2)
    hall.settle()
    assert dealing(hall) == {1}
    hall.play(1)
    assert dealing(hall) == {0, 1}
    hall.play(1)
    assert dealing(hall) == {0}
    hall.play(0)
    assert dealing(hall) == {0, 1}


def test_hand_for_hand_who_loses_all_in_the_same_round_is_ranked_by_stack():
    """Table 1 ends first, but p3 began with more than p2: p2 is fourth and wins nothing."""
    hall = running(5, **PAID)
    hall.play(1, {0: 900, 1: 1_100})
    hall.lose(0, 2)
    hall.settle()
    hall.play(1)
    assert (places(hall)["p4"], dealing(hall)) == (5, {0, 1})
    hall.lose(1, 1)
    assert hall.state.left == 4
    assert places(hall)["p3"] is None
    hall.lose(0, 1)
    assert (places(hall)["p3"], places(hall)["p2"]) == (3, 4)
    hall.settle()
    assert (dealing(hall), hall.table(0).taken()) == ({0}, (0, 1))


FOUR_PAID = PAID | {"min_entrants": 4, "payouts": (Payouts(4, (4_000, 3_000, 2_000, 1_000)),)}


def test_hand_for_hand_ends_with_the_money():
    """Then every table deals as soon as it can."""
    hall = running(5, **FOUR_PAID)
    hall.play(1)
    assert dealing(hall) == {0}
    hall.lose(0, 2)
    hall.settle()
    assert (hall.state.left, dealing(hall)) == (4, {0, 1})
    hall.play(0)
    assert dealing(hall) == {0, 1}


def test_hand_for_hand_ends_when_somebody_is_disqualified_into_the_money():
    """Who waited for the round deals at once."""
    five = (Payouts(5, (3_000, 2_500, 2_000, 1_500, 1_000)),)
    hall = running(6, **PAID | {"min_entrants": 5, "payouts": five})
    hall.play(1)
    assert dealing(hall) == {0}
    hall.ask(a.Disqualify("p2", "abuse"))
    assert dealing(hall) == {0, 1}


def test_hand_for_hand_a_round_goes_on_though_an_exclusion_brings_the_money():
    """p3 lost all in it, and is ranked with p2, who began the same round with less."""
    hall = running(6, **FOUR_PAID)
    hall.play(1, {0: 900, 1: 1_100})
    hall.lose(0, 2)
    hall.settle()
    hall.play(1)
    hall.lose(1, 1)
    hall.ask(a.Disqualify("p5", "abuse"))
    hall.settle()
    assert hall.state.left == 4
    assert (places(hall)["p3"], dealing(hall)) == (None, {0})
    hall.lose(0, 1)
    assert (places(hall)["p3"], places(hall)["p2"]) == (3, 4)
    hall.settle()
    assert dealing(hall) == {0}


def test_hand_for_hand_goes_on_when_a_table_has_nobody_left():
    """p2 is excluded and wins all that p5 has: their table is broken, and nobody moves."""
    hall = running(6, **PAID | {"table_size": 2, "settings": (("hand_for_hand", "9"),)})
    hall.ask(a.Disqualify("p2", "abuse"))
    hall.play(0)
    hall.play(1)
    hall.lose(2, 1)
    hall.settle()
    assert (hall.state.left, dealing(hall)) == (4, {0, 1})


def test_hand_for_hand_tables_are_balanced_before_the_next_round():
    """Two lose all at table 0; once their seats are open, the others fill it, and all deal."""
    hall = running(9, **PAID | {"settings": (("hand_for_hand", "9"),)})
    hall.lose(0, 1, 2)
    hall.play(1)
    hall.play(2)
    assert dealing(hall) == set()
    hall.settle()
    assert [len(hall.table(number).taken()) for number in range(3)] == [2, 2, 3]
    assert dealing(hall) == {0, 1, 2}


def test_hand_for_hand_can_be_left_out():
    """0: never."""
    hall = running(5, **PAID | {"settings": (("hand_for_hand", "0"),)})
    hall.lose(0, 2)
    hall.settle()
    assert dealing(hall) == {0, 1}


def test_hand_for_hand_waits_for_seats_too():
    """All tables are ready before the first deals."""
    hall = running(8, **PAID | {"table_size": 4, "settings": (("hand_for_hand", "5"),)})
    hall.lose(0, 3)
    assert dealing(hall) == {1}
    hall.play(1)
    assert dealing(hall) == set()
    hall.settle()
    assert dealing(hall) == {0, 1}


def test_places_of_late_fields_count_everybody_who_entered():
    """Who was out before others entered is behind them."""
    hall = running(3, **LATE, buy_in=100)
    hall.lose(0, 2)
    assert hall.place("p2") == 3
    hall.register("eve", "fay")
    assert hall.place("p2") == 5


def test_who_was_out_before_the_prizes_were_set_is_paid_then():
    """Three of three are paid: the first one out too."""
    rows = (Payouts(3, (5_000, 3_000, 2_000)),)
    hall = running(3, **LATE, payouts=rows, min_entrants=3, buy_in=100)
    hall.lose(0, 2)
    assert not hall.orders(Pay)
    hall.ask(a.ClockRanOut(hall.state.clock.since))  # type: ignore[union-attr]
    assert [(pay.player, pay.amount) for pay in hall.orders(Pay)] == [("p2", 60)]


def test_it_is_over_when_one_is_left_even_while_entries_are_open():
    """The prizes are set with it."""
    hall = running(2, **LATE, buy_in=100)
    hall.lose(0, 1)
    assert (hall.state.phase, hall.state.prizes) == (Phase.FINISHED, (200,))
    assert refused(hall, a.Register(), "eve").reason == "REGISTRATION_CLOSED"


def test_a_payment_is_reported_once_and_for_its_amount():
    """Anything else is stale."""
    hall = running(2, buy_in=100)
    hall.lose(0, 1)
    assert refused(hall, a.Paid(0, 199)).reason == "STALE_REPORT"
    assert refused(hall, a.Paid(1, 0)).reason == "STALE_REPORT"
    assert refused(hall, a.Paid(-1, 0)).reason == "STALE_REPORT"
    hall.ask(a.Paid(0, 200))
    assert refused(hall, a.Paid(0, 200)).reason == "STALE_REPORT"


def test_the_guarantee_is_in_the_prizes():
    """The house adds what is missing, and the books say so."""
    hall = running(3, **PAID, guarantee=1_000)
    assert (hall.state.prizes, hall.state.money.added) == ((500, 300, 200), 700)


# --- disqualified -------------------------------------------------------------------------------


def test_a_disqualified_player_is_out_at_once_and_his_chips_after_his_hand():
    """He is behind all who play on; what he has then goes out of play."""
    hall = running(4, **PAID | {"table_size": 4})
    hall.ask(a.Disqualify("p1", "chip dumping"))
    assert places(hall)["p1"] == 4
    assert hall.state.removed == 0
    hall.play(0)
    hall.settle()
    assert (hall.state.removed, hall.dealt_in(0)) == (1_000, {0: 1_000, 2: 1_000, 3: 1_000})
    assert dealing(hall) == {0}
    assert refused(hall, a.Disqualify("p1", "again")).reason == "ALREADY_OUT"


def test_a_disqualified_player_who_loses_all_in_his_last_hand_is_not_ranked_again():
    """His place stays."""
    hall = running(3, **PAID)
    hall.ask(a.Disqualify("p1", "abuse"))
    hall.lose(0, 1)
    hall.settle()
    assert (places(hall)["p1"], hall.state.out) == (3, 1)


def test_the_prize_of_a_disqualified_player_goes_to_the_winner():
    """Nobody moves up, and the pool is paid out to the unit."""
    hall = running(3, **PAID)
    hall.ask(a.Disqualify("p1", "abuse"))
    hall.play(0)
    hall.settle()
    hall.lose(0, 2)
    assert standings(hall) == [("p0", 1, 0, 210), ("p2", 2, 0, 90), ("p1", 3, 0, 0)]


def test_the_last_but_one_can_be_disqualified_and_the_last_one_cannot():
    """The other one has won; a hand that runs is not waited for."""
    hall = running(2, buy_in=100)
    hall.ask(a.Disqualify("p0", "abuse"))
    assert (hall.state.phase, places(hall)) == (Phase.FINISHED, {"p1": 1, "p0": 2})
    assert [(pay.player, pay.amount) for pay in hall.orders(Pay)] == [("p1", 200)]
    assert refused(hall, a.Disqualify("p1", "x")).reason == "NOT_RUNNING"


def test_who_is_disqualified_is_behind_who_lost_all_in_the_round_that_is_not_over():
    """Hand for hand: p3 lost all at table 1, then p2 is excluded at table 0, which plays on."""
    hall = running(5, **PAID)
    hall.lose(0, 2)
    hall.settle()
    hall.play(1)
    hall.lose(1, 1)
    hall.ask(a.Disqualify("p2", "abuse"))
    assert (places(hall)["p3"], places(hall)["p2"]) == (None, 4)
    hall.play(0)
    assert (places(hall)["p3"], places(hall)["p2"]) == (3, 4)
    hall.settle()
    assert (hall.state.left, dealing(hall)) == (2, {0})


def test_who_lost_all_and_is_disqualified_before_the_round_is_over_has_one_place():
    """He wins nothing by it."""
    hall = running(5, **PAID)
    hall.lose(0, 2)
    hall.settle()
    hall.play(1)
    hall.lose(1, 1)
    hall.ask(a.Disqualify("p3", "abuse"))
    hall.play(0)
    assert (places(hall)["p3"], hall.state.out, hall.state.left) == (4, 2, 3)


def test_who_lost_all_has_won_when_everybody_else_is_disqualified():
    """p2 lost all to a stack that is out of the ranking, and then p1 is excluded too."""
    one = {"table_size": 2, "buy_in": 100, "payouts": (Payouts(2, (10_000,)),)}
    hall = running(4, **one, settings=(("hand_for_hand", "9"),))
    hall.ask(a.Disqualify("p0", "abuse"))
    hall.ask(a.Disqualify("p3", "abuse"))
    hall.lose(0, 1)
    assert hall.state.left == 2
    hall.ask(a.Disqualify("p1", "abuse"))
    assert places(hall) == {"p2": 1, "p1": 2, "p3": 3, "p0": 4}
    assert [(pay.player, pay.amount) for pay in hall.orders(Pay)] == [("p2", 400)]


def test_the_last_ones_may_lose_all_to_a_stack_that_was_excluded():
    """They are ranked by stack among themselves, and the first of them has won."""
    hall = running(3, **PAID)
    hall.play(0, {1: 1_200, 2: 800})
    hall.ask(a.Disqualify("p0", "abuse"))
    hall.lose(0, 1, 2)
    assert standings(hall) == [("p1", 1, 0, 210), ("p2", 2, 0, 90), ("p0", 3, 0, 0)]
    hall.settle()
    assert hall.state.removed == hall.state.issued


def test_two_who_end_so_with_equal_stacks_have_both_won():
    """They share the first two prizes and what nobody else got."""
    hall = running(3, **PAID)
    hall.ask(a.Disqualify("p0", "abuse"))
    hall.lose(0, 1, 2)
    assert standings(hall) == [("p1", 1, 0, 150), ("p2", 1, 0, 150), ("p0", 3, 0, 0)]


def test_a_reason_is_wanted():
    """And a player who is in."""
    hall = running(3)
    assert refused(hall, a.Disqualify("p1", "")).detail["field"] == "reason"
    assert refused(hall, a.Disqualify("p1", None)).detail["field"] == "reason"
    assert refused(hall, a.Disqualify("p1", "x" * 201)).detail["field"] == "reason"
    assert refused(hall, a.Disqualify("p1", "two\nlines")).detail["field"] == "reason"
    assert refused(hall, a.Disqualify("eve", "x")).reason == "NOT_REGISTERED"
    assert refused(hall, a.Disqualify(None, "x")).reason == "NOT_REGISTERED"
