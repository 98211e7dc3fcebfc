"""Streams of answers over HTTP/1.1: everything once, and nothing left when the caller goes away."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode, b64encode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from google.protobuf import json_format

from engine.actions import AddChips
from service.pb import table_service_pb2 as pb
from service.rpc import door
from service.rpc.budget import Limits
from service.web import door as web_door
from service.web import handover
from service.web.json_form import Kinds
from service.world import SteppedWorld
from tests.service.harness import CODEC, Client, Running
from tests.service.parlour_room import Room
from tests.service.test_clocks import until
from tests.web.http import Line, Told, enveloped, frames, nobody_is_left, scene, told

WATCH = "/kartejo.v1.TableService/WatchTable"
JSON = "application/connect+json"
BINARY = "application/connect+proto"
KINDS: Any = Kinds(CODEC.extended())


class Watch:
    """A watch that has been opened: what comes, message by message."""

    def __init__(self, line: Line, pieces: AsyncGenerator[bytes, None], kind: str) -> None:
        self.line = line
        self.frames = frames(pieces)
        self._kind = kind

    async def next(self) -> pb.WatchTableResponse | Told | None:
        """A message, a failure at the end, or None at its end."""
        flags, data = await anext(self.frames)
        if flags == 2:
            end = json.loads(data)
            return told(end["error"]) if "error" in end else None
        assert flags == 0
        if self._kind == JSON:
            return json_format.Parse(data, pb.WatchTableResponse(), descriptor_pool=KINDS)
        return pb.WatchTableResponse.FromString(data)

    async def to_live(self) -> list[Any]:
        found: list[Any] = []
        while not found or not found[-1].live:
            found.append(await self.next())
        return found


@asynccontextmanager
async def watching(
    service: Running, subject: str, table: str, kind: str = JSON, **headers: str
) -> AsyncGenerator[Watch, None]:
    token = headers.pop("token", "") or service.token(subject)
    asked = pb.WatchTableRequest(table_id=table)
    body = json_format.MessageToJson(asked).encode() if kind == JSON else asked.SerializeToString()
    async with Line.to(service, 1 << 12) as line:
        line.ask(
            "POST",
            WATCH,
            enveloped(body),
            content_type=kind,
            authorization=f"Bearer {token}",
            **headers,
        )
        status, answered = await line.head()
        assert (status, answered["content-type"]) == (200, kind)
        yield Watch(line, line.pieces(answered), kind)


async def add(host: Client, table: str, chips: int = 1) -> None:
    await host.act(table, 0, AddChips(chips))


def test_a_watch_tells_what_grpc_tells_and_goes_on(dsn):
    """In JSON and binary; what happens comes as it happens; a caller who leaves is nobody's."""

    async def play(service: Running) -> None:
        room = await Room.open(service)
        eve = service.client("eve")
        expected = await eve.watched(room.table)
        for kind in (JSON, BINARY):
            async with watching(service, "eve", room.table, kind) as watch:
                assert await watch.to_live() == expected
                await add(room.host, room.table)
                news = await watch.next()
                assert isinstance(news, pb.WatchTableResponse)
                assert news.version == expected[-1].version + 1
                assert service.server.door.streams.taken == 1
            await nobody_is_left(service)
            expected = await eve.watched(room.table)

    scene(dsn, play)


def test_a_watch_by_grpc_web_and_in_text(dsn):
    """The way of clients that came before Connect."""

    async def play(service: Running) -> None:
        room = await Room.open(service)
        expected = await service.client("eve").watched(room.table)
        asked = enveloped(pb.WatchTableRequest(table_id=room.table))
        for kind in ("application/grpc-web+proto", "application/grpc-web-text"):
            is_text = kind.endswith("text")
            async with Line.to(service) as line:
                line.ask(
                    "POST",
                    WATCH,
                    b64encode(asked) if is_text else asked,
                    content_type=kind,
                    authorization=f"Bearer {service.token('eve')}",
                )
                _, headers = await line.head()
                pieces = line.pieces(headers)
                read = decoded(pieces) if is_text else pieces
                found = []
                async for flags, data in frames(read):
                    assert flags == 0
                    found.append(pb.WatchTableResponse.FromString(data))
                    if found[-1].live:
                        break
                assert found == expected
        await nobody_is_left(service)

    scene(dsn, play)


