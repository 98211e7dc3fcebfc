"""Streams beside bare gRPC, and what a live table weighs: ``python benchmarks/streams.py``.

* Actions over ``Play``, durable: 64 tables of Royal Flush, a stream and a player each who sends the
  next action when the last one is answered; beside a bare bidirectional echo of the same sizes.
* News to watchers: 200 of them at one table, all of whose actions are sent as fast as they are
  answered; beside a bare fan-out of messages of the same size, already serialised, the next one as
  soon as all have been sent the last.  Neither side's reader looks into what it gets.
* Memory: 10,000 tables of Royal Flush in the middle of a game, in one process.

Every server and every client is a process of its own; Kartejo and bare gRPC are measured in turns,
the best of the rounds counts.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import grpc
import uvloop
from actions import start as start_actions

from engine.actions import TakeSeat
from engine.games import GAMES
from engine.games.royal_flush.actions import AutoPlay
from service.codec import Codec
from service.host.host import Host
from service.identity import Principal, Role
from service.pb import table_service_pb2 as pb
from service.pb.table_service_pb2_grpc import TableServiceStub
from service.store.embedded import DURABLE, launch
from service.store.migrate import migrate
from service.store.postgres import Store
from service.vault import MasterKey
from service.world import RealWorld

SECONDS = 4.0
REQUEST_BYTES = 100
NEWS_BYTES = 700
WATCH_TABLE = "/kartejo.v1.TableService/WatchTable"
STEP = {"royal_flush": {"auto_play": {"scope": "step"}}}


# --- bare gRPC --------------------------------------------------------------------------------


async def bare_server() -> None:
    """An echo of any stream, and a fan-out: a message for all who listen, then the next one."""
    answer = bytes(NEWS_BYTES)

    async def echo(requests: AsyncIterator[bytes], _context: Any) -> AsyncIterator[bytes]:
        async for _ in requests:
            yield answer

    listeners = 0
    ready: list[asyncio.Future[None]] = []

    async def fan_out(_request: bytes, context: Any) -> None:
        nonlocal listeners
        listeners += 1
        try:
            while True:
                await context.write(answer)
                ready.append(asyncio.get_running_loop().create_future())
                if len(ready) < listeners:
                    await ready[-1]
                    continue
                for each in ready:  # all have the last message: now the next
                    if not each.done():
                        each.set_result(None)
                ready.clear()
        finally:
            listeners -= 1

    server = grpc.aio.server()
    handlers = {
        "Play": grpc.stream_stream_rpc_method_handler(echo),
        "Watch": grpc.unary_stream_rpc_method_handler(fan_out),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Bare", handlers),))
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    await server.start()
    await server.wait_for_termination()


async def bare_play(port: str, streams: int) -> float:
    """Round trips a second over that many streams."""
    done = 0
    stop = time.perf_counter() + SECONDS

    async def one() -> None:
        nonlocal done
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            call = channel.stream_stream("/bench.Bare/Play")()
            while time.perf_counter() < stop:
                await call.write(bytes(REQUEST_BYTES))
                await call.read()
                done += 1
            call.cancel()

    await asyncio.gather(*(one() for _ in range(streams)))
    return done / SECONDS


async def bare_watch(port: str, watchers: int) -> float:
    """Messages a second that all watchers together get."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        watch = channel.unary_stream("/bench.Bare/Watch")
        calls = [watch(b"") for _ in range(watchers)]
        for call in calls:
            await call.read()
        stop = time.perf_counter() + SECONDS
        return sum(await asyncio.gather(*(read(call, stop) for call in calls))) / SECONDS


async def read(call: Any, stop: float) -> int:
    """Messages that come until ``stop``, as bytes that nobody looks into."""
    got = 0
    while time.perf_counter() < stop:
        await call.read()
        got += 1
    call.cancel()
    return got


# --- Kartejo ----------------------------------------------------------------------------------


