"""Appending: versions, groups, repeated commands, batches, limits, waiters that go away."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from uuid import uuid4

import psycopg
import pytest

from engine.errors import Exhausted, Unavailable
from service.store.commit import Commit
from service.store.connection import Connection, Pool
from service.store.errors import DuplicateCommand, StreamConflict
from service.store.postgres import Store
from tests.store.lines import Line, check_log, fast, run


def test_what_was_appended_is_read_back(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            line = Line()
            first, second = line.next(3), None
            line.took(first)
            second = line.next(2)._replace(actor=None, seat=-1, action=b"")
            assert await store.head(line.stream) is None
            (one,) = await store.append([first])
            with pytest.raises(StreamConflict):
                await store.append([line.next()._replace(version=9)])
            (two,) = await store.append([second])
            assert (one, two) == (first._replace(position=1), second._replace(position=2))
            assert await store.read(line.stream) == [one, two]
            assert await store.read(line.stream, 3) == [two]
            assert await store.read(line.stream, 0, 1) == [one]
            assert await store.read(uuid4()) == []
            assert await store.head(line.stream) == (5, second.hash)
            assert await store.at_version(line.stream, 3) == one
            assert await store.at_version(line.stream, 4) is None
            assert await store.by_command(line.stream, first.command) == one
            assert await store.by_command(uuid4(), first.command) is None
            assert await store.position() == 2

    run(scenario())


def test_many_streams_are_read_at_once(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            lines = [Line() for _ in range(3)]
            for line in lines * 3:
                (stored,) = await store.append([line.next()])
                line.took(stored)
            wanted = {lines[0].stream: 0, lines[1].stream: 2, uuid4(): 0}
            found = await store.read_many(wanted)
            assert [[c.version for c in commits] for commits in found.values()] == [
                [1, 2, 3],
                [3],
                [],
            ]
            assert list(found) == list(wanted)

    run(scenario())


def test_conflict_tells_where_the_stream_stands(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            line = Line()
            await store.append([line.next(4)])
            with pytest.raises(StreamConflict) as caught:
                await store.append([line.next(1)])
            assert (caught.value.stream, caught.value.actual_version) == (line.stream, 4)
            assert await store.position() == 1

    run(scenario())


def test_repeated_command_tells_its_version_at_any_expected_version(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            line, command = Line(), os.urandom(16)
            (stored,) = await store.append([line.next(2, command)])
            stale = line.next(1, command)
            line.took(stored)
            (stored,) = await store.append([line.next()])
            line.took(stored)
            for again in (stale, line.next(1, command)):
                with pytest.raises(DuplicateCommand) as caught:
                    await store.append([again])
                assert caught.value.version == 2
            # The same id on another stream is another command.
            await store.append([Line().next(1, command)])

    run(scenario())


def test_repeated_command_hurts_only_its_own_group(dsn: str) -> None:
    """It stands at the right version, so that only the index of commands finds it."""

    async def scenario() -> None:
        async with fast(dsn) as store:
            line, command = Line(), os.urandom(16)
            (stored,) = await store.append([line.next(1, command)])
            line.took(stored)
            groups = [[Line().next()], [line.next(1, command), Line().next()], [Line().next()]]
            before, again, after = await asyncio.gather(
                *map(store.append, groups), return_exceptions=True
            )
            assert isinstance(again, DuplicateCommand)
            assert not isinstance(before, BaseException)
            assert not isinstance(after, BaseException)
            assert (before[0].position, after[0].position) == (2, 3)
            assert len(await check_log(store)) == 3
            assert await store.position() == 3

    run(scenario())


def test_group_is_stored_whole_or_not_at_all(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            table, account, other = Line(), Line(), Line()
            stored = await store.append([table.next(), account.next(2)])
            assert [commit.position for commit in stored] == [1, 2]
            stale = account.next()
            table.took(stored[0])
            with pytest.raises(StreamConflict) as caught:
                await store.append([table.next(), other.next(), stale])
            assert caught.value.stream == account.stream
            assert await store.head(table.stream) == (1, table.hash)
            assert await store.head(other.stream) is None
            assert len(await check_log(store)) == 2

    run(scenario())


def test_loser_hurts_only_its_own_group(dsn: str) -> None:
    """Forty groups in few batches, every third stale: positions stay gapless, told = stored."""

    async def scenario() -> None:
        async with fast(dsn) as store:
            taken = [Line() for _ in range(40)]
            await asyncio.gather(*(store.append([line.next()]) for line in taken[::3]))
            pairs = [[line.next(), Line().next()] for line in taken]
            outcomes = await asyncio.gather(
                *(store.append(pair) for pair in pairs), return_exceptions=True
            )
            told: list[Commit] = []
            for number, outcome in enumerate(outcomes):
                if number % 3 == 0:
                    assert isinstance(outcome, StreamConflict)
                else:
                    assert not isinstance(outcome, BaseException)
                    told += outcome
            log = await check_log(store)
            assert sorted(told, key=lambda commit: commit.position) == log[14:]

    run(scenario())


def test_two_groups_of_one_stream_go_in_different_batches(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            line = Line()
            first = line.next()
            line.took(first)
            second = line.next()
            outcomes = await asyncio.gather(store.append([first]), store.append([second]))
            assert [group[0].version for group in outcomes] == [1, 2]
            rivals = [store.append([Line(line.stream).next()]) for _ in range(5)]
            lost = await asyncio.gather(*rivals, return_exceptions=True)
            assert all(isinstance(outcome, StreamConflict) for outcome in lost)

    run(scenario())


def test_big_batches_are_split(dsn: str) -> None:
    """More than 1,000 events and more than 256 kB wait at once."""

    async def scenario() -> None:
        async with fast(dsn) as store:
            many = [store.append([Line().next(100)]) for _ in range(30)]
            large = [store.append([Line().next(public=b"x" * 200_000)]) for _ in range(4)]
            await asyncio.gather(*many, *large)
            assert len(await check_log(store)) == 34

    run(scenario())


def test_two_stores_race_and_one_wins_each_version(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as left, fast(dsn) as right:
            streams = [uuid4() for _ in range(4)]
            dice = random.Random(7)
            wins: Counter[str] = Counter()

            async def player(name: str, store: Store) -> None:
                lines = {stream: Line(stream) for stream in streams}
                for _ in range(40):
                    line = lines[dice.choice(streams)]
                    try:
                        (stored,) = await store.append([line.next(dice.randint(1, 3))])
                        line.took(stored)
                        wins[name] += 1
                    except StreamConflict:
                        for commit in await store.read(line.stream, line.version):
                            line.took(commit)
                        wins["lost"] += 1

            players = [("left", left), ("right", right)] * 3
            await asyncio.gather(*(player(name, store) for name, store in players))
            log = await check_log(left)
            assert len(log) == wins["left"] + wins["right"]
            assert all(wins[name] for name in ("left", "right", "lost"))

    run(scenario())


def test_cancelled_waiter_loses_no_outcome(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            line = Line()
            commit = line.next()
            waiter = asyncio.create_task(store.append([commit]))
            await asyncio.sleep(0)
            waiter.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiter
            line.took(commit)
            # The next group of the stream comes after it.
            (second,) = await store.append([line.next()])
            assert second.position == 2
            assert await store.by_command(line.stream, commit.command) == commit._replace(
                position=1
            )

    run(scenario())


def test_future_outlives_the_waiter_and_closing_lets_it_finish(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            futures = [store.submit([Line().next()]) for _ in range(20)]
        assert sorted(future.result()[0].position for future in futures) == list(range(1, 21))
        with pytest.raises(Unavailable):
            await store.append([Line().next()])
        with pytest.raises(Unavailable):
            await store.head(uuid4())

    run(scenario())


def test_too_many_waiting_groups_are_refused(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn, most_pending=5) as store:
            futures = [store.submit([Line().next()]) for _ in range(5)]
            with pytest.raises(Exhausted):
                store.submit([Line().next()])
            await asyncio.gather(*futures)
            await store.append([Line().next()])
            assert await store.position() == 6

    run(scenario())


def test_groups_that_no_store_can_take_are_refused_at_once(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            line = Line()
            good = line.next()
            wrong = [
                [],
                [good, good],
                [good._replace(count=0)],
                [good._replace(count=2)],
                [good._replace(command=b"short")],
                [good._replace(group=bytes(17))],
                [good._replace(digest=b"")],
                [good._replace(body="text")],  # type: ignore[arg-type]
                [good._replace(hash=bytes(31))],
                [good._replace(seat=2**15)],
                [good._replace(version=2**31)],
                [good._replace(recorded_at=-(2**63) - 1)],
            ]
            for group in wrong:
                with pytest.raises(ValueError):
                    await store.append(group)
            assert await store.position() == 0

    run(scenario())


def test_storm_of_one_command_has_one_effect(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as left, fast(dsn) as right:
            line, command = Line(), os.urandom(16)
            tries = [store.append([line.next(1, command)]) for store in (left, right) * 20]
            outcomes = await asyncio.gather(*tries, return_exceptions=True)
            assert sum(not isinstance(outcome, BaseException) for outcome in outcomes) == 1
            assert sum(isinstance(outcome, DuplicateCommand) for outcome in outcomes) == 39
            assert await left.position() == 1

    run(scenario())


def test_store_needs_its_schema_and_a_durable_server(dsn: str, admin_dsn: str) -> None:
    async def scenario() -> None:
        with pytest.raises(Unavailable, match="fsync, full_page_writes, synchronous_commit"):
            async with Store(dsn):
                pass
        with psycopg.connect(admin_dsn, autocommit=True) as db:
            db.execute("DELETE FROM kartejo.migration")
        with pytest.raises(Unavailable, match="kartejo migrate"):
            async with fast(dsn):
                pass

    run(scenario())


def test_who_stops_waiting_for_a_read_leaves_its_line_whole(dsn: str) -> None:
    """A new line for each who goes away would cost the server more than all that they asked."""

    async def scenario() -> None:
        async with Pool(dsn, size=2) as pool:
            begun = asyncio.Semaphore(0)
            answered = 0

            async def work(db: Connection) -> None:
                nonlocal answered
                begun.release()
                await db.execute("SELECT pg_sleep(0.05)")
                answered += 1

            for _ in range(10):
                asking = asyncio.create_task(pool.ask(work))
                await begun.acquire()
                asking.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await asking
            waiting = [asyncio.create_task(pool.ask(work)) for _ in range(20)]
            await begun.acquire()
            for each in waiting:
                each.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            await pool.ask(work)
            assert pool.records.connected <= 2
            assert pool.records.broken == 0
            # Who had no line yet is asked for no more.
            assert answered <= 10 + 2 + 1

    run(scenario())
