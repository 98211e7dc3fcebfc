"""Hot tables: loaded from snapshot and tail, kept up to date, let go when memory is needed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from typing import Final
from uuid import UUID
from weakref import WeakValueDictionary

import structlog

from engine.errors import Corrupt, KartejoError, Reused, Unknown
from engine.events import TableOpened
from engine.house import Table
from engine.kernel import AnyGame
from service.host.commands import Command
from service.host.faults import report
from service.host.live import Live
from service.host.recorder import MissingKeys, Opener, Recorded, Recorder
from service.host.snapshots import load_table, save_table
from service.store.commit import Commit, StreamKind, genesis, verify
from service.store.postgres import Store
from service.store.snapshots import Snapshot, Snapshots
from service.vault import open_snapshot, seal_snapshot

__all__ = ["Tables"]

log = structlog.get_logger(__name__)

PAGE: Final = 500
"""Commits read at a time."""

STRIDE: Final = 32
"""Commits opened in one go; then the loop turns."""

MOST_SAVING: Final = 16
"""Snapshots of tables that leave memory; while so many are under way no other table comes in."""

SNAPSHOT_EVERY: Final = 500
"""Events between two snapshots of a table, taken between hands."""


class _Loading:
    """A table on its way into memory, and how many wait for it."""

    def __init__(self, task: asyncio.Task[Live]) -> None:
        self.task = task
        self.waiting = 0


class Tables:
    """The tables of this process.  Raises ``Unknown``, ``Unavailable``, ``Corrupt``.

    One stream has one ``Live`` at a time, for as long as anybody holds it: ``_known`` refers to
    all of them weakly, ``_hot`` keeps those in memory that nobody may need soon.  So a table that
    leaves ``_hot`` while a caller is about to use it is still the one that everybody gets.

    ``moved`` is called with a table whenever it has come to another version by what others
    stored, and when it is kept for the first time.
    """

    def __init__(
        self, store: Store, recorder: Recorder, games: dict[str, AnyGame], most: int = 4096
    ) -> None:
        self._store = store
        self._recorder = recorder
        self._games = games
        self._most = most
        self._snapshots = Snapshots(store.pool)
        self._hot: OrderedDict[UUID, Live] = OrderedDict()
        self._known: WeakValueDictionary[UUID, Live] = WeakValueDictionary()
        self._loading: dict[UUID, _Loading] = {}
        self._saving: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()
        self.moved: Callable[[Live], None] = _nothing

    def hot(self) -> list[Live]:
        """All tables that are kept in memory."""
        return list(self._hot.values())

    def peek(self, stream: UUID) -> Live | None:
        """The table if it is in memory."""
        return self._known.get(stream)

    async def get(self, stream: UUID) -> Live:
        """The table, loaded if need be; raises ``Unknown`` if there is none."""
        live = self._known.get(stream)
        if live is not None:
            self.keep(live)
            return live
        loading = self._loading.get(stream)
        if loading is None:
            loading = _Loading(asyncio.create_task(self._load_and_keep(stream)))
            loading.task.add_done_callback(_looked_at)
            self._loading[stream] = loading
        loading.waiting += 1
        try:
            return await asyncio.shield(loading.task)
        finally:
            loading.waiting -= 1
            # The last one to leave takes the work along: nobody asks for it any more.
            if not loading.waiting:
                loading.task.cancel()
                if self._loading.get(stream) is loading:
                    del self._loading[stream]

    async def _load_and_keep(self, stream: UUID) -> Live:
        while len(self._saving) >= MOST_SAVING:
            await asyncio.wait(set(self._saving), return_when=asyncio.FIRST_COMPLETED)
        return self.admit(await self._load(stream))

    def admit(self, live: Live) -> Live:
        """Keep a table; returns it, or the one of its stream that was there before it."""
        known = self._known.get(live.stream)
        if known is not None:
            live = known
        else:
            self.moved(live)
            self._known[live.stream] = live
        self.keep(live)
        return live

    def keep(self, live: Live) -> bool:
        """Count a table as used just now; false if it is not its stream's table any more.

        Those longest unused leave while there are too many, with a snapshot on their way.
        """
        if self._known.get(live.stream) is not live:
            return False
        self._hot[live.stream] = live
        self._hot.move_to_end(live.stream)
        if len(self._hot) > self._most:
            self._shrink(live)
        return True

    def _shrink(self, used: Live) -> None:
        for old in list(self._hot.values()):
            if len(self._hot) <= self._most:
                return
            if old is not used and old.is_idle():
                del self._hot[old.stream]
                if old.snapshot_version != old.table.version:
                    task = asyncio.create_task(self.keep_snapshot(old))
                    self._saving.add(task)
                    task.add_done_callback(self._saving.discard)

    def forget(self, stream: UUID) -> None:
        """Let a table go whose state in memory may not be what is stored.

        Whoever watches it is told, and finds its successor when coming back.
        """
        self._hot.pop(stream, None)
        live = self._known.pop(stream, None)
        if live is not None:
            live.abandon()

    # --- snapshots ----------------------------------------------------------------------------

    async def finish(self) -> None:
        """Keep a snapshot of every table that has moved, as far as the store takes them."""
        for live in self.hot():
            await self.keep_snapshot(live)
        while self._saving:
            await asyncio.wait(set(self._saving))

    async def keep_snapshot(self, live: Live) -> None:
        """Save a snapshot if that can be done; nothing depends on it."""
        try:
            await self.save(live)
        except KartejoError as error:
            log.warning("snapshot_not_kept", stream=str(live.stream), reason=error.reason)
        except Exception as error:  # noqa: BLE001 one table's fault is not the others'
            report(log.bind(stream=str(live.stream)), "snapshot_not_kept", error)

    async def save(self, live: Live) -> None:
        """Store a snapshot of the table as it stands, unless the newest one is of this version.

        One at a time: whatever asks while one is being stored asks again after the next commit.
        """
        table = live.table
        if live.saving or live.snapshot_version == table.version:
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
        snapshot = Snapshot(
            stream=live.stream,
            version=table.version,
            hash=live.last_hash,
            rules=rules,
            sealed=sealed,
        )
        live.saving = True
        try:
            await self._snapshots.put(snapshot)
        finally:
            live.saving = False
        live.snapshot_version = table.version

    def wants_snapshot(self, live: Live) -> bool:
        """Whether it is time for one: enough events, and between hands."""
        table = live.table
        enough = table.version - live.snapshot_version >= SNAPSHOT_EVERY
        return enough and not table.game.to_act(table.state)

    # --- what is stored -----------------------------------------------------------------------

    async def refresh(self, live: Live, version: int | None = None) -> None:
        """Catch up, to ``version`` at least, while no command runs at the table."""
        async with live.lock:
            if version is None or live.table.version < version:
                await self.catch_up(live)

    async def catch_up(self, live: Live, until: int | None = None) -> None:
        """Take over what others have stored on the table's stream, up to ``until``.

        Whoever calls this for a table that others know of holds its lock.
        """
        before = live.table.version
        while until is None or live.table.version < until:
            commits = await self._store.read(live.stream, live.table.version, PAGE)
            for number, commit in enumerate(commits, 1):
                if until is not None and live.table.version >= until:
                    break
                if commit.version > live.table.version:
                    await self._take_over(live, commit)
                if not number % STRIDE:
                    await self._breathe()
            if len(commits) < PAGE:
                break
        if live.table.version != before and self._known.get(live.stream) is live:
            self.moved(live)

    async def _take_over(self, live: Live, commit: Commit) -> None:
        """Move a table on by a stored commit; raises ``Corrupt``."""
        verify(live.last_hash, commit)
        live.advance(await self._open(live.opener, commit))

    async def _breathe(self) -> None:
        """Let everything else run before going on with a long piece of reading.

        Long readers stand in a line, so that many of them take no more of the loop than one.
        """
        async with self._turn:
            await asyncio.sleep(0)

    async def is_newest(self, live: Live, version: int) -> bool:
        """Whether nothing is stored on the table's stream after ``version``."""
        head = await self._store.head(live.stream)
        return head is not None and head[0] <= version

    async def known(self, live: Live, command: Command) -> Commit | None:
        """The commit that this command made, if it was accepted.

        Raises ``Reused`` if the id stands for another request.
        """
        commit = await self._store.by_command(live.stream, command.id)
        if commit is not None and commit.digest != command.digest:
            raise Reused("this request_id stands for another request")
        return commit

    async def at(self, live: Live, version: int) -> tuple[Recorded, Table]:
        """The commit that ends at ``version`` and the table after it; raises ``Unknown``.

        ``version`` is at most the table's own.  The newest few are in memory; others are folded
        from the snapshot before them, or from the beginning.
        """
        for recorded, table in reversed(live.past):
            if table.version == version:
                return recorded, table
        base = await self._from_snapshot(live.stream, live.table.game, before=version)
        if base is None:
            base = await self._from_beginning(live.stream)
        await self.catch_up(base, until=version)
        if base.table.version != version:
            raise Unknown(f"no action of the table ends at version {version}")
        return base.past[-1]

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
            for number, commit in enumerate(commits, 1):
                if not number % STRIDE:
                    await self._breathe()
                if commit.version > live.table.version:
                    return
                verify(previous, commit)
                previous = commit.hash
                if commit.version <= after_version:
                    opener.skim(commit)
                else:
                    yield await self._open(opener, commit)
            if len(commits) < PAGE:
                return
            version = commits[-1].version

    async def _open(self, opener: Opener, commit: Commit) -> Recorded:
        """Open a commit; where the master key does not, by the secret its epoch closed with."""
        while True:
            try:
                return opener.open(commit)
            except MissingKeys as missing:
                if not await self._reveal(opener, commit, missing.epoch):
                    raise

    async def _reveal(self, opener: Opener, commit: Commit, epoch: int) -> bool:
        version = commit.expected
        while True:
            commits = await self._store.read(commit.stream, version, PAGE)
            for later in commits:
                if later.epoch > epoch:
                    return False
                if opener.reveal(epoch, later):
                    return True
            if len(commits) < PAGE:
                return False
            version = commits[-1].version

    # --- loading ------------------------------------------------------------------------------

    async def _load(self, stream: UUID) -> Live:
        first = await self._first(stream)
        opened = self._opened(first)
        live = await self._from_snapshot(stream, self._games[opened.game])
        if live is None:
            live = self._at_the_beginning(first, opened)
        await self.catch_up(live)
        return live

    async def _first(self, stream: UUID) -> Commit:
        first = await self._store.read(stream, 0, 1)
        if not first or first[0].kind != StreamKind.TABLE:
            raise Unknown("no such table")
        return first[0]

    async def _from_beginning(self, stream: UUID) -> Live:
        first = await self._first(stream)
        return self._at_the_beginning(first, self._opened(first))

    def _at_the_beginning(self, first: Commit, opened: TableOpened) -> Live:
        opener = Opener(self._recorder, first.stream)
        empty = Table.empty(self._games[opened.game])
        start = genesis(first.stream)
        return Live(first.stream, empty, opened, opener, start, first.recorded_at)

    def _opened(self, first: Commit) -> TableOpened:
        found = Opener(self._recorder, first.stream).opening(first)
        if found is None or found.game not in self._games:
            raise Corrupt(f"stream {first.stream} does not begin as a table of a known game")
        return found

    async def _from_snapshot(
        self, stream: UUID, game: AnyGame, before: int = 2**31 - 1
    ) -> Live | None:
        """The table from its newest snapshot of a version below ``before``, if there is one."""
        found = await self._snapshots.latest(stream, game.RULES, before - 1)
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
        opener.learn(saved.table)
        live = Live(stream, saved.table, saved.opened, opener, found.hash, saved.created_at)
        live.snapshot_version = found.version
        live.recorded_at = commit.recorded_at
        return live


def _nothing(live: Live) -> None:
    """Nobody wants to know."""


def _looked_at(task: asyncio.Task[Live]) -> None:
    """Read the outcome, so that asyncio does not complain when its waiters have gone."""
    if not task.cancelled():
        task.exception()
