"""What the transparency log costs: ``python benchmarks/transparency.py``.

By commit in time of the processor, which a busy machine changes little; then the rate of appending
without and with the followers, in alternation.
"""

from __future__ import annotations

import asyncio
import operator
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from psycopg.conninfo import make_conninfo

from service.projections.runner import Runner
from service.store import checkpoints
from service.store.embedded import DURABLE, launch
from service.store.leases import Leases
from service.store.migrate import migrate
from service.store.postgres import Store
from service.transparency.merkle import Frontier, verify_consistency, verify_inclusion
from service.transparency.notes import SignerKey
from service.transparency.signer import Signer, Signing
from service.transparency.tiles import LogTiles, TileId, Tree, edge, grown
from service.world import RealWorld
from tests.store.lines import Line

COMMITS = 100_000
BATCH = 250
SECONDS = 1.5
SESSIONS = 64
ROUNDS = 8
KEY = SignerKey("benchmark.example/log", bytes(32))


def timed(name: str, count: int, work: Callable[[], object]) -> None:
    best = min(_seconds(work) for _ in range(3))
    print(f"{name:<44} {best / count * 1e6:8.2f} µs")


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def pure() -> None:
    leaves = [sha256(number.to_bytes(4, "big")).digest() for number in range(COMMITS)]

    def tiles() -> None:
        kept: dict[TileId, bytes] = {}
        for start in range(0, COMMITS, BATCH):
            known = {tile: kept[tile] for tile in edge(start)}
            kept |= grown(known, start, leaves[start : start + BATCH])

    print("by commit, time of one processor")
    timed(f"  hashing the tiles, {BATCH} at a time", COMMITS, tiles)
    timed("  hashing the second computation", COMMITS, lambda: Frontier().extended(leaves))


async def appended(store: Store) -> float:
    """Commits a second, of many sessions in a closed loop."""
    until = time.perf_counter() + SECONDS
    count = 0

    async def session() -> None:
        nonlocal count
        line = Line()
        while time.perf_counter() < until:
            (stored,) = await store.append([line.next()])
            line.took(stored)
            count += 1

    await asyncio.gather(*(session() for _ in range(SESSIONS)))
    return count / SECONDS


async def follow(store: Store, folder: Path) -> None:
    signing = Signing(KEY, folder)
    signer = Signer(RealWorld(), store, signing, Leases(store.pool, uuid4()), 1.0)

    async def always() -> bool:
        return True

    signer._is_my_turn = always
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(Runner(RealWorld(), store, LogTiles()).run())
        tasks.create_task(signer.run())


async def with_store(dsn: str, folder: Path) -> None:
    async with Store(dsn) as store:
        alone, followed = [], []
        for _ in range(ROUNDS):
            alone.append(await appended(store))
            following = asyncio.create_task(follow(store, folder))
            await caught_up(store)  # with what was appended without them
            followed.append(await appended(store))
            behind = await caught_up(store)
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following
        await from_the_beginning(store, folder)
        ratio = statistics.median(map(operator.truediv, followed, alone))
        without, with_ = statistics.median(alone), statistics.median(followed)
        print(f"commits a second, {SESSIONS} sessions, median of {ROUNDS}")
        print(f"  without followers {without:,.0f}, with them {with_:,.0f}; of a pair {ratio:.2f}")
        print(f"  the tiles caught up {behind:.2f} s after the last commit")
        await answers(store, await store.position())


async def caught_up(store: Store) -> float:
    """Seconds until the tiles hold all commits."""
    tree, head = Tree(store.pool), await store.position()
    began = time.perf_counter()
    while await tree.size() < head:  # noqa: ASYNC110 another task brings it on
        await asyncio.sleep(0.01)
    return time.perf_counter() - began


async def from_the_beginning(store: Store, folder: Path) -> None:
    """All of the tiles, and a first checkpoint, reading the commits included."""
    head = await store.position()
    began = time.process_time()
    await Runner(RealWorld(), store, LogTiles()).rebuild(lambda _: None)
    middle = time.process_time()
    key = SignerKey("another.example/log", bytes(32))
    leases = Leases(store.pool, uuid4())
    await Signer(RealWorld(), store, Signing(key, folder), leases, 1.0).look()
    end = time.process_time()
    assert (await checkpoints.older(store.pool, checkpoints.NEWEST, 1))[0].size == head
    print(f"{'  making the tiles, all in':<44} {(middle - began) / head * 1e6:8.2f} µs")
    print(f"{'  checking and signing, all in':<44} {(end - middle) / head * 1e6:8.2f} µs")


async def answers(store: Store, size: int) -> None:
    tree = Tree(store.pool)
    roots = {each: await tree.root(each) for each in (size, size // 3)}
    (leaf,) = await store.hashes(size // 2, 1)
    began = time.perf_counter()
    for _ in range(200):
        inclusion = await tree.inclusion(size // 2, size)
    middle = time.perf_counter()
    for _ in range(200):
        consistency = await tree.consistency(size // 3, size)
    end = time.perf_counter()
    print(f"proofs from a tree of {size:,} leaves, read and folded")
    print(f"  inclusion {(middle - began) * 5:.2f} ms, consistency {(end - middle) * 5:.2f} ms")
    began = time.perf_counter()
    for _ in range(200):
        verify_inclusion(leaf, size // 2, size, inclusion, roots[size])
    middle = time.perf_counter()
    for _ in range(200):
        verify_consistency(size // 3, size, consistency, roots[size // 3], roots[size])
    end = time.perf_counter()
    print(f"  verified in {(middle - began) * 5000:.0f} and {(end - middle) * 5000:.0f} µs")


def main() -> None:
    pure()
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        home.chmod(0o711)
        (home / "secrets").mkdir(mode=0o700)
        with launch(home / "data", settings=DURABLE, allow_temporary=True) as server:
            migrate(server.conninfo)
            asyncio.run(with_store(make_conninfo(server.service_conninfo), home / "secrets"))


if __name__ == "__main__":
    main()
