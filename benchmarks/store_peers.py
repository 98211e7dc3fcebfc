"""The store beside what one would use instead, in one run: ``python benchmarks/store_peers.py``.

* Events appended: two an append, 64 sessions, beside pyeventsourcing's ``Application.save`` with
  its PostgreSQL recorder and 64 threads.
* Commits: 16 sessions, beside one row a commit from 16 clients (pgbench, prepared statements),
  which is what a store without group commit costs at least.
* Replay of 10,000 events: a table of Royal Flush from PostgreSQL to its state, hash chain verified
  and private values opened, beside pyeventsourcing's ``repository.get`` of an aggregate as long.

All on one PostgreSQL with durable defaults, in turns; medians.  Peers that are not installed are
named and left out (``pip install eventsourcing``; pgbench comes with the embedded PostgreSQL).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import os
import re
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from psycopg.conninfo import conninfo_to_dict
from store import run, store_run

from engine.actions import TakeSeat
from engine.games import GAMES
from engine.games.royal_flush.actions import AutoPlay
from engine.house import Table, apply_all
from service.codec import Codec
from service.host.host import Host
from service.host.recorder import Opener
from service.identity import Principal, Role
from service.store.binaries import find_binaries
from service.store.commit import genesis, verify
from service.store.embedded import launch
from service.store.migrate import migrate
from service.store.postgres import Store
from service.vault import MasterKey
from service.world import RealWorld

ONE_ROW = """
CREATE TABLE IF NOT EXISTS one_row (
  stream uuid NOT NULL, version integer NOT NULL, position bigint GENERATED ALWAYS AS IDENTITY,
  body bytea NOT NULL, PRIMARY KEY (stream, version));
"""
ONE_ROW_SCRIPT = (
    "INSERT INTO one_row (stream, version, body) VALUES (gen_random_uuid(), 1, "
    "decode(repeat('ab', 160), 'hex'));\n"
)
EVENTS = 10_000


# --- pyeventsourcing --------------------------------------------------------------------------


def peer(conninfo: str) -> Any:
    """An application of pyeventsourcing on the same server, or None where it is not installed."""
    try:
        application = importlib.import_module("eventsourcing.application")
    except ImportError:
        return None
    parts = conninfo_to_dict(conninfo)
    environment = {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": str(parts["dbname"]),
        "POSTGRES_HOST": str(parts["host"]),
        "POSTGRES_PORT": str(parts["port"]),
        "POSTGRES_USER": str(parts["user"]),
        "POSTGRES_PASSWORD": "none",
        "POSTGRES_POOL_SIZE": "64",
        "POSTGRES_MAX_OVERFLOW": "64",
        "POSTGRES_POOL_TIMEOUT": "60",
    }
    return application.Application(env=environment)


@cache
def an_aggregate() -> Any:
    """A class with one small event: a card of some number was dealt."""
    domain = importlib.import_module("eventsourcing.domain")

    class Hand(domain.Aggregate):  # type: ignore[misc,name-defined]
        """A hand that counts its cards."""

        def __init__(self) -> None:
            self.cards = 0
            self.last = 0, ""

        @domain.event("Dealt")  # type: ignore[untyped-decorator]
        def deal(self, card: int, text: str) -> None:
            """One more card."""
            self.cards += 1
            self.last = card, text

    return Hand


TEXT = "p" * 70


def save_events(app: Any, threads: int, seconds: float) -> float:
    """Events a second: every thread saves two events of its own aggregate, again and again."""
    kind = an_aggregate()
    saved = [0] * threads

    def work(number: int) -> None:
        hand = kind()
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            hand.deal(7, TEXT)
            hand.deal(9, TEXT)
            app.save(hand)
            saved[number] += 2

    crowd = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    begun = time.perf_counter()
    for each in crowd:
        each.start()
    for each in crowd:
        each.join()
    return sum(saved) / (time.perf_counter() - begun)


def long_aggregate(app: Any) -> Any:
    """The id of a stored aggregate of ``EVENTS`` events."""
    hand = an_aggregate()()
    for _ in range(EVENTS // 100):
        for card in range(100):
            hand.deal(card + 1, TEXT)
        app.save(hand)
    return hand.id


def get_aggregate(app: Any, key: Any) -> float:
    """Events a second of one ``repository.get``."""
    begun = time.perf_counter()
    app.repository.get(key)
    return EVENTS / (time.perf_counter() - begun)


# --- one row a commit -------------------------------------------------------------------------


def one_row_a_commit(conninfo: str, folder: Path, clients: int, seconds: float) -> float:
    """Commits a second of pgbench."""
    parts = conninfo_to_dict(conninfo)
    tools = find_binaries()
    script = folder / "one_row.sql"
    script.write_text(ONE_ROW_SCRIPT)
    place = ["-h", str(parts["host"]), "-p", str(parts["port"]), "-U", str(parts["user"])]
    name = str(parts["dbname"])
    subprocess.run([tools / "psql", *place, "-qc", ONE_ROW, name], check=True)
    told = subprocess.run(
        [
            *(tools / "pgbench", *place, "-n", "-M", "prepared", "-f", script),
            *("-c", str(clients), "-j", "2", "-T", str(max(1, round(seconds))), name),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    found = re.search(r"tps = ([0-9.]+)", told.stdout)
    assert found is not None, told.stdout
    return float(found[1])


# --- replay -----------------------------------------------------------------------------------


async def replay(dsn: str, rounds: int) -> float:
    """Events a second from PostgreSQL to a game's state, chain verified, everything opened."""
    world = RealWorld()
    async with (
        Store(dsn) as store,
        Host(world, store, GAMES, Codec(GAMES), MasterKey(bytes(32), world)) as host,
    ):
        ann = Principal(uuid4(), frozenset({Role.PLAYER}))
        live, _ = await host.create_table(ann, uuid4().hex, "royal_flush", {}, {}, {})
        await host.submit(ann, uuid4().hex, live.stream, 0, TakeSeat("", 0), None, None)
        while live.table.version < EVENTS:
            await host.start_hand(ann, uuid4().hex, live.stream)
            for _ in range(5):
                now = live.awaited
                assert now is not None
                await host.submit(
                    ann, uuid4().hex, live.stream, 0, AutoPlay("round"), now.hand, now.number
                )

        async def once() -> float:
            begun = time.perf_counter()
            table, previous = Table.empty(GAMES["royal_flush"]), genesis(live.stream)
            opener = Opener(host.recorder, live.stream)
            for commit in await store.read(live.stream, 0, 1_000_000):
                verify(previous, commit)
                previous = commit.hash
                table = apply_all(table, opener.open(commit).events, commit.seat)
            assert table == live.table
            return table.version / (time.perf_counter() - begun)

        return statistics.median([await once() for _ in range(rounds)])


