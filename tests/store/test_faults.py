"""Faults: lines cut in flight, a server killed under load, a database that is away."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
from collections import Counter
from functools import partial
from uuid import UUID

import psycopg
import pytest

from engine.errors import Corrupt, Unavailable
from service.store import writer as writer_module
from service.store.commit import Commit
from service.store.connection import Connection
from service.store.embedded import EmbeddedServer, keep_alive
from service.store.errors import StreamConflict, Unsettled
from service.store.log import Reply, append_batch
from service.store.postgres import Store
from tests.store.lines import Line, check_log, fast, run, until

CUT = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE %s"


def cut(admin_dsn: str, name: str = "kartejo-writer-%") -> int:
    """End the backends called ``name`` in all databases; how many there were."""
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        return db.execute(CUT, (name,)).rowcount


def break_once(monkeypatch: pytest.MonkeyPatch, before: bool) -> Counter[str]:
    """Cut the writer's own line once: before its batch is sent, or after it is committed."""
    seen: Counter[str] = Counter()

    async def faulty(db: Connection, groups: list[tuple[Commit, ...]]) -> Reply:
        seen["calls"] += 1
        if seen["calls"] > 1:
            return await append_batch(db, groups)
        if not before:
            await append_batch(db, groups)
        await db.close()
        raise psycopg.OperationalError("cut")

    monkeypatch.setattr(writer_module, "append_batch", faulty)
    return seen


