"""Real fields in real tournaments: what was told is what is stored, and what is not is found."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Final
from uuid import UUID

import psycopg
import pytest

from engine.tournament import actions as a
from engine.tournament import orders as o
from engine.tournament.events import TableDrawn
from engine.tournament.structure import Structure
from service.client import Client, Endpoint
from service.host.clocks import Clocks
from service.load.think import Think
from service.load.tournaments.director import Director
from service.load.tournaments.reading import check_table
from service.load.tournaments.verifying import Folded
from service.pb import tournament_service_pb2 as pb
from service.store.connection import open_connection
from service.tournaments.deciding import table_stream
from tests.load.entered import Entered, Place, entered, field_of
from tests.service.harness import run, running
from tests.service.test_tournament_games import CASINO, CHOICE, PONTOON
from tests.service.tournament import STRUCTURE
from tests.tournament.hall import Hall, structure

PATIENT_CHOICE: Final = CHOICE._replace(
    settings=tuple({**dict(CHOICE.settings), "commit_seconds": "10"}.items())
)
"""Players choose in 0.7 of the time there is; the rest, three seconds, a busy machine may take."""

FIELDS: Final[tuple[tuple[Structure, int], ...]] = (
    (STRUCTURE, 7),
    (PONTOON, 5),
    (CASINO, 2),
    (PATIENT_CHOICE, 3),
)
"""A small one of each game."""


def check_all(found: Entered) -> None:
    """Every acknowledged action is in the commit table, and the tournament is what follows."""
    assert found.faults == []
    checked = found.outcome.checked.checked
    assert checked.acknowledged == checked.in_store > 0
    assert checked.unknown == 0
    assert found.director.state.phase == pb.TOURNAMENT_PHASE_FINISHED
    hands = sum(len(ends) for _, ends in found.outcome.checked.ends)
    assert found.director.state.deals == hands


def test_fields_of_all_games_play_to_the_payout(dsn):
    """Each in two processes, whose players meet at the same tables."""

    async def scenario():
        async with running(dsn) as service:
            place = Place.of(service, dsn)
            fields = [field_of(*some, processes=2) for some in FIELDS]
            for found in await asyncio.gather(*(entered(place, field) for field in fields)):
                check_all(found)
                measured = found.course.measured
                assert not measured.errors
                assert measured.latencies.count == measured.actions
                assert not any(kept.clocks or kept.given_up for kept in found.outcome.kept)

    run(scenario())


@pytest.mark.long
def test_a_field_that_has_no_time_is_settled(dsn):
    """It is cancelled after a while: hands that run are played to their end, all is paid back.

    Beside it two play who think for six seconds where there are five: it is their own fault.
    """

    async def scenario():
        async with running(dsn) as service:
            place = Place.of(service)
            rich = STRUCTURE._replace(stack=100_000)
            no_bank = (("turn_seconds", "5"), ("time_bank_seconds", "0"))
            hasty = rich._replace(options=(*STRUCTURE.options, *no_bank))
            late = Think.parse("constant:6000")
            found, slow = await asyncio.gather(
                entered(place, field_of(rich, 6, seconds=2.0, think=Think.parse("constant:30"))),
                entered(place, field_of(hasty, 2, seconds=5.7, think=late)),
            )
            for each in (found, slow):
                assert each.faults == []
                assert each.director.state.phase == pb.TOURNAMENT_PHASE_CANCELLED
            checked = found.outcome.checked.checked
            assert checked.in_store == 0  # there was no database to look into
            assert checked.acknowledged >= found.course.measured.actions > 0
            assert clocks_of(slow)["SLOW"] == slow.outcome.checked.expired > 0
            assert not clocks_of(slow)["OURS"]

    run(scenario())


def test_a_clock_that_gives_less_than_it_says_is_our_fault(dsn, monkeypatch):
    """Players are told of a minute, and their time is over at once."""
    monkeypatch.setattr(Clocks, "_allowance", lambda *_: 0.0)
    monkeypatch.setattr(Clocks, "remaining_ms", lambda *_: 60_000)

    async def scenario():
        async with running(dsn) as service:
            think = Think.parse("constant:1500")
            rich = STRUCTURE._replace(stack=100_000)
            found = await entered(Place.of(service), field_of(rich, 2, seconds=1.0, think=think))
            assert found.faults == []
            assert clocks_of(found)["OURS"] > 0
            assert not clocks_of(found)["SLOW"]

    run(scenario())


def clocks_of(found: Entered) -> Counter[str]:
    """The clocks that expired, by whose fault it was."""
    return sum((kept.clocks for kept in found.outcome.kept), start=Counter[str]())


def test_what_is_not_as_it_was_told_is_found(dsn, admin_dsn):
    """Standings, accounts, stacks, journals and rows are falsified, one after the other."""

    async def scenario():
        async with running(dsn) as service:
            place = Place.of(service, dsn)
            field = field_of(STRUCTURE, 3)
            found = await entered(place, field)
            assert found.faults == []
            endpoint = Endpoint.parse(place.address)
            async with (
                Client(endpoint, place.host) as client,
                await open_connection(dsn, name="test", role=None) as db,
            ):
                director = Director(client, field)
                director.tournament_id = found.director.tournament_id
                folded, faults = await director.fold(db, 0)
                assert faults == []
                rows = await director.standings()
                assert [*folded.told_otherwise(rows)] == []
                first, second, third = rows
                assert [*folded.told_otherwise([second, first, third])]
                assert [*folded.told_otherwise(rows[:2])]
                nothing = dict.fromkeys(folded.money, 0)
                assert [*folded.paid_otherwise(nothing, folded.money)] == []
                other = {**folded.money, first.player: folded.money[first.player] + 1}
                assert [*folded.paid_otherwise(nothing, other)]
                ends = [(table, [dict(each) for each in e]) for table, e in _ends(found)]
                assert [*folded.played_otherwise(ends)] == []
                ends[0][1][0][0] += 1
                assert "hand 1" in next(folded.played_otherwise(ends))
                assert "was not looked at" in next(folded.played_otherwise([]))
                # Told of an action that nobody ever stored.
                (worker,) = found.fleet.workers
                journal = next(iter(worker._journals.values()))
                players = {player.number: first.player for player in worker._players}
                last = [*journal.answers()][-1]
                journal.acknowledge(last._replace(version=last.version + 10_000))
                checked = await check_table(journal, client, db, "test", players)
                assert any("is not stored" in fault for fault in checked.checked.faults)
                # A row of the tournament is gone, another one changed.
                with psycopg.connect(admin_dsn, autocommit=True) as rows_of:
                    rows_of.execute("SET session_replication_role = replica")
                    newest = (
                        "stream = %(id)s AND version = "
                        "(SELECT max(version) FROM kartejo.commit WHERE stream = %(id)s)"
                    )
                    named = {"id": director.tournament_id}
                    rows_of.execute(f"DELETE FROM kartejo.commit WHERE {newest}", named)
                    _, faults = await director.fold(db, 0)
                    assert "are stored" in faults[-1]
                    rows_of.execute(
                        f"UPDATE kartejo.commit SET recorded_at = 1 WHERE {newest}", named
                    )
                    _, faults = await director.fold(db, 0)
                    assert "hash does not follow" in faults[-1]

    run(scenario())


def _ends(found: Entered):
    return found.outcome.checked.ends


def test_tables_that_never_stood_need_not_be_there():
    """A tournament that is cancelled leaves some that were only drawn."""
    hall = Hall()
    hall.ask(a.CreateTournament(structure(table_size=2)))
    hall.register("p0", "p1", "p2", "p3")
    hall.ask(a.StartTournament())
    first, _ = hall.orders(o.OpenTable)
    hall.carry_out(first)
    hall.ask(a.CancelTournament("rain"))
    hall.settle()
    folded = Folded(UUID(int=1))
    assert list(folded.take(len(hall.events), hall.events)) == []
    drawn = [number for number, one in enumerate(hall.events, 1) if isinstance(one, TableDrawn)]
    assert len(drawn) == 2
    assert folded.tables == [str(table_stream(UUID(int=1), drawn[first.table]))]
    assert list(folded.played_otherwise([])) == [f"table {folded.tables[0]} was not looked at"]
    assert list(folded.played_otherwise([(folded.tables[0], [])])) == []


def test_how_long_tables_were_open():
    """Two for three seconds, then one for four: as far as it was measured."""
    folded = Folded(UUID(int=1))
    assert folded.table_seconds(10.0) == 0
    folded._open = [(100.0, 2), (103.0, 1), (107.0, 0)]
    assert folded.most_tables == 2
    assert folded.table_seconds(10.0) == 2 * 3 + 4
    assert folded.table_seconds(2.0) == 2 * 2
    assert folded.table_seconds(4.0) == 2 * 3 + 1
