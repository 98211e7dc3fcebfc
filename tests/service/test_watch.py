"""Watching: nothing twice, nothing left out, and a watcher that does not read costs nobody."""

from __future__ import annotations

import asyncio
import gc
from typing import Any
from uuid import UUID

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from engine.actions import AddChips, TakeSeat
from engine.games.royal_flush.actions import AutoPlay
from service.host.live import RECENT
from service.pb import table_service_pb2 as pb
from service.rpc.play import IN_FLIGHT, QUEUED, WATCHES
from service.world import SteppedWorld
from tests.service.harness import failing, run, running
from tests.service.parlour_room import Room
from tests.service.surfaces import played, read_out
from tests.service.test_clocks import until
from tests.service.test_refused_actions import told


async def quiet(most: int) -> bool:
    """Whether few tasks run on the loop, and have stopped becoming fewer."""
    return len(asyncio.all_tasks()) <= most


def test_resuming_at_every_version_gives_the_rest_of_the_sequence(dsn):
    """Through WatchTable and through Play, from memory and from the log."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            for chips in range(RECENT + 10):  # more than memory keeps for watchers
                await room.host.act(room.table, 0, AddChips(chips + 1))
            await room.start()
            await room.play_out()
            eve = service.client("eve")
            whole = await eve.watched(room.table)
            assert [event.version for message in whole for event in message.events] == list(
                range(1, whole[-1].version + 1)
            )
            assert whole[-1].live
            assert not any(message.live for message in whole[:-1])
            for place, message in enumerate(whole[:-1], 1):
                if place % 7 and place < len(whole) - 12:
                    continue
                assert await eve.watched(room.table, message.version) == whole[place:]
                assert await played(eve, room.table, message.version) == whole[place:]

    run(scenario())


def test_many_watchers_each_get_everything_once_and_in_order(dsn):
    """Those from the beginning, those that come in the middle, and those that come and go."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann, table = room.players[0], room.table
            state = (await ann.get(table)).state
            last = state.version + 60
            eve = service.client("eve")

            async def patient() -> list[int]:
                messages = await eve.watched(table, 0, last)
                return [event.version for message in messages for event in message.events]

            async def restless() -> list[int]:
                seen: list[int] = []
                while not seen or seen[-1] < last:
                    call = eve.tables.WatchTable(
                        pb.WatchTableRequest(table_id=table, after_version=seen[-1] if seen else 0),
                        metadata=eve.metadata,
                        timeout=60,
                    )
                    for _ in range(3):
                        message = await call.read()
                        seen += [event.version for event in message.events]
                        if seen and seen[-1] >= last:
                            break
                    call.cancel()
                return seen

            async def feed() -> None:
                for _ in range(60):
                    await ann.act(table, 0, AddChips(1))

            watchers = [patient() for _ in range(20)] + [restless() for _ in range(5)]
            *seen, _ = await asyncio.gather(*watchers, feed())
            assert all(versions == list(range(1, last + 1)) for versions in seen)

    run(scenario())


def test_a_new_table_is_live_at_once(dsn):
    """The word that nothing is left to send comes without a later event to push it."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            made = await ann.create("parlour")
            async with asyncio.timeout(20):
                messages = await ann.watched(made.table.table_id)
            assert [message.live for message in messages] == [False, True]
            assert messages[-1].state == made.state

    run(scenario())


def test_a_watcher_that_never_reads_holds_nothing_up(dsn):
    """Others play on, memory keeps no more commits for it, and it can resume."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann, table = room.players[0], room.table
            stalled = [
                service.client("eve").tables.WatchTable(
                    pb.WatchTableRequest(table_id=table), metadata=ann.metadata, timeout=60
                )
                for _ in range(20)
            ]
            for call in stalled:
                await call.read()
            start = (await ann.get(table)).state.version
            for _ in range(300):
                await ann.act(table, 0, AddChips(1))
            live = await service.server.host.tables.get(UUID(table))
            gc.collect()
            kept = sum(type(each).__name__ == "Recorded" for each in gc.get_objects())
            assert len(live.recent) <= RECENT
            assert kept < 25 * RECENT
            seen = [1]
            while seen[-1] < start + 300:
                message = await stalled[0].read()
                seen += [event.version for event in message.events]
            assert seen[-1] == start + 300
            for call in stalled:
                call.cancel()
            await until(lambda: no_watchers(live))

    run(scenario())


async def no_watchers(live: Any) -> bool:
    return live.watchers == 0


def test_a_play_stream_that_is_not_read_is_not_read_from(dsn):
    """Requests wait with the client; when it leaves, nothing of the stream is left behind."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann = room.players[0]
            before = len(asyncio.all_tasks())
            play = ann.tables.Play(metadata=ann.metadata, timeout=60)
            bad = pb.PlayRequest(start={"request_id": "r" * 2_000, "table_id": room.table})

            async def flood() -> None:
                while True:
                    await play.write(bad)

            flooding = asyncio.ensure_future(flood())
            most = 0
            for _ in range(100):
                await asyncio.sleep(0.01)  # what is measured is a maximum over a while
                most = max(most, len(asyncio.all_tasks()))
            assert not flooding.done()  # neither refused nor broken off
            assert most < before + IN_FLIGHT + 20
            await ann.get(room.table)
            play.cancel()
            flooding.cancel()
            await asyncio.gather(flooding, return_exceptions=True)
            await until(lambda: quiet(before))

    run(scenario())


def test_a_play_stream_that_leaves_with_a_full_queue_leaves_nothing_behind(dsn):
    """Watches that filled the queue end with their stream."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann, table = room.players[0], room.table
            for _ in range(QUEUED):
                await ann.act(table, 0, AddChips(1))
            live = await service.server.host.tables.get(UUID(table))
            before = len(asyncio.all_tasks())
            plays = []
            for _ in range(3):
                play = ann.tables.Play(metadata=ann.metadata, timeout=60)
                for _ in range(40):
                    await play.write(pb.PlayRequest(watch={"table_id": table}))
                await play.write(pb.PlayRequest())
                plays.append(play)
            await until(lambda: some_watchers(live))
            for play in plays:
                play.cancel()
            await until(lambda: no_watchers(live))
            await until(lambda: quiet(before))

    run(scenario())


