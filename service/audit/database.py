"""A store in PostgreSQL as the source of an audit: read only, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar
from uuid import UUID

import psycopg
from psycopg.conninfo import make_conninfo

from engine.errors import Corrupt, Unavailable
from service.audit.checkpoints import SignedRow
from service.audit.source import RECENT, LogRow, Serving, Standing, Stray, StreamSize
from service.audit.strays import STRAYS
from service.store.admission import first_line
from service.store.commit import Commit
from service.store.connection import parsed
from service.store.hand_index import HandRow, TableRecord
from service.store.ledger import Change
from service.store.log import LANE
from service.store.master_keys import NotedKey
from service.store.migrate import SCHEMA_VERSION
from service.store.snapshots import Snapshot
from service.store.table_index import TableRow
from service.store.tournament_index import TournamentRow

__all__ = ["Database", "connected"]

PAGE: Final = 500
"""Commits, or rows, read at a time."""

LOG_PAGE: Final = 10_000

FIRST: Final = -(2**40)
"""Before everything, numbers included that no service would store."""

_COLUMNS: Final = """stream, kind, version, count, command, group_id, digest, actor_kind, actor,
  seat, action, received_at, recorded_at, hand, epoch, rules, body, hash, position"""
_MIGRATED: Final = "SELECT max(number) FROM kartejo.migration"
_STANDING: Final = """
SELECT l.head, coalesce((SELECT max(r.recorded_at)
                           FROM (SELECT c.recorded_at FROM kartejo.commit c
                                  WHERE c.lane = l.lane AND c.position <= l.head
                                  ORDER BY c.position DESC LIMIT %(recent)s) r), 0)
  FROM kartejo.lane l WHERE l.lane = %(lane)s
"""
_STREAMS: Final = """
SELECT stream, count(*) FROM kartejo.commit
 WHERE lane = %(lane)s AND position <= %(head)s GROUP BY stream ORDER BY stream
"""
# Index: commit_position (lane, position).
_LOG: Final = """
SELECT position, stream, version, kind, group_id, hash FROM kartejo.commit
 WHERE lane = %(lane)s AND position > %(after)s AND position <= %(head)s
 ORDER BY position LIMIT %(limit)s
"""
_FOLLOWING: Final = f"""
SELECT {_COLUMNS} FROM kartejo.commit
 WHERE lane = %(lane)s AND position > %(after)s ORDER BY position LIMIT %(limit)s
"""  # noqa: S608
# Index: primary key (lane, stream, version).
_STREAM: Final = f"""
SELECT {_COLUMNS} FROM kartejo.commit
 WHERE lane = %(lane)s AND stream = %(stream)s AND version > %(after)s AND position <= %(head)s
 ORDER BY version LIMIT %(limit)s
"""  # noqa: S608
_NEWEST: Final = """
SELECT coalesce(max(version), 0) FROM kartejo.commit
 WHERE lane = %(lane)s AND stream = %(stream)s
"""
_HEAD: Final = "SELECT head FROM kartejo.lane WHERE lane = %(lane)s"
# Index: primary key (lane, number).
_SIGNED: Final = """
SELECT number, size, root, frontier, key, note FROM kartejo.checkpoint
 WHERE lane = %(lane)s AND number > %(after)s ORDER BY number LIMIT %(limit)s
"""
_LOG_KEYS: Final = "SELECT key FROM kartejo.log_key ORDER BY number"
_MASTER_KEYS: Final = "SELECT id, former FROM kartejo.master_key ORDER BY number DESC"
# Index: primary key (lane, stream, rules, version).
_SNAPSHOTS: Final = """
SELECT stream, version, hash, rules, sealed FROM kartejo.snapshot
 WHERE lane = %(lane)s AND stream = %(stream)s AND version > %(after)s
 ORDER BY version FETCH FIRST %(limit)s ROWS WITH TIES
"""
_SERVING: Final = """
SELECT consumer, version, revision, position FROM kartejo.progress
 WHERE lane = %(lane)s AND state = 'serving'
