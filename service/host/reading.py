"""Stored tables, read: loaded, moved on, and looked at as they were."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Final
from uuid import UUID

import structlog

from engine.errors import Corrupt, KartejoError, Refused, Unknown
from engine.events import TableOpened
from engine.house import Table
from engine.kernel import AnyGame
from service.host.live import Live
from service.host.recorder import MissingKeys, Opener, Recorded, Recorder
from service.host.snapshots import read_snapshot, sealed_snapshot
from service.store.commit import Commit, StreamKind, genesis, verify
from service.store.postgres import Store
from service.store.snapshots import SPACING, Snapshots

__all__ = ["Reading", "wants_snapshot"]

log = structlog.get_logger(__name__)

PAGE: Final = 500
"""Commits read at a time."""

STRIDE: Final = 8
"""Commits opened in one go; then the loop turns."""

CATCH_UP: Final = 64
"""Commits that a watcher from far behind reads at a time, and may hold while he is sent them."""

CATCHING_UP: Final = 2
"""Watchers that read at a time: however many come at once, the loop is there for those who play."""

NEWEST: Final = 2**31 - 1


class Reading:
    """Reads the tables of a store, from the newest snapshot that serves.

    Raises ``Unknown``, ``Unavailable``, ``Corrupt``.
    """

    def __init__(
        self,
        store: Store,
        recorder: Recorder,
        games: dict[str, AnyGame],
        snapshots: Snapshots,
    ) -> None:
        self.store = store
        self._recorder = recorder
        self._games = games
        self._snapshots = snapshots
        self._turn = asyncio.Lock()
        self._turn_of_the_past = asyncio.Lock()
        self._catching_up = asyncio.Semaphore(CATCHING_UP)

    async def load(self, stream: UUID) -> Live:
        """A table as it stands; raises ``Unknown`` if there is none."""
        live = await self._at_most(stream)
        await self.move(live)
        return live

    async def move(self, live: Live, until: int = NEWEST) -> None:
        """Take over what is stored on the table's stream, up to ``until``.

        Where that is far, it keeps snapshots on its way: the next one has it near.
        """
        while live.table.version < until:
            commits = await self.store.read(live.stream, live.table.version, PAGE, until)
            for number, commit in enumerate(commits, 1):
                if commit.version > live.table.version:
                    await self._take_over(live, commit)
                if wants_snapshot(live):
                    await self._keep(live)
                if not number % STRIDE:
                    await self._breathe()
            if len(commits) < PAGE:
                break

    async def _keep(self, live: Live) -> None:
        """Store a snapshot if the store takes it; nothing depends on it."""
        try:
            await self.save(live)
        except KartejoError as error:
            log.warning("snapshot_not_kept", stream=str(live.stream), reason=error.reason)

    async def save(self, live: Live) -> None:
        """Store a snapshot of a table as it stands."""
        table = live.table
        await self._snapshots.put(
            sealed_snapshot(
                self._recorder.master,
                live.stream,
                live.last_hash,
                table,
                live.opened,
                live.created_at,
            )
        )
        live.snapshot_version = table.version

    async def at(self, stream: UUID, version: int) -> tuple[Recorded, Table]:
        """The commit that ends at ``version`` and the table after it; raises ``Unknown``."""
        base = await self._at_most(stream, version - 1)
        await self.move(base, version)
        if base.table.version != version:
            raise Unknown(f"no action of the table ends at version {version}")
        return base.past[-1]

    async def steps(
        self, stream: UUID, first: int, last: int
    ) -> AsyncGenerator[tuple[Recorded, Table], None]:
        """The commits that end after version ``first``, up to ``last``, each with its table."""
        base = await self._at_most(stream, first)
        await self.move(base, first)
        while base.table.version < last:
            commits = await self.store.read(stream, base.table.version, PAGE, last)
            for number, commit in enumerate(commits, 1):
                if not number % STRIDE:
                    await self._breathe()
                await self._take_over(base, commit)
                yield base.past[-1]
            if len(commits) < PAGE:
                return

    async def history(self, live: Live, after_version: int = 0) -> AsyncGenerator[Recorded, None]:
        """Every stored commit after ``after_version``, in order, up to where ``live`` stands.

        What another process has stored beyond that is left out: who sat where and which epoch
        runs is judged by ``live``, which must not be older than what is shown.  Commits before
        ``after_version`` are read for the keys they open, and not opened.
        """
        async with self._catching_up:
            opener, version, previous = await self._opener(live, after_version)
        last = live.table.version
        while version < last:
            # Not held while he is sent what was read: he may not read it for long.
            async with self._catching_up:
                commits = await self.store.read(live.stream, version, CATCH_UP, last)
                found: list[Recorded] = []
                for number, commit in enumerate(commits, 1):
                    if not number % STRIDE:
                        await self.breathe()
                    verify(previous, commit)
                    previous = commit.hash
                    if commit.version <= after_version:
                        opener.skim(commit)
                    else:
                        found.append(await self._open(opener, commit))
            for recorded in found:
                yield recorded
            if len(commits) < CATCH_UP:
                return
            version = commits[-1].version

    # --- commits ------------------------------------------------------------------------------

    async def _opener(self, live: Live, after_version: int) -> tuple[Opener, int, bytes]:
        """An opener for what follows ``after_version``: where it stands, and the hash there."""
        saved = await self._from_snapshot(live.stream, live.table.game, after_version)
        if saved is not None:
            return saved.opener, saved.table.version, saved.last_hash
        return Opener(self._recorder, live.stream), 0, genesis(live.stream)

    async def _take_over(self, live: Live, commit: Commit) -> None:
        """Move a table on by a stored commit; raises ``Corrupt``."""
        verify(live.last_hash, commit)
        recorded = await self._open(live.opener, commit)
        try:
            live.advance(recorded)
        except Refused as error:  # facts are believed; where they cannot be, nobody was refused
            where = f"stream {live.stream}, version {commit.version}"
            raise Corrupt(f"{where}: {error.reason}") from error
        live.wake()

    async def breathe(self) -> None:
        """Let everything else run before a further piece of the past is read, or told.

        Watchers who catch up stand in a line, so that many of them take no more of the loop than
        one.  Whoever waits for a table to be loaded does not stand in it.
        """
        async with self._turn_of_the_past:
            await asyncio.sleep(0)

    async def _breathe(self) -> None:
        """The same for long pieces of reading that somebody waits for."""
        async with self._turn:
            await asyncio.sleep(0)

    async def _open(self, opener: Opener, commit: Commit) -> Recorded:
        """Open a commit; where the master key does not, by the secret its epoch closed with.

        What nobody can open any more, because the epoch is void or its key is lost, stays hidden.
        """
        while True:
            try:
                return opener.open(commit)
            except MissingKeys as missing:
                if await self._reveal(opener, commit, missing.epoch):
                    continue
                if not opener.is_lost(missing.epoch):
                    raise
                opener.give_up(missing.epoch)

    async def _reveal(self, opener: Opener, commit: Commit, epoch: int) -> bool:
        version = commit.expected
        while True:
            commits = await self.store.read(commit.stream, version, PAGE)
            for later in commits:
                if opener.reveal(epoch, later):
                    return True
            if len(commits) < PAGE:
                return False
            version = commits[-1].version

    # --- where a fold begins ------------------------------------------------------------------

    async def _at_most(self, stream: UUID, version: int = NEWEST) -> Live:
        """The newest stored form of a table at ``version`` or before it: snapshot or nothing."""
        first = await self.store.read(stream, 0, 1)
        if not first or first[0].kind != StreamKind.TABLE:
            raise Unknown("no such table")
        opened = Opener(self._recorder, stream).opening(first[0])
        if opened is None or opened.game not in self._games:
            raise Corrupt(f"stream {stream} does not begin as a table of a known game")
        game = self._games[opened.game]
        return await self._from_snapshot(stream, game, version) or self._empty(first[0], opened)

    def _empty(self, first: Commit, opened: TableOpened) -> Live:
        opener = Opener(self._recorder, first.stream)
        table = Table.empty(self._games[opened.game])
        start = genesis(first.stream)
        return Live(first.stream, table, opened, opener, start, first.recorded_at)

    async def _from_snapshot(self, stream: UUID, game: AnyGame, version: int) -> Live | None:
        """The table from its newest snapshot of ``version`` or before it, if there is one."""
        found = await self._snapshots.latest(stream, game.RULES, version)
        if found is None:
            return None
        commit = await self.store.at_version(stream, found.version)
        if commit is None or commit.hash != found.hash:
            log.warning("snapshot_ignored", stream=str(stream), version=found.version)
            return None
        try:
            saved = read_snapshot(self._recorder.master, found, self._games)
        except Corrupt:
            # Disposable by design: a fold from the first event replaces it.
            log.warning("snapshot_ignored", stream=str(stream), version=found.version)
            return None
        opener = Opener(self._recorder, stream)
        opener.learn(saved.table)
        live = Live(stream, saved.table, saved.opened, opener, found.hash, saved.created_at)
        live.snapshot_version = found.version
        live.recorded_at = commit.recorded_at
        return live


def wants_snapshot(live: Live) -> bool:
    """Whether it is time for one: enough events since the last, and between hands."""
    table = live.table
    enough = table.version - live.snapshot_version >= SPACING and not live.opener.unopened(table)
    return enough and not table.game.hand(table.state)
