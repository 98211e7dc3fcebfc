"""A table in memory: its state, its newest commits, and who waits for news of it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable
from typing import Any, Final
from uuid import UUID

from engine.errors import Unavailable
from engine.events import TableOpened
from engine.house import Table, apply_all, decision
from engine.kernel import Decision
from service.host.recorder import Opener, Recorded
from service.world import Handle

__all__ = ["Live"]

RECENT: Final = 64
"""Commits kept in memory for watchers that are nearly up to date; older ones are read."""


PAST: Final = 8
"""Commits whose tables are kept too: what a repeated request asks for is most often there."""

TOLD: Final = 3
"""Versions of which is kept what was made of them for those who look: not all look at once."""

RESTING: Final = 2
"""Commits kept of both at a table where nothing has happened for a while."""


class Live:
    """One hot table.  ``lock`` is held while a command is decided and stored.

    ``awaited`` is the decision that the table waits for, if any; ``queue`` counts the commands at
    the table, those that wait for the lock among them; ``recorded_at`` is the time of its newest
    commit, in microseconds; ``clocked``: the decision
    whose clock was looked after last; ``allowance``: a table, and the seconds for its decision.
    """

    def __init__(
        self,
        stream: UUID,
        table: Table,
        opened: TableOpened,
        opener: Opener,
        last_hash: bytes,
        created_at: int,
    ) -> None:
        self.stream = stream
        self.table_id = str(stream)
        self.table = table
        self.awaited = decision(table)
        self.opened = opened
        self.opener = opener
        self.last_hash = last_hash
        self.created_at = created_at
        clock = dict(opened.options)
        self.turn_seconds = int(clock["turn_seconds"])
        self.time_bank_ms = int(clock["time_bank_seconds"]) * 1000
        self.lock = asyncio.Lock()
        self.recent: deque[Recorded] = deque(maxlen=RECENT)
        self.past: deque[tuple[Recorded, Table]] = deque(maxlen=PAST)
        self.recorded_at = 0
        self.watchers = 0
        self.snapshot_version = 0
        self.saving = False
        self.queue = 0
        self.timer: Handle | None = None
        self.clocked: Decision | None = None
        self.decision_key: tuple[int, int] | None = None
        self.decision_since = 0.0
        self.allowance: tuple[Table | None, float] = None, 0.0
        self.start_timer: Handle | None = None
        self.start_version = 0
        self._told: dict[int, dict[Hashable, Any]] = {}
        self._waiting: set[asyncio.Future[None]] = set()
        self._abandoned = False

    def advance(self, recorded: Recorded, after: Table | None = None) -> None:
        """Take over a stored commit; ``after`` is the table it leads to.  ``wake`` comes next."""
        commit = recorded.commit
        self.table = after or apply_all(self.table, recorded.events, commit.seat)
        if self.table.version != commit.version:
            raise AssertionError("a commit does not continue its table")
        self.awaited = decision(self.table)
        self.last_hash = commit.hash
        self.recorded_at = commit.recorded_at
        self.recent.append(recorded)
        self.past.append((recorded, self.table))

    def told(self, version: int) -> dict[Hashable, Any]:
        """What was made of the table at a version, and of the commit that led there, for those who
        look at it: by whatever they have in common.  Nothing is kept for one that is long past.
        """
        found = self._told.get(version)
        if found is None:
            found = {}
            if version == self.table.version:
                self._told[version] = found
                if len(self._told) > TOLD:
                    del self._told[next(iter(self._told))]
        return found

    async def news(self, after_version: int) -> None:
        """Return when the table has gone past ``after_version``.

        Raises ``Unavailable`` when this is not its stream's table any more.
        """
        while self.table.version <= after_version:
            if self._abandoned:
                raise Unavailable("the table is being loaded again", retry_ms=100)
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.add(waiter)
            try:
                await waiter
            finally:
                self._waiting.discard(waiter)

    @property
    def is_awaited(self) -> bool:
        """Whether anybody waits for news."""
        return bool(self._waiting)

    def wake(self) -> None:
        """Tell whoever waits for news."""
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    def abandon(self) -> None:
        """Another table stands for the stream from now on; nobody waits here for ever."""
        self._abandoned = True
        self.stop_timer()
        self.wake()

    def recent_after(self, version: int) -> list[Recorded] | None:
        """Commits after ``version``, if memory still holds the one that continues there."""
        if version == self.table.version:
            return []
        found: list[Recorded] = []
        for each in reversed(self.recent):
            if each.commit.version <= version:
                break
            found.append(each)
        found.reverse()
        return found if found and found[0].commit.expected == version else None

    def rest(self) -> bool:
        """Keep little for quick answers; whatever else is asked for is read from the store.

        Whether there was anything to let go.
        """
        kept_much = len(self.recent) > RESTING
        for kept in (self.recent, self.past):
            while len(kept) > RESTING:
                kept.popleft()
        self._told.clear()
        return kept_much

    def is_idle(self) -> bool:
        """Whether nobody waits for anything here: no command, no watcher, no clock, no start."""
        starting = self.start_timer or self.start_version == self.table.version
        busy = self.lock.locked() or self.queue or self.watchers
        return not (busy or self.decision_key or starting)

    def time_of_next(self, now: int) -> int:
        """When the next commit is recorded: times of a stream never run backwards."""
        return max(now, self.recorded_at)

    def stop_timer(self) -> None:
        """Take the running timer back."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
