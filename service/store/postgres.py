"""The store that the rest of the service holds: append, read, follow."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from struct import Struct, error
from types import TracebackType
from typing import Final, Self
from uuid import UUID

import psycopg
import structlog

from engine.errors import Unavailable
from service.store import log
from service.store.admission import admit
from service.store.commit import Commit, StreamKind
from service.store.connection import Connection, Pool
from service.store.follow import follow_log
from service.store.hints import Hints, listen, look, notify
from service.store.migrate import SCHEMA_VERSION
from service.store.writer import Writer

__all__ = ["Store"]

MOST_PENDING: Final = 4_096
CLOSE_SECONDS: Final = 10.0
READ_LIMIT: Final = 10_000
REPORTS: Final = 2
REPORT_SECONDS: Final = 60.0
"""Questions that read much have lines of their own, and time."""
NEWEST: Final = 2**31 - 1

_log = structlog.get_logger("kartejo.store")

_MIGRATED: Final = "SELECT max(number) FROM kartejo.migration"
_SETTINGS: Final = """
SELECT name FROM pg_settings
 WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
 ORDER BY name
"""


# Numbers as wide as their columns.
_WIDTHS: Final = Struct(">3h5i2q")


class Store:
    """The event store of one process; an async context manager.

    ``dsn`` names a login that may act as ``kartejo_writer``.  ``allow_unsafe`` accepts a server
    that forgets acknowledged commits when the machine fails; it is for tests.  ``patience`` is
    how many seconds a command may wait for a database that is away.  Without ``notifications``
    followers poll only.

    Entering raises ``Unavailable`` when the server cannot be reached, its schema is not that of
    this program, or it would not keep what it acknowledges; ``Unfit`` when the login may not act.
    """

    def __init__(
        self,
        dsn: str,
        *,
        readers: int = 8,
        read_seconds: float = 5.0,
        patience: float = 2.0,
        most_pending: int = MOST_PENDING,
        notifications: bool = True,
        allow_unsafe: bool = False,
    ) -> None:
        self._dsn = dsn
        self._notifications = notifications
        self._allow_unsafe = allow_unsafe
        self.hints = Hints()
        self.patience = patience
        self.pool = Pool(dsn, size=readers, seconds=read_seconds)
        self.reports = Pool(dsn, size=REPORTS, seconds=REPORT_SECONDS)
        self.writer = Writer(dsn, self.hints, most_pending=most_pending, patience=patience)
        self._writing: asyncio.Task[None] | None = None
        self._hinting: list[asyncio.Task[None]] = []
        self._looking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        try:
            await admit(self._dsn)
            await self.pool.ask(self._check)
        except BaseException:
            await self.pool.close()
            raise
        self._writing = asyncio.create_task(self.writer.run(), name="store-writer")
        self._writing.add_done_callback(_told_if_dead)
        if self._notifications:
            self._hinting = [
                asyncio.create_task(notify(self._dsn, self.hints), name="store-notifier"),
                asyncio.create_task(listen(self._dsn, self.hints), name="store-listener"),
            ]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let what was submitted come to its outcome, for ``CLOSE_SECONDS`` at most."""
        self.writer.close()
        tasks = [*self._hinting]
        for task in self._hinting:
            task.cancel()
        if self._writing is not None:
            tasks.append(self._writing)
            await asyncio.wait([self._writing], timeout=CLOSE_SECONDS)
            self._writing.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        await self.pool.close()
        await self.reports.close()
        for outcome in ended:
            if isinstance(outcome, Exception):
                raise outcome

    async def _check(self, db: Connection) -> None:
        try:
            found = await (await db.execute(_MIGRATED)).fetchone()
        except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
            found = None
        version = found[0] if found else None
        if version != SCHEMA_VERSION:
            raise Unavailable(
                f"the database has schema {version or 0}, this program needs {SCHEMA_VERSION}: "
                "run `kartejo migrate`",
                retry_ms=0,
            )
        off = [name for (name,) in await (await db.execute(_SETTINGS)).fetchall()]
        if off and not self._allow_unsafe:
            raise Unavailable(
                f"the server would lose acknowledged events: {', '.join(off)} off", retry_ms=0
            )

    def submit(self, group: Sequence[Commit]) -> asyncio.Future[tuple[Commit, ...]]:
        """Queue a group and return its outcome as a future that outlives its waiters.

        The future brings what ``append`` returns or raises.  Cancelling it cancels nothing but
        the telling, so wait for it through ``asyncio.shield``.  Raises ``ValueError`` for a
        group that no store can take, and ``Exhausted`` or ``Unavailable`` when it was not queued.
        """
        if self._writing is None or self._writing.done():
            raise Unavailable("the store is closed", retry_ms=0)
        return self.writer.submit(_checked(group))

    async def append(self, group: Sequence[Commit]) -> tuple[Commit, ...]:
        """Store the commits of ``group`` on their streams, all or none; returns them placed.

        One commit per stream; each continues its stream at ``version - count`` and carries the
        hash that follows there.  When the caller is cancelled the group still comes to its
        outcome; ``by_command`` tells it later.

        Raises ``StreamConflict``, ``DuplicateCommand``, ``Exhausted``, ``Unavailable`` (nothing
        was stored), ``Unsettled`` (closed before the outcome was known), ``ValueError``.
        """
        return await self.submit(group)

    async def read(
        self,
        stream: UUID,
        after_version: int = 0,
        limit: int = READ_LIMIT,
        until_version: int = NEWEST,
    ) -> list[Commit]:
        """Commits of ``stream`` that end above ``after_version``, in order, at most ``limit``.

        None that ends after ``until_version``.
        """
        return await self.pool.ask(
            lambda db: log.commits_after(db, stream, after_version, limit, until_version)
        )

    async def read_many(
        self, after_versions: Mapping[UUID, int], limit: int = READ_LIMIT
    ) -> dict[UUID, list[Commit]]:
        """``read`` for several streams in one round trip; ``limit`` holds for each."""
        found: dict[UUID, list[Commit]] = {stream: [] for stream in after_versions}
        for commit in await self.pool.ask(lambda db: log.many_after(db, after_versions, limit)):
            found[commit.stream].append(commit)
        for commits in found.values():
            commits.sort(key=lambda commit: commit.version)
        return found

    async def head(self, stream: UUID) -> tuple[int, bytes] | None:
        """(version, hash) where ``stream`` stands; ``None`` before its first commit."""
        rows = await self.pool.ask(lambda db: log.stream_head(db, stream))
        return (rows[0][0], rows[0][1]) if rows else None

    async def at_version(self, stream: UUID, version: int) -> Commit | None:
        """The commit of ``stream`` whose last event is ``version``."""
        rows = await self.pool.ask(lambda db: log.commit_at(db, stream, version))
        return rows[0] if rows else None

    async def by_command(self, stream: UUID, command: bytes) -> Commit | None:
        """The commit that ``command`` (16 bytes) made on ``stream``, if it was accepted."""
        rows = await self.pool.ask(lambda db: log.commit_of_command(db, stream, command))
        return rows[0] if rows else None

    async def tables_after(self, position: int, limit: int = READ_LIMIT) -> set[UUID]:
        """The tables that were moved by the newest commits after ``position``."""
        kind = int(StreamKind.TABLE)
        rows = await self.pool.ask(lambda db: log.moved_after(db, position, kind, limit))
        return {row[0] for row in rows}

    async def tournaments(self) -> set[UUID]:
        """Every tournament at which something may be left to do."""
        return {row[0] for row in await self.pool.ask(log.tournaments)}

    async def tournament_done(self, stream: UUID) -> None:
        """Take down that nothing is left to do at a tournament, for good."""
        await self.pool.ask(lambda db: log.tournament_done(db, stream))

    async def hashes(self, after_position: int, limit: int = READ_LIMIT) -> list[bytes]:
        """Hashes of the commits at ``after_position + 1`` and on, in order, at most ``limit``."""
        return await self.pool.ask(lambda db: log.hashes_after(db, after_position, limit))

    async def position(self) -> int:
        """The last position of the log."""
        return await self.pool.ask(log.head_position)

    def follow(self, after_position: int, poll: float | None = None) -> AsyncIterator[Commit]:
        """Every commit after ``after_position``, each once, in order, without end.

        Survives a database that goes away.  ``poll`` is the seconds between two looks of this
        follower's own; without it one look of the store's is for all of them.  Raises ``Corrupt``
        when a position is missing.
        """
        return _one_by_one(self.follow_batches(after_position, poll))

    def follow_batches(
        self, after_position: int, poll: float | None = None, most: int = 1_000
    ) -> AsyncGenerator[list[Commit], None]:
        """The same in lists of at most ``most``, never empty."""
        if poll is None and self._looking is None:
            self._looking = asyncio.create_task(look(self.pool, self.hints), name="store-look")
            self._hinting.append(self._looking)
        return follow_log(self.pool, self.hints, after_position, poll, most)


