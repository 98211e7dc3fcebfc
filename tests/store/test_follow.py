"""Following the log: every commit once, in order, whatever writers and connections do."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from engine.errors import Corrupt
from service.store import log
from service.store.commit import Commit
from service.store.connection import open_connection
from service.store.errors import StreamConflict
from service.store.hints import Hints
from service.store.log import append_batch
from service.store.postgres import Store
from tests.store.lines import Line, check_log, fast, run


async def take(feed: AsyncIterator[Commit], number: int) -> list[int]:
    """The positions of the next ``number`` commits."""
    return [(await anext(feed)).position for _ in range(number)]


@pytest.mark.parametrize("notifications", [True, False])
def test_followers_see_every_commit_of_racing_writers(dsn: str, notifications: bool) -> None:
    """Three stores, nine writers, twelve streams, groups of one to three, stale versions."""

    async def scenario() -> None:
        stores = [fast(dsn, notifications=notifications) for _ in range(3)]
        streams = [uuid4() for _ in range(12)]
        accepted = 0

        async def writer(store: Store, dice: random.Random) -> None:
            nonlocal accepted
            lines = {stream: Line(stream) for stream in streams}
            for _ in range(25):
                group = [lines[stream] for stream in dice.sample(streams, dice.randint(1, 3))]
                try:
                    stored = await store.append([line.next(dice.randint(1, 3)) for line in group])
                except StreamConflict:
                    fresh = await store.read_many({line.stream: line.version for line in group})
                    for stream, commits in fresh.items():
                        for commit in commits:
                            lines[stream].took(commit)
                else:
                    accepted += len(stored)
                    for line, commit in zip(group, stored, strict=True):
                        line.took(commit)

        async def reader(store: Store, stop: asyncio.Event) -> int:
            last = 0
            feed = store.follow_batches(0, poll=0.01, most=7)
            while not (stop.is_set() and last == accepted):
                for commit in await anext(feed):
                    assert commit.position == last + 1
                    last = commit.position
            return last

        async with stores[0], stores[1], stores[2]:
            stop = asyncio.Event()
            readers = [asyncio.create_task(reader(store, stop)) for store in stores]
            await asyncio.gather(*(writer(stores[n % 3], random.Random(n)) for n in range(9)))
            stop.set()
            accepted += 1
            await stores[0].append([Line().next()])
            assert await asyncio.gather(*readers) == [accepted] * 3
            await check_log(stores[0])

    run(scenario())


def test_naive_reader_of_a_sequence_misses_a_late_commit_and_ours_does_not(
    dsn: str, admin_dsn: str
) -> None:
    """A writer that commits late is overtaken: ``id > last`` never sees its row again."""
    naive: list[int] = []

    def read_naively(db: psycopg.Connection) -> None:
        last = naive[-1] if naive else 0
        rows = db.execute("SELECT id FROM naive WHERE id > %s ORDER BY id", (last,))
        naive.extend(row[0] for row in rows)

    with (
        psycopg.connect(admin_dsn) as late,
        psycopg.connect(admin_dsn, autocommit=True) as db,
    ):
        db.execute("CREATE TABLE naive (id bigserial PRIMARY KEY)")
        late.execute("INSERT INTO naive DEFAULT VALUES")
        db.execute("INSERT INTO naive DEFAULT VALUES")
        read_naively(db)
        late.commit()
        read_naively(db)
        stored = [row[0] for row in db.execute("SELECT id FROM naive ORDER BY id")]
    assert stored == [1, 2]
    assert naive == [2]

    async def scenario() -> None:
        late = await open_connection(dsn, name="late")
        async with late, fast(dsn) as store:
            feed = store.follow(0, poll=0.01)
            async with late.transaction():
                first = Line().next()
                await append_batch(late, [[first]])
                quick = store.submit([Line().next()])
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.2):
                        await asyncio.shield(quick)
                assert await store.position() == 0
            await quick
            assert [(await anext(feed)).hash for _ in range(2)] == [
                first.hash,
                quick.result()[0].hash,
            ]

    run(scenario())


def test_notifications_wake_a_follower_of_another_store(dsn: str) -> None:
    """With an hour between polls only a hint can wake it."""

    async def scenario() -> None:
        async with fast(dsn) as writer, fast(dsn) as reader:
            feed = reader.follow(0, poll=3600)
            for expected in range(1, 6):
                await writer.append([Line().next()])
                assert await take(feed, 1) == [expected]

    run(scenario(), 20)


def test_who_is_alone_tells_nobody_and_others_what_they_missed(dsn: str) -> None:
    """What is told is what arrives; with an hour between polls only that wakes the follower."""

    async def scenario() -> None:
        async with (
            fast(dsn) as writer,
            fast(dsn) as reader,
            await open_connection(dsn, name="witness") as witness,
        ):
            await witness.execute("LISTEN kartejo")
            feed = reader.follow(0, poll=3600)
            for expected in (1, 2):  # the second one shows that it listens
                await writer.append([Line().next()])
                assert await take(feed, 1) == [expected]
            writer.hints.be_alone(True)
            for _ in range(3):
                await writer.append([Line().next()])
                await asyncio.sleep(0.05)  # longer than several are told of at once
            writer.hints.be_alone(False)
            assert await take(feed, 3) == [3, 4, 5]
            told: list[str] = []
            async for notice in witness.notifies():
                told.append(notice.payload)
                if told[-1] == "0:5":
                    break
            assert set(told) <= {"0:1", "0:2", "0:5"}

    run(scenario(), 20)


def test_catching_up_goes_over_into_live(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            for _ in range(5):
                await store.append([Line().next()])
            feed = store.follow(2)
            assert await take(feed, 3) == [3, 4, 5]
            next_one = asyncio.ensure_future(anext(feed))
            await asyncio.sleep(0)
            await store.append([Line().next()])
            assert (await next_one).position == 6

    run(scenario())


def test_catching_up_with_a_log_that_stands_still_waits_for_no_poll(dsn: str) -> None:
    """Whoever is far behind reads on at once, batch after batch."""

    async def scenario() -> None:
        async with fast(dsn) as writer:
            await asyncio.gather(*(writer.append([Line().next()]) for _ in range(25)))
        async with fast(dsn) as reader:
            batches = reader.follow_batches(0, poll=3600, most=10)
            sizes = [len(await anext(batches)) for _ in range(3)]
            assert sizes == [10, 10, 5]

    run(scenario(), 20)


def test_missing_position_is_corrupt(dsn: str, admin_dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            for _ in range(3):
                await store.append([Line().next()])
            with psycopg.connect(admin_dsn, autocommit=True) as db:
                db.execute("SET session_replication_role = replica")
                db.execute("DELETE FROM kartejo.commit WHERE position = 2")
            with pytest.raises(Corrupt, match="position 2 is missing"):
                await take(store.follow(0), 3)

    run(scenario())


def test_log_that_ends_before_the_follower_is_corrupt(dsn: str) -> None:
    """A store restored from an older backup has forgotten what a follower has seen."""

    async def scenario() -> None:
        async with fast(dsn) as store:
            await store.append([Line().next()])
            with pytest.raises(Corrupt, match="ends at 1"):
                await take(store.follow(2), 1)

    run(scenario())


def test_hint_between_looking_and_waiting_is_not_lost() -> None:
    async def scenario() -> None:
        hints = Hints()
        seen = hints.generation
        hints.grown([Line().next().placed(4)])
        await hints.wait(seen, 3600)
        waiting = asyncio.create_task(hints.wait(hints.generation, 3600))
        await asyncio.sleep(0)
        hints.wake()
        await waiting
        await hints.wait(hints.generation, 0.001)
        assert hints.committed == hints.head == 4

    run(scenario(), 5)


def test_what_others_stored_is_read_once_for_all_followers(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many a process has: they wake in the same moment, and one of them reads."""

    async def scenario() -> None:
        read: list[int] = []
        real = log.log_after

        async def counted(*args: Any, **named: Any) -> list[Commit]:
            batch = await real(*args, **named)
            read.extend(commit.position for commit in batch)
            return batch

        async with fast(dsn) as store, fast(dsn) as other:
            feeds = [store.follow(0) for _ in range(5)]
            line = Line()
            (stored,) = await other.append([line.next()])
            line.took(stored)
            assert [await take(feed, 1) for feed in feeds] == [[1]] * 5
            monkeypatch.setattr(log, "log_after", counted)
            for position in range(2, 22):
                (stored,) = await other.append([line.next()])
                line.took(stored)
                assert await asyncio.gather(*(take(feed, 1) for feed in feeds)) == [[position]] * 5
            assert read == [*range(2, 22)]

    run(scenario())


