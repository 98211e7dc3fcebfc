"""Limits, patience and long readings: what one caller does costs the others little."""

from __future__ import annotations

import asyncio
import time
from typing import Any
from uuid import UUID, uuid4

import grpc
import psycopg
import pytest

from engine.actions import AddChips, LeaveSeat, TakeSeat
from engine.errors import Exhausted
from engine.games.palace_poker.actions import Fold
from service.host import reading
from service.host.executor import AT_ONE_TABLE, OF_ONE_CALLER_AT_A_TABLE
from service.host.limits import Places
from service.identity import Role
from service.pb import replay_service_pb2 as old
from service.pb import table_service_pb2 as pb
from service.world import SteppedWorld
from tests.service.harness import Client, Running, decoded, failing, run, running
from tests.service.palace import PalaceTable
from tests.service.parlour_room import Room
from tests.service.surfaces import replayed
from tests.service.test_accounts import Bank
from tests.service.test_clocks import until


def asking(client: Client, table: str, seat: int, count: int) -> list[asyncio.Future[Any]]:
    """Requests of one caller, all at once."""
    return [asyncio.ensure_future(client.act(table, seat, AddChips(1))) for _ in range(count)]


async def queue_of(service: Running, table: str) -> Any:
    return await service.server.host.tables.get(UUID(table))


def test_a_commit_without_outcome_is_answered_in_time(dsn, admin_dsn):
    """UNAVAILABLE before the call's own deadline, to all who wait at the table; stored once."""

    async def scenario():
        async with running(dsn, patience=0.5) as service:
            room = await Room.open(service)
            ann, bob = room.players
            with psycopg.connect(admin_dsn) as db:
                db.execute("SELECT FROM kartejo.lane FOR UPDATE")
                begun = time.monotonic()
                failures = await asyncio.gather(
                    failing(ann.act(room.table, 0, AddChips(5), request_id="a")),
                    failing(bob.act(room.table, 1, AddChips(6), request_id="b")),
                    failing(ann.create("parlour", request_id="c")),
                )
                assert {failure.code for failure in failures} == {grpc.StatusCode.UNAVAILABLE}
                assert time.monotonic() - begun < 4
            answer = await ann.act(room.table, 0, AddChips(5), request_id="a")
            assert decoded(answer.events)[0].amount == 5
            await bob.act(room.table, 1, AddChips(6), request_id="b")
            made = await ann.create("parlour", request_id="c")
            assert made.state.version == (await ann.get(made.table.table_id)).state.version
            told = await ann.watched(room.table)
            amounts = [
                getattr(event, "amount", 0)
                for message in told
                for event in decoded(message.events)
                if type(event).__name__ == "ChipsAdded"
            ]
            assert sorted(amounts) == [5, 6]

    run(scenario())


def test_what_was_given_up_in_the_queue_does_not_begin(dsn):
    """Told to come again before its turn: it has no effect until it comes again."""

    async def scenario():
        async with running(dsn, patience=0.2) as service:
            room = await Room.open(service)
            live = await queue_of(service, room.table)
            version = live.table.version
            async with live.lock:
                failure = await failing(room.host.act(room.table, 0, AddChips(5), request_id="a"))
                assert failure.code == grpc.StatusCode.UNAVAILABLE

            async def empty() -> bool:
                return live.queue == 0

            await until(empty)
            assert live.table.version == version
            await room.host.act(room.table, 0, AddChips(5), request_id="a")

    run(scenario())


