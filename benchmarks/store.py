"""The store against PostgreSQL's own limit, in one run: ``python benchmarks/store.py``.

Raw is one connection that inserts the same rows by one INSERT of arrays, in batches as large as
the number of sessions, without checks, chain or queue.  The store has that many sessions, each
waiting for its commit (two events) before the next.  Raw and store alternate; medians of the
rounds are printed, also of their ratios.  The server has PostgreSQL's durable defaults.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from uuid import UUID, uuid4

import uvloop

from service.store import log
from service.store.commit import (
    Commit,
    StoredEvent,
    genesis,
    link,
    pack_body,
    unpack_body,
    verify,
)
from service.store.connection import open_connection
from service.store.embedded import launch
from service.store.migrate import migrate
from service.store.postgres import Store

BODY = pack_body([StoredEvent(1, 1, b"p" * 70), StoredEvent(2, 1, b"q" * 70)])
ACTOR = uuid4()
RAW_TABLE = "CREATE TABLE IF NOT EXISTS raw (LIKE kartejo.commit INCLUDING ALL)"
RAW_INSERT = """
INSERT INTO raw (lane, stream, kind, version, count, command, group_id, digest, actor_kind, actor,
       seat, action, received_at, recorded_at, hand, epoch, rules, body, hash, position)
SELECT 0, stream, kind, version, count, command, group_id, digest, actor_kind, actor, seat, action,
       received_at, recorded_at, hand, epoch, rules, body, hash, %b::bigint + i
  FROM unnest(%b::uuid[], %b::smallint[], %b::integer[], %b::integer[], %b::bytea[], %b::bytea[],
       %b::bytea[], %b::smallint[], %b::uuid[], %b::smallint[], %b::bytea[], %b::bigint[],
       %b::bigint[], %b::integer[], %b::integer[], %b::integer[], %b::bytea[], %b::bytea[])
       WITH ORDINALITY AS u(stream, kind, version, count, command, group_id, digest, actor_kind,
       actor, seat, action, received_at, recorded_at, hand, epoch, rules, body, hash, i)
"""


T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` on the loop that the service uses."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


class Result(NamedTuple):
    """Commits a second, and the latencies of single appends in milliseconds."""

    rate: float
    p50: float = 0.0
    p99: float = 0.0


def following(stream: UUID, previous: bytes, version: int) -> Commit:
    """A commit of two events after ``version``."""
    now = time.time_ns() // 1000
    commit = Commit(
        *(stream, 1, version + 2, 2, os.urandom(16), bytes(16), bytes(32), 1, ACTOR, 3),
        *(b"a" * 24, now, now, 1, 1, 1, BODY, b""),
    )
    return commit._replace(hash=link(previous, commit))


async def store_run(dsn: str, sessions: int, seconds: float) -> Result:
    """Closed loop of ``sessions`` through the whole store."""
    took: list[float] = []

    async def session(store: Store, end: float) -> None:
        stream = uuid4()
        previous, version = genesis(stream), 0
        while (begun := time.perf_counter()) < end:
            commit = following(stream, previous, version)
            await store.append([commit])
            took.append(time.perf_counter() - begun)
            previous, version = commit.hash, commit.version

    async with Store(dsn) as store:
        store.hints.be_alone(True)  # as in a service of one process: nobody is told by NOTIFY
        begun = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for _ in range(sessions):
                group.create_task(session(store, begun + seconds))
        whole = time.perf_counter() - begun
    cuts = statistics.quantiles(took, n=100)
    return Result(len(took) / whole, cuts[49] * 1000, cuts[98] * 1000)


async def raw_run(dsn: str, batch: int, seconds: float) -> Result:
    """The same rows by a bare INSERT; they are made before the clock runs."""
    commits: list[Commit] = []
    rounds = max(1, int(40_000 * seconds) // (batch * 4))
    streams = [uuid4() for _ in range(batch)]
    for version in range(0, 2 * rounds, 2):
        commits += [following(stream, bytes(32), version) for stream in streams]
    async with await open_connection(dsn, name="raw", role=None) as db:
        await db.execute(RAW_TABLE)
        await db.execute("TRUNCATE raw")
        begun = time.perf_counter()
        done = 0
        while done < len(commits) and time.perf_counter() < begun + seconds:
            part = commits[done : done + batch]
            await db.execute(RAW_INSERT, [done, *log.as_arrays(part)], prepare=True, binary=True)
            done += len(part)
        whole = time.perf_counter() - begun
    return Result(done / whole)


async def replay(dsn: str, number: int) -> dict[str, float]:
    """Commits a second: read, read and verified, read and verified and unpacked."""
    stream = uuid4()
    previous = genesis(stream)
    async with Store(dsn) as store:
        version = 0
        for _ in range(number // 250):
            batch = []
            for _ in range(250):
                batch.append(following(stream, previous, version))
                previous, version = batch[-1].hash, batch[-1].version
            await asyncio.gather(*(store.append([commit]) for commit in batch))

        def check(commits: list[Commit], *, unpack: bool) -> None:
            previous = genesis(stream)
            for commit in commits:
                verify(previous, commit)
                previous = commit.hash
                if unpack:
                    unpack_body(commit.body, commit.count)

        async def read(work: Callable[[list[Commit]], None]) -> float:
            begun = time.perf_counter()
            commits = await store.read(stream, 0, number)
            work(commits)
            return len(commits) / (time.perf_counter() - begun)

        async def follow() -> float:
            begun, seen, end = time.perf_counter(), 0, await store.position()
            async for batch in store.follow_batches(end - number):
                seen += len(batch)
                if batch[-1].position == end:
                    break
            return seen / (time.perf_counter() - begun)

        cases: dict[str, Callable[[], Coroutine[Any, Any, float]]] = {
            "read": lambda: read(lambda _: None),
            "read, verify": lambda: read(lambda commits: check(commits, unpack=False)),
            "read, verify, unpack": lambda: read(lambda commits: check(commits, unpack=True)),
            "follow": follow,
        }
        return {
            name: statistics.median([await case() for _ in range(5)])
            for name, case in cases.items()
        }


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="store benchmarks")
    parser.add_argument("--seconds", type=float, default=2.0, help="per measurement")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--commits", type=int, default=10_000, help="length of the replay")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kartejo-bench-") as folder:
        Path(folder).chmod(0o711)
        with launch(Path(folder) / "home", allow_temporary=True) as server:
            migrate(server.conninfo)
            print("append: commits/s of two events (medians)")
            print("sessions      raw    store  of raw  p50 ms  p99 ms  events/s")
            for sessions in (1, 16, 64):
                raws, stores = [], []
                for _ in range(told.rounds):
                    raws.append(run(raw_run(server.conninfo, sessions, told.seconds)))
                    work = store_run(server.service_conninfo, sessions, told.seconds)
                    stores.append(run(work))
                raw = statistics.median(result.rate for result in raws)
                ratio = statistics.median(
                    one.rate / two.rate for one, two in zip(stores, raws, strict=True)
                )
                rate = statistics.median(result.rate for result in stores)
                middle = statistics.median(result.p50 for result in stores)
                late = statistics.median(result.p99 for result in stores)
                print(
                    f"{sessions:8} {raw:8,.0f} {rate:8,.0f} {ratio:7.2f}"
                    f" {middle:7.2f} {late:7.2f} {2 * rate:9,.0f}"
                )
            print(f"\nreplay of {told.commits:,} commits: commits/s (medians of 5)")
            for name, rate in run(replay(server.service_conninfo, told.commits)).items():
                print(f"{name:22} {rate:10,.0f}")


if __name__ == "__main__":
    main()
