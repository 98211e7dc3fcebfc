"""The list of tables: a projection that follows the log, and who keeps clocks where."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from uuid import UUID

import structlog

from engine.errors import Corrupt, KartejoError, Unavailable, Unknown
from service.host.faults import report
from service.host.host import Host
from service.host.upkeep import is_due
from service.store.commit import Commit, StreamKind
from service.store.errors import ProgressConflict
from service.store.leases import Leases
from service.store.postgres import Store
from service.store.table_index import TableIndex, TableRow

__all__ = ["Lobby", "Watchman"]

log = structlog.get_logger(__name__)

PACE_SECONDS: Final = 0.2
AWAY_SECONDS: Final = 0.5
SWEEP_SECONDS: Final = 1.0
LEASE_SECONDS: Final = 3.0


class Lobby:
    """Follows the log: keeps this process's hot tables fresh, and the list of tables up to date.

    Several processes may do so.  What this one has seen of the log is its own matter; the list is
    common to all, and whoever is faster moves it on.
    """

    def __init__(self, host: Host, store: Store) -> None:
        self._host = host
        self._store = store
        self._seen: int | None = None
        self._unlisted: dict[UUID, Commit] = {}
        self._news = asyncio.Event()
        self.index = TableIndex(store.pool)

    async def run(self) -> None:
        """Run for ever."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_patiently(self._follow))
            tasks.create_task(_patiently(self._list))

    async def _follow(self) -> None:
        if self._seen is None:
            self._seen = await self.index.position()
        async for commits in self._store.follow_batches(self._seen):
            newest = {each.stream: each for each in commits if each.kind == StreamKind.TABLE}
            for stream, commit in newest.items():
                await self._freshen(stream, commit)
            self._seen = commits[-1].position
            self._unlisted |= newest
            self._news.set()

    async def _freshen(self, stream: UUID, commit: Commit) -> None:
        live = self._host.tables.peek(stream)
        if live is not None and live.table.version < commit.version:  # another process stored it
            try:
                await self._host.refresh(live, commit.version)
            except Corrupt as error:  # one damaged table does not stop the others
                report(log.bind(stream=str(stream)), "table_not_followed", error)

    async def _list(self) -> None:
        """Write the list, once for many commits: it may lag a little, the tables must not."""
        reached = await self.index.position()
        while True:
            await self._news.wait()
            self._news.clear()
            until, moved = self._seen or 0, self._unlisted
            self._unlisted = {}
            try:
                reached = await self._advance(reached, until, await self._rows(moved))
            except Unavailable:
                self._unlisted = moved | self._unlisted
                self._news.set()
                raise
            await self._host.world.sleep(PACE_SECONDS)

    async def _advance(self, reached: int, until: int, rows: list[TableRow]) -> int:
        """Move the list on to ``until`` if it is not there yet; returns where it stands."""
        while reached < until:
            try:
                await self.index.advance(reached, until, rows)
            except ProgressConflict:
                reached = await self.index.position()
            else:
                return until
        return reached

    async def _rows(self, moved: Mapping[UUID, Commit]) -> list[TableRow]:
        rows: list[TableRow] = []
        for stream, commit in moved.items():
            try:
                rows.append(await self._row(stream, commit))
            except (Corrupt, Unknown) as error:
                report(log.bind(stream=str(stream)), "table_not_listed", error)
        return rows

    async def _row(self, stream: UUID, commit: Commit) -> TableRow:
        """The newest row of a table that ``commit`` moved."""
        live = await self._host.tables.get(stream)
        table = live.table
        game = table.game
        players = game.players(table.state)
        closed = game.is_closed(table.state)
        return TableRow(
            stream=stream,
            game=game.key,
            lab=table.house.lab,
            house=json.dumps(table.house.options._asdict()),
            created_at=live.created_at,
            closed_at=commit.recorded_at if closed else None,
            hand=game.hand(table.state),
            running=is_due(table),
            seats_taken=len(players),
            seats=game.seats(table.state),
            position=commit.position,
        )


async def _patiently(work: Callable[[], Awaitable[None]]) -> None:
    """Run without end, through times in which the store is away."""
    while True:
        try:
            await work()
        except Unavailable:
            await asyncio.sleep(AWAY_SECONDS)


class Watchman:
    """Sees to it that every running decision has a clock somewhere (design 8).

    Leases say which process arms the timers of a table; correctness never depends on them, since
    a time-out names its decision and its command id.
    """

    def __init__(self, host: Host, store: Store, index: TableIndex, owner: UUID) -> None:
        self._host = host
        self._index = index
        self._leases = Leases(store.pool, owner)
        self._held: set[UUID] = set()

    async def run(self) -> None:
        """Sweep at the start and every second."""
        first = True
        while True:
            try:
                await self._sweep(everything=first)
                first = False
            except Unavailable as error:
                log.warning("sweep_failed", reason=error.reason)
            await self._host.world.sleep(SWEEP_SECONDS)

    async def _sweep(self, *, everything: bool) -> None:
        wanted = {live.stream for live in self._host.tables.hot() if is_due(live.table)}
        if everything:
            wanted |= await self._running()
        wanted |= set(await self._leases.expired())
        gone = self._held - wanted
        if gone:
            await self._leases.release(gone)
        self._held = await self._leases.claim(wanted, LEASE_SECONDS) if wanted else set()
        for stream in self._held:
            await self._arm(stream)

    async def _running(self) -> set[UUID]:
        found: set[UUID] = set()
        rows = await self._index.running()
        while rows:
            found |= {row.stream for row in rows}
            rows = await self._index.running(after=rows[-1].stream)
        return found

    async def _arm(self, stream: UUID) -> None:
        try:
            self._host.upkeep.resume(await self._host.tables.get(stream))
        except KartejoError as error:
            report(log.bind(stream=str(stream), reason=error.reason), "table_not_watched", error)
