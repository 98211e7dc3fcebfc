"""Places: nobody keeps others out, with a token or without, reading or not."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from structlog.testing import capture_logs

from engine.actions import AddChips
from service.host import reading
from service.host.rates import BURST_SECONDS
from service.pb import table_service_pb2 as pb
from service.rpc import calls, door, refusals
from service.rpc.budget import Limits
from service.rpc.server import _SERVICES
from tests.service.harness import Client, Failure, Running, failing, run, running
from tests.service.parlour_room import Room
from tests.service.surfaces import read_out, take
from tests.service.test_clocks import until
from tests.service.test_refused_actions import told

EXHAUSTED = ("RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED", "")
SERVING = health_pb2.HealthCheckResponse.SERVING


def silent(service: Running, path: str, client: Client) -> tuple[grpc.aio.Channel, Any]:
    """A call whose request never comes."""
    channel = grpc.aio.insecure_channel(service.address)
    service.keep(channel)
    return channel, channel.stream_stream(path)(metadata=client.metadata, timeout=60)


def watch(client: Client, table: str, **fields: Any) -> Any:
    request = pb.WatchTableRequest(table_id=table, **fields)
    return client.tables.WatchTable(request, metadata=client.metadata, timeout=60)


@pytest.mark.parametrize("method", ["GetTable", "SubmitAction", "WatchTable", "Play"])
def test_without_a_token_no_call_waits_for_its_request(dsn, method):
    """UNAUTHENTICATED by the headers alone."""

    async def scenario():
        async with running(dsn) as service:
            nobody = service.with_token(None)
            _, call = silent(service, f"/kartejo.v1.TableService/{method}", nobody)
            failure = await failing(call.read())
            assert told(failure) == ("UNAUTHENTICATED", "TOKEN_MISSING", "")

    run(scenario())


def test_a_call_without_its_request_takes_its_callers_place_until_it_ends(dsn, monkeypatch):
    """One caller's places: others have their own, and streams have others than unary calls."""
    monkeypatch.setattr(door, "UNARY", Limits(each=3, all=100))

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann, bob = room.players
            places = service.server.door.unary
            silence = [silent(service, "/kartejo.v1.TableService/GetTable", ann) for _ in range(3)]
            waiting = [asyncio.ensure_future(call.read()) for _, call in silence]
            await until(lambda: taken(places, 3))
            assert told(await failing(ann.get(room.table))) == EXHAUSTED
            await bob.get(room.table)
            await take(watch(ann, room.table), 1)
            for _, call in silence:
                call.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            await until(lambda: taken(places, 0))
            await ann.get(room.table)

    run(scenario())


async def taken(places: Any, count: int) -> bool:
    return places.taken == count


def test_one_caller_has_so_many_streams_and_no_more(dsn, monkeypatch):
    """Over all connections; an ended stream's place is free again."""
    monkeypatch.setattr(door, "STREAMS", Limits(each=3, all=4))

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            table = room.table
            streams = [watch(service.client("eve"), table) for _ in range(3)]
            for stream in streams:
                await stream.read()
            eve = service.client("eve")
            play = eve.tables.Play(metadata=eve.metadata, timeout=60)
            for stream in (watch(eve, table), play):
                assert told(await failing(stream.read())) == EXHAUSTED
            await take(watch(service.client("fay"), table), 1)
            assert told(await failing(watch(service.client("gil"), table).read())) == EXHAUSTED
            await eve.get(table)
            streams[0].cancel()
            await until(lambda: taken(service.server.door.streams, 3))
            await take(watch(eve, table), 1)

    run(scenario())


def test_one_caller_watches_so_many_tables_on_all_his_play_streams(dsn, monkeypatch):
    """Told with the watch's own failure; the streams go on."""
    monkeypatch.setattr(calls, "WATCHES", Limits(each=3, all=100))

    async def scenario():
        async with running(dsn) as service:
            rooms = [await Room.open(service) for _ in range(2)]
            ann = rooms[0].players[0]
            version = (await ann.get(rooms[0].table)).state.version

            async def ask(play: Any, room: Room) -> str:
                request = {"table_id": room.table, "after_version": version}
                await play.write(pb.PlayRequest(watch=request))
                answer = await play.read()
                if answer.WhichOneof("response") == "failed":
                    assert answer.failed.status.code == 8
                return str(answer.WhichOneof("response"))

            one, two = (ann.tables.Play(metadata=ann.metadata, timeout=60) for _ in range(2))
            assert [await ask(one, room) for room in rooms] == ["news", "news"]
            assert [await ask(two, room) for room in rooms] == ["news", "failed"]
            await one.write(pb.PlayRequest(unwatch={"table_id": rooms[0].table}))
            await until(lambda: taken(service.server._calls.watches, 2))
            assert await ask(two, rooms[1]) == "news"
            # The last place is his: the same table from another version, or another table.
            assert await ask(two, rooms[1]) == "news"
            await two.write(pb.PlayRequest(unwatch={"table_id": rooms[1].table}))
            assert await ask(two, rooms[1]) == "news"
            one.cancel()
            two.cancel()
            await until(lambda: taken(service.server._calls.watches, 0))

    run(scenario())