def compare(ours: Callable[[], float], theirs: Callable[[], float], rounds: int) -> list[float]:
    """Medians of both, measured in turns."""
    found = [(ours(), theirs()) for _ in range(rounds)]
    return [statistics.median(each) for each in zip(*found, strict=True)]


def show(what: str, ours: float, name: str, theirs: float) -> None:
    """One line of the table."""
    print(f"{what:34} {ours:10,.0f}   {name:38} {theirs:10,.0f} {ours / theirs:7.1f} x")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="the store beside its peers")
    parser.add_argument("--seconds", type=float, default=3.0, help="per measurement")
    parser.add_argument("--rounds", type=int, default=3)
    told = parser.parse_args()
    os.environ.pop("PGPASSWORD", None)
    with tempfile.TemporaryDirectory(prefix="kartejo-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        with launch(folder / "home", allow_temporary=True) as server:
            migrate(server.conninfo)
            print(f"{'a second':34} {'Kartejo':>10}   {'beside':38} {'':>10}   ratio")
            dsn = server.service_conninfo

            def commits(sessions: int) -> float:
                return run(store_run(dsn, sessions, told.seconds)).rate

            app = peer(server.conninfo)
            if app is None:
                print("eventsourcing: not installed")
            else:
                version = importlib.metadata.version("eventsourcing")
                ours, theirs = compare(
                    lambda: 2 * commits(64),
                    lambda: save_events(app, 64, told.seconds),
                    told.rounds,
                )
                show("events, 64 sessions", ours, f"eventsourcing {version}, 64 threads", theirs)
                key = long_aggregate(app)
                ours, theirs = compare(
                    lambda: run(replay(dsn, 1)), lambda: get_aggregate(app, key), told.rounds
                )
                show("events replayed", ours, f"eventsourcing {version}, repository.get", theirs)
                app.close()
            ours, theirs = compare(
                lambda: commits(16),
                lambda: one_row_a_commit(server.conninfo, folder, 16, told.seconds),
                told.rounds,
            )
            show("commits, 16 sessions", ours, "one row a commit, 16 clients (pgbench)", theirs)


if __name__ == "__main__":
    main()
