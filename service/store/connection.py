"""Connections to PostgreSQL: how they are opened, shared, judged dead, and their errors named."""

from __future__ import annotations

import asyncio
import logging
import select
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from time import perf_counter
from typing import Any, Final, Self, TypeVar

import psycopg
import structlog
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from engine.errors import Corrupt, Unavailable
from service.store.arrays import register
from service.store.counts import PoolRecords
from service.store.errors import Unfit
from service.store.outage import Outage

__all__ = ["LOST", "Connection", "Pool", "is_dead", "open_connection", "parsed", "told_apart"]

T = TypeVar("T")


def _worth_saying(record: logging.LogRecord) -> bool:
    """False for psycopg's warning that an interrupted connection hung up: that is intended."""
    return not str(record.msg).startswith("query cancellation interrupted")


logging.getLogger("psycopg").addFilter(_worth_saying)


class Connection(psycopg.AsyncConnection[tuple[Any, ...]]):
    """A connection that hangs up when a statement on it is interrupted.

    psycopg would ask the server to cancel and wait ten seconds for a server that does not
    answer.  Interrupted connections are thrown away here, and the server's own time-out ends
    what they left.
    """

    async def cancel_safe(self, *, timeout: float = 0.0) -> None:  # noqa: ARG002, ASYNC109
        """Hang up at once."""
        self.pgconn.finish()


# What a broken or unreachable server raises.
LOST: Final = (psycopg.OperationalError, psycopg.InterfaceError, TimeoutError, OSError)
CONNECT_SECONDS: Final = 5.0
WRITER_ROLE: Final = "kartejo_writer"
_log = structlog.get_logger("kartejo.store")

# The server gives up a little after the client, so that nothing runs on for nobody.
_SESSION: Final = (
    r"-c default_transaction_isolation=read\ committed",
    "-c idle_in_transaction_session_timeout=10s",
    "-c timezone=UTC",
    "-c jit=off",
)


def parsed(dsn: str) -> dict[str, Any]:
    """The parameters of a connection string; raises ``Unfit``, which repeats nothing of it.

    >>> parsed("postgresql://cards@db.example/house")["host"]
    'db.example'
    """
    try:
        found = conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        found = {}
    if not found:
        expected = "postgresql://USER@HOST:PORT/NAME, or libpq's keywords (host=… dbname=…)"
        raise Unfit("BAD_DATABASE", f"this names no PostgreSQL database; expected {expected}")
    return found


async def open_connection(
    dsn: str, *, name: str, role: str | None = WRITER_ROLE, statement_seconds: float = 10.0
) -> Connection:
    """A connection in autocommit, which acts as ``role`` from its first moment.

    The role is the session's default, so that RESET ROLE and DISCARD ALL lead back to it.
    Only a server that takes writes is accepted.  Raises one of ``LOST``, and ``Unfit`` for a text
    that names no database.
    """
    given = parsed(dsn)
    options = [str(given.get("options") or ""), *_SESSION]
    options.append(f"-c statement_timeout={int(statement_seconds * 1000)}")
    if role is not None:
        options.append(f"-c role={role}")
    wanted = {
        "target_session_attrs": "read-write",
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 10_000,
        "connect_timeout": int(CONNECT_SECONDS),
        **given,
        "application_name": name,
        "options": " ".join(options).strip(),
    }
    async with asyncio.timeout(CONNECT_SECONDS + 1):
        target = make_conninfo("", **wanted)
        connection = await Connection.connect(target, autocommit=True)
    register(connection)
    return connection


def is_dead(connection: Connection) -> bool:
    """Whether the server has hung up on an idle connection; asks the socket, not the server."""
    if connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    # An idle server says nothing but farewell (or a notification on a listening connection).
    return bool(poll.poll(0))


