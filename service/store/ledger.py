"""Table ``kartejo.ledger``: every change of every account, a projection of the log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from service.store.connection import Connection
from service.store.log import LANE
from service.store.records import as_records

__all__ = ["NAME", "Change"]

NAME: Final = "ledger"

_SERVING: Final = """(SELECT version FROM kartejo.progress
  WHERE lane = %(lane)s AND consumer = 'ledger' AND state = 'serving')"""
_COLUMNS: Final = "account, version, kind, change, balance, at_table, seat, note, recorded_at"
# Index: primary key (lane, build, account, version), for all but one.
_PUT: Final = f"""
INSERT INTO kartejo.ledger (lane, build, {_COLUMNS})
SELECT %(lane)s, %(build)s, {_COLUMNS}
  FROM jsonb_populate_recordset(NULL::kartejo.ledger, %(rows)s::jsonb)
"""  # noqa: S608
_LAST: Final = f"""
SELECT l.* FROM unnest(%(accounts)s::uuid[]) AS u(account)
 CROSS JOIN LATERAL (
   SELECT {_COLUMNS} FROM kartejo.ledger l
    WHERE l.lane = %(lane)s AND l.build = %(build)s AND l.account = u.account
    ORDER BY l.version DESC LIMIT 1) l
"""  # noqa: S608
_BEFORE: Final = f"""
SELECT {_COLUMNS} FROM kartejo.ledger
 WHERE lane = %(lane)s AND build = {_SERVING} AND account = %(account)s AND version < %(before)s
 ORDER BY version DESC LIMIT %(limit)s
"""  # noqa: S608
# Index: ledger_table (lane, build, account, at_table, version).
_BEFORE_AT: Final = f"""
SELECT {_COLUMNS} FROM kartejo.ledger
 WHERE lane = %(lane)s AND build = {_SERVING} AND account = %(account)s
   AND at_table = %(table)s AND version < %(before)s
 ORDER BY version DESC LIMIT %(limit)s
"""  # noqa: S608
_CLEAR: Final = """
DELETE FROM kartejo.ledger WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM kartejo.ledger WHERE lane = %(lane)s AND build = %(build)s LIMIT %(limit)s))
"""
_ONE_MOMENT: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
NEWEST: Final = 2**31 - 1


class Change(NamedTuple):
    """A change of an account (by its stream): what it was, chips, the balance after it.

    ``version`` is the stream's after it.  ``at_table`` (or a tournament) and ``seat`` say where
    chips went or came from; ``recorded_at`` in microseconds.
    """

    account: UUID
    version: int
    kind: str
    change: int
    balance: int
    at_table: UUID | None
    seat: int | None
    note: str
    recorded_at: int


async def last_of(db: Connection, build: int, accounts: Sequence[UUID]) -> list[Change]:
    """The newest change that a build has of each account."""
    rows = await db.execute(_LAST, {"lane": LANE, "build": build, "accounts": list(accounts)})
    return [Change._make(row) for row in await rows.fetchall()]


async def put(db: Connection, build: int, changes: Iterable[Change]) -> None:
    """Add changes to a build."""
    await db.execute(_PUT, {"lane": LANE, "build": build, "rows": as_records(changes)})


async def clear(db: Connection, build: int, limit: int) -> int:
    """Remove rows of a build, ``limit`` at most; how many."""
    return (await db.execute(_CLEAR, {"lane": LANE, "build": build, "limit": limit})).rowcount


async def changes_before(
    db: Connection, account: UUID, before: int, limit: int, table: UUID | None = None
) -> tuple[list[Change], Change | None]:
    """Changes with versions below ``before``, newest first, of one table or of all.

    And the newest change there is: both of one moment.
    """
    values = {"lane": LANE, "account": account, "limit": limit}
    page = {**values, "before": before, "table": table}
    async with db.transaction():
        await db.execute(_ONE_MOMENT)
        rows = await (await db.execute(_BEFORE if table is None else _BEFORE_AT, page)).fetchall()
        newest = {**values, "before": NEWEST, "limit": 1}
        last = await (await db.execute(_BEFORE, newest)).fetchone()
    return [Change._make(row) for row in rows], None if last is None else Change._make(last)
