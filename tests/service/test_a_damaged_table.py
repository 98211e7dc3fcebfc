"""What is wrong with one table concerns that table: the others are followed, listed and shown."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import grpc
import psycopg
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from engine import house_options
from engine.actions import AddChips
from engine.errors import Corrupt, Refused, Unavailable
from engine.options import Option
from service.host import supervision
from service.host.supervision import Supervisor, each
from service.host.tables import DAMAGED_SECONDS
from service.pb import table_service_pb2 as pb
from service.world import RealWorld, SteppedWorld
from tests.service.harness import Client, Running, failing, run, running
from tests.service.parlour_room import Room
from tests.service.test_clocks import until
from tests.service.test_one_table_in_memory import Listener, all_hear
from tests.service.test_two_servers import two


def poison(service: Running, table: str, error: Exception) -> None:
    """Whoever reads that table from the store meets the error."""
    store: Any = service.server.host.tables.stored.store
    real = store.read

    async def read(stream: UUID, *args: Any, **fields: Any) -> Any:
        if stream == UUID(table):
            raise error
        return await real(stream, *args, **fields)

    store.read = read


async def listed(client: Client) -> set[str]:
    answer = await client.call(client.tables.ListTables, pb.ListTablesRequest())
    return {table.table_id for table in answer.tables}


async def health(service: Running) -> int:
    async with grpc.aio.insecure_channel(service.address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        return int((await stub.Check(health_pb2.HealthCheckRequest())).status)


@pytest.mark.parametrize("error", [Corrupt("x"), Unavailable("x"), KeyError("x")])
def test_the_lobby_goes_on_without_it(dsn, error):
    """It is left out of the list; what happens at the others is listed, watched and timed."""

    async def scenario():
        async with two(dsn) as (here, there):
            bad, good = await Room.open(here), await Room.open(here)
            ann = here.client("ann")

            async def both() -> bool:
                return {bad.table, good.table} <= await listed(ann)

            await until(both)
            for room in (bad, good):
                await there.client("eve").get(room.table)
            poison(there, bad.table, error)
            version = (await good.host.get(good.table)).state.version
            listener = Listener(there.client("eve"), good.table)
            await all_hear([listener], version)
            await bad.host.act(bad.table, 0, AddChips(1))
            await good.host.act(good.table, 0, AddChips(1))
            await all_hear([listener], version + 1)
            new = await Room.open(there)

            async def shown() -> bool:
                return new.table in await listed(ann)

            await until(shown)
            assert not any(task.done() for task in there.server._tasks)
            assert await health(there) == health_pb2.HealthCheckResponse.SERVING
            there.server.host.tables.forget(UUID(bad.table))
            if not isinstance(error, Unavailable):
                found = await listed(there.client("eve"))
                assert bad.table not in found
                assert {good.table, new.table} <= found
            await listener.leave()

    run(scenario())


def test_its_watchers_hear_of_it(dsn):
    """A table that cannot be followed ends its watches; they find out why when they return."""

    async def scenario():
        async with two(dsn) as (here, there):
            room = await Room.open(here)
            version = (await room.host.get(room.table)).state.version
            listener = Listener(there.client("eve"), room.table)
            await all_hear([listener], version)
            poison(there, room.table, Corrupt("x"))
            await room.host.act(room.table, 0, AddChips(1))

            async def ended() -> bool:
                return listener.ended is not None

            await until(ended)

    run(scenario())


def test_an_option_that_was_narrowed_since_is_believed(dsn, admin_dsn, monkeypatch):
    """A later release refuses such a table to be opened, and goes on with the old one."""

    async def scenario():
        async with running(dsn) as service:
            old = await Room.open(service, house={"sit_out_after_timeouts": "900"})
            good = await Room.open(service)

            async def shown() -> bool:
                return {old.table, good.table} <= await listed(service.client("ann"))

            await until(shown)
        narrow = tuple(
            Option(one.name, one.kind, one.default, one.meaning, high=100)
            if one.name == "sit_out_after_timeouts"
            else one
            for one in house_options.HOUSE_OPTIONS
        )
        monkeypatch.setattr(house_options, "HOUSE_OPTIONS", narrow)
        with psycopg.connect(admin_dsn, autocommit=True) as db:
            db.execute("DELETE FROM kartejo.snapshot")
        async with running(dsn) as service:
            eve = service.client("eve")
            kept = {one.name: one.value for one in (await eve.get(old.table)).table.house_options}
            assert kept["sit_out_after_timeouts"] == "900"
            assert await listed(eve) == {old.table, good.table}
            refused = await failing(eve.create("parlour", house_options=kept))
            assert refused.reason == "INVALID_OPTIONS"

    run(scenario())


def test_facts_that_this_program_cannot_take_over_are_damage(dsn, admin_dsn, monkeypatch):
    """Folding refuses what was once accepted: DATA_LOSS for that table, the others are shown."""

    async def scenario():
        async with running(dsn) as service:
            old = await Room.open(service, house={"sit_out_after_timeouts": "900"})
            good = await Room.open(service)

            async def shown() -> bool:
                return {old.table, good.table} <= await listed(service.client("ann"))

            await until(shown)
        real = house_options.stored_options

        def narrowed(options: Any, given: Any) -> Any:
            if given["sit_out_after_timeouts"] == "900":
                raise Refused("INVALID_OPTIONS")
            return real(options, given)

        monkeypatch.setattr(house_options, "stored_options", narrowed)
        with psycopg.connect(admin_dsn, autocommit=True) as db:
            db.execute("DELETE FROM kartejo.snapshot")
        async with running(dsn) as service:
            eve = service.client("eve")
            assert (await failing(eve.get(old.table))).code == grpc.StatusCode.DATA_LOSS
            assert await listed(eve) == {good.table}

    run(scenario())


def test_a_busy_table_keeps_no_other_waiting(dsn):
    """While a command holds one table, the follower brings news of the others."""

    async def scenario():
        async with two(dsn) as (here, there):
            busy, other = await Room.open(here), await Room.open(here)
            held = await there.server.host.tables.get(UUID(busy.table))
            version = (await other.host.get(other.table)).state.version
            listener = Listener(there.client("eve"), other.table)
            await all_hear([listener], version)
            async with held.lock:
                await busy.host.act(busy.table, 0, AddChips(1))
                await other.host.act(other.table, 0, AddChips(1))
                await all_hear([listener], version + 1)
            await listener.leave()

    run(scenario())


def test_a_process_leaves_to_others_what_it_does_not_have_in_memory(dsn):
    """Tables that only one process plays at are listed by it, and loaded by no other."""

    async def scenario():
        async with two(dsn) as (here, there):
            rooms = [await Room.open(here) for _ in range(4)]

            async def shown() -> bool:
                return {room.table for room in rooms} <= await listed(here.client("ann"))

            await until(shown)
            for _ in range(8):
                await asyncio.gather(*(room.host.act(room.table, 0, AddChips(1)) for room in rooms))
                await asyncio.sleep(0.25)  # let both write the list in their own time
            assert there.server.host.tables.hot() == []

    run(scenario())


def test_work_that_fails_is_taken_up_again_and_health_says_so(dsn, monkeypatch):
    """NOT_SERVING while background work fails, SERVING when it gets on again."""
    monkeypatch.setattr(supervision, "FAULT_SECONDS", 0.01)
    monkeypatch.setattr(supervision, "SOUND_SECONDS", 0.3)

    async def scenario():
        async with running(dsn) as service:
            broken = True
            host: Any = service.server.host

            def hot() -> list[Any]:
                if broken:
                    raise LookupError("a fault")
                return []

            host.tables.hot, real = hot, host.tables.hot

            async def says(status: int) -> bool:
                return await health(service) == status

            await until(lambda: says(health_pb2.HealthCheckResponse.NOT_SERVING))
            assert not any(task.done() for task in service.server._tasks)
            broken = False
            await until(lambda: says(health_pb2.HealthCheckResponse.SERVING))
            host.tables.hot = real

    run(scenario())


def test_a_store_that_is_away_is_no_fault(monkeypatch):
    monkeypatch.setattr(supervision, "AWAY_SECONDS", 0.0)

    async def scenario():
        told: list[bool] = []
        rounds = 0

        async def work() -> None:
            nonlocal rounds
            rounds += 1
            if rounds == 5:
                raise asyncio.CancelledError
            raise Unavailable("away")

        with pytest.raises(asyncio.CancelledError):
            await Supervisor(RealWorld(), told.append).keep("work", work)
        assert rounds == 5
        assert told == []

    run(scenario())


def test_each_does_so_many_at_a_time_and_tells_what_failed():
    async def scenario():
        now = most = 0

        async def work(key: int) -> None:
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1
            if key % 3 == 0:
                raise KeyError(key)

        failed = await each(range(10), work, 4)
        assert sorted(failed) == [0, 3, 6, 9]
        assert most == 4

    run(scenario())


def test_what_cannot_be_read_is_not_read_for_whoever_asks_again(dsn):
    """Every reading is as much work as the table is long.  A mended one is back in a while."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await Room.open(service)
            tables = service.server.host.tables
            store: Any = tables.stored.store
            poison(service, room.table, Corrupt("x"))
            poisoned, readings = store.read, 0

            async def read(stream: UUID, *args: Any, **fields: Any) -> Any:
                nonlocal readings
                readings += stream == UUID(room.table)
                return await poisoned(stream, *args, **fields)

            store.read = read
            tables.forget(UUID(room.table))
            for _ in range(5):
                failure = await failing(room.host.get(room.table))
                assert failure.code is grpc.StatusCode.DATA_LOSS
            assert readings == 1
            del store.read  # mended
            world.advance(DAMAGED_SECONDS)
            await room.host.get(room.table)

    run(scenario())
