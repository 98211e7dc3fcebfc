"""Hot tables: loaded from snapshot and tail, kept up to date, let go when memory is needed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final
from uuid import UUID

import structlog

from engine.errors import Corrupt, KartejoError, Reused, Unknown
from engine.events import TableOpened
from engine.house import Table, apply_all
from engine.kernel import AnyGame
from service.host.commands import Command
from service.host.live import Live
from service.host.recorder import Opener, Recorded, Recorder
from service.host.snapshots import load_table, save_table
from service.store.commit import Commit, StreamKind, genesis, verify
from service.store.postgres import Store
from service.store.snapshots import Snapshot, Snapshots
from service.vault import open_snapshot, seal_snapshot

__all__ = ["Tables"]

log = structlog.get_logger(__name__)

PAGE: Final = 500
"""Commits read at a time."""

SNAPSHOT_EVERY: Final = 500
"""Events between two snapshots of a table, taken between hands."""


class Tables:
    """The tables of this process.  Raises ``Unknown``, ``Unavailable``, ``Corrupt``."""

    def __init__(
        self, store: Store, recorder: Recorder, games: dict[str, AnyGame], most: int = 4096
    ) -> None:
        self._store = store
        self._recorder = recorder
        self._games = games
        self._most = most
        self._snapshots = Snapshots(store.pool)
        self._hot: OrderedDict[UUID, Live] = OrderedDict()
        self._loading: dict[UUID, asyncio.Lock] = {}

    def hot(self) -> list[Live]:
        """All tables in memory."""
        return list(self._hot.values())

    def peek(self, stream: UUID) -> Live | None:
        """The table if it is in memory."""
        return self._hot.get(stream)

    async def get(self, stream: UUID) -> Live:
        """The table, loaded if need be; raises ``Unknown`` if there is none."""
        live = self._hot.get(stream)
        if live is not None:
            self._hot.move_to_end(stream)
            return live
        lock = self._loading.setdefault(stream, asyncio.Lock())
        try:
            async with lock:
                live = self._hot.get(stream)
                if live is None:
                    live = await self._load(stream)
                    await self.admit(live)
        finally:
            if not lock.locked():
                self._loading.pop(stream, None)
        return live

    async def admit(self, live: Live) -> None:
        """Keep a table in memory, letting those longest unused go while there are too many."""
        self._hot[live.stream] = live
        if len(self._hot) <= self._most:
            return
        for old in list(self._hot.values()):
            if len(self._hot) <= self._most:
                return
            if old is not live and old.is_idle() and self._hot.get(old.stream) is old:
                del self._hot[old.stream]
                await self.keep_snapshot(old)

    async def keep_snapshot(self, live: Live) -> None:
        """Save a snapshot if that can be done; whoever waits for another table does not care."""
        try:
            await self.save(live)
        except KartejoError as error:
            log.warning("snapshot_not_kept", stream=str(live.stream), reason=error.reason)

    def forget(self, stream: UUID) -> None:
        """Let a table go whose state in memory may not be what is stored."""
        live = self._hot.pop(stream, None)
        if live is not None:
            live.stop_timer()

    async def save(self, live: Live) -> None:
        """Store a snapshot, unless the newest one is of this version."""
        table = live.table
        if live.snapshot_version == table.version:
            return
        rules = table.game.RULES
        sealed = seal_snapshot(
            self._recorder.master,
            save_table(table, live.opened, live.created_at),
            stream=live.stream,
            version=table.version,
            commit_hash=live.last_hash,
            rules=rules,
        )
        live.snapshot_version = table.version
        await self._snapshots.put(
            Snapshot(
                stream=live.stream,
                version=table.version,
                hash=live.last_hash,
                rules=rules,
                sealed=sealed,
            )
        )

    def wants_snapshot(self, live: Live) -> bool:
        """Whether it is time for one: enough events, and between hands."""
        table = live.table
        enough = table.version - live.snapshot_version >= SNAPSHOT_EVERY
        return enough and not table.game.to_act(table.state)

    async def catch_up(self, live: Live) -> None:
        """Take over what others have stored on the table's stream."""
        while True:
            commits = await self._store.read(live.stream, live.table.version, PAGE)
            for commit in commits:
                if commit.version > live.table.version:
                    verify(live.last_hash, commit)
                    live.advance(live.opener.open(commit))
            if len(commits) < PAGE:
                return

    async def find(self, live: Live, command: Command) -> tuple[Recorded, Table] | None:
        """What this command did already, with the table just after it.

        Raises ``Reused`` if the id stands for another request.
        """
        commit = await self._store.by_command(live.stream, command.id)
        if commit is None:
            return None
        if commit.digest != command.digest:
            raise Reused("this request_id stands for another request")
        if commit.version > live.table.version:
            await self.catch_up(live)
        return await self.at(live, commit.version)

    async def at(self, live: Live, version: int) -> tuple[Recorded, Table]:
        """The commit that ends at ``version`` and the table after it; raises ``Unknown``."""
        newest = live.recent[-1] if live.recent else None
        if newest is not None and newest.commit.version == version == live.table.version:
            return newest, live.table
        table = Table.empty(live.table.game)
        async with aclosing(self.history(live)) as past:
            async for recorded in past:
                table = apply_all(table, recorded.events, recorded.commit.seat)
                if recorded.commit.version == version:
                    return recorded, table
                if recorded.commit.version > version:
                    break
        raise Unknown(f"no action of the table ends at version {version}")

    async def history(self, live: Live, after_version: int = 0) -> AsyncGenerator[Recorded, None]:
        """Every stored commit after ``after_version``, in order, up to where ``live`` stands.

        What another process has stored beyond that is left out: who sat where and which epoch
        runs is judged by ``live``, which must not be older than what is shown.  Commits before
        ``after_version`` are read for the keys they open, and not opened.
        """
        opener = Opener(self._recorder, live.stream)
        previous = genesis(live.stream)
        version = 0
        while True:
            commits = await self._store.read(live.stream, version, PAGE)
            for commit in commits:
                if commit.version > live.table.version:
                    return
                verify(previous, commit)
                previous = commit.hash
                if commit.version <= after_version:
                    opener.skim(commit)
                else:
                    yield opener.open(commit)
            if len(commits) < PAGE:
                return
            version = commits[-1].version

    # --- loading ------------------------------------------------------------------------------

    async def _load(self, stream: UUID) -> Live:
        first = await self._store.read(stream, 0, 1)
        if not first or first[0].kind != StreamKind.TABLE:
            raise Unknown("no such table")
        opened = self._opened(first[0])
        live = await self._from_snapshot(stream, self._games[opened.game])
        if live is None:
            live = self._from_first(first[0], opened)
        await self.catch_up(live)
        return live

    def _opened(self, first: Commit) -> TableOpened:
        recorded = Opener(self._recorder, first.stream).open(first)
        found = [event for event in recorded.events if isinstance(event, TableOpened)]
        if len(found) != 1 or found[0].game not in self._games:
            raise Corrupt(f"stream {first.stream} does not begin as a table of a known game")
        return found[0]

    def _from_first(self, first: Commit, opened: TableOpened) -> Live:
        opener = Opener(self._recorder, first.stream)
        table = Table.empty(self._games[opened.game])
        start = genesis(first.stream)
        live = Live(first.stream, table, opened, opener, start, first.recorded_at)
        verify(start, first)
        live.advance(opener.open(first))
        return live

    async def _from_snapshot(self, stream: UUID, game: AnyGame) -> Live | None:
        found = await self._snapshots.latest(stream, game.RULES)
        if found is None:
            return None
        commit = await self._store.at_version(stream, found.version)
        if commit is None or commit.hash != found.hash:
            log.warning("snapshot_ignored", stream=str(stream), version=found.version)
            return None
        try:
            content = open_snapshot(
                self._recorder.master,
                found.sealed,
                stream=stream,
                version=found.version,
                commit_hash=found.hash,
                rules=game.RULES,
            )
            saved = load_table(self._games, content)
        except Corrupt:
            # Disposable by design: a fold from the first event replaces it.
            log.warning("snapshot_ignored", stream=str(stream), version=found.version)
            return None
        opener = Opener(self._recorder, stream)
        opener.learn(saved.table.house)
        live = Live(stream, saved.table, saved.opened, opener, found.hash, saved.created_at)
        live.snapshot_version = found.version
        return live