"""
# Index: primary key (lane, build, stream), for each of three.
_TABLE: Final = """
SELECT stream, game, lab, house, created_at, closed_at, hand, running, seats_taken, seats, position
  FROM kartejo.table_index WHERE lane = %(lane)s AND build = %(build)s AND stream = %(stream)s
"""
_TOURNAMENT: Final = """
SELECT stream, name, game, format, host, phase, entries, waits, created_at, started_at, ended_at,
       position
  FROM kartejo.tournament_index
 WHERE lane = %(lane)s AND build = %(build)s AND stream = %(stream)s
"""
_HANDS_AT: Final = """
SELECT stream, version, game, lab, seats, players FROM kartejo.hand_table
 WHERE lane = %(lane)s AND build = %(build)s AND stream = %(stream)s
"""
# Index: primary key (lane, build, stream, hand).
_HANDS: Final = """
SELECT hand, game, first_version, last_version, started_at, ended_at, over, seats, players
  FROM kartejo.hand_index
 WHERE lane = %(lane)s AND build = %(build)s AND stream = %(stream)s AND hand > %(after)s
 ORDER BY hand LIMIT %(limit)s
"""
# Index: primary key (lane, build, account, version).
_CHANGES: Final = """
SELECT account, version, kind, change, balance, at_table, seat, note, recorded_at
  FROM kartejo.ledger
 WHERE lane = %(lane)s AND build = %(build)s AND account = %(stream)s AND version > %(after)s
 ORDER BY version LIMIT %(limit)s
