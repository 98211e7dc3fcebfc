"""What the log brings to this process's tables."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

import structlog

from engine.errors import Unavailable
from service.host.faults import report
from service.host.host import Host
from service.host.live import Live
from service.store.commit import Commit, StreamKind
from service.store.postgres import Store
from service.store.table_index import TableIndex
from service.telemetry import Histogram

__all__ = ["Lobby"]

log = structlog.get_logger(__name__)

AWAY_SECONDS: Final = 0.5


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
        self.delays = Histogram()
        """Seconds between the record of a commit and its arrival here, of the oldest of a batch."""
        self.heard: list[Callable[[Sequence[Commit]], None]] = []
        """Told of all commits, in the order of the log."""
        self.index = TableIndex(store.pool)

    @property
    def lag(self) -> int:
        """Commits that are known to be stored and have not arrived here."""
        return max(0, self._store.hints.head - (self._seen or 0))

    async def follow(self) -> None:
        """Follow the log, without end."""
        if self._seen is None:
            self._seen = await self._store.position()
        try:
            async for commits in self._store.follow_batches(self._seen):
                newest = {one.stream: one for one in commits if one.kind == StreamKind.TABLE}
                for stream, commit in newest.items():
                    self._note(stream, commit.version)
                for hear in self.heard:
                    hear(commits)
                self._seen = commits[-1].position
                self.delays.observe((self._host.world.now() - commits[0].recorded_at) / 1e6)
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
