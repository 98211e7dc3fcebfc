"""Royal Casino: what is refused, of structures, at the start, of reports."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import Refused
from engine.tournament import actions as a
from engine.tournament.formats import match_events as m
from engine.tournament.state import Phase
from tests.tournament.formats.manager import Manager
from tests.tournament.formats.test_matches import KINDS, deal, sides_of, structure


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"table_size": 3}, "table_size"),
        ({"table_size": 5}, "table_size"),
        ({"stack": 100}, "stack"),
        ({"min_entrants": 1}, "min_entrants"),
        ({"table_size": 4, "min_entrants": 3}, "min_entrants"),
        ({"table_size": 4, "min_entrants": 4, "max_entrants": 7}, "max_entrants"),
        ({"options": (("first_dealer", "1"),)}, "options.first_dealer"),
        ({"options": (("stake", "1"),)}, "options.stake"),
        ({"settings": (("best_of", "0"),)}, "settings.best_of"),
        ({"settings": (("best_of", "10"),)}, "settings.best_of"),
        ({"settings": (("games", "3"),)}, "settings.games"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_structures_that_cannot_work(kind: str, change: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        Manager(structure(kind)._replace(**change), 0, deal)
    assert refused.value.reason == "INVALID_STRUCTURE"
    assert refused.value.detail["field"] == field


@pytest.mark.parametrize(
    ("kind", "change", "field"),
    [
        ("swiss", {"min_entrants": 8, "settings": (("rounds", "5"),)}, "settings.rounds"),
        ("swiss", {"settings": (("rounds", "101"),)}, "settings.rounds"),
        ("all_play_all", {"max_entrants": 65}, "max_entrants"),
        ("all_play_all", {"settings": (("cycles", "5"),)}, "settings.cycles"),
        ("knock_out", {"settings": (("losses", "3"),)}, "settings.losses"),
    ],
)
def test_more_than_can_be_played(kind: str, change: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        Manager(structure(kind)._replace(**change), 0, deal)
    assert refused.value.detail["field"] == field


def test_the_most_rounds_of_the_smallest_field() -> None:
    kind = structure("swiss", rounds=4)._replace(min_entrants=7)
    manager = Manager(kind, 7, deal, 4)
    manager.start()
    manager.run()
    assert len(manager.made(m.RoundPaired)) == 4


def test_nobody_plays_without_a_partner() -> None:
    manager = Manager(structure("knock_out", 4), 7, deal)
    with pytest.raises(Refused) as refused:
        manager.start()
    assert (refused.value.reason, refused.value.detail["entrants"]) == ("NEEDS_PARTNERS", 7)
    assert manager.state.phase is Phase.REGISTERING


def test_the_last_side_stays() -> None:
    manager = Manager(structure("knock_out", 4), 4, deal, 1)
    manager.start()
    first, second = sides_of(manager)
    manager.ask(a.Disqualify(f"p{first[0]}", "left"))
    with pytest.raises(Refused) as refused:
        manager.ask(a.Disqualify(f"p{first[1]}", "left"))
    assert refused.value.reason == "ALREADY_OUT", "his partner went with him"
    with pytest.raises(Refused) as refused:
        manager.ask(a.Disqualify(f"p{second[1]}", "left"))
    assert refused.value.reason == "LAST_ONE"


def _report(manager: Manager, *scores: tuple[int, int, int], over: bool = False) -> a.HandEnded:
    results = tuple(a.SeatResult(at, *score) for at, score in enumerate(scores))
    return a.HandEnded(0, 1, results, dealer=0, over=over)


@pytest.mark.parametrize(
    ("scores", "over"),
    [
        ([(0, 5, 0)], False),
        ([(1, 5, 0), (0, 4, 0)], False),
        ([(0, -1, 0), (0, 4, 0)], False),
        ([(0, 21, 1), (0, 21, 1)], True),
        ([(0, 21, 2), (0, 4, 0)], True),
        ([(0, 21, 1), (0, 4, 0)], False),
    ],
)
def test_reports_that_cannot_be(scores: list[tuple[int, int, int]], over: bool) -> None:
    manager = Manager(structure("swiss"), 2, deal)
    manager.start()
    manager.step()
    with pytest.raises(Refused) as refused:
        manager.ask(_report(manager, *scores, over=over))
    assert refused.value.reason == "BAD_REPORT"


def test_partners_have_one_score() -> None:
    manager = Manager(structure("swiss", 4), 4, deal)
    manager.start()
    manager.step()
    with pytest.raises(Refused) as refused:
        manager.ask(_report(manager, (0, 5, 0), (0, 4, 0), (0, 6, 0), (0, 4, 0)))
    assert refused.value.reason == "BAD_REPORT"
