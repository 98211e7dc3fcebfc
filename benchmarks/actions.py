"""Durable actions over gRPC beside a bare echo of the same size; replay of 10,000 events.

    python benchmarks/actions.py
    python benchmarks/actions.py --workers 2     `serve --workers 1` and 2, in turns

One run: an echo server that does nothing and Kartejo on an embedded PostgreSQL with durable
settings, each in a process of its own, are called in turns by the same client processes.  The
ratio says what deciding, sealing, storing and answering cost on top of gRPC itself.  Then both are
called at half of Kartejo's greatest rate, at moments that are fixed beforehand: a late answer does
not put off the calls behind it, and each is timed from its own moment.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

import grpc
import uvloop
from callers import SECONDS, load

from engine.games import GAMES
from engine.house import Table, apply_all
from service.codec import Codec
from service.host.recorder import Opener, Recorder
from service.identity import KeyRing, Principal, Role, Tokens
from service.pb import table_service_pb2 as pb
from service.rpc.calls import Speed
from service.rpc.server import Parts, Server, Settings, serve
from service.store.commit import genesis, verify
from service.store.embedded import DURABLE, launch
from service.store.migrate import migrate
from service.store.postgres import Store
from service.store.principals import Principals
from service.vault import MasterKey
from service.world import RealWorld

ROUNDS = 3
PACED_ROUNDS = 5
KEY = bytes(range(32))


# --- servers ----------------------------------------------------------------------------------


async def echo_server() -> None:
    """Answers every call with a message of the size that SubmitAction answers with."""
    answer = pb.SubmitActionResponse(request_id="x" * 600).SerializeToString()

    async def echo(_request: bytes, _context: Any) -> bytes:
        return answer

    server = grpc.aio.server()
    handler = grpc.unary_unary_rpc_method_handler(echo)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("bench.Echo", {"Call": handler}),)
    )
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    await server.start()
    await server.wait_for_termination()


async def kartejo_server(dsn: str) -> None:
    """Kartejo over a database; prints its port and a token."""
    world = RealWorld()
    tokens = Tokens(KeyRing.draw(world), world)
    async with Store(dsn) as store:
        parts = Parts(
            world, store, GAMES, Codec(GAMES), MasterKey(KEY, world), tokens, Principals(store.pool)
        )

        def ready(server: Server) -> None:
            token = tokens.issue("bench", [Role.PLAYER], 3600)
            print(server.port, token, flush=True)

        await serve(Settings("127.0.0.1:0", speed=Speed(0, 0)), parts, ready)


# --- what is measured -------------------------------------------------------------------------


def spawn(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, __file__, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)},
    )


def start(*arguments: str) -> tuple[subprocess.Popen[str], list[str]]:
    process = spawn(*arguments)
    assert process.stdout is not None
    return process, process.stdout.readline().split()


def measure(
    kind: str, port: str, token: str, tables: int, rate: float = 0.0
) -> tuple[float, float, float]:
    process, told = start("load", kind, port, token, str(tables), str(rate))
    process.wait()
    count, middle, late = map(float, told)
    return count / SECONDS, middle, late


def race(dsn: str) -> None:
    echo, (echo_port,) = start("echo")
    kartejo, (port, token) = start("kartejo", dsn)
    try:
        print(f"\n{'unary calls':34} {'calls/s':>9} {'p50 ms':>8} {'p99 ms':>8} {'of echo':>8}")
        for tables in (1, 16, 64):
            best = {"echo": (0.0, 0.0, 0.0), "kartejo": (0.0, 0.0, 0.0)}
            for _ in range(ROUNDS):
                best["echo"] = max(best["echo"], measure("echo", echo_port, "-", tables))
                best["kartejo"] = max(best["kartejo"], measure("kartejo", port, token, tables))
            for kind, name in (("echo", "bare echo"), ("kartejo", "SubmitAction, durable")):
                rate, middle, late = best[kind]
                ratio = rate / best["echo"][0]
                title = f"{name}, {tables} tables"
                print(f"{title:34} {rate:9.0f} {middle:8.2f} {late:8.2f} {ratio:8.2f}")
        half = best["kartejo"][0] / 2
        paced = [
            (
                measure("echo", echo_port, "-", tables, half),
                measure("kartejo", port, token, tables, half),
            )
            for _ in range(PACED_ROUNDS)
        ]
        print(f"\nat {half:.0f} calls a second, {tables} tables{'of echo, p99':>38}")
        sides = [
            [median(each) for each in zip(*side, strict=True)] for side in zip(*paced, strict=True)
        ]
        for name, (rate, middle, late) in zip(
            ("bare echo", "SubmitAction, durable"), sides, strict=True
        ):
            ratio = late / sides[0][2]
            print(f"{name:34} {rate:9.0f} {middle:8.2f} {late:8.2f} {ratio:8.1f}")
    finally:
        for process in (echo, kartejo):
            process.terminate()
            process.wait()


def race_of_workers(home: Path, workers: int) -> None:
    """The service as it is served, by one process and by several; two client processes."""
    counts = (1, workers)
    served = [
        start_command(
            *("serve", "--workers", str(count), "--json", "--log-json", "--temporary-data"),
            *("--listen", "127.0.0.1:0", "--data", str(home / f"workers-{count}")),
            *("--caller-rate", "0", "--connection-rate", "0"),
        )
        for count in counts
    ]
    try:
        title = f"SubmitAction, durable; {os.cpu_count()} cores"
        print(
            f"\n{title:34} {'calls/s':>9} {'p50 ms':>8} {'p99 ms':>8} {'of one':>8}"
            f" {'service':>8} {'database':>9}   (CPU, ms a call)"
        )
        for tables in (16, 64):
            best = [(0.0, 0.0, 0.0)] * 2
            calls, spent = [0.0] * 2, [(0.0, 0.0)] * 2
            for _ in range(ROUNDS):
                for number, (process, told) in enumerate(served):
                    before = cpu_of(process.pid)
                    port = told["address"].rpartition(":")[2]
                    token = Path(told["admin_token"]).read_text(encoding="ascii").strip()
                    found = together(port, token, tables)
                    best[number] = max(best[number], found)
                    calls[number] += found[0] * SECONDS
                    spent[number] = tuple(
                        total + after - earlier
                        for total, after, earlier in zip(
                            spent[number], cpu_of(process.pid), before, strict=True
                        )
                    )
            for number, (rate, middle, late) in enumerate(best):
                name = f"--workers {counts[number]}, {tables} tables"
                ours, theirs = (seconds * 1000 / calls[number] for seconds in spent[number])
                print(
                    f"{name:34} {rate:9.0f} {middle:8.2f} {late:8.2f} {rate / best[0][0]:8.2f}"
                    f" {ours:8.2f} {theirs:9.2f}"
                )
    finally:
        for process, _ in served:
            process.terminate()
            process.wait()


def cpu_of(root: int) -> tuple[float, float]:
    """CPU seconds used so far by a service: by its own processes, and by its PostgreSQL."""
    ours = theirs = 0.0
    waiting = [root]
    while waiting:
        folder = Path(f"/proc/{waiting.pop()}")
        try:
            waiting += map(int, (folder / f"task/{folder.name}/children").read_text().split())
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            # Of itself, and of children that have ended.
            seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
            program = (folder / "comm").read_text()
        except OSError:
            continue  # it has just ended
        if program.startswith("postgres"):
            theirs += seconds
        else:
            ours += seconds
    return ours, theirs


def start_command(
    *arguments: str, log: Path = Path(os.devnull)
) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    """A command of Kartejo's, and the line of JSON that it says; what it logs is kept."""
    process = subprocess.Popen(
        [sys.executable, "-m", "service.cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=log.open("wb"),
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)},
    )
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())


