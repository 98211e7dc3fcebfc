"""The list of tables: a projection that follows the log."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Final
from uuid import UUID

import structlog

from engine.errors import Unavailable
from engine.house import running_hand
from service.host.faults import report
from service.host.host import Host
from service.host.live import Live
from service.host.supervision import each
from service.host.upkeep import is_due
from service.store.commit import Commit, StreamKind
from service.store.errors import ProgressConflict
from service.store.postgres import Store
from service.store.table_index import TableIndex, TableRow

__all__ = ["Lobby"]

log = structlog.get_logger(__name__)

PACE_SECONDS: Final = 0.2
AWAY_SECONDS: Final = 0.5
GRACE_SECONDS: Final = 1.0
"""How long a process leaves tables to the others that it does not have in memory itself."""

AT_ONCE: Final = 8
"""Tables that are loaded at a time."""


class Lobby:
    """Follows the log: keeps this process's hot tables fresh, and the list of tables up to date.

    Several processes may do so.  What this one has seen of the log is its own matter; the list is
    common to all, and whoever is faster moves it on.  Whatever is wrong with one table concerns
    that table alone.
    """

    def __init__(self, host: Host, store: Store) -> None:
        self._host = host
        self._store = store
        self._seen: int | None = None
        self._unlisted: dict[UUID, Commit] = {}
        self._owed: dict[UUID, Commit] = {}
        self._news = asyncio.Event()
        self._behind: dict[UUID, int] = {}
        self._freshening: set[asyncio.Task[None]] = set()
        self.index = TableIndex(store.pool)
        self.listed = asyncio.Event()
        """Set once the list has every table that was stored when this process began."""

    async def follow(self) -> None:
        """Follow the log, without end."""
        if self._seen is None:
            self._seen = await self.index.position()
        try:
            async for commits in self._store.follow_batches(self._seen):
                newest = {one.stream: one for one in commits if one.kind == StreamKind.TABLE}
                for stream, commit in newest.items():
                    self._note(stream, commit.version)
                self._seen = commits[-1].position
                self._unlisted |= newest
                self._news.set()
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

    async def keep_list(self) -> None:
        """Write the list, without end, once for many commits: it may lag, the tables must not."""
        reached = await self.index.position()
        head = await self._store.position()
        while True:
            if reached >= head:
                self.listed.set()
            await self._news.wait()
            self._news.clear()
            until, moved = self._seen or 0, self._unlisted
            self._unlisted = {}
            try:
                elsewhere = any(self._host.tables.peek(stream) is None for stream in moved)
                if elsewhere and self.listed.is_set():
                    # Another process has them in memory and may list them: let it.
                    await self._host.world.sleep(GRACE_SECONDS)
                    reached = await self.index.position()
                    moved = {
                        stream: commit
                        for stream, commit in moved.items()
                        if commit.position > reached
                    }
                if reached < until:
                    reached = await self._bring_up(reached, until, moved)
            except BaseException:
                self._unlisted = moved | self._unlisted
                self._news.set()
                raise
            await self._host.world.sleep(PACE_SECONDS)

    async def _bring_up(self, reached: int, until: int, moved: Mapping[UUID, Commit]) -> int:
        """Move the list on to ``until`` if it is not there yet; returns where it stands.

        Tables that could not be read in time are owed to the list until this process writes it.
        """
        owed, self._owed = self._owed, {}
        written = False
        try:
            rows = await self._rows({**owed, **moved})
            while reached < until and not written:
                try:
                    await self.index.advance(reached, until, rows)
                    written = True
                except ProgressConflict:
                    reached = await self.index.position()
        finally:
            if not written:
                self._owed = {**owed, **self._owed}
        return until if written else reached

    async def _rows(self, moved: Mapping[UUID, Commit]) -> list[TableRow]:
        rows: list[TableRow] = []

        async def add(stream: UUID) -> None:
            rows.append(await self._row(stream, moved[stream]))

        failed = await each(moved, add, AT_ONCE)
        if any(isinstance(error, Unavailable) for error in failed.values()):
            await self._store.position()  # is it the store that is away, or only out of patience?
        for stream, error in failed.items():
            report(log.bind(stream=str(stream)), "table_not_listed", error)
            if isinstance(error, Unavailable):
                self._owed[stream] = moved[stream]
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
            hand=running_hand(table),
            running=is_due(table),
            seats_taken=len(players),
            seats=game.seats(table.state),
            position=commit.position,
        )
