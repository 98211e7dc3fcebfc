"""Hot tables: loaded from snapshot and tail, kept up to date, let go when memory is needed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from time import perf_counter
from typing import Final
from uuid import UUID
from weakref import WeakValueDictionary

import structlog

from engine.errors import Corrupt, KartejoError, Reused
from engine.house import Table
from engine.kernel import AnyGame
from service.host.commands import Command
from service.host.faults import report
from service.host.live import Live
from service.host.reading import Reading
from service.host.recorder import Recorded, Recorder
from service.host.supervision import each
from service.host.table_records import TableRecords
from service.host.voiding import Voiding
from service.store.commit import Commit
from service.store.postgres import Store
from service.store.snapshots import Snapshots
from service.world import World

__all__ = ["Tables"]

log = structlog.get_logger(__name__)

LOOKS: Final = 8
"""Tables that a command looks at in search of one to let go, while there are too many."""

MOST_SAVING: Final = 16
"""Snapshots of tables that leave memory; while so many are under way no other table comes in."""

DAMAGED_SECONDS: Final = 5.0
"""How long a table that could not be read is not read again, whoever asks for it."""


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
        self,
        world: World,
        store: Store,
        recorder: Recorder,
        games: dict[str, AnyGame],
        most: int = 4096,
    ) -> None:
        self._most = most
        self.stored = Reading(store, recorder, games, Snapshots(store.pool))
        self._hot: OrderedDict[UUID, Live] = OrderedDict()
        self._known: WeakValueDictionary[UUID, Live] = WeakValueDictionary()
        self._loading: dict[UUID, _Loading] = {}
        self._world = world
        self._damaged: dict[UUID, tuple[float, str]] = {}
        self._saving: set[asyncio.Task[None]] = set()
        self._voiding = Voiding(world, store, self.stored, recorder)
        self.moved: Callable[[Live], None] = _nothing
        self.records = TableRecords()

    def hot(self) -> list[Live]:
        """All tables that are kept in memory."""
        return list(self._hot.values())

    def peek(self, stream: UUID) -> Live | None:
        """The table if it is in memory."""
        return self._known.get(stream)

    async def get(self, stream: UUID) -> Live:
        """The table, loaded if need be; raises ``Unknown`` if there is none.

        Raises ``Corrupt`` for what cannot be read, and for a while does not try again: it is as
        much work every time, and a long table's is seconds of everybody's.
        """
        live = self._known.get(stream)
        if live is not None:
            self.keep(live)
            return live
        if stream in self._damaged:
            found_at, where = self._damaged[stream]
            if self._world.monotonic() - found_at < DAMAGED_SECONDS:
                raise Corrupt(where)
            del self._damaged[stream]
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
        begun = perf_counter()
        try:
            live = await self.stored.load(stream)
            if self._voiding.is_wanted(live):
                await self._voiding.void(live)
                live = await self.stored.load(stream)
        except KartejoError as error:
            self.records.unloadable += 1
            if isinstance(error, Corrupt):
                self._damaged[stream] = self._world.monotonic(), str(error)
            raise
        self.records.loads.observe(perf_counter() - begun)
        return self.admit(live)

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
        if self._hot.get(live.stream) is not live:
            if self._known.get(live.stream) is not live:
                return False
            self._hot[live.stream] = live
        self._hot.move_to_end(live.stream)
        if len(self._hot) > self._most:
            self._shrink(live)
        return True

    def _shrink(self, used: Live) -> None:
        """Let go of some that are idle; who is found busy gets a second chance, at the end.

        Few are looked at in one go: where all are busy, every command comes here.
        """
        for _ in range(LOOKS):
            if len(self._hot) <= self._most:
                return
            stream, old = next(iter(self._hot.items()))
            if old is used or not old.is_idle():
                self._hot.move_to_end(stream)
            else:
                del self._hot[stream]
                self.records.evicted += 1
                if old.snapshot_version != old.table.version:
                    task = asyncio.create_task(self.keep_snapshot(old))
                    self._saving.add(task)
                    task.add_done_callback(self._saving.discard)

    async def rest(self, before: int) -> None:
        """Let tables take less memory where nothing was recorded since ``before`` (µs).

        One takes 0.1 ms, and a whole room may fall silent at once: the loop turns after each.
        """
        for live in self.hot():
            if live.recorded_at < before and live.rest():
                await asyncio.sleep(0)

    def forget(self, stream: UUID) -> None:
        """Let a table go whose state in memory may not be what is stored.

        Whoever watches it is told, and finds its successor when coming back.
        """
        self._hot.pop(stream, None)
        live = self._known.pop(stream, None)
        if live is not None:
            self.records.forgotten += 1
            live.abandon()

    # --- snapshots ----------------------------------------------------------------------------

    async def finish(self) -> None:
        """Keep a snapshot of every table that has moved, as far as the store takes them."""
        await each(self.hot(), self.keep_snapshot, MOST_SAVING)
        while self._saving:
            await asyncio.wait(set(self._saving))

    async def keep_snapshot(self, live: Live) -> None:
        """Save a snapshot if that can be done; nothing depends on it."""
        try:
            await self.save(live)
        except KartejoError as error:
            self.records.unsaved += 1
            log.warning("snapshot_not_kept", stream=str(live.stream), reason=error.reason)
        except Exception as error:  # noqa: BLE001 one table's fault is not the others'
            self.records.unsaved += 1
            report(log.bind(stream=str(live.stream)), "snapshot_not_kept", error)

    async def save(self, live: Live) -> None:
        """Store a snapshot of the table as it stands, unless the newest one is of this version.

        One at a time: whatever asks while one is being stored asks again after the next commit.
        """
        if live.saving or live.snapshot_version == live.table.version:
            return
        live.saving = True
        try:
            await self.stored.save(live)
        finally:
            live.saving = False
        self.records.snapshots += 1

    # --- what is stored -----------------------------------------------------------------------

    async def refresh(self, live: Live, version: int | None = None) -> None:
        """Catch up, to ``version`` at least, while no command runs at the table."""
        async with live.lock:
            if version is None or live.table.version < version:
                await self.catch_up(live)

    async def catch_up(self, live: Live) -> None:
        """Take over what others have stored on the table's stream.

        Whoever calls this for a table that others know of holds its lock.
        """
        before = live.table.version
        await self.stored.move(live)
        if live.table.version != before and self._known.get(live.stream) is live:
            self.moved(live)

    async def is_newest(self, live: Live, version: int) -> bool:
        """Whether nothing is stored on the table's stream after ``version``."""
        head = await self.stored.store.head(live.stream)
        return head is not None and head[0] <= version

    async def known(self, live: Live, command: Command) -> Commit | None:
        """The commit that this command made, if it was accepted.

        Raises ``Reused`` if the id stands for another request.
        """
        commit = await self.stored.store.by_command(live.stream, command.id)
        if commit is not None and not command.is_of(commit.digest):
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
        return await self.stored.at(live.stream, version)


def _nothing(live: Live) -> None:
    """Nobody wants to know."""


def _looked_at(task: asyncio.Task[Live]) -> None:
    """Read the outcome, so that asyncio does not complain when its waiters have gone."""
    if not task.cancelled():
        task.exception()