@pytest.mark.parametrize("before", [True, False])
def test_cut_line_leaves_exactly_one_effect(
    dsn: str, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    """Lost before the commit: sent again.  Lost after it: found by its hash, not sent again."""
    seen = break_once(monkeypatch, before)

    async def scenario() -> None:
        async with fast(dsn) as store:
            pair = [Line().next(), Line().next(2)]
            stored = await store.append(pair)
            assert [commit.hash for commit in stored] == [commit.hash for commit in pair]
            assert await check_log(store) == list(stored)
            assert seen["calls"] == (2 if before else 1)

    run(scenario())


def test_cut_line_whose_place_was_taken_is_a_conflict(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store, fast(dsn) as rival:
            line = Line()
            theirs = line.next()

            async def faulty(db: Connection, groups: list[tuple[Commit, ...]]) -> Reply:
                if groups[0][0].hash != ours.hash:
                    return await append_batch(db, groups)
                monkeypatch.setattr(writer_module, "append_batch", append_batch)
                await db.close()
                await rival.append([theirs])
                raise psycopg.OperationalError("cut")

            ours = line.next()
            monkeypatch.setattr(writer_module, "append_batch", faulty)
            with pytest.raises(StreamConflict):
                await store.append([ours])
            assert (await check_log(store))[0].hash == theirs.hash

    run(scenario())


def test_old_backend_is_ended_before_anything_is_sent_again(dsn: str, admin_dsn: str) -> None:
    """The writer gives up on a batch that hangs behind a lock; the batch must not land late."""

    async def scenario() -> None:
        async with fast(dsn) as store:
            await store.append([Line().next()])
            blocker = await psycopg.AsyncConnection.connect(admin_dsn)
            async with blocker:
                await blocker.execute("SELECT FROM kartejo.lane FOR UPDATE")
                hanging = store.submit([Line().next()])

                async def waits() -> bool:
                    rows = await blocker.execute(
                        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        " AND application_name LIKE 'kartejo-writer-%'"
                        " AND datname = current_database()"
                    )
                    return rows.rowcount == 1

                await until(waits)
                cut(admin_dsn)
                await blocker.rollback()
            await hanging
            assert len(await check_log(store)) == 2

    run(scenario())


def test_random_cuts_under_load_have_exactly_one_effect_each(dsn: str, admin_dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn, patience=20.0) as store:
            told: list[Commit] = []
            cuts = 0

            async def session() -> None:
                line = Line()
                while cuts < 20:
                    (stored,) = await store.append([line.next(2)])
                    line.took(stored)
                    told.append(stored)

            async def cutter() -> None:
                nonlocal cuts
                dice = random.Random(5)
                while cuts < 20:
                    await asyncio.sleep(dice.uniform(0.01, 0.05))
                    cuts += await asyncio.to_thread(cut, admin_dsn, "kartejo-writer-%")

            await asyncio.gather(cutter(), *(session() for _ in range(12)))
            told.sort(key=lambda commit: commit.position)
            assert await check_log(store) == told

    run(scenario())


def test_refused_data_fails_its_own_group_only(dsn: str, admin_dsn: str) -> None:
    """The server aborts a whole batch; the groups then go one by one."""
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        db.execute("ALTER TABLE kartejo.commit ADD CHECK (hand <> 13)")

    async def scenario() -> None:
        async with fast(dsn) as store:
            commits = [Line().next()._replace(hand=13 if n == 5 else 0) for n in range(12)]
            outcomes = await asyncio.gather(
                *(store.append([commit]) for commit in commits), return_exceptions=True
            )
            wrong = [n for n, outcome in enumerate(outcomes) if isinstance(outcome, BaseException)]
            assert wrong == [5]
            assert isinstance(outcomes[5], Corrupt)
            assert "hand" not in str(outcomes[5])
            assert await store.position() == 11

    run(scenario())


def test_refused_statement_is_unavailable_and_nothing_is_done(dsn: str, admin_dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            with psycopg.connect(admin_dsn, autocommit=True) as db:
                db.execute("REVOKE EXECUTE ON FUNCTION kartejo.append FROM kartejo_writer")
                with pytest.raises(Unavailable):
                    await store.append([Line().next()])
                db.execute("GRANT EXECUTE ON FUNCTION kartejo.append TO kartejo_writer")
            (stored,) = await store.append([Line().next()])
            assert stored.position == 1

    run(scenario())


def test_database_away_is_unavailable_and_comes_back_by_itself(
    durable_pg: EmbeddedServer,
) -> None:
    async def scenario() -> None:
        async with Store(durable_pg.service_conninfo, patience=0.3, read_seconds=2.0) as store:
            line = Line()
            feed = store.follow(0)
            (stored,) = await store.append([line.next()])
            line.took(stored)
            assert (await anext(feed)).position == 1
            following = asyncio.ensure_future(anext(feed))

            async def accepted() -> bool:
                try:
                    (stored,) = await store.append([line.next()])
                except Unavailable:
                    return False
                line.took(stored)
                return True

            cut_off: list[asyncio.Future[tuple[Commit, ...]]] = []

            async def refused() -> bool:
                """A commit under way when the server dies is undecided until it is back."""
                try:
                    outcome = store.submit([line.next()])
                    await asyncio.wait([outcome], timeout=2.0)
                    if not outcome.done():
                        cut_off.append(outcome)
                        return False
                    line.took(outcome.result()[0])
                except Unavailable:
                    return True
                return False

            async def unreadable() -> bool:
                try:
                    await store.head(line.stream)
                except Unavailable:
                    return True
                return False

            # Backends of a killed server may still answer until they notice.
            durable_pg.kill()
            await until(refused)
            await until(unreadable)
            assert await refused()
            keeping = asyncio.create_task(keep_alive(durable_pg))
            for outcome in cut_off:
                line.took((await outcome)[0])
            await until(accepted)
            keeping.cancel()
            assert (await following).version == 2
            assert len(await check_log(store)) == line.version

    run(scenario())


def test_store_closed_while_an_outcome_is_unknown_says_so(
    durable_pg: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.store.postgres.CLOSE_SECONDS", 0.2)
    line = Line()
    commit = line.next()

    async def faulty(db: Connection, groups: list[tuple[Commit, ...]]) -> Reply:
        await append_batch(db, groups)
        durable_pg.kill()
        raise psycopg.OperationalError("cut")

    async def scenario() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(writer_module, "append_batch", faulty)
            async with Store(durable_pg.service_conninfo, patience=0.1) as store:
                outcome = store.submit([commit])
        with pytest.raises(Unsettled):
            await outcome
        keeping = asyncio.create_task(keep_alive(durable_pg))
        await until(answers)
        keeping.cancel()
        async with Store(durable_pg.service_conninfo) as store:
            assert await store.by_command(line.stream, commit.command) is not None

    async def answers() -> bool:
        try:
            async with await psycopg.AsyncConnection.connect(durable_pg.conninfo):
                return True
        except psycopg.OperationalError:
            return False

    run(scenario())


def test_server_that_freezes_is_given_up_in_time(
    durable_pg: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It neither answers nor hangs up; when it thaws, what was in flight has one effect."""
    monkeypatch.setattr(writer_module, "CALL_SECONDS", 0.3)
    monkeypatch.setattr("service.store.connection.CONNECT_SECONDS", 1.0)

    async def scenario() -> None:
        async with Store(durable_pg.service_conninfo, read_seconds=0.3) as store:
            line = Line()
            (first,) = await store.append([line.next()])
            line.took(first)
            with psycopg.connect(durable_pg.conninfo) as db:
                backends = db.execute("SELECT pid FROM pg_stat_activity").fetchall()
            frozen = [durable_pg.pid, *(pid for (pid,) in backends)]
            signal_all(frozen, signal.SIGSTOP)
            try:
                begun = asyncio.get_running_loop().time()
                with pytest.raises(Unavailable):
                    await store.head(line.stream)
                assert asyncio.get_running_loop().time() - begun < 30  # and not for ever
                outcome = store.submit([line.next()])
                await asyncio.wait([outcome], timeout=0.6)
                assert not outcome.done()
            finally:
                signal_all(frozen, signal.SIGCONT)
            assert (await outcome)[0].version == 2
            assert len(await check_log(store)) == 2

    run(scenario())


def signal_all(processes: list[int], number: signal.Signals) -> None:
    """Signal those of ``processes`` that still run."""
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


async def whole_log(store: Store) -> list[Commit]:
    """The log, once its server is back: backends may have answered until after the kill."""
    while True:
        try:
            return await check_log(store)
        except Unavailable:
            await asyncio.sleep(0.05)


async def kill_under_load(server: EmbeddedServer, kills: int) -> int:
    """Sessions append while PostgreSQL is killed; returns the number of acknowledged commits.

    A session that is told Unavailable sends another command: were the first one stored, that
    would be a conflict.
    """
    acknowledged: dict[tuple[UUID, int], bytes] = {}
    stop = False

    async def session(store: Store) -> None:
        line = Line()
        while not stop:
            commit = line.next(2)
            try:
                (stored,) = await store.append([commit])
            except Unavailable:
                await asyncio.sleep(0.02)
                continue
            line.took(stored)
            acknowledged[stored.stream, stored.version] = stored.hash

    async def reached(number: int) -> bool:
        return len(acknowledged) > number

    async with Store(server.service_conninfo, patience=1.0) as store:
        keeping = asyncio.create_task(keep_alive(server))
        sessions = [asyncio.create_task(session(store)) for _ in range(16)]
        for wanted in range(kills):
            await until(partial(reached, 200 * (wanted + 1)))
            os.kill(server.pid, signal.SIGKILL)
        await until(partial(reached, 200 * (kills + 1)))
        stop = True
        await asyncio.gather(*sessions)
        stored = {(c.stream, c.version): c.hash for c in await whole_log(store)}
        keeping.cancel()
    assert stored.items() >= acknowledged.items()
    # Every session waited for its last answer: nothing else may be there.
    assert len(stored) == len(acknowledged)
    return len(acknowledged)


def test_killed_server_loses_nothing_acknowledged(durable_pg: EmbeddedServer) -> None:
    assert run(kill_under_load(durable_pg, 1)) > 200


@pytest.mark.long
@pytest.mark.timeout(900)
def test_fifty_kills_lose_nothing_acknowledged(durable_pg: EmbeddedServer) -> None:
    assert run(kill_under_load(durable_pg, 50), 800) > 10_000