"""
_SESSION: Final = (
    "-c default_transaction_read_only=on -c timezone=UTC -c jit=off -c statement_timeout=600s"
)

R = TypeVar("R")


@contextmanager
def connected(dsn: str) -> Iterator[Database]:
    """The store at ``dsn``, for reading only; a standby that takes no writes will do.

    The login needs the rights of ``kartejo_reader``, which those of the service include.  Raises
    ``Unavailable``, and ``Unfit`` for a text that names no database.
    """
    options = f"{parsed(dsn).get('options') or ''} {_SESSION}".strip()
    target = make_conninfo(dsn, options=options, application_name="kartejo-audit")
    try:
        with psycopg.connect(target, autocommit=True, connect_timeout=10) as db:
            _require_schema(db)
            yield Database(db)
    except psycopg.errors.UndefinedTable:
        raise Unavailable(
            "there is no store of this program's schema: run `kartejo migrate`", retry_ms=0
        ) from None
    except psycopg.errors.InsufficientPrivilege as error:
        what = error.diag.message_primary or "it has not the right to"
        hint = "GRANT kartejo_reader TO this login"
        raise Unavailable(f"the database cannot be read: {what}; {hint}", retry_ms=0) from None
    except psycopg.OperationalError as error:
        what = error.diag.message_primary or first_line(error)
        raise Unavailable(f"the database cannot be read: {what}") from None


def _require_schema(db: psycopg.Connection) -> None:
    row = db.execute(_MIGRATED).fetchone()
    if row is None or row[0] != SCHEMA_VERSION:
        found = row[0] if row else 0
        what = f"the database has schema {found}, this program reads {SCHEMA_VERSION}"
        raise Unavailable(f"{what}: run `kartejo migrate`", retry_ms=0)


class Database:
    """See ``Source``."""

    def __init__(self, db: psycopg.Connection) -> None:
        self._db = db

    def standing(self) -> Standing:
        """See ``Source``."""
        found = self.rows(_STANDING, tuple, recent=RECENT)
        if not found:
            raise Corrupt("the log has no lane")
        head, newest = found[0]
        return Standing(head, newest, self.rows(_STREAMS, StreamSize._make, head=head))

    def log(self, head: int) -> Iterator[LogRow]:
        """See ``Source``."""
        return self.pages(_LOG, LogRow._make, lambda row: row.position, LOG_PAGE, head=head)

    def commits(self, stream: UUID, head: int) -> Iterator[Commit]:
        """See ``Source``."""
        return self.pages(
            _STREAM, Commit._make, lambda one: one.version, PAGE, stream=stream, head=head
        )

    def following(self, commit: Commit, count: int) -> Sequence[Commit] | None:
        """See ``Source``."""
        return self.rows(_FOLLOWING, Commit._make, after=commit.position, limit=count)

    def beside(self, stream: UUID) -> _Beside:
        """See ``Source``."""
        return _Beside(self, stream, self.rows(_SERVING, Serving._make))

    def strays(self) -> Iterator[Stray]:
        """See ``Source``."""
        for check, expected, query in STRAYS:
            (number,) = self.rows(query, lambda row: int(row[0]))
            if number:
                yield Stray(check, expected, number)

    def head_now(self) -> int:
        """See ``Source``."""
        (head,) = self.rows(_HEAD, lambda row: int(row[0]))
        return head

    def signed(self) -> Iterator[SignedRow]:
        """See ``Source``."""
        return self.pages(_SIGNED, SignedRow._make, lambda row: row.number, PAGE)

    def log_keys(self) -> Sequence[str]:
        """See ``Source``."""
        return self.rows(_LOG_KEYS, lambda row: str(row[0]))

    def master_keys(self) -> tuple[NotedKey, ...]:
        """See ``Source``."""
        return tuple(self.rows(_MASTER_KEYS, NotedKey._make))

    # --- statements ---------------------------------------------------------------------------

    def rows(self, query: str, make: Callable[[Sequence[Any]], R], **values: object) -> list[R]:
        """What a statement finds."""
        with self._db.cursor(binary=True) as cursor:
            cursor.execute(query.encode(), {"lane": LANE, **values}, prepare=True)
            return [make(row) for row in cursor.fetchall()]

    def pages(
        self,
        query: str,
        make: Callable[[Sequence[Any]], R],
        mark: Callable[[R], int],
        size: int,
        **values: object,
    ) -> Iterator[R]:
        """What a statement finds, a page at a time; ``mark`` is what pages are ordered by."""
        after = FIRST
        while True:
            rows = self.rows(query, make, after=after, limit=size, **values)
            yield from rows
            if len(rows) < size:
                return
            after = mark(rows[-1])


class _Beside:
    """See ``Beside``.  Positions are read first: rows may be newer than they say, never older."""

    def __init__(self, source: Database, stream: UUID, serving: Sequence[Serving]) -> None:
        self._source = source
        self._stream = stream
        self.serving = {one.name: one for one in serving}
        self._table = self._one("tables", _TABLE, TableRow._make)
        self._tournament = self._one("tournaments", _TOURNAMENT, TournamentRow._make)
        self._hands_at = self._one("hands", _HANDS_AT, TableRecord._make)

    def _one(self, name: str, query: str, make: Callable[[Sequence[Any]], R]) -> R | None:
        if name not in self.serving:
            return None
        build = self.serving[name].build
        found = self._source.rows(query, make, stream=self._stream, build=build)
        return found[0] if found else None

    def _many(
        self,
        name: str,
        query: str,
        make: Callable[[Sequence[Any]], R],
        mark: Callable[[R], int],
    ) -> Iterator[R]:
        if name not in self.serving:
            return iter(())
        build = self.serving[name].build
        return self._source.pages(query, make, mark, PAGE, stream=self._stream, build=build)

    def snapshots(self) -> Iterator[Snapshot]:
        """See ``Beside``."""
        return self._source.pages(
            _SNAPSHOTS, Snapshot._make, lambda one: one.version, 20, stream=self._stream
        )

    def table(self) -> TableRow | None:
        """See ``Beside``."""
        return self._table

    def tournament(self) -> TournamentRow | None:
        """See ``Beside``."""
        return self._tournament

    def hands_at(self) -> TableRecord | None:
        """See ``Beside``."""
        return self._hands_at

    def hands(self) -> Iterator[HandRow]:
        """See ``Beside``."""
        return self._many("hands", _HANDS, HandRow._make, lambda row: row.hand)

    def changes(self) -> Iterator[Change]:
        """See ``Beside``."""
        return self._many("ledger", _CHANGES, Change._make, lambda row: row.version)

    def newest_version(self) -> int:
        """See ``Beside``."""
        (found,) = self._source.rows(_NEWEST, lambda row: int(row[0]), stream=self._stream)
        return found
