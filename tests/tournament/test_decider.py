"""The decider refuses what it does not know, and tells who stands where at any time."""

from __future__ import annotations

from dataclasses import dataclass

from engine.actions import Action
from engine.events import Event, LotDrawn
from engine.tournament import actions as a
from engine.tournament import events as e
from engine.tournament.actions import TOURNAMENT_ACTIONS, HostAsks, PlayerAsks, Report
from engine.tournament.events import TOURNAMENT_EVENTS
from engine.tournament.evolve import fold
from engine.tournament.formats import format_of
from tests.tournament.hall import Hall, running, structure
from tests.tournament.refusals import refused


@dataclass(frozen=True)
class Strange(Action):
    """An action of something else."""


@dataclass(frozen=True)
class StrangeOrder(HostAsks):
    """Something a host cannot ask for."""


@dataclass(frozen=True)
class StrangeReport(Report):
    """Something a process manager cannot report."""


def test_what_is_no_action_of_a_tournament_is_refused_by_its_name():
    """Whoever asks, and what the format does not have either."""
    hall = running(2)
    for action in (Strange(), StrangeOrder(), StrangeReport()):
        assert refused(hall, action).detail == {"action": type(action).__name__}
    assert refused(hall, a.Commit("four_of_a_kind"), "p0").detail == {"action": "Commit"}
    assert refused(hall, a.Commit("four_of_a_kind"), "eve").reason == "NOT_REGISTERED"


def test_every_action_is_of_one_who_may_ask():
    """And every one of each kind is listed."""
    for kind in TOURNAMENT_ACTIONS:
        assert len({PlayerAsks, HostAsks, Report} & {*kind.__mro__}) == 1
    named = {kind.__name__ for kind in TOURNAMENT_ACTIONS}
    listed = {name for name in a.__all__ if isinstance(getattr(a, name), type)}
    assert named == listed - {"PlayerAsks", "HostAsks", "Report", "SeatResult"}


def test_every_event_is_listed():
    """What is not listed could not be stored."""
    named = [getattr(e, name) for name in e.__all__]
    kinds = {kind for kind in named if isinstance(kind, type) and issubclass(kind, Event)}
    assert {*TOURNAMENT_EVENTS} == kinds | {LotDrawn}


def test_the_standings_of_a_registration_are_those_who_registered():
    """Nobody has chips yet, who withdrew is not among them."""
    hall = Hall()
    hall.ask(a.CreateTournament(structure()))
    hall.register("ann", "bob", "cid")
    hall.ask(a.Unregister(), "bob")
    standings = format_of(hall.state.structure).standings(hall.state)
    assert [(item.player, item.place, item.score) for item in standings] == [
        ("ann", None, 0),
        ("cid", None, 0),
    ]


def test_a_tournament_is_folded_from_any_point():
    """From nothing, or from the state in between."""
    hall = running(3)
    hall.lose(0, 2)
    middle = fold(hall.events[:7])
    assert middle.version == 7
    assert fold(hall.events[7:], middle) == hall.state == fold(hall.events)