@contextmanager
def told_apart(outage: Outage | None = None) -> Iterator[None]:
    """Turn what psycopg raises into the errors of Kartejo; no SQL and no data reach a caller."""
    outage = outage or Outage()
    try:
        yield
        if (seconds := outage.over()) is not None:
            _log.warning("store_reachable", away_seconds=seconds)
    except LOST as error:
        if outage.met():
            _log.error("store_unreachable", error=type(error).__name__)
        raise Unavailable("the database cannot be reached") from None
    except psycopg.Error as error:
        _log.error("store_statement_failed", sqlstate=error.sqlstate, error=type(error).__name__)
        raise Corrupt(f"the database refused a statement of the store ({error.sqlstate})") from None


class Pool:
    """At most ``size`` connections, opened when needed, kept when idle, for short statements.

    An async context manager; leaving it closes them.
    """

    def __init__(self, dsn: str, *, size: int = 8, seconds: float = 5.0) -> None:
        self._dsn = dsn
        self._seconds = seconds
        self._free = asyncio.Semaphore(size)
        self._idle: list[Connection] = []
        self._asking: set[asyncio.Task[Any]] = set()
        self._closed = False
        self.records = PoolRecords()
        self._outage = Outage()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Borrow a connection; it is thrown away when anything goes wrong on it."""
        begun = perf_counter()
        async with self._free:
            self.records.waits.observe(perf_counter() - begun)
            async with self._borrowed() as connection:
                yield connection

    @asynccontextmanager
    async def _borrowed(self) -> AsyncIterator[Connection]:
        """The same, for one of the ``size`` who may."""
        if self._closed:
            raise Unavailable("the store is closed")
        connection = await self._take()
        try:
            yield connection
        except BaseException:
            self.records.broken += 1
            await connection.close()
            raise
        await self._put(connection)

    async def _take(self) -> Connection:
        while self._idle:
            connection = self._idle.pop()
            if not is_dead(connection):
                return connection
            await connection.close()
        connection = await open_connection(
            self._dsn, name="kartejo-reader", statement_seconds=self._seconds
        )
        self.records.connected += 1
        return connection

    async def _put(self, connection: Connection) -> None:
        if self._closed:
            await connection.close()
        else:
            self._idle.append(connection)

    async def ask(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Run ``work``, which may be repeated, under the deadline; once more if the line broke.

        Whoever stops waiting while it runs leaves it to its end: an answer costs the server less
        than a line that is hung up on, and a new one.  Raises ``Unavailable`` and ``Corrupt``.
        """
        until = asyncio.get_running_loop().time() + self._seconds
        with told_apart(self._outage):
            begun = perf_counter()
            async with asyncio.timeout_at(until):
                await self._free.acquire()
            self.records.waits.observe(perf_counter() - begun)
            task = asyncio.create_task(self._answer(work, until))
            self._asking.add(task)
            task.add_done_callback(self._answered)
            return await asyncio.shield(task)

    async def _answer(self, work: Callable[[Connection], Awaitable[T]], until: float) -> T:
        try:
            async with asyncio.timeout_at(until):
                try:
                    async with self._borrowed() as connection:
                        return await work(connection)
                except (psycopg.OperationalError, psycopg.InterfaceError):
                    async with self._borrowed() as connection:
                        return await work(connection)
        except TimeoutError:
            # Where one line has fallen silent all may have: the next caller gets a new one.
            await self._drop_idle()
            raise

    def _answered(self, task: asyncio.Task[Any]) -> None:
        self._free.release()
        self._asking.discard(task)
        if not task.cancelled():
            task.exception()  # read here, so that asyncio does not complain when nobody waits

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """A transaction under the deadline, not repeated.  Raises ``Unavailable``, ``Corrupt``.

        After ``Unavailable`` it may have been committed.
        """
        with told_apart(self._outage):
            async with asyncio.timeout(self._seconds):
                async with self.connection() as db, db.transaction():
                    yield db

    async def close(self) -> None:
        """Close what is idle now and what is borrowed when it comes back."""
        self._closed = True
        await self._drop_idle()

    async def _drop_idle(self) -> None:
        while self._idle:
            await self._idle.pop().close()
