"""Limits, patience and long readings: what one caller does costs the others little."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import Any
from uuid import UUID, uuid4

import grpc
import psycopg
import pytest

from engine.actions import AddChips, LeaveSeat, TakeSeat
from engine.errors import Exhausted
from engine.games.palace_poker.actions import Fold
from service.host import reading
from service.host import room as places
from service.host.limits import Places
from service.host.room import FOR_STRANGERS, OF_ONE_CALLER_AT_A_TABLE
from service.identity import Role
from service.pb import replay_service_pb2 as old
from service.pb import table_service_pb2 as pb
from service.rpc.calls import Speed
from service.world import SteppedWorld
from tests.service.harness import Client, Failure, Running, decoded, failing, run, running
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


async def waiting(live: Any, count: int) -> bool:
    return bool(live.queue == count)


def test_so_many_commands_wait_at_a_table_and_no_more(dsn, monkeypatch):
    """Of one caller, and of all together; cancelled ones count as long as they wait."""
    most = 2 * OF_ONE_CALLER_AT_A_TABLE
    monkeypatch.setattr(places, "AT_ONE_TABLE", most)

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service, ("ann", "bob", "cid"))
            live = await queue_of(service, room.table)
            ann, bob, cid = room.players
            async with live.lock:
                storm = asking(ann, room.table, 0, 3 * OF_ONE_CALLER_AT_A_TABLE)

                async def full() -> bool:
                    done = [task for task in storm if task.done()]
                    return len(done) == 2 * OF_ONE_CALLER_AT_A_TABLE

                await until(full)
                assert live.queue == OF_ONE_CALLER_AT_A_TABLE
                for task in storm:
                    task.cancel()
                await asyncio.gather(*storm, return_exceptions=True)
                assert live.queue == OF_ONE_CALLER_AT_A_TABLE
                refused = await failing(ann.act(room.table, 0, AddChips(1)))
                assert refused.code == grpc.StatusCode.RESOURCE_EXHAUSTED
                others = asking(bob, room.table, 1, OF_ONE_CALLER_AT_A_TABLE)
                await until(lambda: waiting(live, most))
                refused = await failing(cid.act(room.table, 2, AddChips(1)))
                assert refused.message == "too many commands wait at this table"
            await asyncio.gather(*others, return_exceptions=True)
            await until(lambda: waiting(live, 0))
            await room.host.act(room.table, 0, AddChips(1))

    run(scenario())


def test_a_crowd_of_strangers_leaves_the_table_to_those_who_sit_there(dsn):
    """However many they are: few of them find room, and the players and the host always do."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            live = await queue_of(service, room.table)
            crowd = [service.client(f"stranger {number}") for number in range(8)]
            async with live.lock:
                storm = [task for each in crowd for task in asking(each, room.table, 0, 8)]

                async def some_are_refused() -> bool:
                    done = [task for task in storm if task.done()]
                    return len(done) == len(storm) - FOR_STRANGERS

                await until(some_are_refused)
                assert live.queue == FOR_STRANGERS
                players = [
                    asyncio.ensure_future(each.act(room.table, seat, AddChips(1)))
                    for seat, each in enumerate(room.players)
                ]
                await until(lambda: waiting(live, FOR_STRANGERS + len(players)))
            await asyncio.gather(*players)
            ended = await asyncio.gather(*storm, return_exceptions=True)
            codes = Counter(each.code() for each in ended if isinstance(each, grpc.RpcError))
            assert codes == {
                grpc.StatusCode.PERMISSION_DENIED: FOR_STRANGERS,
                grpc.StatusCode.RESOURCE_EXHAUSTED: len(storm) - FOR_STRANGERS,
            }

    run(scenario())


def test_who_is_refused_all_the_time_is_not_decided_about_any_more(dsn):
    """What the rules refuse is looked up in the store: so often, and then not before some time."""
    speed = Speed(of_caller=16, of_connection=0)  # two refusals a second, four at once

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world, speed=speed) as service:
            room = await Room.open(service)
            mallory, eve = service.client("mallory"), service.client("eve")
            decided = service.server.host.executor.records.decides.of("parlour")

            async def tell(client: Client, seat: int = 0) -> Failure:
                return await failing(client.act(room.table, seat, AddChips(1)))

            for _ in range(4):
                assert (await tell(mallory)).code is grpc.StatusCode.PERMISSION_DENIED
            before = decided.count
            failure = await tell(mallory)
            assert failure.message.startswith("too many refused commands of one caller")
            assert failure.retry_ms == 500
            # So many of all strangers of a table; its players are none, and may err as often.
            assert "who do not sit at this table" in (await tell(eve)).message
            assert decided.count == before
            for _ in range(4):
                assert (await tell(room.host, 1)).code is grpc.StatusCode.PERMISSION_DENIED
            assert "of one caller" in (await tell(room.host, 1)).message
            await room.players[1].act(room.table, 1, AddChips(1))
            world.advance(0.5)
            assert (await tell(mallory)).code is grpc.StatusCode.PERMISSION_DENIED

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
    some = Places[str](2, "things")
    with some.place("a"), some.place("a"):
        with pytest.raises(Exhausted):
            some.take("a")
        with some.place("b"):
            pass
    with some.place("a"):
        pass
    assert not some._taken

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            for _ in range(3 * OF_ONE_CALLER_AT_A_TABLE):
                refused = await failing(room.host.act(room.table, 1, AddChips(1)))
                assert refused.code == grpc.StatusCode.PERMISSION_DENIED
            assert not service.server.host.executor.room.anywhere._taken

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
