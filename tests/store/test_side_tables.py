"""Snapshots, principals, leases, progress and the list of tables."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from engine.errors import Unavailable
from service.store.connection import Pool
from service.store.errors import ProgressConflict
from service.store.leases import Leases
from service.store.principals import Principals
from service.store.progress import Consumer, Progress
from service.store.snapshots import SPACING, Snapshot, Snapshots
from service.store.table_index import TableIndex, TableRow
from tests.store.lines import run


def pooled(dsn: str, scenario: Callable[[Pool], Coroutine[Any, Any, None]], **options: Any) -> None:
    """Run ``scenario`` with a pool."""

    async def work() -> None:
        async with Pool(dsn, **options) as pool:
            await scenario(pool)

    run(work())


def box(stream: UUID, version: int, rules: int = 1) -> Snapshot:
    """A snapshot whose sealed bytes tell where it comes from."""
    return Snapshot(stream, version, bytes([version % 256]) * 32, rules, b"sealed %d" % version)


def row(stream: UUID, position: int, **other: object) -> TableRow:
    """A table of four seats."""
    plain = TableRow(stream, "royal_flush", False, "{}", 5, None, 0, False, 1, 4, position)
    return TableRow(**{**plain._asdict(), **other})


def test_newest_snapshot_of_these_rules_is_found(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        snapshots, stream = Snapshots(pool), uuid4()
        assert await snapshots.latest(stream, 1) is None
        for version in (10, 20):
            await snapshots.put(box(stream, version))
        await snapshots.put(box(stream, 20)._replace(sealed=b"other"))
        await snapshots.put(box(uuid4(), 90))
        assert await snapshots.latest(stream, 1) == box(stream, 20)
        assert await snapshots.latest(stream, 1, 19) == box(stream, 10)
        assert await snapshots.latest(stream, 1, 9) is None
        assert await snapshots.latest(stream, 2) is None

    pooled(dsn, scenario)


def versions(dsn: str, stream: UUID, rules: int = 1) -> list[int]:
    """Of the snapshots that are kept."""
    query = "SELECT version FROM kartejo.snapshot WHERE stream = %s AND rules = %s ORDER BY version"
    with psycopg.connect(dsn) as db:
        return [version for (version,) in db.execute(query, (stream, rules)).fetchall()]


def test_the_newest_two_snapshots_are_kept_and_older_ones_at_a_distance(
    dsn: str, admin_dsn: str
) -> None:
    """No gap grows beyond the spacing by what is let go, and nothing lies needlessly close."""

    async def scenario(pool: Pool) -> None:
        snapshots, stream = Snapshots(pool), uuid4()
        source, version, put = random.Random(5), 0, [0]
        for _ in range(120):
            version += source.choice((1, 40, 200, SPACING, SPACING + 60))
            put.append(version)
            await snapshots.put(box(stream, version))
            kept = [0, *versions(admin_dsn, stream)]
            assert kept[-2:] == put[-2:]
            for older, newer in pairwise(kept):
                assert newer - older <= SPACING or put[put.index(newer) - 1] == older
            for first, third in zip(kept[1:], kept[3:-1], strict=False):
                assert third - first > SPACING
        assert len(kept) < len(put) * 2 / 3

    pooled(dsn, scenario)


def test_snapshots_of_other_rules_keep_their_newest_only(dsn: str, admin_dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        snapshots, stream, other = Snapshots(pool), uuid4(), uuid4()
        for version in (1, 5_000, 10_000):
            await snapshots.put(box(stream, version))
            await snapshots.put(box(other, version))
        await snapshots.put(box(stream, 10_000, rules=2))
        assert versions(admin_dsn, stream) == [10_000]
        assert versions(admin_dsn, stream, rules=2) == [10_000]
        assert versions(admin_dsn, other) == [1, 5_000, 10_000]

    pooled(dsn, scenario)


def test_subject_has_one_id_whoever_asks_first(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        left, right = Principals(pool), Principals(pool)
        asked = [who.resolve("https://issuer", "ann") for who in (left, right) * 10]
        (ann,) = set(await asyncio.gather(*asked))
        assert await left.resolve("https://issuer", "bob") != ann
        assert await left.resolve("https://other", "ann") != ann
        assert await right.erase(ann)
        assert not await right.erase(ann)
        assert await left.resolve("https://issuer", "ann") != ann

    pooled(dsn, scenario)


def test_lease_is_held_by_one_owner_until_it_runs_out(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        ann, bob = Leases(pool, uuid4()), Leases(pool, uuid4())
        streams = [uuid4() for _ in range(5)]
        assert await ann.claim([], 60) == set()
        assert await ann.claim(streams[:3], 60) == set(streams[:3])
        assert await bob.claim(streams, 60) == set(streams[3:])
        assert await ann.claim(streams, 60) == set(streams[:3])
        assert await ann.renew(streams, 60) == set(streams[:3])
        assert await bob.release(streams[2:]) == set(streams[3:])
        assert await ann.expired() == []
        # A lease of no duration has run out at once.
        assert await ann.renew(streams[:1], 0) == {streams[0]}
        assert await bob.expired() == [streams[0]]
        assert await bob.claim(streams, 60) == {streams[0], *streams[3:]}
        assert await ann.renew(streams, 60) == set(streams[1:3])

    pooled(dsn, scenario)


def test_racing_claims_have_one_winner_each_and_no_deadlock(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        owners = [Leases(pool, uuid4()) for _ in range(6)]
        streams = [uuid4() for _ in range(50)]
        for _ in range(5):
            won = await asyncio.gather(
                *(owner.claim(streams[n:] + streams[:n], 60) for n, owner in enumerate(owners))
            )
            assert sorted(stream for one in won for stream in one) == sorted(streams)

    pooled(dsn, scenario)


def test_progress_and_rows_move_together_or_not_at_all(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        index, rival, stream = TableIndex(pool), TableIndex(pool), uuid4()
        assert await index.position() == 0
        await index.advance(0, 5, [row(stream, 5)])
        with pytest.raises(ProgressConflict):
            await rival.advance(0, 4, [row(stream, 4), row(uuid4(), 3)])
        assert await index.position() == 5
        assert await index.get([stream, uuid4()]) == {stream: row(stream, 5)}
        assert len(await index.page()) == 1

    pooled(dsn, scenario)


def test_failed_projection_keeps_nothing(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        progress, consumer = Progress(pool), Consumer("test", 3)
        with pytest.raises(ZeroDivisionError):
            async with progress.moving(consumer, 0, 9):
                raise ZeroDivisionError
        assert await progress.position(consumer) == 0
        async with progress.moving(consumer, 0, 9):
            pass
        assert await progress.position(consumer) == 9
        assert await progress.position(Consumer("test", 4)) == 0
        await progress.forget(consumer)
        assert await progress.position(consumer) == 0

    pooled(dsn, scenario)


def test_racing_projections_apply_every_step_once(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        progress, consumer = Progress(pool), Consumer("race")
        done: list[int] = []

        async def worker() -> None:
            while (at := await progress.position(consumer)) < 40:
                try:
                    async with progress.moving(consumer, at, at + 1):
                        await asyncio.sleep(0)
                except ProgressConflict:
                    continue
                done.append(at)

        await asyncio.gather(*(worker() for _ in range(4)))
        assert sorted(done) == list(range(40))

    pooled(dsn, scenario)


def test_tables_are_listed_in_pages(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        index = TableIndex(pool)
        streams = [UUID(int=n) for n in range(1, 8)]
        rows = [
            row(stream, n, game=("palace_poker", "pontoon")[n % 2], running=n in {2, 3})
            for n, stream in enumerate(streams)
        ]
        await index.advance(0, 10, rows)
        closed = rows[3]._replace(closed_at=77, position=11, seats_taken=0)
        await index.advance(10, 11, [closed])
        newest = [each for each in reversed(rows) if each is not rows[3]]
        assert await index.page(limit=3) == newest[:3]
        third = (newest[2].created_at, newest[2].stream)
        assert await index.page(before=third, limit=3) == newest[3:6]
        assert await index.page(before=third, limit=1, closed=True) == [closed]
        assert await index.page(game="pontoon") == rows[5::-4]
        assert await index.page(game="pontoon", closed=True, limit=2) == [rows[5], closed]
        assert await index.page(lab=True) == []
        assert await index.running() == [rows[2]]
        assert await index.page(game="casino") == []
        full = rows[5]._replace(seats_taken=rows[5].seats)
        at = await index.position()
        await index.advance(at, at + 1, [full])
        assert full not in await index.page(free=True)
        assert full not in await index.page(free=True, game="pontoon")
        assert full in await index.page(game="pontoon")
        assert await index.page(free=True, game="pontoon", limit=1) == [rows[1]]

    pooled(dsn, scenario)


def test_pool_forgets_lines_that_were_cut_while_idle(dsn: str, admin_dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        progress = Progress(pool)
        for _ in range(3):
            await asyncio.gather(*(progress.position(Consumer("x")) for _ in range(3)))
            with psycopg.connect(admin_dsn, autocommit=True) as db:
                ended = db.execute(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                    " WHERE application_name = 'kartejo-reader' AND datname = current_database()"
                )
                assert ended.rowcount == 3
        await pool.close()
        with pytest.raises(Unavailable):
            await progress.position(Consumer("x"))

    pooled(dsn, scenario, size=3)


def test_slow_statement_is_unavailable_and_its_connection_thrown_away(dsn: str) -> None:
    async def scenario(pool: Pool) -> None:
        with pytest.raises(Unavailable):
            await pool.ask(lambda db: db.execute("SELECT pg_sleep(30)"))
        assert await Progress(pool).position(Consumer("x")) == 0

    pooled(dsn, scenario, size=1, seconds=0.2)
