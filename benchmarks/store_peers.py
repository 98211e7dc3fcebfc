"""The store beside what one would use instead, in one run: ``python benchmarks/store_peers.py``.

* Events appended: two an append, 64 sessions, beside pyeventsourcing's ``Application.save`` with
  its PostgreSQL recorder and 64 threads.
* Events: 16 sessions, two events an append, beside one row a commit from 16 clients (pgbench,
  prepared statements): by a function that takes a lock, checks the expected version and keeps four
  indexes, as message-db does; and bare, which any store without group commit costs at least.
* Replay of 10,000 events: a table of Royal Flush from PostgreSQL to its state, hash chain verified
  and private values opened, beside pyeventsourcing's ``repository.get`` of an aggregate as long.

All on one PostgreSQL with durable defaults, in turns; medians, also of the ratios.  Peers that are
not installed are named and left out (``pip install eventsourcing``; pgbench comes with the
embedded PostgreSQL).
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
from functools import cache, partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from psycopg.conninfo import conninfo_to_dict
from store import run, store_run

from engine.actions import TakeSeat
from engine.games import GAMES
from engine.games.royal_flush.actions import AutoPlay
from engine.house import Table, apply_all
from service.codec import Codec
from service.host.host import Host
from service.host.recorder import Opener, Recorder
from service.identity import Principal, Role
from service.store.binaries import find_binaries
from service.store.commit import genesis, verify
from service.store.embedded import launch
from service.store.migrate import migrate
from service.store.postgres import Store
from service.vault import MasterKey
from service.world import RealWorld

BARE = """
CREATE TABLE IF NOT EXISTS one_row (
  stream uuid NOT NULL, version integer NOT NULL, position bigint GENERATED ALWAYS AS IDENTITY,
  body bytea NOT NULL, PRIMARY KEY (stream, version));
"""
BARE_SCRIPT = (
    "INSERT INTO one_row (stream, version, body) VALUES (gen_random_uuid(), 1, "
    "decode(repeat('ab', 160), 'hex'));\n"
)
CHECKED = """
CREATE TABLE IF NOT EXISTS message (
  global_position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, position bigint NOT NULL,
  time timestamp NOT NULL DEFAULT now(), stream_name text NOT NULL, type text NOT NULL,
  data jsonb, metadata jsonb, id uuid NOT NULL UNIQUE, UNIQUE (stream_name, position));
CREATE INDEX IF NOT EXISTS message_category
  ON message (split_part(stream_name, '-', 1), global_position);
CREATE OR REPLACE FUNCTION write_one(p_stream text, p_data jsonb) RETURNS bigint
LANGUAGE plpgsql AS $fn$
DECLARE last bigint; expected CONSTANT bigint := -1;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(split_part(p_stream, '-', 1), 0));
  SELECT coalesce(max(position), -1) INTO last FROM message WHERE stream_name = p_stream;
  IF last <> expected THEN RAISE EXCEPTION 'wrong version'; END IF;
  INSERT INTO message (position, stream_name, type, data, metadata, id)
    VALUES (last + 1, p_stream, 'Dealt', p_data, '{}', gen_random_uuid());
  RETURN last + 1;
END $fn$;
"""
# A category for every client, so that no two wait for one lock.
CHECKED_SCRIPT = (
    "SELECT write_one('hand' || :client_id || '-' || gen_random_uuid(), "
    "json_build_object('cards', repeat('ab', 70))::jsonb);\n"
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


def one_row_a_commit(
    conninfo: str, folder: Path, clients: int, seconds: float, way: tuple[str, str]
) -> float:
    """Commits a second of pgbench; ``way``: what is installed first, and what each client runs."""
    schema, text = way
    parts = conninfo_to_dict(conninfo)
    tools = find_binaries()
    script = folder / "one_row.sql"
    script.write_text(text)
    place = ["-h", str(parts["host"]), "-p", str(parts["port"]), "-U", str(parts["user"])]
    name = str(parts["dbname"])
    quiet = {**os.environ, "PGOPTIONS": "-c client_min_messages=warning"}
    subprocess.run([tools / "psql", *place, "-qc", schema, name], check=True, env=quiet)
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


async def long_table(dsn: str) -> tuple[UUID, Table]:
    """A table of Royal Flush of ``EVENTS`` events, as it stands."""
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
        return live.stream, live.table


async def replay(dsn: str, stream: UUID, expected: Table) -> float:
    """Events a second from PostgreSQL to a game's state, chain verified, everything opened.

    Nothing is known from the time before: codec and keys are new, too.
    """
    world = RealWorld()
    recorder = Recorder(Codec(GAMES), MasterKey(bytes(32), world), world)
    async with Store(dsn) as store:
        begun = time.perf_counter()
        table, previous = Table.empty(GAMES["royal_flush"]), genesis(stream)
        opener = Opener(recorder, stream)
        for commit in await store.read(stream, 0, 1_000_000):
            verify(previous, commit)
            previous = commit.hash
            table = apply_all(table, opener.open(commit).events, commit.seat)
        seconds = time.perf_counter() - begun
    assert (table.state, table.version) == (expected.state, expected.version)
    return table.version / seconds


def compare(
    ours: Callable[[], float], theirs: Callable[[], float], rounds: int
) -> tuple[float, float, float]:
    """Medians of both, measured in turns, and of the ratio of each turn."""
    found = [(ours(), theirs()) for _ in range(rounds)]
    mine, other = zip(*found, strict=True)
    ratios = [one / two for one, two in found]
    return statistics.median(mine), statistics.median(other), statistics.median(ratios)


def show(what: str, name: str, found: tuple[float, float, float]) -> None:
    """One line of the table."""
    ours, theirs, ratio = found
    print(f"{what:24} {ours:10,.0f}   {name:44} {theirs:10,.0f} {ratio:7.1f} x")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="the store beside its peers")
    parser.add_argument("--seconds", type=float, default=2.0, help="per measurement")
    parser.add_argument("--rounds", type=int, default=5)
    told = parser.parse_args()
    os.environ.pop("PGPASSWORD", None)
    with tempfile.TemporaryDirectory(prefix="kartejo-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        with launch(folder / "home", allow_temporary=True) as server:
            migrate(server.conninfo)
            print(f"{'a second':24} {'Kartejo':>10}   {'beside':44} {'':>10}   ratio")
            dsn = server.service_conninfo

            def events(sessions: int) -> float:
                return 2 * run(store_run(dsn, sessions, told.seconds)).rate

            app = peer(server.conninfo)
            if app is None:
                print("eventsourcing: not installed")
            else:
                version = importlib.metadata.version("eventsourcing")
                found = compare(
                    lambda: events(64), lambda: save_events(app, 64, told.seconds), told.rounds
                )
                show("events, 64 sessions", f"eventsourcing {version}, 64 threads", found)
                key = long_aggregate(app)
                stream, table = run(long_table(dsn))
                found = compare(
                    lambda: run(replay(dsn, stream, table)),
                    lambda: get_aggregate(app, key),
                    told.rounds,
                )
                show("events replayed", f"eventsourcing {version}, repository.get", found)
                app.close()
            ways = {"version checked": (CHECKED, CHECKED_SCRIPT), "bare": (BARE, BARE_SCRIPT)}
            for word, way in ways.items():
                found = compare(
                    lambda: events(16),
                    partial(one_row_a_commit, server.conninfo, folder, 16, told.seconds, way),
                    told.rounds,
                )
                show("events, 16 sessions", f"one row a commit, 16 clients, {word}", found)


if __name__ == "__main__":
    main()
