"""Structures that cannot work are refused: which field, and what was expected."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import Refused
from engine.tournament import actions as a
from engine.tournament.decider import decide
from engine.tournament.state import Phase, Tournament
from engine.tournament.structure import (
    MAX_ENTRANTS,
    MAX_MONEY,
    AddOn,
    Level,
    Payouts,
    Structure,
)
from tests.tournament.hall import InOrder, bets, structure

BREAK = (bets(minutes=10, break_minutes=5), bets(40))


def create(made: Structure) -> Tournament:
    return decide(Tournament(), None, a.CreateTournament(made), InOrder())[1]


def test_a_structure_that_works_opens_the_registration():
    """And stands in the state as it was given."""
    made = structure()
    assert create(made)._replace(play=()) == Tournament(1, made, Phase.REGISTERING, accepts=True)


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("name", {"name": " "}, "1 to 100 printable characters"),
    ("name", {"name": "x" * 101}, "1 to 100 printable characters"),
    ("name", {"name": "red \x1b[31m"}, "1 to 100 printable characters"),
    ("format", {"format": "roulette"}, "one of elimination"),
    ("game", {"game": "pontoon"}, "one of palace_poker"),
    ("table_size", {"table_size": 1}, "an integer 2 to 10"),
    ("table_size", {"table_size": 11}, "an integer 2 to 10"),
    ("stack", {"stack": 0}, "1 or more chips"),
    ("stack", {"stack": -1}, f"an integer 0 to {MAX_MONEY}"),
    ("stack", {"stack": True}, f"an integer 0 to {MAX_MONEY}"),
    ("buy_in", {"buy_in": -1}, f"an integer 0 to {MAX_MONEY}"),
    ("fee", {"fee": MAX_MONEY + 1}, f"an integer 0 to {MAX_MONEY}"),
    ("guarantee", {"guarantee": "5"}, f"an integer 0 to {MAX_MONEY}"),
    ("min_entrants", {"min_entrants": 1}, "2 or more"),
    ("max_entrants", {"min_entrants": 9, "max_entrants": 8}, f"an integer 9 to {MAX_ENTRANTS}"),
    ("max_entrants", {"max_entrants": MAX_ENTRANTS + 1}, f"an integer 2 to {MAX_ENTRANTS}"),
    ("waiting", {"waiting": -1}, f"an integer 0 to {MAX_ENTRANTS}"),
    ("start", {"start": "noon"}, "one of host, full"),
    ("start_at", {"start_at": -1}, f"an integer 0 to {2**53}"),
    ("options", {"options": (("max_raises", "4"), ("max_raises", "5"))}, "at most 100 different"),
    ("options", {"options": (("max_raises", "4" * 101),)}, "names and values of 1 to 100"),
    ("options", {"options": (("max_raises", ""),)}, "names and values of 1 to 100"),
    ("options", {"options": (("ante", "4"),)}, "ante left to the levels"),
    ("options", {"options": (("max_seats", "4"),)}, "max_seats left to table_size"),
    ("settings.hands", {"settings": (("hands", "4"),)}, "hand_for_hand"),
    ("settings.hand_for_hand", {"settings": (("hand_for_hand", "x"),)}, "an integer 0 to 1000"),
    ("levels", {"levels": ()}, "one or more"),
    ("levels", {"levels": (bets(),) * 201}, "at most 200"),
    ("levels[0]", {"levels": (bets(minutes=5, hands=5),)}, "either minutes or hands"),
    ("levels[0]", {"levels": (bets(minutes=0), bets())}, "either minutes or hands"),
    ("levels[1].minutes", {"levels": (bets(), bets(minutes=-1))}, "an integer 0 to 1440"),
    ("levels[0].hands", {"levels": (bets(hands=1_001),)}, "an integer 0 to 1000"),
    ("levels[1].break_minutes", {"levels": (bets(), bets(break_minutes=1))}, "an integer 0 to 0"),
    ("levels[0].options", {"levels": (Level((("ante", "5"),), hands=1),)}, "small_bet and big_bet"),
    ("levels[0].options.small_bet", {"levels": (Level(hands=1),)}, "an integer 2 to 1000000"),
    ("levels[0].options.small_bet", {"levels": (bets(0),)}, "an integer 2 to 1000000"),
    ("levels[0].options.small_bet", {"levels": (bets(15),)}, "an even number"),
    (
        "levels[0].options.big_bet",
        {"levels": (Level((("small_bet", "20"), ("big_bet", "19")), hands=1),)},
        "an integer 20 to 2000",
    ),
    ("late_levels", {"late_levels": 1}, "an integer 0 to 0"),
    ("re_entries", {"re_entries": 1}, "0 without late_levels"),
    ("add_on", {"levels": BREAK, "add_on": AddOn(1, 500, 50)}, "none without late_levels"),
    (
        "add_on.level",
        {"levels": BREAK, "late_levels": 1, "add_on": AddOn(2, 500, 50)},
        "an integer 1 to 1",
    ),
    (
        "add_on.level",
        {"levels": (bets(), bets()), "late_levels": 1, "add_on": AddOn(1, 500, 50)},
        "a level with a break after it",
    ),
    (
        "add_on.chips",
        {"levels": BREAK, "late_levels": 1, "add_on": AddOn(1, 0, 50)},
        f"an integer 1 to {MAX_MONEY}",
    ),
    ("payouts", {"payouts": (Payouts(2, (10_000,)),) * 101}, "at most 100 rows"),
    ("payouts[0].entries", {"payouts": (Payouts(3, (10_000,)),)}, "at most min_entrants, 2"),
    ("payouts[0].entries", {"payouts": (Payouts(0, (10_000,)),)}, f"1 to {MAX_ENTRANTS}"),
    ("payouts[0].shares", {"payouts": (Payouts(2, (6_000, 4_001)),)}, "10000 in all"),
    ("payouts[0].shares", {"payouts": (Payouts(2, (6_000, 3_999)),)}, "10000 in all"),
    ("payouts[0].shares", {"payouts": (Payouts(2, ()),)}, "10000 in all"),
    ("payouts[0].shares", {"payouts": (Payouts(2, (5_000, 3_000, 2_000)),)}, "at most 2 places"),
    ("payouts[0].shares[1]", {"payouts": (Payouts(2, (4_000, 6_000)),)}, "an integer 1 to 4000"),
    (
        "payouts[1].entries",
        {"payouts": (Payouts(2, (10_000,)), Payouts(2, (5_000, 5_000)))},
        f"an integer 3 to {MAX_ENTRANTS}",
    ),
]


@pytest.mark.parametrize(("field", "changed", "expected"), WRONG, ids=lambda item: str(item)[:40])
def test_what_cannot_work_is_refused_by_its_field(field, changed, expected):
    """Nothing is created; the host reads where it is wrong, and how it would be right."""
    with pytest.raises(Refused) as caught:
        create(structure(**changed))
    assert caught.value.reason == "INVALID_STRUCTURE"
    assert caught.value.detail["field"] == field
    assert expected in str(caught.value.detail["expected"])


@pytest.mark.parametrize(
    "changed",
    [
        {"table_size": 2},
        {"table_size": 10},
        {"max_entrants": 2},
        {"start_at": 2**53},
        {"levels": BREAK, "late_levels": 1, "re_entries": 3, "add_on": AddOn(1, 500, 50, 5)},
        {"levels": (Level((("small_bet", "20"), ("big_bet", "20"))),)},
        {"levels": (bets(2), bets(1_000_000))},
        {"payouts": (Payouts(2, (6_000, 4_000)), Payouts(3, (5_000, 3_000, 2_000)))},
        {"settings": (("hand_for_hand", "0"),)},
        {"options": (("max_raises", "4"),)},
    ],
    ids=str,
)
def test_the_bounds_themselves_work(changed):
    """The last values that are accepted."""
    assert create(structure(**changed)).phase is Phase.REGISTERING