async def decoded(pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    async for piece in pieces:
        yield b64decode(piece, validate=True)


def test_a_caller_who_leaves_in_the_middle_costs_nothing(dsn):
    """Before his answer, while it comes, and a hundred times over."""

    async def play(service: Running) -> None:
        room = await Room.open(service)
        for _ in range(5):
            await add(room.host, room.table)
        before = len(asyncio.all_tasks())

        async def glance(at: int) -> None:
            async with watching(service, f"eve {at % 5}", room.table) as watch:
                for _ in range(at % 3):
                    await watch.next()

        await asyncio.gather(*map(glance, range(40)))
        await nobody_is_left(service)

        async def few() -> bool:
            return len(asyncio.all_tasks()) <= before

        await until(few)

    scene(dsn, play)


def test_a_stream_ends_with_its_token_and_its_deadline(dsn):
    """With a reason, which a client can act upon."""

    async def play(service: Running) -> None:
        world = service.world
        assert isinstance(world, SteppedWorld)
        room = await Room.open(service)
        token = service.token("eve", lifetime=60)
        async with watching(service, "eve", room.table, token=token) as watch:
            await watch.to_live()
            asking = asyncio.ensure_future(watch.next())

            async def told_so() -> bool:
                return asking.done()

            world.advance(70)
            await until(told_so)
            ended = asking.result()
            assert isinstance(ended, Told)
            assert (ended.code, ended.reason) == ("unauthenticated", "TOKEN_EXPIRED")
        async with watching(service, "eve", room.table, connect_timeout_ms="50") as watch:
            while not isinstance(ended := await watch.next(), Told):
                assert ended is not None
            assert ended.reason == "DEADLINE_EXCEEDED"
        await nobody_is_left(service)

    scene(dsn, play, world=SteppedWorld())


def test_a_stream_that_nobody_reads_is_ended_and_costs_the_others_nothing(dsn, monkeypatch):
    """Its caller is cut off, since he would not read why; then he may come back and resume."""
    monkeypatch.setattr("service.rpc.calls.WRITE_SECONDS", 0.3)
    monkeypatch.setattr(handover, "GRACE_SECONDS", 0.1)
    monkeypatch.setattr(web_door, "HELD_BYTES", 4_096)

    async def play(service: Running) -> None:
        room = await Room.open(service)
        async with watching(service, "eve", room.table) as watch:
            first = await watch.to_live()
            watch.line.writer.transport.pause_reading()

            async def is_ended() -> bool:
                for _ in range(50):
                    await add(room.host, room.table)
                return service.server.door.streams.taken == 0

            await until(is_ended)
        await nobody_is_left(service)
        seen = await service.client("eve").watched(room.table, first[-1].version)
        assert seen[0].version == first[-1].version + 1

    scene(dsn, play)


def test_the_service_stops_in_good_order(dsn):
    """Streams end with a reason, calls under way are answered, and connections are closed."""

    async def play(service: Running) -> None:
        room = await Room.open(service)
        async with watching(service, "eve", room.table) as watch, Line.to(service) as idle:
            await watch.to_live()
            stopping = asyncio.ensure_future(service.server.__aexit__())
            ended = await watch.next()
            assert isinstance(ended, Told)
            assert (ended.reason, ended.retry_ms) == ("UNAVAILABLE", 1_000)
            assert await idle.ended() == b""
            await stopping
            assert await watch.line.ended() == b"\r\n0\r\n\r\n"
        assert service.web is not None
        assert len(service.web.connections) == 0

    scene(dsn, play)


def test_streams_have_places_of_their_own(dsn, monkeypatch):
    """As many of one caller as by gRPC, counted together; unary calls go on."""
    monkeypatch.setattr(door, "STREAMS", Limits(each=2, all=10))

    async def play(service: Running) -> None:
        room = await Room.open(service)
        async with watching(service, "eve", room.table) as one:
            await one.to_live()
            async with watching(service, "eve", room.table) as two:
                await two.to_live()
                async with watching(service, "eve", room.table) as three:
                    ended = await three.next()
                    assert isinstance(ended, Told)
                    assert ended.reason == "RESOURCE_EXHAUSTED"
                    assert "too many streams at a time: 2 of one caller" in ended.message
                async with watching(service, "bob", room.table) as others:
                    await others.to_live()
                await service.client("eve").get(room.table)
        await nobody_is_left(service)

    scene(dsn, play)