def together(port: str, token: str, tables: int) -> tuple[float, float, float]:
    """Calls a second of two client processes with half of the tables each; the worse times."""
    clients = [spawn("load", "apart", port, token, str(tables // 2), "0") for _ in range(2)]
    told = [list(map(float, client.communicate()[0].split())) for client in clients]
    return (
        sum(count for count, _, _ in told) / SECONDS,
        max(middle for _, middle, _ in told),
        max(late for _, _, late in told),
    )


async def replay(dsn: str) -> None:
    """Read, verify, open and fold a table of 10,000 events."""
    world = RealWorld()
    recorder = Recorder(Codec(GAMES), MasterKey(KEY, world), world)
    async with Store(dsn) as store:
        parts = Parts(
            world,
            store,
            GAMES,
            recorder.codec,
            recorder.master,
            Tokens(KeyRing.draw(world), world),
            Principals(store.pool),
        )
        async with Server(Settings("127.0.0.1:0", speed=Speed(0, 0)), parts) as server:
            host = server.host
            ann = Principal(uuid4(), frozenset({Role.PLAYER}))
            live, _ = await host.create_table(ann, uuid4().hex, "royal_flush", {}, {}, {})
            from engine.actions import TakeSeat
            from engine.games.royal_flush.actions import AutoPlay

            await host.submit(ann, uuid4().hex, live.stream, 0, TakeSeat("", 0), None, None)
            while live.table.version < 10_000:
                await host.start_hand(ann, uuid4().hex, live.stream)
                for _ in range(5):
                    number = live.table.house.decision
                    hand = live.table.game.hand(live.table.state)
                    await host.submit(
                        ann, uuid4().hex, live.stream, 0, AutoPlay("round"), hand, number
                    )
        rates = {"rows": 0.0, "verified": 0.0, "opened and folded": 0.0}
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            commits = await store.read(live.stream, 0, 1_000_000)
            read = time.perf_counter()
            previous = genesis(live.stream)
            for commit in commits:
                verify(previous, commit)
                previous = commit.hash
            checked = time.perf_counter()
            opener = Opener(recorder, live.stream)
            table = Table.empty(GAMES["royal_flush"])
            for commit in commits:
                table = apply_all(table, opener.open(commit).events, commit.seat)
            folded = time.perf_counter()
            assert table.version == live.table.version
            for name, until in (
                ("rows", read),
                ("verified", checked),
                ("opened and folded", folded),
            ):
                rates[name] = max(rates[name], table.version / (until - begin))
        print(f"\nreplay of {table.version} events in {len(commits)} commits from PostgreSQL")
        for name, rate in rates.items():
            print(f"  until {name:26} {rate:10.0f} events/s")


def main() -> None:
    match sys.argv[1:]:
        case ["echo"]:
            uvloop.run(echo_server())
        case ["kartejo", dsn]:
            uvloop.run(kartejo_server(dsn))
        case ["load", kind, port, token, tables, rate]:
            uvloop.run(load(kind, int(port), token, int(tables), float(rate)))
        case ["--workers", workers]:
            with tempfile.TemporaryDirectory(prefix="kartejo-bench-") as folder:
                Path(folder).chmod(0o711)
                race_of_workers(Path(folder), int(workers))
        case _:
            with tempfile.TemporaryDirectory(prefix="kartejo-bench-") as folder:
                home = Path(folder)
                home.chmod(0o711)
                with launch(home / "pg", settings=DURABLE, allow_temporary=True) as server:
                    migrate(server.conninfo)
                    race(server.service_conninfo)
                    uvloop.run(replay(server.service_conninfo))


if __name__ == "__main__":
    main()
