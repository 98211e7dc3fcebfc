"""What clients that mean no good cost those who play: ``python benchmarks/bad_days.py [KIND …]``.

A `kartejo serve` on an embedded PostgreSQL with durable settings, honest players at a fifth of the
greatest rate, and one attack after the other (tests/faults/hostile), each in a process of its own.
Calm and attack take turns, so that both are measured on the same machine in the same minute; a
figure is the median of the turns, whose p50 stand at the end of the line.  Actions are due at
moments that are fixed beforehand, and each is timed from its own moment, the unanswered ones too.
An attack keeps to a fifth of a processor: what it takes by being here is no harm that it does.

*bare* is the same for a bare echo under the same attack: what the attack takes of the machine, and
of gRPC itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import grpc
import uvloop
from actions import start, start_command
from callers import Pace, call_echo, play

from service.identity import KeyRing, Role, SecretFiles, Tokens
from service.pb import table_service_pb2 as pb
from service.pb.table_service_pb2_grpc import TableServiceStub
from service.world import RealWorld
from tests.faults.hostile.__main__ import KINDS
from tests.faults.hostile.target import Target

ROOT = Path(__file__).resolve().parent.parent
TABLES = 32
TURNS = 3
TURN_SECONDS = 4.0
SETTLE_SECONDS = 2.0
"""After an attack has begun, and after it has ended: it measures what lasts, not the first gulp."""

CALLERS = 40
USUAL = (
    *("burn", "calls", "crowd", "resets", "settings", "watchers", "polite", "check_and_go"),
    *("slow_bodies", "page_and_go"),
)
"""One of each sort; *burn* attacks nobody, and shows what the machine does by itself."""


# --- honest players, in a process of their own -----------------------------------------------


class Noted(Pace):
    """A pace without end that remembers since when the call that is under way was due."""

    is_over = False
    since = float("inf")
    _has_begun = False

    async def begin(self) -> None:
        if not self._has_begun:  # whoever had to connect anew is late, and catches up
            self._has_begun = True
            await super().begin()

    async def call(self, work: Coroutine[Any, Any, Any]) -> Any:
        self.since = self._due
        try:
            return await super().call(work)
        finally:
            self.since = float("inf")


async def insist(call: Callable[[], Awaitable[None]], failed: Counter[str]) -> None:
    """Call for ever; what it fails of is counted, and begun anew."""
    while True:
        try:
            await call()
        except grpc.aio.AioRpcError as error:
            failed[f"{error.code().name}: {error.details()}"] += 1
            await asyncio.sleep(0.1)


async def honest(kind: str, port: int, tokens: Sequence[str], rate: float) -> None:
    """Call for ever, each with a token of his own; for every line on standard input, tell what
    happened since the last one.
    """
    failed: Counter[str] = Counter()
    ready = asyncio.Barrier(TABLES)
    paces = [Noted(ready, TABLES / rate, number / rate) for number in range(TABLES)]
    tasks = []
    for number, (pace, token) in enumerate(zip(paces, tokens, strict=True)):
        call = partial(call_echo, port, pace)
        if kind != "echo":
            call = partial(play, port, token, pace, apart=True, place=number / TABLES)
        tasks.append(asyncio.create_task(insist(call, failed)))
    while await asyncio.to_thread(sys.stdin.readline):
        now = time.perf_counter()
        waiting = [now - pace.since for pace in paces if pace.since < now]
        found = sorted([*chain.from_iterable(pace.latencies for pace in paces), *waiting])
        at = [found[int(len(found) * part)] * 1000 if found else 0.0 for part in (0.5, 0.99)]
        print(json.dumps([len(found), *at, failed]), flush=True)
        for pace in paces:
            pace.latencies.clear()
        failed.clear()
    os._exit(0)


class Players:
    """Those who play, or call the echo, seen from here."""

    def __init__(self, kind: str, port: str, tokens: Sequence[str], rate: float) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "honest", kind, port, ",".join(tokens), str(rate)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def since(self) -> tuple[int, float, float, dict[str, int]]:
        """Calls, p50, p99 in ms since the last time, and what they failed of."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        count, middle, late, failed = json.loads(self.process.stdout.readline())
        return count, middle, late, failed

    def during(self, seconds: float) -> tuple[int, float, float, dict[str, int]]:
        """The same of the next seconds."""
        self.since()
        time.sleep(seconds)
        return self.since()


