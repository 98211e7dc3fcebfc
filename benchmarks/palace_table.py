"""Six-player tables of Palace Poker through Play streams, durable; replay of a long table.

    python benchmarks/palace_table.py [--seconds 5] [--hands 2000]

The service runs as a process of its own, on a PostgreSQL with its durable defaults.  Every seat is
a client with one Play stream, on which it watches and acts: an accepted action is stored, answered,
and sent to all six and the host.  One action of a table is under way at a time, as its rules have
it.  All clients live in one process; processor time for each action is told for both sides.

Beside it, in the same run: a bare echo over one bidirectional stream for each table, a process that
sends back bytes as long as a usual answer and stores nothing.  Only the ratio means something on a
machine with neighbours.  The replay reads one table of many hands from its first event to its last,
through WatchTable, decoded and not folded; then hands from its end through ReplayHand.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import grpc
import uvloop

from engine.actions import Action
from engine.errors import Conflict, Refused
from service.bots import Look, PlayLine, SeatRunner
from service.bots.random_offer import random_action
from service.client import Client, Endpoint
from service.client.connection import request_id
from service.client.records import steps
from service.client.sitting import create_table, follow
from service.identity import KeyRing, Role, Tokens
from service.identity.files import SecretFiles
from service.pb import common_pb2
from service.pb import table_service_pb2 as pb
from service.world import RealWorld

SEATS = 6
CHIPS = 10**12
ECHO = "/echo.Echo/Echo"


class Place(NamedTuple):
    """A running service, and what makes tokens for it."""

    endpoint: Endpoint
    tokens: Tokens
    process: int

    def busy(self) -> float:
        """Seconds of processor time that the service has used, without its database."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def client(self, subject: str, role: Role, table: str = "", seat: int | None = None) -> Client:
        limit = UUID(table) if table else None
        token = self.tokens.issue(subject, {role}, 3_600, table=limit, seat=seat)
        return Client(self.endpoint, token, patience=30.0)