def test_open_calls_are_few_and_short(dsn, monkeypatch):
    """Health and reflection: places by connection, an end for each, and players notice nothing."""
    monkeypatch.setattr(door, "LOOKS", Limits(each=2, all=5))
    monkeypatch.setattr(door, "CHECKS", Limits(each=2, all=5))
    monkeypatch.setattr(door, "LOOK_SECONDS", 1.5)
    monkeypatch.setattr(door, "CHECK_SECONDS", 0.5)

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            nobody = service.with_token(None)

            def channel() -> grpc.aio.Channel:
                opened = grpc.aio.insecure_channel(
                    service.address, options=[("grpc.use_local_subchannel_pool", 1)]
                )
                service.keep(opened)
                return opened

            def health(on: grpc.aio.Channel) -> Any:
                stub = health_pb2_grpc.HealthStub(on)
                return stub.Watch(health_pb2.HealthCheckRequest(), timeout=60)

            def reflection(on: grpc.aio.Channel) -> Any:
                return reflection_pb2_grpc.ServerReflectionStub(on).ServerReflectionInfo(timeout=60)

            first, second, third = channel(), channel(), channel()
            looks = [health(first), reflection(first), health(second), health(second)]
            assert (await looks[0].read()).status == SERVING
            await looks[1].write(reflection_pb2.ServerReflectionRequest(list_services=""))
            listed = (await looks[1].read()).list_services_response.service
            assert len(listed) == len(_SERVICES) + 2
            for look in looks[2:]:
                await look.read()
            for more in (health(first), reflection(second)):
                assert told(await failing(more.read())) == EXHAUSTED
            looks.append(health(third))
            await looks[-1].read()
            assert told(await failing(health(third).read())) == EXHAUSTED
            stub = health_pb2_grpc.HealthStub(third)
            assert (await stub.Check(health_pb2.HealthCheckRequest())).status == SERVING
            await room.host.act(room.table, 0, AddChips(1))
            for look in looks:
                assert told(await failing(read_out(look)))[0] == "UNAVAILABLE"
            _, call = silent(service, "/grpc.health.v1.Health/Check", nobody)
            assert told(await failing(call.read()))[0] == "UNAVAILABLE"
            missing = health_pb2.HealthCheckRequest(service="no.such.Service")
            assert (await failing(stub.Check(missing))).code is grpc.StatusCode.NOT_FOUND

    run(scenario())


def test_a_stream_that_is_not_read_ends(dsn, monkeypatch):
    """After a time it holds no watch; its place is its caller's to free, by reading or leaving."""
    monkeypatch.setattr(calls, "WRITE_SECONDS", 0.5)

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            live = await service.server.host.tables.get(UUID(room.table))
            places = service.server.door.streams
            channel = grpc.aio.insecure_channel(
                service.address, options=[("grpc.http2.bdp_probe", 0)]
            )
            service.keep(channel)
            ann = Client(channel, service.token("ann"))
            bad = pb.PlayRequest(start={"request_id": "r" * 2_000, "table_id": room.table})
            plays = [ann.tables.Play(metadata=ann.metadata, timeout=60) for _ in range(2)]
            for play in plays:
                await play.write(pb.PlayRequest(watch={"table_id": room.table}))
                for _ in range(200):  # more than a connection takes in for who does not read
                    await play.write(bad)
            await until(lambda: watched_by(live, 0))
            assert places.taken == 2
            assert told(await failing(read_out(plays[0]))) == EXHAUSTED
            plays[1].cancel()
            await until(lambda: taken(places, 0))

    with capture_logs() as logs:
        run(scenario())
    assert [line["event"] for line in logs].count("stream_not_read") == 2


async def watched_by(live: Any, count: int) -> bool:
    return bool(live.watchers == count)


def test_who_goes_on_when_refused_hears_of_it_later(dsn, monkeypatch):
    """Refusals beyond so many a second are held back, and others' calls are not."""
    monkeypatch.setattr(refusals, "EACH_SECOND", 1)
    monkeypatch.setattr(refusals, "HELD_SECONDS", 3600.0)

    async def scenario():
        async with running(dsn) as service:
            nobody = service.with_token(None)
            slow = service.server.door.calls.refusals.held

            async def ask() -> Failure:
                return await failing(nobody.get("no table"))

            for _ in range(BURST_SECONDS):
                assert (await ask()).code is grpc.StatusCode.UNAUTHENTICATED
            for _ in range(600):  # of others, who have gone: the next one's time is far away
                owed = service.server.door.calls.refusals.hold(None)
                assert owed is not None
                owed.give_back()
            held = asyncio.ensure_future(ask())
            await until(lambda: taken(slow, 1))
            ann = service.client("ann")
            assert (await failing(ann.get("no table"))).code is not grpc.StatusCode.UNAUTHENTICATED
            assert not held.done()
            held.cancel()
            await asyncio.gather(held, return_exceptions=True)
            await until(lambda: taken(slow, 0))  # who goes away gives his place back

    run(scenario())


def test_who_reads_the_past_and_then_stops_keeps_nobody_out(dsn, monkeypatch):
    """More of them than may read at a time; each is given all of it, piece by piece."""
    monkeypatch.setattr(reading, "CATCH_UP", 4)

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            for _ in range(20):
                await room.host.act(room.table, 0, AddChips(1))
            tables = service.server.host.tables
            live = await tables.get(UUID(room.table))
            lazy = [tables.stored.history(live) for _ in range(2 * reading.CATCHING_UP)]
            for each in lazy:
                await anext(each)
            first, *rest = await service.store.read(live.stream)
            past = tables.stored.history(live, first.version)
            assert [recorded.commit async for recorded in past] == rest
            for each in lazy:
                await each.aclose()

    run(scenario())