def test_so_many_commands_wait_at_a_table_and_no_more(dsn):
    """Of one caller, and of all together; cancelled ones count as long as they wait."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            live = await queue_of(service, room.table)
            mallory = service.client("mallory")
            async with live.lock:
                storm = asking(mallory, room.table, 1, 3 * OF_ONE_CALLER_AT_A_TABLE)

                async def full() -> bool:
                    done = [task for task in storm if task.done()]
                    return len(done) == 2 * OF_ONE_CALLER_AT_A_TABLE

                await until(full)
                assert live.queue == OF_ONE_CALLER_AT_A_TABLE
                for task in storm:
                    task.cancel()
                await asyncio.gather(*storm, return_exceptions=True)
                assert live.queue == OF_ONE_CALLER_AT_A_TABLE
                refused = await failing(mallory.act(room.table, 1, AddChips(1)))
                assert refused.code == grpc.StatusCode.RESOURCE_EXHAUSTED
                others = [
                    task
                    for number in range(AT_ONE_TABLE // OF_ONE_CALLER_AT_A_TABLE - 1)
                    for task in asking(
                        service.client(f"m{number}"), room.table, 1, OF_ONE_CALLER_AT_A_TABLE
                    )
                ]

                async def crowded() -> bool:
                    return live.queue == AT_ONE_TABLE

                await until(crowded)
                refused = await failing(room.host.act(room.table, 0, AddChips(1)))
                assert refused.code == grpc.StatusCode.RESOURCE_EXHAUSTED
            await asyncio.gather(*others, return_exceptions=True)

            async def empty() -> bool:
                return live.queue == 0

            await until(empty)
            await room.host.act(room.table, 0, AddChips(1))

    run(scenario())


def test_a_refusal_is_looked_into_while_others_play_on(dsn):
    """The store is asked about it without the table's lock; a repeat of old is read so too."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann = room.host
            first = await ann.act(room.table, 0, AddChips(3), request_id="first")
            for _ in range(20):
                await ann.act(room.table, 0, AddChips(1))
            live = await queue_of(service, room.table)
            store: Any = service.server.host.tables.stored.store
            real, gate, asked = store.by_command, asyncio.Event(), asyncio.Event()

            async def by_command(*args: Any) -> Any:
                assert not live.lock.locked()
                asked.set()
                await gate.wait()
                return await real(*args)

            store.by_command = by_command
            refused = asyncio.ensure_future(
                failing(service.client("mallory").act(room.table, 0, AddChips(1)))
            )
            await asked.wait()
            repeated = asyncio.ensure_future(
                ann.act(room.table, 0, AddChips(3), request_id="first")
            )
            for _ in range(5):
                await ann.act(room.table, 0, AddChips(1))
            gate.set()
            assert (await refused).code == grpc.StatusCode.PERMISSION_DENIED
            again = await repeated
            assert (again.events, again.state.text) == (first.events, first.state.text)

    run(scenario())


def test_places_are_given_back_whatever_happens(dsn):
    """After refusals of any kind nobody counts as being there."""
    places = Places[str](2, "things")
    with places.place("a"), places.place("a"):
        with pytest.raises(Exhausted):
            places.take("a")
        with places.place("b"):
            pass
    with places.place("a"):
        pass
    assert not places._taken

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            for _ in range(3 * OF_ONE_CALLER_AT_A_TABLE):
                refused = await failing(room.host.act(room.table, 1, AddChips(1)))
                assert refused.code == grpc.StatusCode.PERMISSION_DENIED
            assert not service.server.host.executor.anywhere._taken

    run(scenario())


def test_a_request_id_that_the_account_has_met_is_reused(dsn):
    """The same caller's id, used for the account before: an error of his, and no damage."""

    async def scenario():
        async with running(dsn) as service:
            boss = service.client("boss", Role.HOST, Role.PLAYER)
            await Bank(service, boss).credit("boss", 100, request_id="x")
            made = await boss.create("parlour", house_options={"purse": "account"})
            table = made.table.table_id
            reused = await failing(boss.act(table, 0, TakeSeat("", 5), request_id="x"))
            assert reused.reason == "REQUEST_ID_REUSED"
            await boss.act(table, 0, TakeSeat("", 5), request_id="y")

    run(scenario())


