"""What must hold after every fault has healed, found out from the stored commits alone.

``differences`` compares journals and watches with the log; ``books`` folds every table and
account and counts chips and cards.  Both list what is wrong, in words; nothing is good.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple
from uuid import UUID

from engine.cards import PACK
from engine.errors import Corrupt
from engine.events import ChipsAdded, DeckShuffled, SeatLeft, SeatTaken
from engine.house import Table
from engine.visibility import AUDITOR
from service.host.accounts import account_stream
from service.host.commands import command_id, stream_of
from service.host.host import Host
from service.identity import ISSUER
from service.store.commit import ActorKind, Commit, StreamKind, genesis, verify
from service.store.connection import Connection
from service.store.log import log_after
from service.store.postgres import Store
from service.vault import MasterKey
from service.world import RealWorld
from tests.faults.honest import Asked, Watch
from tests.faults.party import Party
from tests.laws.laws import Laws
from tests.laws.test_laws import TestPalacePoker, TestPontoon, TestRoyalCasino, TestRoyalFlush
from tests.service.harness import ALL_GAMES, CODEC, MASTER

__all__ = [
    "Evidence",
    "Sighting",
    "books",
    "check",
    "differences",
    "principals",
    "sighted",
    "whole_log",
]

PAGE: Final = 2_000
LAWS: Final[Mapping[str, type[Laws]]] = {
    kept.game.key: kept for kept in (TestPalacePoker, TestPontoon, TestRoyalCasino, TestRoyalFlush)
}


class Sighting(NamedTuple):
    """What a watch saw over all faults, and what the same viewer sees now, from the beginning."""

    who: str
    stream: UUID
    seen: Sequence[tuple[int, bytes]]
    stored: Sequence[tuple[int, bytes]]


class Evidence(NamedTuple):
    """The whole log, everybody's journal, the ids that their names stand for, all watches."""

    commits: Sequence[Commit]
    asked: Sequence[Asked]
    ids: Mapping[str, UUID]
    sightings: Sequence[Sighting] = ()


def differences(found: Evidence) -> list[str]:
    """Where log, journals and watches contradict one another."""
    return [*_log(found.commits), *_journals(found), *_sightings(found)]


def _log(commits: Sequence[Commit]) -> Iterator[str]:
    """Positions and versions without a gap, hashes that chain, no command twice on a stream."""
    heads: dict[UUID, tuple[int, bytes, int]] = {}
    commands: Counter[tuple[UUID, bytes]] = Counter()
    for position, commit in enumerate(commits, 1):
        if commit.position != position:
            yield f"position {commit.position} stands where {position} should"
        version, last, time = heads.get(commit.stream, (0, genesis(commit.stream), 0))
        if commit.expected != version:
            yield f"stream {commit.stream}: version {commit.version} does not follow {version}"
        try:
            verify(last, commit)
        except Corrupt as error:
            yield str(error)
        if commit.recorded_at < time:
            yield f"stream {commit.stream}: time runs backwards at version {commit.version}"
        heads[commit.stream] = commit.version, commit.hash, commit.recorded_at
        commands[commit.stream, commit.command] += 1
    for (stream, command), count in commands.items():
        if count > 1:
            yield f"stream {stream}: command {command.hex()} is stored {count} times"


def _journals(found: Evidence) -> Iterator[str]:
    """Acknowledged is stored, at its version; refused is not; what is stored was asked for."""
    stored = {(commit.stream, commit.command): commit for commit in found.commits}
    streams = {commit.stream for commit in found.commits}
    known: set[bytes] = set()
    for asked in found.asked:
        who = f"{asked.subject}, request {asked.request_id}"
        if asked.subject not in found.ids:
            yield f"{who}: nobody knows this caller"
            continue
        command = command_id(found.ids[asked.subject], asked.request_id)
        known.add(command)
        stream = asked.stream or stream_of(command)
        commit = stored.get((stream, command))
        if asked.version is None and not asked.refused:
            yield f"{who}: no verdict after {asked.attempts} attempts"
        if asked.version is not None and (commit is None or commit.version != asked.version):
            yield f"{who}: acknowledged at version {asked.version}, which is not stored"
        if asked.refused and commit is not None:
            yield f"{who}: refused ({asked.refused}), and stored at version {commit.version}"
    for commit in found.commits:
        # An account's part of a table's commit has its table's command.
        own = commit.actor_kind != ActorKind.PROCESS and commit.stream in streams
        if own and commit.command not in known:
            yield f"stream {commit.stream}: nobody asked for version {commit.version}"