class Player:
    """A player at a table of his own, on one Play stream."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._tables = TableServiceStub(channel)
        self._call: Any = None
        self.table = ""

    async def open(self) -> None:
        """Make the table and sit down."""
        made = await self._tables.CreateTable(
            pb.CreateTableRequest(request_id=uuid4().hex, game="royal_flush"),
            metadata=self._metadata,
        )
        self.table = made.table.table_id
        self._call = self._tables.Play(metadata=self._metadata)
        await self._submit(action={"common": {"take_seat": {"chips": 0}}})

    async def _ask(self, **request: Any) -> Any:
        await self._call.write(pb.PlayRequest(**request))
        answer = await self._call.read()
        if answer.HasField("failed"):
            raise AssertionError(answer)
        return answer

    async def _submit(self, **fields: Any) -> Any:
        request = pb.SubmitActionRequest(request_id=uuid4().hex, table_id=self.table, **fields)
        return (await self._ask(submit=request)).submitted.state.decision

    async def play(self, stop: float) -> int:
        """Games step by step until ``stop``; how many steps were answered."""
        done = 0
        while time.perf_counter() < stop:
            started = await self._ask(
                start=pb.StartHandRequest(request_id=uuid4().hex, table_id=self.table)
            )
            now = started.started.state.decision
            while now.hand and time.perf_counter() < stop:
                now = await self._submit(action=STEP, hand=now.hand, decision=now.number)
                done += 1
        return done

    async def watch(self, channel: grpc.aio.Channel) -> Any:
        """A watch of the table from now on, which has come to be live; its messages are bytes."""
        newest = await self._tables.GetTable(
            pb.GetTableRequest(table_id=self.table), metadata=self._metadata
        )
        request = pb.WatchTableRequest(
            table_id=self.table, after_version=newest.state.version
        ).SerializeToString()
        call = channel.unary_stream(WATCH_TABLE)(request, metadata=self._metadata)
        await call.read()
        return call

    def close(self) -> None:
        """End the stream."""
        self._call.cancel()


async def play(port: str, token: str, tables: int) -> float:
    """Actions a second over ``Play``."""

    async def one() -> int:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            player = Player(channel, token)
            await player.open()
            done = await player.play(stop)
            player.close()
            return done

    stop = time.perf_counter() + SECONDS
    return sum(await asyncio.gather(*(one() for _ in range(tables)))) / SECONDS


WATCHERS_OF_CONNECTION = 100


async def watch(port: str, token: str, watchers: int) -> float:
    """Messages a second that all watchers of one busy table together get."""
    async with AsyncExitStack() as stack:
        options = (("grpc.use_local_subchannel_pool", 1),)
        channels = [
            await stack.enter_async_context(grpc.aio.insecure_channel(f"127.0.0.1:{port}", options))
            for _ in range(0, watchers + 1, WATCHERS_OF_CONNECTION)
        ]
        player = Player(channels[0], token)
        await player.open()
        calls = [await player.watch(channels[n % len(channels)]) for n in range(watchers)]
        stop = time.perf_counter() + SECONDS
        playing = asyncio.create_task(player.play(stop + 2))
        got = await asyncio.gather(*(read(call, stop) for call in calls))
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        player.close()
        return sum(got) / SECONDS


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


async def weigh(dsn: str, tables: int) -> tuple[float, float]:
    """Bytes of a live table in the middle of a game, and of the whole process."""
    world = RealWorld()
    ann = Principal(uuid4(), frozenset({Role.PLAYER}))
    async with (
        Store(dsn) as store,
        Host(
            world, store, GAMES, Codec(GAMES), MasterKey(bytes(32), world), most_tables=tables + 1
        ) as host,
    ):

        async def one() -> None:
            live, _ = await host.create_table(ann, uuid4().hex, "royal_flush", {}, {}, {})
            await host.submit(ann, uuid4().hex, live.stream, 0, TakeSeat("", 0), None, None)
            await host.start_hand(ann, uuid4().hex, live.stream)
            for _ in range(6):
                now = live.awaited
                assert now is not None
                await host.submit(
                    ann, uuid4().hex, live.stream, 0, AutoPlay("step"), now.hand, now.number
                )

        await one()
        gc.collect()
        before = resident()
        for _ in range(tables // 50):
            await asyncio.gather(*(one() for _ in range(50)))
        await host.tables.rest(world.now() + 1)
        gc.collect()
        after = resident()
        return (after - before) / tables, after


# --- one run ----------------------------------------------------------------------------------


def ask(*arguments: str) -> float:
    """A figure from a client process of its own."""
    told = subprocess.run(
        [sys.executable, __file__, *arguments], check=True, capture_output=True, text=True
    )
    return float(told.stdout)


def race(dsn: str, rounds: int) -> None:
    """Print both comparisons."""
    bare, (bare_port,) = start_bare()
    kartejo, (port, token) = start_actions("kartejo", dsn)
    try:
        print(f"{'a second':34} {'Kartejo':>10} {'bare gRPC':>10} {'of bare':>8}")
        for what, ours, theirs, number in (
            ("actions over Play, 64 tables", "play", "bare-play", "64"),
            ("news to 200 watchers of a table", "watch", "bare-watch", "200"),
        ):
            found = [
                (ask(ours, port, token, number), ask(theirs, bare_port, number))
                for _ in range(rounds)
            ]
            best, peer = (max(each) for each in zip(*found, strict=True))
            print(f"{what:34} {best:10,.0f} {peer:10,.0f} {best / peer:8.2f}", flush=True)
    finally:
        for process in (bare, kartejo):
            process.terminate()
            process.wait()


def start_bare() -> tuple[subprocess.Popen[str], list[str]]:
    """The bare server and its port."""
    process = subprocess.Popen(
        [sys.executable, __file__, "bare"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().split()


def main() -> None:
    """Print the table, or be one of its processes."""
    match sys.argv[1:]:
        case ["bare"]:
            uvloop.run(bare_server())
        case ["bare-play", port, number]:
            print(uvloop.run(bare_play(port, int(number))))
        case ["bare-watch", port, number]:
            print(uvloop.run(bare_watch(port, int(number))))
        case ["play", port, token, number]:
            print(uvloop.run(play(port, token, int(number))))
        case ["watch", port, token, number]:
            print(uvloop.run(watch(port, token, int(number))))
        case _:
            parser = argparse.ArgumentParser(description="streams beside bare gRPC; memory")
            parser.add_argument("--rounds", type=int, default=3)
            parser.add_argument("--tables", type=int, default=10_000, help="for the memory")
            told = parser.parse_args()
            with tempfile.TemporaryDirectory(prefix="kartejo-bench-") as folder:
                home = Path(folder)
                home.chmod(0o711)
                with launch(home / "pg", settings=DURABLE, allow_temporary=True) as server:
                    migrate(server.conninfo)
                    race(server.service_conninfo, told.rounds)
                    table, process = uvloop.run(weigh(server.service_conninfo, told.tables))
            print(
                f"{told.tables:,} live tables: {table / 1000:.1f} kB each, "
                f"{process / 1e6:.0f} MB in all"
            )


if __name__ == "__main__":
    main()
