"""A log worth projecting, and what became of it."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import psycopg

from engine.actions import AddChips, LeaveSeat, TakeSeat
from engine.tournament.actions import CancelTournament, Register, Unregister
from service.identity import ISSUER, Principal, Role
from service.projections import Projections
from service.store.postgres import Store
from service.store.progress import Build, Progress
from tests.service.harness import ALL_GAMES, CODEC, Running, running
from tests.service.parlour_room import Room, lab_parlour, lab_start
from tests.service.test_accounts import Bank
from tests.service.tournament import STRUCTURE

TABLES = {
    "tables": ("table_index",),
    "hands": ("hand_index", "hand_table", "hand_player"),
    "ledger": ("ledger",),
    "results": ("result_table", "result_hand", "result_player", "result_move", "result_pair"),
    "tournaments": ("tournament_index",),
}
PROJECTIONS = Projections.of(CODEC, ALL_GAMES)


async def play(service: Running) -> None:
    """Two tables with hands and comings and goings, one of the laboratory, three accounts."""
    bank = Bank(service, service.client("house", Role.HOST))
    for subject in ("ann", "bob", "cid"):
        await bank.credit(subject, 1_000, note="at the desk")
    await bank.debit("cid", 10)
    rooms = [
        await Room.open(service, seats=3),
        await Room.open(service, ("bob", "ann"), house={"purse": "account"}, seats=3),
    ]
    for hands in range(2):
        for room in rooms:
            await room.host.act(room.table, 0, AddChips(1))
            await room.start()
            await room.play_out()
            late = service.client("cid")
            if hands:
                await late.act(room.table, 2, LeaveSeat())
            else:
                await late.act(room.table, 2, TakeSeat("", 50))
                room.players.append(late)
    await rooms[0].start()
    teacher, room = await lab_parlour(service, range(1, 20))
    await lab_start(teacher, room)
    await _enter(service)


async def _enter(service: Running) -> None:
    """A tournament in which one waits, moves up, and one leaves; then it is cancelled."""
    calls = service.server.tournaments
    identities = service.server._parts.identities

    async def principal(name: str, role: Role) -> Principal:
        return Principal(await identities.resolve(ISSUER, name), frozenset({role}))

    host = await principal("house", Role.HOST)
    structure = STRUCTURE._replace(max_entrants=2, waiting=1, buy_in=1, fee=0)
    live = await calls.create(host, "make", structure)
    players = [await principal(name, Role.PLAYER) for name in ("ann", "bob", "cid")]
    for player in players:
        await calls.ask(player, "enter", live.stream, Register())
    await calls.ask(players[0], "leave", live.stream, Unregister())
    await calls.order(host, "cancel", live.stream, CancelTournament("enough"))
    while live.now.state.owed:
        await live.news(live.version)


async def filled(dsn: str) -> None:
    """Play on a new database; then every projection serves it all."""
    async with running(dsn) as service:
        await play(service)
        head = await service.store.position()
        for each in PROJECTIONS:
            await served(service.store, each.NAME, head)


async def served(store: Store, name: str, position: int) -> Build:
    """The build that readers see, once it has come to ``position``."""
    progress = Progress(store.pool, uuid4())
    async with asyncio.timeout(60):
        while True:
            for build in await progress.builds(name):
                if build.state == "serving" and build.position >= position:
                    return build
            await asyncio.sleep(0.01)


def builds(dsn: str, name: str) -> list[tuple[int, int, str, int]]:
    """Number, revision, state and position of the builds of a projection."""
    query = """SELECT version, revision, state, position FROM kartejo.progress
                WHERE consumer = %s ORDER BY version"""
    with psycopg.connect(dsn) as db:
        return db.execute(query, (name,)).fetchall()


def rows_of(dsn: str, name: str) -> dict[str, list[str]]:
    """Everything that the serving build of a projection holds, without the build's number."""
    (number,) = [number for number, _, state, _ in builds(dsn, name) if state == "serving"]
    found = {}
    with psycopg.connect(dsn) as db:
        for table in TABLES[name]:
            query: Any = f"""SELECT (to_jsonb(t) - 'build')::text FROM kartejo.{table} t
                              WHERE build = {number} ORDER BY 1"""
            found[table] = [text for (text,) in db.execute(query).fetchall()]
            assert found[table], table
    return found


def size_of(dsn: str, name: str) -> int:
    """Rows of all builds of a projection."""
    with psycopg.connect(dsn) as db:
        counts = [
            db.execute(f"SELECT count(*) FROM kartejo.{table}").fetchone() for table in TABLES[name]
        ]
    return sum(row[0] for row in counts if row)
