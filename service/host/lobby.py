"""The list of tables: a projection that follows the log, and who keeps clocks where."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Final
from uuid import UUID

import structlog

from engine.errors import KartejoError, Unavailable
from engine.house import decision
from service.host.faults import report
from service.host.host import Host
from service.host.live import Live
from service.store.commit import Commit, StreamKind
from service.store.errors import ProgressConflict
from service.store.leases import Leases
from service.store.postgres import Store
from service.store.table_index import TableIndex, TableRow

__all__ = ["Lobby", "Watchman"]

log = structlog.get_logger(__name__)

PACE_SECONDS: Final = 0.2
SWEEP_SECONDS: Final = 1.0
LEASE_SECONDS: Final = 3.0


class Lobby:
    """Keeps the table index up to date with the log."""

    def __init__(self, host: Host, store: Store) -> None:
        self._host = host
        self._store = store
        self.index = TableIndex(store.pool)

    async def run(self) -> None:
        """Follow the log for ever; another process may do the same, the faster one writes."""
        while True:
            try:
                await self._follow()
            except ProgressConflict:
                log.debug("lobby_behind")
            except Unavailable:
                await asyncio.sleep(0.5)

    async def _follow(self) -> None:
        since = await self.index.position()
        async for commits in self._store.follow_batches(since):
            until = commits[-1].position
            await self.index.advance(since, until, await self._rows(commits))
            since = until
            # One write for many commits: the list may lag a little, the tables must not.
            await self._host.world.sleep(PACE_SECONDS)

    async def _rows(self, commits: Iterable[Commit]) -> list[TableRow]:
        """The newest row of every table that the commits moved."""
        newest = {each.stream: each for each in commits if each.kind == StreamKind.TABLE}
        return [await self._row(stream, commit) for stream, commit in newest.items()]

    async def _row(self, stream: UUID, commit: Commit) -> TableRow:
        live = await self._host.tables.get(stream)
        if live.table.version < commit.version:  # another process stored it
            async with live.lock:
                await self._host.tables.catch_up(live)
            self._host.clocks.update(live)
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
            running=bool(game.to_act(table.state)),
            seats_taken=len(players),
            seats=game.seats(table.state),
            position=commit.position,
        )


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
        wanted = {live.stream for live in self._host.tables.hot() if self._is_due(live)}
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
        if self._host.tables.peek(stream) is not None:
            return
        try:
            self._host.clocks.update(await self._host.tables.get(stream))
        except KartejoError as error:
            report(log.bind(stream=str(stream), reason=error.reason), "table_not_watched", error)

    @staticmethod
    def _is_due(live: Live) -> bool:
        return decision(live.table) is not None and not live.table.house.lab