async def _one_by_one(batches: AsyncIterator[list[Commit]]) -> AsyncIterator[Commit]:
    async for batch in batches:
        for commit in batch:
            yield commit


def _told_if_dead(task: asyncio.Task[None]) -> None:
    """A writer that died of a fault of its own refuses everything; say why at once."""
    if not task.cancelled() and (failure := task.exception()):
        _log.critical("store_writer_died", exc_info=failure)


def _checked(group: Sequence[Commit]) -> tuple[Commit, ...]:
    if not group:
        raise ValueError("a group has at least one commit")
    if len(group) > 1 and len({commit.stream for commit in group}) != len(group):
        raise ValueError("a stream stands twice in the group")
    for commit in group:
        _check(commit)
    return tuple(group)


def _check(commit: Commit) -> None:
    _, kind, version, count, command, group, digest, actor_kind, _, seat = commit[:10]
    action, received_at, recorded_at, hand, epoch, rules, body, hash_ = commit[10:18]
    try:
        _WIDTHS.pack(
            *(kind, actor_kind, seat, version, count, hand, epoch, rules),
            *(received_at, recorded_at),
        )
    except error as cause:
        raise ValueError(f"a number is too large to be stored: {cause}") from None
    if type(action) is not bytes or type(body) is not bytes:
        raise ValueError("action and body are bytes")
    if not 0 < count <= version:
        raise ValueError("a commit has at least one event, and its version counts them")
    if len(command) != 16 or len(group) != 16:
        raise ValueError("command id and group id have 16 bytes")
    if len(digest) != 32 or len(hash_) != 32:
        raise ValueError("digest and hash have 32 bytes")