def test_an_old_repeat_after_leaving_is_answered_alike(dsn):
    """Somebody else holds the seat by now; what was accepted stays accepted."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann = room.host
            first = await ann.act(room.table, 0, AddChips(3), request_id="x")
            await ann.act(room.table, 0, LeaveSeat())
            await service.client("cid").act(room.table, 0, TakeSeat("", 5))
            again = await ann.act(room.table, 0, AddChips(3), request_id="x")
            assert again.events == first.events
            assert again.state.text == first.state.text

    run(scenario())


def test_long_readings_let_the_loop_turn(dsn, monkeypatch):
    """Between pieces of a history every other task runs, however many read at once."""
    monkeypatch.setattr(reading, "STRIDE", 4)
    monkeypatch.setattr(reading, "CATCH_UP", 16)

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            for _ in range(60):
                await room.host.act(room.table, 0, AddChips(1))
            live = await queue_of(service, room.table)
            tables = service.server.host.tables
            opened = 0
            real = live.opener.__class__.open

            def count(self: Any, commit: Any) -> Any:
                nonlocal opened
                opened += 1
                return real(self, commit)

            monkeypatch.setattr(live.opener.__class__, "open", count)
            jumps = []

            async def watch_the_loop() -> None:
                while True:
                    before = opened
                    await asyncio.sleep(0)
                    jumps.append(opened - before)

            watching = asyncio.create_task(watch_the_loop())

            async def read() -> int:
                return len([recorded async for recorded in tables.stored.history(live)])

            found = await asyncio.gather(*(read() for _ in range(6)), tables.at(live, 10))
            watching.cancel()
            assert found[:6] == [63] * 6  # the opening, two who sat down, and the chips
            assert opened > 6 * 60
            assert max(jumps) <= 7 * 4  # a stride for each reader; without turns it is 63 and more

    run(scenario())


def test_an_old_state_is_folded_from_the_snapshot_before_it(dsn, monkeypatch):
    """And the newest few are in memory."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            live = await queue_of(service, room.table)
            tables = service.server.host.tables
            for number in range(60):
                await room.host.act(room.table, 0, AddChips(1))
                if number == 30:
                    await tables.save(live)
            opened = 0
            real = live.opener.__class__.open

            def count(self: Any, commit: Any) -> Any:
                nonlocal opened
                opened += 1
                return real(self, commit)

            monkeypatch.setattr(live.opener.__class__, "open", count)
            eve, newest = service.client("eve"), live.table.version

            async def state_at(version: int) -> Any:
                request = old.GetStateAtRequest(table_id=room.table, version=version)
                return (await eve.call(eve.replay.GetStateAt, request)).state

            near = await state_at(newest - 3)
            assert opened == 0
            middle = await state_at(newest - 20)
            assert 0 < opened < 20
            far = await state_at(newest - 50)
            assert opened > 10
            stacks = [state.view.SerializeToString() for state in (near, middle, far)]
            assert len(set(stacks)) == 3

    run(scenario())


def test_a_hand_is_replayed_from_the_snapshot_before_it(dsn, monkeypatch):
    """The same steps as from the beginning, also right at the snapshot's own version."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service, options={"max_seats": "3"})
            live = await queue_of(service, table.id)
            reading_of = service.server.host.tables.stored
            kept = 0
            for number in range(1, 7):
                await table.start()
                while (await table.state()).HasField("decision"):
                    await table.do(Fold())
                if number == 4:
                    kept = live.table.version
                    await service.server.host.tables.save(live)
            opened: list[int] = []
            real = live.opener.__class__.open

            def note(self: Any, commit: Any) -> Any:
                opened.append(commit.version)
                return real(self, commit)

            async def nothing(*_: Any) -> None:
                return None

            async def hands() -> list[Any]:
                opened.clear()
                return [await replayed(table.players[1], table.id, hand) for hand in (5, 6)]

            monkeypatch.setattr(live.opener.__class__, "open", note)
            told = await hands()
            assert min(opened) > kept
            monkeypatch.setattr(reading_of, "_from_snapshot", nothing)
            assert await hands() == told
            assert min(opened) < kept
            assert all(told)

    run(scenario())


def test_times_of_a_stream_never_run_backwards(dsn):
    """The clock jumps an hour back: a later commit is not recorded earlier."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await Room.open(service)
            before = await service.store.read(UUID(room.table))
            world.set_now(world.now() - 3_600_000_000)
            room.host = service.client("ann")  # its token is of the new time
            await room.host.act(room.table, 0, AddChips(1))
            service.server.host.tables.forget(UUID(room.table))
            await room.host.act(room.table, 0, AddChips(1))
            live = await queue_of(service, room.table)
            await service.server.host.tables.save(live)
            service.server.host.tables.forget(live.stream)
            await room.host.act(room.table, 0, AddChips(1))
            after = await service.store.read(UUID(room.table))
            times = [commit.recorded_at for commit in after]
            assert len(after) == len(before) + 3
            assert times == sorted(times)

    run(scenario())


def test_a_repeated_creation_is_answered_alike(dsn):
    """With the table as it was made, whoever sits there by now."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            request = pb.CreateTableRequest(game="parlour", request_id=uuid4().hex)
            first = await ann.call(ann.tables.CreateTable, request)
            await ann.act(first.table.table_id, 0, TakeSeat("", 5))
            again = await ann.call(ann.tables.CreateTable, request)
            assert again == first

    run(scenario())