# --- what is attacked -------------------------------------------------------------------------


class Holding(NamedTuple):
    """What a process holds: memory in MB, file descriptors, processor seconds used."""

    memory: float
    files: int
    processor: float

    @classmethod
    def of(cls, pid: int) -> Holding:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        ticks = os.sysconf("SC_CLK_TCK")
        return cls(
            int(status.partition("VmRSS:")[2].split()[0]) / 1000,
            sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()),
            (int(fields[11]) + int(fields[12])) / ticks,
        )


@contextmanager
def attack(kind: str, target: Target) -> Iterator[subprocess.Popen[bytes]]:
    """Somebody in a process of his own, as long as the block lasts."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.hostile", kind, target.text()],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        yield process
    finally:
        process.kill()
        process.wait()


def current(target: Target) -> Target:
    """With the tables that are played at, and how far each of them is."""
    me = (("authorization", f"Bearer {target.tokens[0]}"),)
    with grpc.insecure_channel(target.grpc) as channel:
        stub = TableServiceStub(channel)
        listed = stub.ListTables(pb.ListTablesRequest(page_size=TABLES), metadata=me, timeout=30)
        states = [
            stub.GetTable(pb.GetTableRequest(table_id=each.table_id), metadata=me, timeout=30)
            for each in listed.tables
        ]
    return target._replace(tables=[f"{at.state.table_id}={at.state.version}" for at in states])


def events(log: Path, since: int) -> Counter[str]:
    """What the log has said from there on, by event; lines that are none of ours as they are."""
    found: Counter[str] = Counter()
    with log.open("rb") as lines:
        lines.seek(since)
        for line in lines:
            try:
                found[json.loads(line)["event"]] += 1
            except (ValueError, KeyError):
                found[line[:60].decode(errors="replace")] += 1
    return found


class Side:
    """One service under attack and its callers; the turns it has had."""

    def __init__(self, players: Players, pid: int, target: Target, log: Path) -> None:
        self.players, self.pid, self.target, self.log = players, pid, target, log

    def measure(self, kind: str, turns: int) -> dict[str, Any]:
        """Take turns."""
        calm, wild, failed = [], [], Counter[str]()
        before = Holding.of(self.pid)
        most, spent, burnt, theirs = before, 0.0, 0.0, 0.0
        begin = self.log.stat().st_size if self.log.exists() else 0
        for _ in range(turns):
            start = Holding.of(self.pid)
            calm.append(self.players.during(TURN_SECONDS))
            spent += Holding.of(self.pid).processor - start.processor
            target = current(self.target) if self.log.exists() else self.target
            with attack(kind, target) as process:
                time.sleep(SETTLE_SECONDS)
                start, started = Holding.of(self.pid), Holding.of(process.pid)
                wild.append(self.players.during(TURN_SECONDS))
                now, ended = Holding.of(self.pid), Holding.of(process.pid)
                most = Holding(max(most.memory, now.memory), max(most.files, now.files), 0.0)
                burnt += now.processor - start.processor
                theirs += ended.processor - started.processor
            time.sleep(SETTLE_SECONDS)
        for turn in calm + wild:
            failed.update(turn[3])
        after = Holding.of(self.pid)
        p50, p99 = ([median(t[i] for t in side) for side in (calm, wild)] for i in (1, 2))
        return {
            "calls": [sum(turn[0] for turn in side) for side in (calm, wild)],
            "p50": p50,
            "p99": p99,
            "ratio": p99[1] / p99[0],
            "cpu": [part / turns / TURN_SECONDS for part in (spent, burnt, theirs)],
            "memory": [before.memory, most.memory, after.memory],
            "files": [before.files, most.files, after.files],
            "turns": [[round(turn[1]) for turn in side] for side in (calm, wild)],
            "failed": dict(failed),
            "log": dict(events(self.log, begin)) if self.log.exists() else {},
        }


def tell(kind: str, side: str, found: dict[str, Any]) -> None:
    p50, p99, memory, files, cpu = (
        found[name] for name in ("p50", "p99", "memory", "files", "cpu")
    )
    print(
        f"{kind:14} {side:7} {p50[0]:6.1f} →{p50[1]:7.1f} {p99[0]:7.1f} →{p99[1]:8.1f} "
        f"{found['ratio']:6.1f} × {cpu[0]:4.2f} {cpu[1]:4.2f} {cpu[2]:4.2f} "
        f"{memory[0]:5.0f} {memory[1]:5.0f} {memory[2]:5.0f}  "
        f"{files[0]:5} {files[1]:5} {files[2]:5}  "
        f"{found['turns']} {found['failed'] or ''} {found['log'] or ''}",
        flush=True,
    )


def race(kinds: Sequence[str], rate: float, turns: int, *, bare: bool, more: Sequence[str]) -> None:
    """All attacks, one after the other."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="kartejo-bench-"))
        home = Path(folder)
        home.chmod(0o711)
        log = home / "log"
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        served, told = start_command(
            *("serve", "--json", "--log-json", "--temporary-data", "--data", str(home / "data")),
            *("--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", *more),
            log=log,
        )
        stack.callback(served.wait)
        stack.callback(served.terminate)
        world = RealWorld()
        files = SecretFiles.beside(home / "data")
        tokens = Tokens(KeyRing.load(files.token_keys, world), world)
        names = [tokens.issue(f"hostile {n}", [Role.PLAYER], 36_000) for n in range(CALLERS)]
        port = told["address"].rpartition(":")[2]
        honest = [tokens.issue(f"honest {n}", [Role.PLAYER], 36_000) for n in range(TABLES)]
        players = Players("play", port, honest, rate)
        stack.callback(players.process.kill)
        players.during(2.0)
        web = told["web"].rstrip("/").rpartition("/")[2]
        target = Target(told["address"], web, names, ())
        sides = {"kartejo": Side(players, told["process"], target, log)}
        if bare:
            echo, (echo_port,) = start("echo")
            stack.callback(echo.wait)
            stack.callback(echo.terminate)
            callers = Players("echo", echo_port, honest, rate)
            stack.callback(callers.process.kill)
            near = current(target)._replace(grpc=f"127.0.0.1:{echo_port}")
            sides["bare"] = Side(callers, echo.pid, near, home / "none")
        print(
            f"{rate:.0f} actions a second at {TABLES} tables, {turns} turns of {TURN_SECONDS:.0f} s"
        )
        print(
            f"{'attack':14} {'':7} {'p50 ms':>15} {'p99 ms':>18} {'ratio':>8} "
            f"{'cpu calm, ·, its':>14} {'memory MB, most, after':>17}  {'files':>17}"
        )
        for kind in kinds:
            for name, side in sides.items():
                if name == "kartejo" or not is_for_web(kind):
                    tell(kind, name, side.measure(kind, turns))


def is_for_web(kind: str) -> bool:
    """Whether an attack is one of the HTTP port, which an echo has not."""
    return kind in {"page_and_go", "slow_heads", "slow_bodies", "kept_alive", "unread"}


def main() -> None:
    if sys.argv[1:2] == ["honest"]:
        _, _, kind, port, tokens, rate = sys.argv
        uvloop.run(honest(kind, int(port), tokens.split(","), float(rate)))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    told = f"{', '.join(sorted(KINDS))}; default: {', '.join(USUAL)}"
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=told)
    parser.add_argument("--rate", type=float, default=100.0, help="actions a second")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--no-bare", dest="bare", action="store_false", help="Kartejo alone")
    parser.add_argument("--serve", action="append", default=[], help="a further word for `serve`")
    args = parser.parse_args()
    unknown = set(args.kinds) - set(KINDS)
    if unknown:
        parser.error(f"no such attack: {', '.join(sorted(unknown))}")
    race(args.kinds or USUAL, args.rate, args.turns, bare=args.bare, more=args.serve)


if __name__ == "__main__":
    main()
