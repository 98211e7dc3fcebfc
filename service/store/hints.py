"""Hints that the log has grown: within the process at once, between processes by NOTIFY.

A hint saves waiting and carries no truth: every follower also asks by itself, so that a lost
hint costs latency and never data.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import structlog

from engine.errors import Unavailable
from service.store.commit import Commit
from service.store.connection import LOST, Connection, Pool, open_connection
from service.store.counts import HintRecords
from service.store.log import LANE, head_position
from service.store.statement import Statement

__all__ = ["POLL_SECONDS", "Hints", "listen", "look", "notify"]

CHANNEL: Final = "kartejo"
POLL_SECONDS: Final = 0.4
"""Between two looks at the log where nobody tells of it: what a lost hint costs at most."""
COALESCE_SECONDS: Final = 0.01
IDLE_SECONDS: Final = 60.0
SEND_SECONDS: Final = 5.0
"""A server process that does not answer for so long is left for another one."""
KEPT: Final = 2_048
"""Of the newest commits, those that the followers of a process need not read from the database:
more than are stored in the second for which a follower may pause."""

_NOTIFY: Final = Statement("kartejo_notify", ("text", "text"), "SELECT pg_notify($1, $2)")
DIGITS: Final = re.compile("[0-9]{1,18}")
BACKOFF_SECONDS: Final = (0.05, 0.1, 0.2, 0.5, 1.0)
_log = structlog.get_logger("kartejo.store")


class Hints:
    """Wakes whoever waits for the log to grow.

    ``generation`` counts the hints: read it, look at the log, then wait for the next one.
    ``head`` is the highest position that anybody has told of, ``blind`` the last generation that
    told of none.  ``committed`` is the last position that this process itself has stored; what
    it has stored lately, or one of its followers has read, no other one reads: ``reading`` is held
    by who reads.  ``alone``: no other process is known, none is told.
    ``outages``: how often the database was away, and may have come back as another one.
    ``looked_at``: when (on the loop's clock) somebody last saw in the database where the log ends.
    """

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()
        self._kept: OrderedDict[int, Commit] = OrderedDict()
        self.reading = asyncio.Lock()
        self.generation = 0
        self.blind = 0
        self.head = 0
        self.committed = 0
        self.alone = False
        self.outages = 0
        self.looked_at = 0.0
        self._seen = 0
        self.records = HintRecords()

    def grown(self, commits: Sequence[Commit]) -> None:
        """Say that this process has stored ``commits``, which know their positions."""
        self.keep(commits)
        self.committed = max(self.committed, *(commit.position for commit in commits))
        self.heard(self.committed)

    def keep(self, commits: Sequence[Commit]) -> None:
        """Keep commits that were stored or read, for every follower of this process."""
        self._kept.update((commit.position, commit) for commit in commits)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def is_near(self, position: int) -> bool:
        """Whether what comes after ``position`` is worth keeping: it is not far from the end."""
        return position >= self.head - KEPT

    def kept_after(self, position: int, most: int) -> list[Commit]:
        """What comes right after ``position``, as far as it is kept."""
        found: list[Commit] = []
        while len(found) < most and (commit := self._kept.get(position + 1)) is not None:
            found.append(commit)
            position += 1
        return found

    def be_alone(self, alone: bool) -> None:
        """Say whether this process is the only one; others are told what they missed."""
        if alone != self.alone:
            self.alone = alone
            self._wake()

    def looked(self, head: int) -> None:
        """Say that the log was seen to end at ``head`` just now."""
        self.looked_at = asyncio.get_running_loop().time()
        if head != self._seen:  # not compared with what was told, which may be wrong
            self._seen = head
            self.heard(head)

    def was_away(self) -> None:
        """Say that the database could not be asked, and let everybody look once it is back."""
        self.outages += 1
        self._kept.clear()  # what comes back may hold other commits at these positions
        self.wake()

    def heard(self, position: int) -> None:
        """Say that somebody has stored ``position``."""
        self.head = max(self.head, position)
        self._wake()

    def wake(self) -> None:
        """Let everybody look, whatever may be there."""
        self.blind = self.generation + 1
        self._wake()

    def _wake(self) -> None:
        self.generation += 1
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
        self._waiting.clear()

    async def wait(self, generation: int, seconds: float) -> None:
        """Return at the first hint after ``generation``, at the latest after ``seconds``."""
        if self.generation != generation:
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        try:
            async with asyncio.timeout(seconds):
                await waiter
        except TimeoutError:
            return
        finally:
            self._waiting.discard(waiter)


async def look(pool: Pool, hints: Hints) -> None:
    """Look where the log ends, for all followers of this process; runs until cancelled.

    So they need not ask one by one, and nobody does while somebody else has just looked.
    """
    time = asyncio.get_running_loop().time
    while True:
        wait = hints.looked_at + POLL_SECONDS - time()
        if wait > 0:
            await asyncio.sleep(wait)
            continue
        try:
            hints.looked(await pool.ask(head_position))
        except Unavailable:
            hints.was_away()
            await asyncio.sleep(POLL_SECONDS)


async def notify(dsn: str, hints: Hints) -> None:
    """Tell other processes what this one has committed; runs until cancelled.

    On a connection of its own and after the commit: NOTIFY inside the append would take a lock
    of the whole server at every commit.
    """
    told = 0
    failures = 0
    while True:
        try:
            async with await open_connection(dsn, name="kartejo-notifier") as db:
                failures = 0
                while True:
                    generation = hints.generation
                    if (newest := hints.committed) > told and not hints.alone:
                        await _send(db, newest)
                        told = newest
                        hints.records.sent += 1
                        await asyncio.sleep(COALESCE_SECONDS)
                    else:
                        await hints.wait(generation, IDLE_SECONDS)
        except LOST as error:
            failures = await _pause("notifier", hints, error, failures)


async def _send(db: Connection, position: int) -> None:
    async with asyncio.timeout(SEND_SECONDS):
        await _NOTIFY.row(db, (CHANNEL.encode(), f"{LANE}:{position}".encode()))


async def listen(dsn: str, hints: Hints) -> None:
    """Pass on what other processes tell; runs until cancelled."""
    failures = 0
    while True:
        try:
            async with await open_connection(dsn, name="kartejo-listener") as db:
                await db.execute(f"LISTEN {CHANNEL}")
                failures = 0
                hints.wake()
                async for told in db.notifies():
                    hints.records.received += 1
                    lane, _, position = told.payload.partition(":")
                    if lane == str(LANE) and DIGITS.fullmatch(position):
                        hints.heard(int(position))
        except LOST as error:
            failures = await _pause("listener", hints, error, failures)


async def _pause(who: str, hints: Hints, error: BaseException, failures: int) -> int:
    hints.records.broken += 1
    if not failures:
        _log.info("store_hints_interrupted", who=who, error=type(error).__name__)
    await asyncio.sleep(BACKOFF_SECONDS[min(failures, len(BACKOFF_SECONDS) - 1)])
    return failures + 1
