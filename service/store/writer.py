"""The one writer of a process: group commit, one transaction in flight.

Whatever waits when a transaction returns forms the next batch, so that batches grow with the
load and the latency of a lone commit stays that of one flush.

When the connection breaks under a batch, nobody knows whether it was stored.  The writer then
ends the old backend, so that nothing can be stored late, reads what stands at the batch's own
versions, and decides by the hash: ours is there – it was stored; nothing is there – it was not,
and is sent again; something else is there – somebody was faster, and the next append says so.
Until then its callers hear nothing; an outcome is never guessed.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from time import perf_counter
from typing import Final

import psycopg
import structlog

from engine.errors import Corrupt, Exhausted, KartejoError, Unavailable
from service.store.commit import Commit
from service.store.connection import LOST, Connection, is_dead, open_connection
from service.store.counts import WriterRecords
from service.store.entry import (
    THE_DATA,
    Entry,
    Stored,
    placed,
    stays,
    why_lost,
    why_refused,
)
from service.store.errors import Unsettled
from service.store.hints import Hints
from service.store.log import Reply, append_batch, standing_at
from service.store.outage import Outage

__all__ = ["Writer"]

BATCH_EVENTS: Final = 1_000
BATCH_BYTES: Final = 256 * 1024
BATCH_ENTRIES: Final = 200
COMPANY_SECONDS: Final = 0.015
QUIET_TURNS: Final = 3
QUIET_SECONDS: Final = 50e-6
CALL_SECONDS: Final = 15.0
BACKOFF_SECONDS: Final = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)

_log = structlog.get_logger("kartejo.store")

_END_BACKEND: Final = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
 WHERE application_name = %s AND pid <> pg_backend_pid()
"""