async def some_watchers(live: Any) -> bool:
    return live.watchers > 0


def test_one_stream_watches_so_many_tables_and_no_more(dsn):
    """RESOURCE_EXHAUSTED beyond; the same table twice is one watch, begun anew."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann = room.players[0]
            play = ann.tables.Play(metadata=ann.metadata, timeout=30)
            request = pb.PlayRequest(watch={"table_id": room.table, "after_version": 4})
            for _ in range(3):
                await play.write(request)
                news = (await play.read()).news
                while not news.live:
                    news = (await play.read()).news
            live = await service.server.host.tables.get(UUID(room.table))
            assert live.watchers == 1
            play.cancel()
            full = ann.tables.Play(metadata=ann.metadata, timeout=30)
            tables = [(await ann.create("parlour")).table.table_id for _ in range(WATCHES // 8)]
            for _ in range(8):
                for table in tables:
                    await full.write(pb.PlayRequest(watch={"table_id": table}))
            answers = [await full.read() for _ in range(2 * len(tables))]
            assert all(answer.WhichOneof("response") == "news" for answer in answers)
            full.cancel()

    run(scenario())


def test_a_server_that_drains_says_so_and_ends_its_streams(dsn):
    """NOT_SERVING, streams end UNAVAILABLE, what is under way is answered, a snapshot is kept."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            made = await ann.create("royal_flush")
            table = made.table.table_id
            await ann.act(table, 0, TakeSeat("", 5))
            state = (await ann.start(table)).state
            async with grpc.aio.insecure_channel(service.address) as channel:
                health = health_pb2_grpc.HealthStub(channel)
                said = health.Watch(health_pb2.HealthCheckRequest(), timeout=60)
                assert (await said.read()).status == health_pb2.HealthCheckResponse.SERVING
                watch = ann.tables.WatchTable(
                    pb.WatchTableRequest(table_id=table, after_version=state.version),
                    metadata=ann.metadata,
                    timeout=60,
                )
                play = ann.tables.Play(metadata=ann.metadata, timeout=60)
                await play.write(pb.PlayRequest(watch={"table_id": table, "after_version": 3}))
                assert (await watch.read()).live
                await play.read()
                answers = [
                    asyncio.ensure_future(ann.act(table, 0, AutoPlay("game"), state)),
                ]
                live = await service.server.host.tables.get(UUID(table))

                async def at_work() -> bool:
                    return live.lock.locked() or live.table.version > state.version

                await until(at_work)
                stopping = asyncio.ensure_future(service.server.__aexit__())
                assert (await said.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
                said.cancel()
                await stopping
                (done,) = await asyncio.gather(*answers)
                assert "GAME_OVER" in done.state.text
                for stream in (watch, play):
                    failure = await failing(read_out(stream))
                    assert told(failure)[:2] == ("UNAVAILABLE", "UNAVAILABLE")
            stored = await service.store.pool.ask(snapshots)
            assert (UUID(table), done.state.version) in stored

    run(scenario())


async def snapshots(db: Any) -> list[tuple[UUID, int]]:
    rows = await db.execute("SELECT stream, version FROM kartejo.snapshot")
    return [tuple(row) for row in await rows.fetchall()]


def test_watching_needs_no_clock(dsn):
    """In a world that stands still, what is played still comes."""

    async def scenario():
        async with running(dsn, world=SteppedWorld()) as service:
            room = await Room.open(service)
            version = (await room.host.get(room.table)).state.version
            watching = asyncio.ensure_future(
                service.client("eve").watched(room.table, version, version + 1)
            )
            await room.host.act(room.table, 0, AddChips(1))
            assert (await watching)[-1].version == version + 1

    run(scenario())


def test_what_is_shared_between_watchers_is_each_ones_own(dsn):
    """Players, observers and the one who acts: the same as each gets alone, at any moment."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await Room.open(service, ("ann", "bob", "cid"))
            await room.start()
            observers = [service.client(name) for name in ("eve", "fay")]
            everybody = [*room.players, *observers]
            states = [(await each.get(room.table)).state for each in everybody]
            assert states[3] == states[4]
            assert len({state.SerializeToString() for state in states[:3]}) == 3
            again = [(await each.get(room.table)).state for each in reversed(everybody)]
            assert again == states[::-1]
            world.advance(3)
            later = [(await each.get(room.table)).state for each in everybody]
            for now, before in zip(later, states, strict=True):
                assert now.decision.remaining_ms == before.decision.remaining_ms - 3000
                now.decision.remaining_ms = before.decision.remaining_ms
                assert now == before
            heard = [await each.watched(room.table) for each in everybody]
            alone = service.server.host.tables.peek(UUID(room.table))
            assert alone is not None
            for each, messages in zip(everybody, heard, strict=True):
                alone.rest()
                assert await each.watched(room.table) == messages

    run(scenario())
