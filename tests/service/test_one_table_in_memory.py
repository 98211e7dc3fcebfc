"""A stream has one table in memory, whatever is cancelled, evicted or let go meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import grpc
import pytest

from engine.actions import AddChips
from engine.errors import Unavailable
from service.pb import table_service_pb2 as pb
from service.world import SteppedWorld
from tests.service.harness import Client, Running, run, running
from tests.service.parlour_room import Room
from tests.service.test_clocks import until


class Listener:
    """A watch that notes the versions it hears of, and how it ends."""

    def __init__(self, client: Client, table: str) -> None:
        self.versions: list[int] = []
        self.ended: grpc.aio.AioRpcError | None = None
        self._call = client.tables.WatchTable(
            pb.WatchTableRequest(table_id=table), metadata=client.metadata
        )
        self._task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        try:
            async for message in self._call:
                self.versions.append(message.version)
        except grpc.aio.AioRpcError as error:
            self.ended = error

    def heard(self, version: int) -> bool:
        return version in self.versions

    async def leave(self) -> None:
        self._call.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def all_hear(listeners: Sequence[Listener], version: int) -> None:
    async def done() -> bool:
        return all(listener.heard(version) for listener in listeners)

    await until(done)


def hold_reads(service: Running, gate: asyncio.Event, arrived: asyncio.Event) -> None:
    """From now on reading a stream waits for the gate."""
    store: Any = service.server.host.tables.stored.store
    real = store.read

    async def read(*args: Any, **fields: Any) -> Any:
        arrived.set()
        await gate.wait()
        return await real(*args, **fields)

    store.read = read


def test_a_load_that_a_caller_has_left_serves_those_who_still_wait(dsn):
    """The first one to ask gives up; a second waits on, a third comes later: one table."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            version = (await room.host.get(room.table)).state.version
            tables, stream = service.server.host.tables, UUID(room.table)
            tables.forget(stream)
            gate, arrived = asyncio.Event(), asyncio.Event()
            hold_reads(service, gate, arrived)
            first = asyncio.create_task(tables.get(stream))
            await arrived.wait()
            second = asyncio.create_task(tables.get(stream))
            await asyncio.sleep(0)
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            third = asyncio.create_task(tables.get(stream))
            gate.set()
            assert await second is await third is await tables.get(stream)
            assert not tables._loading
            listener = Listener(service.client("eve"), room.table)
            await room.host.act(room.table, 0, AddChips(1))
            await all_hear([listener], version + 1)
            await listener.leave()

    run(scenario())


def test_a_load_that_nobody_waits_for_ends(dsn):
    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            tables, stream = service.server.host.tables, UUID(room.table)
            tables.forget(stream)
            gate, arrived = asyncio.Event(), asyncio.Event()
            hold_reads(service, gate, arrived)
            waiting = [asyncio.create_task(tables.get(stream)) for _ in range(3)]
            await arrived.wait()
            (loading,) = tables._loading.values()
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, loading.task, return_exceptions=True)
            assert loading.task.cancelled()
            assert not tables._loading
            gate.set()
            assert (await room.host.get(room.table)).state.version > 0

    run(scenario())


def test_every_watcher_hears_though_memory_is_full_of_busy_tables(dsn):
    """Tables that come in are the only idle ones; they leave and are still what everybody gets."""

    async def scenario():
        async with running(dsn) as service:
            busy = [await Room.open(service) for _ in range(3)]
            for room in busy:
                await room.start()
            idle = [await Room.open(service) for _ in range(8)]
            tables = service.server.host.tables
            tables._most = 3
            versions = [(await room.host.get(room.table)).state.version for room in idle]
            for room in idle:
                tables.forget(UUID(room.table))
            listeners = [Listener(service.client("eve"), room.table) for room in idle]
            for listener, version in zip(listeners, versions, strict=True):
                await all_hear([listener], version)
            for room, listener, version in zip(idle, listeners, versions, strict=True):
                await room.host.act(room.table, 0, AddChips(7))
                await all_hear([listener], version + 1)
            for listener in listeners:
                await listener.leave()

            async def shrunk() -> bool:
                await room.host.get(room.table)
                return len(tables.hot()) <= 4

            await until(shrunk)

    run(scenario())


def test_a_table_that_is_held_is_the_one_that_is_found(dsn):
    """Evicted between the finding and the using: a command on it is seen by everybody."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            tables = service.server.host.tables
            held = await tables.get(UUID(room.table))
            tables._most = 1
            others = [await Room.open(service) for _ in range(3)]
            assert held not in tables.hot()
            assert tables.peek(held.stream) is held
            for other in others:
                await other.host.get(other.table)
            assert await tables.get(held.stream) is held
            assert tables.admit(await tables.stored.load(held.stream)) is held
            await tables.finish()
            assert held.snapshot_version == held.table.version

    run(scenario())


def test_who_watches_a_table_that_is_let_go_is_told(dsn):
    """UNAVAILABLE, and the rest of the sequence when coming back; no silence without end."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            version = (await room.host.get(room.table)).state.version
            listener = Listener(service.client("eve"), room.table)
            await all_hear([listener], version)
            service.server.host.tables.forget(UUID(room.table))

            async def ended() -> bool:
                return listener.ended is not None

            await until(ended)
            assert listener.ended is not None
            assert listener.ended.code() == grpc.StatusCode.UNAVAILABLE
            await room.host.act(room.table, 0, AddChips(1))
            again = await service.client("eve").watched(room.table, version)
            assert again[-1].version == version + 1

    run(scenario())


def test_a_clock_of_a_table_that_is_let_go_ends_with_it(dsn):
    """Its time-out is tried no more; the successor has a clock of its own."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await Room.open(service, turn_seconds=10, time_bank_seconds=0)
            await room.start()
            host = service.server.host
            old = await host.tables.get(UUID(room.table))
            key = old.decision_key
            assert key is not None
            host.tables.forget(old.stream)
            with pytest.raises(Unavailable):
                await old.news(old.table.version)
            await asyncio.wait_for(host.upkeep._expire(old, key), 5)
            assert old.timer is None
            new = await host.tables.get(old.stream)
            assert new is not old
            assert new.timer is not None

    run(scenario())


def test_a_snapshot_counts_when_it_is_stored(dsn):
    """One that the store did not take is made again."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            tables = service.server.host.tables
            live = await tables.get(UUID(room.table))
            real = tables.stored._snapshots.put

            async def away(_: Any) -> None:
                raise Unavailable("not now")

            tables.stored._snapshots.put = away
            await tables.keep_snapshot(live)
            assert live.snapshot_version == 0
            tables.stored._snapshots.put = real
            await tables.keep_snapshot(live)
            assert live.snapshot_version == live.table.version

    run(scenario())
