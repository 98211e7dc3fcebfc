"""Standings of all formats, at any time."""

from __future__ import annotations

from typing import Any

import pytest

from engine.tournament import actions as a
from engine.tournament.format import Standing
from engine.tournament.formats import format_of
from engine.tournament.state import Phase
from tests.tournament.formats import test_matches as matches
from tests.tournament.formats import test_rounds as rounds
from tests.tournament.formats import test_solitaires as solitaires
from tests.tournament.formats.manager import Manager

KINDS: dict[str, tuple[Any, Any]] = {
    "swiss": (matches.structure("swiss"), matches.deal),
    "partners": (matches.structure("swiss", 4), matches.deal),
    "all_play_all": (matches.structure("all_play_all"), matches.deal),
    "knock_out": (matches.structure("knock_out"), matches.deal),
    "double": (matches.structure("knock_out", losses=2), matches.deal),
    "series": (solitaires.series(), solitaires.game),
    "choice": (solitaires.choice(2), solitaires.game),
    "house": (rounds.structure(), rounds.deal),
    "rotating": (rounds.structure(bank="rotating", deals=1), rounds.deal),
}


MATCHES = {"swiss", "partners", "all_play_all", "knock_out", "double"}


def standings(manager: Manager) -> list[Standing]:
    return list(format_of(manager.state.structure).standings(manager.state))


@pytest.mark.parametrize("kind", KINDS)
def test_everybody_stands_somewhere_at_any_time(kind: str) -> None:
    """Each once: those still in before those who are out, these by place."""
    structure, play = KINDS[kind]
    manager = Manager(structure._replace(min_entrants=4), 8, play, 2)
    assert sorted(row.entry for row in standings(manager)) == list(range(8))
    manager.ask(a.Unregister(), "p7")
    manager.ask(a.Unregister(), "p6")
    manager.start()
    while manager.step():
        rows = standings(manager)
        assert sorted(row.entry for row in rows) == list(range(6))
        assert all(row.player == f"p{row.entry}" for row in rows)
        if kind in MATCHES and (sides := matches.play_of(manager.state).sides):
            points = {entry: side.points for side in sides for entry in side.entries}
            assert {row.entry: row.score for row in rows} == points, "in or out, all the same"
        keys = [(row.place or 0, row.entry if row.place else 0) for row in rows]
        assert keys == sorted(keys)
        if manager.state.phase is Phase.RUNNING:
            inside = [row.entry for row in rows if row.place is None]
            weights = dict(format_of(manager.state.structure).settlement(manager.state))
            assert sorted(weights) == sorted(inside)
            assert min(weights.values()) >= 0
    rows = standings(manager)
    assert rows[0].place == 1
    assert sum(row.prize for row in rows) == 6 * structure.buy_in
    prizes = [row.prize for row in rows]
    assert prizes == sorted(prizes, reverse=True)


def test_the_last_stacks_are_the_scores_of_a_round() -> None:
    """Pontoon: also when all are out."""
    manager = Manager(rounds.structure(deals=4), 4, rounds.deal, 3)
    manager.start()
    manager.run()
    runs = rounds.play_of(manager).runs
    rows = standings(manager)
    assert [row.score for row in rows] == [runs[row.entry].stacks[-1] for row in rows]
    assert any(row.score for row in rows)
