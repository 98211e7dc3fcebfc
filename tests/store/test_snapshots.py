"""Snapshots: the newest is found, older ones are kept at a distance."""

from __future__ import annotations

import random
from itertools import pairwise
from uuid import UUID, uuid4

import psycopg

from service.store.connection import Pool
from service.store.snapshots import SPACING, Snapshot, Snapshots
from tests.store.lines import pooled


def box(stream: UUID, version: int, rules: int = 1) -> Snapshot:
    """A snapshot whose sealed bytes tell where it comes from."""
    return Snapshot(stream, version, bytes([version % 256]) * 32, rules, b"sealed %d" % version)


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
        for _ in range(60):
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