def _sightings(found: Evidence) -> Iterator[str]:
    """Every watch saw every version of its table once, in order, as it stands."""
    heads: dict[UUID, int] = {}
    for commit in found.commits:
        heads[commit.stream] = commit.version
    for who, stream, seen, stored in found.sightings:
        versions = [version for version, _ in seen]
        if versions != list(range(1, heads.get(stream, 0) + 1)):
            yield f"{who}: a watch saw other versions than are stored ({len(versions)} of them)"
        if list(seen) != list(stored):
            yield f"{who}: a watch saw other events than are stored"


# --- chips and cards ----------------------------------------------------------------------------


async def books(host: Host, streams: Sequence[UUID], put_in: int) -> list[str]:
    """Chips and cards of every table after every commit, and chips of the whole house.

    ``streams`` are those of the tables, ``put_in`` the chips that were credited.
    """
    wrong: list[str] = []
    on_tables = 0
    players: set[UUID] = set()
    for stream in streams:
        bought = 0
        shuffled = False
        live = await host.tables.stored.load(stream)
        law = LAWS[live.table.game.key]()
        async for recorded, table in host.tables.stored.steps(stream, 0, live.table.version):
            for event in recorded.events:
                match event:
                    case SeatTaken(_, player, chips):
                        bought += chips
                        players.add(UUID(player))
                    case ChipsAdded(_, amount):
                        bought += amount
                    case SeatLeft(_, chips):
                        bought -= chips
                if type(event) in law.game.HAND_BEGINS:
                    shuffled = False
                shuffled = shuffled or isinstance(event, DeckShuffled)
            wrong += _count(law, table, bought, shuffled)
        on_tables += bought
    balances = [(await host.accounts.balance(player)).balance for player in players]
    if (there := sum(balances) + on_tables) != put_in:
        wrong.append(f"the house has {there} chips, {put_in} were put in")
    return wrong


def _count(law: Laws, table: Table, bought: int, shuffled: bool) -> Iterator[str]:
    where = f"{table.game.key} at version {table.version}"
    if (chips := law.chips(table.state)) != bought:
        yield f"{where}: {chips} chips on the table, {bought} were brought to it"
    cards = law.cards(table.game.view(table.state, AUDITOR))
    empty = not cards and not (shuffled and table.game.hand(table.state))
    if not empty and sorted(cards) != list(PACK):
        yield f"{where}: {len(cards)} cards instead of the pack"


# --- the evidence -------------------------------------------------------------------------------


async def check(party: Party, dsn: str) -> None:
    """Bring a party to its end and raise ``AssertionError`` for everything that does not hold."""
    await party.finish()
    async with Store(dsn, allow_unsafe=True) as store:
        commits = await whole_log(store)
        ids = await principals(store)
        sightings = [await sighted(watch) for watch in party.watches if not watch.ended]
        wrong = differences(Evidence(commits, party.journal, ids, sightings))
        master = MasterKey(MASTER, RealWorld())
        async with Host(RealWorld(), store, ALL_GAMES, CODEC, master) as host:
            host.clocks.stop()
            put_in = sum(asked.amount for asked in party.journal if asked.accepted)
            tables = {c.stream for c in commits if c.kind == StreamKind.TABLE}
            wrong += await books(host, sorted(tables), put_in)
    assert not wrong, "\n".join(wrong[:20])
    accounts = {account_stream(ids[client.subject]) for client in party.clients}
    assert {commit.stream for commit in commits} <= accounts | tables


async def whole_log(store: Store) -> list[Commit]:
    """Every stored commit in the order of positions, whatever gaps there are."""
    found: list[Commit] = []
    while batch := await store.pool.ask(
        partial(log_after, after=found[-1].position if found else 0, limit=PAGE)
    ):
        found += batch
    return found


async def principals(store: Store) -> dict[str, UUID]:
    """Whom each internal id stands for."""

    async def work(db: Connection) -> dict[str, UUID]:
        rows = await db.execute(
            "SELECT subject, id FROM kartejo.principal WHERE issuer = %s", (ISSUER,)
        )
        return dict(await rows.fetchall())

    return await store.pool.ask(work)


async def sighted(watch: Watch) -> Sighting:
    """Watch the same table with the same eyes once more, from the beginning."""
    fresh = Watch(watch.honest, watch.table)
    task = asyncio.create_task(fresh.run())
    async with asyncio.timeout(30):
        while fresh.version < watch.version:
            await fresh.news(fresh.state.version)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return Sighting(watch.honest.subject, UUID(watch.table), watch.seen, fresh.seen)
