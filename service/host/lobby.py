"""What the log brings to this process's tables, and who keeps clocks where."""

from __future__ import annotations

import asyncio
from typing import Final
from uuid import UUID

import structlog

from engine.errors import Unavailable
from service.host.faults import report
from service.host.host import Host
from service.host.live import Live
from service.host.supervision import each
from service.host.upkeep import is_due
from service.store.commit import StreamKind
from service.store.leases import Leases
from service.store.postgres import Store
from service.store.table_index import TableIndex

__all__ = ["Lobby", "Watchman"]

log = structlog.get_logger(__name__)

AWAY_SECONDS: Final = 0.5

AT_ONCE: Final = 8
"""Tables that are loaded at a time."""

SWEEP_SECONDS: Final = 1.0
LEASE_SECONDS: Final = 3.0


class Lobby:
    """Follows the log: keeps this process's hot tables fresh.

    Whatever is wrong with one table concerns that table alone.
    """

    def __init__(self, host: Host, store: Store) -> None:
        self._host = host
        self._store = store
        self._seen: int | None = None
        self._behind: dict[UUID, int] = {}
        self._freshening: set[asyncio.Task[None]] = set()
        self.index = TableIndex(store.pool)

    async def follow(self) -> None:
        """Follow the log, without end."""
        if self._seen is None:
            self._seen = await self._store.position()
        try:
            async for commits in self._store.follow_batches(self._seen):
                newest = {one.stream: one for one in commits if one.kind == StreamKind.TABLE}
                for stream, commit in newest.items():
                    self._note(stream, commit.version)
                self._seen = commits[-1].position
        finally:
            for task in self._freshening:
                task.cancel()
            await asyncio.gather(*self._freshening, return_exceptions=True)

    def _note(self, stream: UUID, version: int) -> None:
        """Another process may have stored this: catch up, without keeping other tables waiting.

        There is one task for a table that is behind, at most.
        """
        live = self._host.tables.peek(stream)
        if live is None or live.table.version >= version:
            return
        under_way = stream in self._behind
        self._behind[stream] = version
        if not under_way:
            task = asyncio.create_task(self._freshen(live))
            self._freshening.add(task)
            task.add_done_callback(self._freshening.discard)

    async def _freshen(self, live: Live) -> None:
        tables = self._host.tables
        try:
            while (
                tables.peek(live.stream) is live and live.table.version < self._behind[live.stream]
            ):
                try:
                    await tables.refresh(live, self._behind[live.stream])
                except Unavailable:
                    await asyncio.sleep(AWAY_SECONDS)
        except Exception as error:  # noqa: BLE001 one damaged table does not stop the others
            report(log.bind(stream=str(live.stream)), "table_not_followed", error)
            tables.forget(live.stream)  # its watchers hear of it, and not nothing for ever
        finally:
            del self._behind[live.stream]


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
        self._listed: dict[UUID, int] = {}
        self._looked_at: dict[UUID, int] = {}

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
        wanted = {live.stream for live in self._host.tables.hot() if _is_due(live)}
        wanted |= await self._running(at_once=everything)
        wanted |= set(await self._leases.expired())
        gone = self._held - wanted
        if gone:
            await self._leases.release(gone)
        self._held = await self._leases.claim(wanted, LEASE_SECONDS) if wanted else set()
        failed = await each(self._held, self._arm, AT_ONCE)
        for stream, error in failed.items():
            report(log.bind(stream=str(stream)), "table_not_watched", error)
        # What time will not heal is told once, and left to whoever looks after the table.
        hopeless = {
            stream for stream, error in failed.items() if not isinstance(error, Unavailable)
        }
        if hopeless:
            await self._leases.release(hopeless)
            self._held -= hopeless

    async def _running(self, *, at_once: bool) -> set[UUID]:
        """Tables that may need a clock, such as those of a process that has just died.

        What is new is left to the process that plays there until the next sweep, and what was
        looked at until it has moved.
        """
        found: dict[UUID, int] = {}
        rows = await self._index.running()
        while rows:
            found |= {row.stream: row.position for row in rows}
            rows = await self._index.running(after=rows[-1].stream)
        before, self._listed = self._listed, found
        self._looked_at = {key: at for key, at in self._looked_at.items() if found.get(key) == at}
        wanted = {key for key in found if at_once or key in before} - self._looked_at.keys()
        self._looked_at |= {key: found[key] for key in wanted}
        return wanted

    async def _arm(self, stream: UUID) -> None:
        self._host.upkeep.resume(await self._host.tables.get(stream))


def _is_due(live: Live) -> bool:
    try:
        return is_due(live.table)
    except Exception as error:  # noqa: BLE001 one damaged table does not stop the others
        report(log.bind(stream=str(live.stream)), "table_not_watched", error)
        return False