def test_what_was_read_before_an_outage_is_not_believed_after_it() -> None:
    """The server that comes back may be an older copy, and give its positions out again."""
    hints = Hints()
    hints.keep([Line().next().placed(4)])
    assert [commit.position for commit in hints.kept_after(3, 9)] == [4]
    hints.was_away()
    assert hints.kept_after(3, 9) == []


def test_what_this_process_stored_is_not_read_again(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its followers get it at once; they ask the database for what others have stored only."""

    async def scenario() -> None:
        asked = 0
        real = log.log_after

        async def counted(*args: Any, **named: Any) -> list[Commit]:
            nonlocal asked
            asked += 1
            return await real(*args, **named)

        async with fast(dsn) as store, fast(dsn) as other:
            feed = store.follow(0, poll=3600)
            line, theirs = Line(), Line()
            for owner, stream in ((store, line), (other, theirs)) * 2:
                (stored,) = await owner.append([stream.next()])
                stream.took(stored)
                assert await take(feed, 1) == [stored.position]
            monkeypatch.setattr(log, "log_after", counted)
            for _ in range(20):
                (stored,) = await store.append([line.next()])
                line.took(stored)
                assert await take(feed, 1) == [stored.position]
            assert asked <= 1
            (stored,) = await other.append([theirs.next()])
            assert await take(feed, 1) == [stored.position]
            assert 1 <= asked <= 2

    run(scenario())


@pytest.mark.parametrize("payload", ["", "0", "1:7", "0:-1", "0:x", "0:" + "9" * 40])
def test_a_hint_that_makes_no_sense_is_none(dsn: str, admin_dsn: str, payload: str) -> None:
    """Anybody who may connect can send one."""

    async def scenario() -> None:
        async with fast(dsn) as store, fast(dsn) as other:
            feed = store.follow(0, poll=3600)
            line = Line()
            for _ in range(2):
                (stored,) = await other.append([line.next()])
                line.took(stored)
                assert await take(feed, 1) == [stored.position]
                async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as db:
                    await db.execute("SELECT pg_notify('kartejo', %s)", (payload,))

    run(scenario())


def test_a_hint_of_what_is_not_there_costs_one_look(dsn: str) -> None:
    async def scenario() -> None:
        async with fast(dsn) as store:
            feed = store.follow(0)
            store.hints.heard(10**15)
            line = Line()
            for _ in range(5):
                (stored,) = await store.append([line.next()])
                line.took(stored)
                assert await take(feed, 1) == [stored.position]

    run(scenario())