@contextmanager
def service(home: Path):
    """``kartejo serve`` on a database of its own."""
    command = [sys.executable, "-m", "service.cli", "serve", "--json", "--temporary-data"]
    command += ["--caller-rate", "0", "--connection-rate", "0"]
    command += ["--data", str(home), "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        told = json.loads(process.stdout.readline())
        world = RealWorld()
        keys = KeyRing.load(SecretFiles.beside(home).token_keys, world)
        yield Place(Endpoint(told["address"]), Tokens(keys, world), process.pid)
    finally:
        process.terminate()
        process.wait(60)


def quick(seed: int, folds: float) -> Callable[[Look], Action]:
    """Any offer, a fold in a share ``folds`` of cases; nothing is pondered."""
    source = random.Random(seed)

    def bot(look: Look) -> Action:
        offers = [offer for offer in look.offers if offer.action != "fold"]
        fold = source.random() < folds or not offers
        return random_action(source, look, look.offers[-1:] if fold else offers)

    return bot


class Table:
    """A table with six clients and its host."""

    def __init__(self, place: Place, number: int, folds: float = 0.15) -> None:
        self._place = place
        self._number = number
        self._folds = folds
        self.host = place.client("host", Role.HOST)
        self.id = ""
        self.runners: list[SeatRunner] = []
        self._clients: list[Client] = []
        self._tasks: list[asyncio.Task[Any]] = []

    async def open(self) -> None:
        made = await create_table(self.host, "palace_poker", {"max_seats": str(SEATS)})
        self.id = made.table.table_id
        for seat in range(SEATS):
            name = f"bot {self._number} {seat}"
            client = self._place.client(name, Role.PLAYER, self.id, seat)
            line = PlayLine(client, self.id)
            bot = quick(self._number * SEATS + seat, self._folds)
            runner = SeatRunner(line, seat, bot, chips=CHIPS)
            self._clients.append(client)
            self.runners.append(runner)
            self._tasks.append(asyncio.create_task(runner.run()))
        await asyncio.gather(*(runner.seated.wait() for runner in self.runners))

    async def play(self, until: float = float("inf"), hands: int = 10**9) -> int:
        """Hands one after the other; how many were begun."""
        state = await self._start()
        begun = 1
        async with aclosing(follow(self.host, self.id, state.version)) as news:
            async for each in news:
                if not each.live or each.state.HasField("decision"):
                    continue
                if each.version < state.version:
                    continue
                if begun >= hands or time.perf_counter() > until:
                    break
                state = await self._start()
                begun += 1
        return begun

    async def _start(self) -> pb.TableState:
        while True:
            request = pb.StartHandRequest(request_id=request_id(), table_id=self.id)
            try:
                return (await self.host.call(self.host.tables.StartHand, request)).state
            except (Conflict, Refused) as error:
                raise SystemExit(f"a hand cannot start: {error}") from None

    @property
    def actions(self) -> int:
        return sum(runner.tally.actions for runner in self.runners)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for client in (*self._clients, self.host):
            await client.close()


class Rate(NamedTuple):
    """Accepted actions a second, starts of hands among them; processor time for each; bytes of a
    state.
    """

    actions: float
    service_ms: float
    clients_ms: float
    size: int


async def played(place: Place, tables: int, seconds: float) -> Rate:
    """Some tables side by side, for some seconds."""
    opened = [Table(place, number) for number in range(tables)]
    for table in opened:
        await table.open()
    begun, busy, mine = time.perf_counter(), place.busy(), time.process_time()
    hands = await asyncio.gather(*(table.play(begun + seconds) for table in opened))
    took = time.perf_counter() - begun
    request = pb.GetTableRequest(table_id=opened[0].id)
    host = opened[0].host
    size = (await host.call(host.tables.GetTable, request)).state.ByteSize()
    count = sum(table.actions for table in opened) + sum(hands)
    busy, mine = place.busy() - busy, time.process_time() - mine
    for table in opened:
        await table.close()
    return Rate(count / took, 1_000 * busy / count, 1_000 * mine / count, size)


# --- a bare echo --------------------------------------------------------------------------------


async def serve_echo() -> None:
    """Sends back what comes, until the process is ended."""

    async def echo(requests: Any, _: Any) -> Any:
        async for each in requests:
            yield each

    method = grpc.stream_stream_rpc_method_handler(echo)
    server = grpc.aio.server()
    handlers = {"Echo": method}
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("echo.Echo", handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await server.wait_for_termination()


@contextmanager
def echo_server():
    """Its address."""
    command = [sys.executable, __file__, "--echo"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield f"127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.terminate()
        process.wait(10)


async def echoed(address: str, streams: int, size: int, seconds: float) -> float:
    """Round trips a second, one at a time on each stream."""
    end = time.perf_counter() + seconds

    async def bounce() -> int:
        async with grpc.aio.insecure_channel(address) as channel:
            call = channel.stream_stream(ECHO)()
            count = 0
            while time.perf_counter() < end:
                await call.write(bytes(size))
                await call.read()
                count += 1
            call.cancel()
            return count

    return sum(await asyncio.gather(*(bounce() for _ in range(streams)))) / seconds


# --- replay -------------------------------------------------------------------------------------


async def replayed(place: Place, hands: int) -> None:
    """Play a long table of short hands, then read it."""
    table = Table(place, 99, folds=0.4)
    await table.open()
    begun = time.perf_counter()
    await table.play(hands=hands)
    print(f"\na table of {hands:,} hands, {table.actions:,} actions of seats")
    print(f"  played in {time.perf_counter() - begun:.1f} s")
    host = table.host
    begun, events, commits = time.perf_counter(), 0, 0
    async with aclosing(follow(host, table.id)) as news:
        async for each in news:
            for event in each.events:
                host.codec.event_from_wire(event.event)
            events += len(each.events)
            commits += 1
            if each.live:
                break
    took = time.perf_counter() - begun
    print(f"  WatchTable from 0: {events:,} events in {commits:,} commits, {took:.2f} s,")
    print(f"    {events / took:,.0f} events/s, {commits / took:,.0f} commits/s")
    for hand in (1, hands // 2, hands - 1):
        begun, count = time.perf_counter(), 0
        async for _ in steps(host, table.id, hand, common_pb2.Viewer()):
            count += 1
        took = time.perf_counter() - begun
        print(f"  ReplayHand {hand:>6,}: {count} steps with states in {1_000 * took:.0f} ms")
    await table.close()


async def measure(place: Place, seconds: float, hands: int) -> None:
    print("six-player tables through Play streams, durable")
    print("tables  actions/s   echo/s  of echo  ms of service  ms of clients")
    for tables in (1, 8):
        rate = await played(place, tables, seconds)
        with echo_server() as address:
            echo = await echoed(address, tables, rate.size, seconds)
        print(
            f"{tables:6} {rate.actions:10,.0f} {echo:8,.0f} {rate.actions / echo:8.3f}"
            f" {rate.service_ms:14.2f} {rate.clients_ms:14.2f}"
        )
    await replayed(place, hands)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Palace Poker through the service")
    parser.add_argument("--seconds", type=float, default=5.0, help="per measurement")
    parser.add_argument("--hands", type=int, default=2_000, help="length of the replayed table")
    parser.add_argument("--echo", action="store_true", help=argparse.SUPPRESS)
    told = parser.parse_args()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        if told.echo:
            runner.run(serve_echo())
            return
        with tempfile.TemporaryDirectory(prefix="kartejo-bench-") as folder:
            Path(folder).chmod(0o711)
            with service(Path(folder) / "home") as place:
                runner.run(measure(place, told.seconds, told.hands))


if __name__ == "__main__":
    main()
