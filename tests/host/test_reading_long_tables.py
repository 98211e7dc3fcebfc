"""A long table: any point of it is read from a snapshot near it, and not from its beginning."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import psycopg
import pytest

from engine.actions import AddChips
from service.host import reading as module
from service.host.live import RESTING
from service.host.reading import Reading
from service.store import snapshots
from tests.service.harness import run, running
from tests.service.parlour_room import Room

SPACING = 60
EVENTS = 3 * SPACING + 40


def kept(dsn: str) -> int:
    with psycopg.connect(dsn) as db:
        row = db.execute("SELECT count(*) FROM kartejo.snapshot").fetchone()
    assert row is not None
    return int(row[0])


class Counting:
    """Counts the commits that are taken over."""

    def __init__(self, reading: Reading) -> None:
        self.count = 0
        target: Any = reading
        real = target._take_over

        async def take_over(*args: Any) -> None:
            self.count += 1
            await real(*args)

        target._take_over = take_over


def test_any_version_is_folded_from_near_it(
    dsn: str, admin_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where all snapshots were thrown away: the first fold past there leaves new ones."""
    for place in (module, snapshots):
        monkeypatch.setattr(place, "SPACING", SPACING)

    async def scenario() -> None:
        async with running(dsn) as service:
            room = await Room.open(service)
            live = await service.server.host.tables.get(UUID(room.table))
            while live.table.version < EVENTS:
                await room.host.act(room.table, 0, AddChips(1))
            reading = service.server.host.tables.stored
            seen = Counting(reading)
            middle = EVENTS // 2
            _, before = await reading.at(live.stream, middle)
            assert seen.count <= SPACING
            await service.server.host.executor.finish()  # and keep no further ones
            with psycopg.connect(admin_dsn, autocommit=True) as db:
                db.execute("DELETE FROM kartejo.snapshot")
            seen.count = 0
            assert (await reading.at(live.stream, middle))[1] == before
            assert seen.count > SPACING
            assert kept(admin_dsn) == middle // SPACING
            seen.count = 0
            assert (await reading.at(live.stream, middle + 1))[1].version == middle + 1
            assert seen.count <= SPACING
            seen.count = 0
            steps = [
                table.version async for _, table in reading.steps(live.stream, middle, middle + 9)
            ]
            assert steps == list(range(middle + 1, middle + 10))
            assert seen.count <= SPACING

    run(scenario())


def test_tables_that_are_due_together_keep_their_snapshots_one_by_one(
    dsn: str, admin_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A room whose tables move in step does not stop for all of them at once."""
    for place in (module, snapshots):
        monkeypatch.setattr(place, "SPACING", 10)
    under_way = most = 0

    async def scenario() -> None:
        async with running(dsn) as service:
            rooms = [await Room.open(service) for _ in range(4)]
            stored: Any = service.server.host.tables.stored._snapshots
            real = stored.put

            async def put(snapshot: Any) -> None:
                nonlocal under_way, most
                under_way += 1
                most = max(most, under_way)
                await real(snapshot)
                under_way -= 1

            stored.put = put
            for _ in range(20):
                await asyncio.gather(*(room.host.act(room.table, 0, AddChips(1)) for room in rooms))
            await service.server.host.executor.finish()
            assert kept(admin_dsn) >= len(rooms)
            assert most == 1

    run(scenario())


def test_tables_let_go_one_by_one_of_what_they_keep(dsn: str) -> None:
    """A room that has fallen silent keeps nobody waiting while it is tidied up."""

    async def scenario() -> None:
        async with running(dsn) as service:
            rooms = [await Room.open(service) for _ in range(3)]
            for room in rooms:
                for _ in range(5):
                    await room.host.act(room.table, 0, AddChips(1))
            tables = service.server.host.tables
            lives = [await tables.get(UUID(room.table)) for room in rooms]
            kept_by: list[int] = []

            async def somebody_else() -> None:
                while True:
                    kept_by.append(sum(len(live.recent) > RESTING for live in lives))
                    await asyncio.sleep(0)

            other = asyncio.create_task(somebody_else())
            await asyncio.sleep(0)
            await tables.rest(service.world.now() + 1)
            other.cancel()
            assert kept_by[0] == 3
            assert {1, 2} <= set(kept_by)
            assert all(len(live.recent) == len(live.past) == RESTING for live in lives)

    run(scenario())
