"""Whom events concern: nobody else's way through the tournament changes by them."""

from __future__ import annotations

from typing import Any

import pytest

from engine.actions import Action
from engine.events import Event
from service.tournaments.concern import concerned, way_of
from tests.tournament.formats.manager import Manager
from tests.tournament.formats.test_matches import deal
from tests.tournament.formats.test_matches import structure as matches
from tests.tournament.hall import Hall
from tests.tournament.parlour import Parlour


class Onlooker:
    """Holds every step against the ways of all players; ``few``: events told to a few only."""

    def __init__(self) -> None:
        self.few = 0
        self._ask = Hall.ask

    def ask(self, hall: Hall, action: Action, player: str | None = None) -> tuple[Event, ...]:
        before = hall.state
        events = self._ask(hall, action, player)
        players = concerned(before, hall.state, events)
        if players is not None:
            self.few += 1
            for name in {entry.player for entry in hall.state.entries} - players:
                assert way_of(before, name) == way_of(hall.state, name), (name, events)
        return events


@pytest.fixture
def onlooker(monkeypatch: pytest.MonkeyPatch) -> Onlooker:
    """Looks on at every hall."""
    found = Onlooker()

    def ask(hall: Hall, *asked: Any) -> tuple[Event, ...]:
        return found.ask(hall, *asked)

    monkeypatch.setattr(Hall, "ask", ask)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_an_elimination(onlooker: Onlooker, seed: int) -> None:
    hall = Parlour(seed, 4 + 5 * seed, trouble=0.1, check=lambda _: None).run()
    assert onlooker.few > len(hall.events) / 10


@pytest.mark.parametrize("kind", ["knock_out", "swiss"])
def test_matches(onlooker: Onlooker, kind: Any) -> None:
    manager = Manager(matches(kind), 9, deal, 1)
    manager.start()
    manager.run()
    assert onlooker.few
