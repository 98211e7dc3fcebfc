"""A tournament that starts at a time, by itself."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from engine.errors import Refused
from engine.tournament import actions as a
from engine.tournament import events as e
from engine.tournament.orders import Pay, StartAt
from engine.tournament.state import Phase
from tests.tournament.hall import Hall, structure
from tests.tournament.refusals import refused

NOON: Mapping[str, object] = {"start": "time", "start_at": 1_000_000, "buy_in": 100, "fee": 9}


def hall_of(*players: str, **fields: object) -> Hall:
    hall = Hall()
    hall.ask(a.CreateTournament(structure(**{**NOON, **fields})))
    hall.register(*players)
    return hall


def test_it_is_due_until_it_has_begun():
    """The order stands from the start, whoever comes and goes, and is carried out once."""
    hall = hall_of("ann", "bob")
    assert hall.orders(StartAt) == [StartAt(1, 1_000_000)]
    hall.ask(a.StartDue())
    assert hall.state.phase is Phase.RUNNING
    assert hall.orders(StartAt) == []
    assert refused(hall, a.StartDue()).reason == "STALE_REPORT"


def test_its_host_may_start_it_before():
    hall = hall_of("ann", "bob")
    hall.ask(a.StartTournament())
    assert refused(hall, a.StartDue()).reason == "STALE_REPORT"


def test_with_too_few_it_is_cancelled_and_everybody_is_paid():
    hall = hall_of("ann", "bob", min_entrants=3)
    hall.ask(a.StartDue())
    assert hall.state.phase is Phase.CANCELLED
    assert hall.orders(StartAt) == []
    assert {pay.player: pay.amount for pay in hall.orders(Pay)} == {"ann": 109, "bob": 109}
    hall.settle()
    assert hall.state.money.paid == hall.state.money.taken == 218


def test_where_somebody_has_no_partner_it_is_cancelled():
    """Nothing of the start that could not be is on record."""
    casino = {"game": "royal_casino", "format": "knock_out", "table_size": 4, "stack": 0}
    hall = hall_of("ann", "bob", "cid", "dan", "eve", **casino, levels=(), min_entrants=4)
    events = hall.ask(a.StartDue())
    assert isinstance(events[0], e.TournamentCancelled)
    assert "NEEDS_PARTNERS" in events[0].reason
    assert len(hall.orders(Pay)) == 5


def test_only_such_a_tournament_starts_by_itself():
    hall = Hall()
    hall.ask(a.CreateTournament(structure(start_at=1_000_000)))
    hall.register("ann", "bob")
    assert hall.orders(StartAt) == []
    assert refused(hall, a.StartDue()).reason == "STALE_REPORT"


def test_a_time_is_needed():
    with pytest.raises(Refused) as caught:
        Hall().ask(a.CreateTournament(structure(start="time")))
    assert caught.value.detail["field"] == "start_at"