class Writer:
    """Takes groups by ``submit`` and stores them; ``run`` is the body of its task."""

    def __init__(
        self,
        dsn: str,
        hints: Hints,
        *,
        most_pending: int,
        patience: float,
    ) -> None:
        self._dsn = dsn
        self._hints = hints
        self._most_pending = most_pending
        self._patience = patience
        self._pending: deque[Entry] = deque()
        self._flying: list[Entry] = []
        self._work = asyncio.Event()
        self._closing = False
        self._connection: Connection | None = None
        self._name = ""
        self._down_since: float | None = None
        self.records = WriterRecords()
        self._refusing = Outage()

    @property
    def waiting(self) -> int:
        """Groups that have no outcome yet."""
        return len(self._pending) + len(self._flying)

    @property
    def oldest_seconds(self) -> float:
        """How long the one that came first has been waiting; 0 if there is none."""
        first = [queue[0].queued_at for queue in (self._flying, self._pending) if queue]
        return asyncio.get_running_loop().time() - min(first) if first else 0.0

    @property
    def is_up(self) -> bool:
        """Whether the database answered when it was last asked."""
        return self._down_since is None

    def submit(self, group: Stored) -> asyncio.Future[Stored]:
        """Queue ``group``; the future brings its commits with positions, or its error.

        The future comes to its outcome whoever waits for it or stops waiting.  Raises
        ``Exhausted`` when too much waits already and ``Unavailable`` when the database has been
        away for longer than the writer's patience: in both cases nothing was or will be done.
        """
        loop = asyncio.get_running_loop()
        if self._closing:
            raise Unavailable("the store is closed", retry_ms=0)
        if self._down_since is not None and loop.time() - self._down_since > self._patience:
            raise Unavailable("the database cannot be reached")
        if self.waiting >= self._most_pending:
            self.records.refused += 1
            raise Exhausted("too many commands wait for the database", retry_ms=100)
        future: asyncio.Future[Stored] = loop.create_future()
        self._pending.append(Entry(group, future, loop.time()))
        self._work.set()
        return future

    async def run(self) -> None:
        """Store what is submitted, until ``close`` was called and nothing waits any more."""
        try:
            while True:
                if self._pending:
                    await self._company()
                    self._flying = self._next_batch()
                    await self._deliver()
                elif self._closing:
                    return
                elif self._down_since is not None:
                    await self._probe()
                else:
                    self._work.clear()
                    await self._work.wait()
        finally:
            await self._hang_up()
            self._give_up()

    def close(self) -> None:
        """Take nothing new; ``run`` returns when all that waits has its outcome."""
        self._closing = True
        self._work.set()

    def _give_up(self) -> None:
        self._closing = True
        for entry in (*self._flying, *self._pending):
            entry.fail(Unsettled("the store was closed meanwhile"))
        self._flying = []
        self._pending.clear()

    async def _company(self) -> None:
        """Let other commands join the batch while the loop has work to do.

        A batch costs the loop as much as several commands, whatever its size: on a busy loop a
        small one takes the time that the commands behind it are waiting for.  A turn of the loop
        in which nothing else ran is over in some microseconds, so a lone commit hardly waits.
        """
        now = perf_counter()  # the loop's own clock stands still within milliseconds
        until = now + COMPANY_SECONDS
        quiet = 0
        while quiet < QUIET_TURNS and now < until and len(self._pending) < BATCH_ENTRIES:
            before = now
            await asyncio.sleep(0)
            now = perf_counter()
            quiet = quiet + 1 if now - before < QUIET_SECONDS else 0

    def _next_batch(self) -> list[Entry]:
        """What goes together: in order of arrival, no stream twice, within the limits."""
        batch: list[Entry] = []
        later: deque[Entry] = deque()
        busy: set[int] = set()
        events = size = 0
        while self._pending:
            entry = self._pending.popleft()
            if batch and (events + entry.events > BATCH_EVENTS or size + entry.size > BATCH_BYTES):
                later.append(entry)
                break
            # A deferred entry keeps its place before later ones of the same streams.
            if busy.isdisjoint(entry.streams):
                batch.append(entry)
                events += entry.events
                size += entry.size
            else:
                later.append(entry)
            busy.update(entry.streams)
        later.extend(self._pending)
        self._pending = later
        return batch

    async def _deliver(self) -> None:
        """Bring every entry in flight to its outcome."""
        unknown = False
        failures = 0
        while self._flying:
            sent = False
            try:
                connection = await self._connected()
                if unknown:
                    await self._settle(connection)
                    unknown = False
                    continue
                sent = True
                await self._send(connection)
            except (*LOST, psycopg.Error) as error:
                unknown = unknown or sent
                self._is_away(error, unknown=unknown)
                await self._hang_up()
                await self._wait_away(failures, unknown)
                failures += 1
            else:
                failures = 0

    async def _probe(self) -> None:
        """Look for a database that is away while nothing is submitted, or all is refused."""
        try:
            await self._connected()
        except (*LOST, psycopg.Error) as error:
            self._is_away(error, unknown=False)
            await self._hang_up()
            await asyncio.sleep(BACKOFF_SECONDS[-1] / 2)

    async def _send(self, connection: Connection) -> None:
        begun = perf_counter()
        try:
            async with asyncio.timeout(CALL_SECONDS):
                reply = await append_batch(connection, [entry.group for entry in self._flying])
        except psycopg.Error as error:
            # Only an ERROR tells that the transaction was rolled back; farewells tell nothing.
            if connection.closed or error.diag.severity_nonlocalized != "ERROR":
                raise
            self._refused(error)
        else:
            self.records.sent(
                len(self._flying),
                sum(entry.events for entry in self._flying),
                sum(entry.size for entry in self._flying),
                perf_counter() - begun,
            )
            if (seconds := self._refusing.over()) is not None:
                _log.warning("store_append_works", away_seconds=seconds)
            self._answer(reply)

    def _refused(self, error: psycopg.Error) -> None:
        """The server aborted the transaction and said so: nothing of the batch was stored."""
        state = error.sqlstate or ""
        why = why_refused(state)
        if why != THE_DATA:
            if self._refusing.met():
                _log.error("store_append_refused", why=why, sqlstate=state)
            # Lack of space, a time-out, a server turned read-only: not the data's fault.
            self._fail_all(Unavailable, f"the database refused to append ({state})")
        elif len(self._flying) == 1:
            _log.error("store_append_refused", why=why, sqlstate=state)
            self._fail_all(Corrupt, f"the database cannot hold this commit ({state})")
        else:
            # One group's data is at fault: each goes alone, so that only that one fails.
            self._pending.extendleft(reversed(self._flying[1:]))
            del self._flying[1:]

    def _fail_all(self, kind: type[Corrupt | Unavailable], why: str) -> None:
        for entry in self._flying:
            entry.fail(kind(why))
        self._flying = []

    def _answer(self, reply: Reply) -> None:
        lost = {
            index - 1: (version, duplicate)
            for index, version, duplicate in zip(
                reply.lost, reply.lost_version, reply.lost_duplicate, strict=True
            )
        }
        position = reply.first_position
        outcomes: list[Stored | KartejoError] = []
        at = 0
        for entry in self._flying:
            mine = range(at, at + len(entry.group))
            at = mine.stop
            if lost and (losers := [index - mine.start for index in mine if index in lost]):
                outcomes.append(why_lost(entry.group, losers, lost, mine.start))
            else:
                outcomes.append(placed(entry.group, position))
                position += len(entry.group)
        flying, self._flying = self._flying, []
        if position - reply.first_position != reply.stored:
            why = "the database stored another number of commits than were sent"
            outcomes = [Corrupt(why) for _ in flying]
        for entry, outcome in zip(flying, outcomes, strict=True):
            if isinstance(outcome, KartejoError):
                entry.fail(outcome)
            else:
                entry.succeed(outcome)
        if reply.stored:
            self._hints.grown([one for each in outcomes if isinstance(each, tuple) for one in each])

    async def _settle(self, connection: Connection) -> None:
        """Find out which entries were stored; the others stay in flight, known to be absent."""
        sent = [commit for entry in self._flying for commit in entry.group]
        async with asyncio.timeout(CALL_SECONDS):
            rows = await standing_at(connection, sent)
        standing = {(row[0], row[1]): (bytes(row[2]), int(row[3])) for row in rows}
        absent: list[Entry] = []
        stored: list[Commit] = []
        for entry in self._flying:
            found = [standing.get((commit.stream, commit.version)) for commit in entry.group]
            ours = [
                place is not None and place[0] == commit.hash
                for commit, place in zip(entry.group, found, strict=True)
            ]
            if all(ours):
                places = [place[1] for place in found if place is not None]
                settled = tuple(
                    commit.placed(place) for commit, place in zip(entry.group, places, strict=True)
                )
                stored += settled
                entry.succeed(settled)
            elif any(ours):
                entry.fail(Corrupt("a group of commits was stored in part"))
            else:
                absent.append(entry)
        _log.info("store_settled", stored=len(self._flying) - len(absent), absent=len(absent))
        self._flying = absent
        if stored:
            self._hints.grown(stored)

    async def _connected(self) -> Connection:
        """The writer's connection; a new one only after the last one's backend has ended."""
        if self._connection is not None:
            if not is_dead(self._connection):
                return self._connection
            await self._hang_up()
        if self._name:
            await self._end_old_backend()
        name = f"kartejo-writer-{secrets.token_hex(8)}"
        self._connection = await open_connection(self._dsn, name=name)
        self._name = name
        self.records.connected += 1
        self._is_back()
        return self._connection

    def _is_away(self, error: BaseException, *, unknown: bool) -> None:
        """Say so once, whatever fails until it is back."""
        self.records.broken += 1
        if self._down_since is None:
            self._down_since = asyncio.get_running_loop().time()
            _log.error("database_gone", error=type(error).__name__, unknown=unknown)

    def _is_back(self) -> None:
        if self._down_since is not None:
            away = asyncio.get_running_loop().time() - self._down_since
            _log.warning("database_back", away_seconds=round(away, 3))
            self._down_since = None

    async def _end_old_backend(self) -> None:
        """Without a role: ending a backend takes the rights of the login that it belongs to."""
        async with await open_connection(self._dsn, name="kartejo-ender", role=None) as db:
            async with asyncio.timeout(CALL_SECONDS):
                found = await db.execute(_END_BACKEND, (self._name,))
                if any(ended is not True for (ended,) in await found.fetchall()):
                    raise TimeoutError
        self._name = ""

    async def _hang_up(self) -> None:
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def _wait_away(self, failures: int, unknown: bool) -> None:
        """Let time pass while the database is away, and send home who has waited too long."""
        now = asyncio.get_running_loop().time()
        waiting = [*self._pending] if unknown else [*self._flying, *self._pending]
        first = min((entry.queued_at for entry in waiting), default=now)
        # Not a moment longer than the first one waits: its caller has other things to do.
        pause = BACKOFF_SECONDS[min(failures, len(BACKOFF_SECONDS) - 1)]
        await asyncio.sleep(min(pause, max(BACKOFF_SECONDS[0], first + self._patience - now)))
        oldest = asyncio.get_running_loop().time() - self._patience
        if not unknown:
            self._flying = [entry for entry in self._flying if stays(entry, oldest)]
        self._pending = deque(entry for entry in self._pending if stays(entry, oldest))
