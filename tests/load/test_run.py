"""Real bots at a real service: what was told is what is stored, and what is not is found."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Self

import psycopg
import pytest

from engine.games import GAMES
from service.load import opening
from service.load.plan import Load
from service.load.think import Think
from tests.load.played import played
from tests.service.harness import Running, run, running

ALL = tuple(GAMES)


@pytest.mark.parametrize("play", [True, False], ids=["play", "unary"])
def test_every_game_is_played_and_verified(dsn, play):
    """At full speed: each answer is in the commit table, and watchers saw all of it."""

    async def scenario():
        load = Load(ALL, tables=4, seconds=2.0, watchers=2, play=play)
        async with running(dsn) as service, played(service, load, dsn) as found:
            checked, measured = found.checked, found.measured
            assert checked.faults == ()
            assert not measured.errors
            assert {journal.game for journal in found.journals} == set(ALL)
            # Every table has got on beyond its opening and its seats.
            assert all(len(journal) > 10 for journal in found.journals)
            assert checked.tables == 4
            assert checked.acknowledged == checked.in_store == checked.commits
            assert checked.acknowledged == sum(map(len, found.journals))
            assert checked.watched == 2 * checked.commits
            assert measured.latencies.count == measured.actions > 0
            assert checked.commits == await service.commits()

    run(scenario())


def test_players_apart_sit_at_one_table_each_and_watch_it(dsn):
    """Also who sits alone; as many as there are seats, and nobody twice."""

    async def scenario():
        load = Load(("royal_flush", "pontoon"), tables=4, seconds=0.5, apart=True)
        async with running(dsn) as service, played(service, load, dsn) as found:
            assert not found.checked.faults
            assert not found.measured.errors
            assert found.measured.pushed > 0
            lines = [line for table in found.worker._tables for line in table.lines]
            assert len(lines) == len(set(map(id, lines))) == 2 * (1 + 5)
            assert all(len(line._watches) == 1 for line in lines)

    run(scenario())


def test_a_rate_is_kept_to_the_action(dsn):
    """Whether a moment was met or missed, it counts once."""

    async def scenario():
        load = Load(("royal_flush", "pontoon"), tables=6, seconds=1.0, rate=50.0)
        async with running(dsn) as service, played(service, load) as found:
            measured = found.measured
            assert measured.actions + measured.missed in (50, 51)
            assert measured.latencies.count == measured.actions + measured.missed
            assert not found.checked.faults
            assert found.checked.in_store == 0  # there was no database to look into

    run(scenario())


def test_thinking_players_act_in_their_own_time(dsn):
    async def scenario():
        load = Load(("royal_flush",), tables=10, seconds=1.0, think=Think.parse("constant:100"))
        async with running(dsn) as service, played(service, load) as found:
            measured = found.measured
            assert measured.actions + measured.missed in range(90, 101)
            assert not found.checked.faults

    run(scenario())


class Restart:
    """Drains a service after a while and starts another on its port and database."""

    def __init__(self, first: Running, dsn: str) -> None:
        self._first = first
        self._dsn = dsn
        self._stack = AsyncExitStack()
        self._task: asyncio.Task[None] | None = None

    async def begin(self, after: float, away: float) -> None:
        self._task = asyncio.create_task(self._run(after, away))

    async def _run(self, after: float, away: float) -> None:
        await asyncio.sleep(after)
        await self._first.server.__aexit__(None, None, None)
        await asyncio.sleep(away)
        second = running(self._dsn, listen=self._first.address, tokens=self._first.tokens)
        await self._stack.enter_async_context(second)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        await self._task
        await self._stack.aclose()


def test_a_run_goes_on_where_streams_are_cut(dsn):
    """The service drains and comes again on its port: requests are sent again, watches resumed."""

    async def scenario():
        load = Load(ALL, tables=4, seconds=2.0, watchers=1)
        async with (
            running(dsn) as first,
            Restart(first, dsn) as restart,
            played(first, load, dsn, lambda: restart.begin(0.3, 0.0)) as found,
        ):
            assert found.checked.faults == ()
            assert found.measured.errors["UNAVAILABLE"]
            assert found.measured.retries
            assert found.checked.unknown == 0
            assert found.checked.acknowledged == found.checked.commits

    run(scenario())


def test_what_nobody_answers_is_unknown_and_counts_with_what_it_waited(dsn):
    """The service is away until patience has ended: no silence flatters it."""

    async def scenario():
        load = Load(("royal_flush",), tables=3, seconds=1.0, rate=60.0, patience=0.3)
        async with (
            running(dsn) as first,
            Restart(first, dsn) as restart,
            played(first, load, dsn, lambda: restart.begin(0.3, 2.0)) as found,
        ):
            assert found.checked.faults == ()
            assert found.checked.unknown == 3  # one of each table
            measured = found.measured
            assert measured.missed
            assert measured.actions + measured.missed + 3 in (60, 61)
            assert measured.latencies.count == measured.actions + measured.missed + 3
            assert measured.latencies.worst > 0.3

    run(scenario())


def test_a_sensible_bot_looks_at_the_cards(dsn):
    async def scenario():
        load = Load(ALL, tables=4, seconds=0.7, bot="sensible")
        async with running(dsn) as service, played(service, load) as found:
            assert found.checked.faults == ()
            assert found.measured.actions
            assert not found.measured.errors

    run(scenario())


def test_a_bot_that_breaks_down_ends_the_process_and_says_why(dsn, monkeypatch):
    """Half a load measures nothing: no table is left standing silently."""

    def clueless(look):
        raise LookupError("a bot without a clue")

    async def scenario():
        monkeypatch.setattr(opening, "_offers_only", lambda _: clueless)
        load = Load(("royal_flush", "pontoon"), tables=2, seconds=30.0)
        async with running(dsn) as service:
            with pytest.raises(LookupError, match="without a clue"):
                async with played(service, load):
                    pass

    run(scenario())


# --- broken promises, at a real store -------------------------------------------------------------


def test_what_is_not_as_it_was_told_is_found(dsn, admin_dsn):
    """Journals and the commit table are falsified, one after the other."""

    async def scenario():
        load = Load(("pontoon",), tables=3, seconds=0.7, watchers=1)
        async with running(dsn) as service, played(service, load, dsn) as found:
            assert found.checked.faults == ()
            invented, doubled, _ = found.journals
            last = list(invented.answers())[-1]
            # Told of an action that nobody ever stored.
            invented.acknowledge(last._replace(request=9_999, version=last.version + 1, count=1))
            faults = await found.check_again(0)
            assert f"version {last.version + 1} was acknowledged and is not stored" in faults[0]
            # Told twice, for two requests, of one commit.
            twice = list(doubled.answers())[-1]
            doubled.acknowledge(twice._replace(request=9_999))
            faults = await found.check_again(1, dsn)
            assert any("acknowledged twice" in fault for fault in faults)
            assert any("request 9999 was acknowledged" in fault for fault in faults)
            # Rows of the commit table are gone: memory still knows of them, the table does not.
            table = found.journals[2].table
            with psycopg.connect(admin_dsn, autocommit=True) as db:
                db.execute("SET session_replication_role = replica")
                db.execute(
                    "DELETE FROM kartejo.commit WHERE stream = %s AND version >= "
                    "(SELECT max(version) FROM kartejo.commit WHERE stream = %s AND hand > 0)",
                    (table, table),
                )
            (fault, *_) = await found.check_again(2)
            assert fault.endswith("was told and is not replayed")
            faults = await found.check_again(2, dsn)
            assert any("the API tells of" in fault for fault in faults)
            assert any("its command is stored at nowhere" in fault for fault in faults)

    run(scenario())


def test_a_byte_that_was_changed_is_found(dsn, admin_dsn):
    async def scenario():
        load = Load(("royal_flush",), tables=1, seconds=0.5)
        async with running(dsn) as service, played(service, load, dsn) as found:
            table = found.journals[0].table
            with psycopg.connect(admin_dsn, autocommit=True) as db:
                db.execute("SET session_replication_role = replica")
                db.execute(
                    "UPDATE kartejo.commit SET recorded_at = recorded_at + 1 "
                    "WHERE stream = %s AND version = (SELECT min(version) FROM kartejo.commit "
                    "WHERE stream = %s AND version > 5)",
                    (table, table),
                )
            # Memory may still tell of it; a replay meets it.
            assert any("cannot be re" in fault for fault in await found.check_again(0))
            assert "hash does not follow" in (await found.check_again(0, dsn))[-1]

    run(scenario())
