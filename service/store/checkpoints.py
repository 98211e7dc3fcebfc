"""Table ``kartejo.checkpoint``: what was signed of the transparency log, one append-only series."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final, NamedTuple

from service.store.connection import Connection, Pool
from service.store.log import LANE

__all__ = ["NEWEST", "Signed", "add", "covering", "newest", "older"]

NEWEST: Final = 2**63 - 1
"""A number that no checkpoint has."""

_COLUMNS: Final = "number, size, root, frontier, key, note, signed_at"
# Index: primary key (lane, number), read backwards.
_OLDER: Final = f"""
SELECT {_COLUMNS} FROM kartejo.checkpoint
 WHERE lane = %(lane)b AND number < %(before)b ORDER BY number DESC LIMIT %(limit)b
"""  # noqa: S608
# Index: checkpoint_size (lane, size, number).
_COVERING: Final = f"""
SELECT {_COLUMNS} FROM kartejo.checkpoint
 WHERE lane = %(lane)b AND size >= %(size)b ORDER BY size, number LIMIT 1
"""  # noqa: S608
_ADD: Final = """
INSERT INTO kartejo.checkpoint (lane, number, size, root, frontier, key, note)
VALUES (%(lane)b, %(number)b, %(size)b, %(root)b, %(frontier)b, %(key)s, %(note)s)
ON CONFLICT (lane, number) DO NOTHING
"""


class Signed(NamedTuple):
    """A checkpoint: the tree of ``size`` leaves has this root.

    ``number`` is its place in the series, ``frontier`` the tree in short, ``key`` the verifier
    key of whoever signed ``note``.
    """

    number: int
    size: int
    root: bytes
    frontier: bytes
    key: str
    note: str
    signed_at: datetime | None = None


async def newest(pool: Pool) -> Signed | None:
    """The last of the series; raises ``Unavailable``, as the others do."""
    found = await older(pool, NEWEST, 1)
    return found[0] if found else None


async def older(pool: Pool, before: int, limit: int) -> list[Signed]:
    """Checkpoints with smaller numbers, newest first."""
    return await _read(pool, _OLDER, before=before, limit=limit)


async def covering(pool: Pool, size: int) -> Signed | None:
    """The oldest that covers so many commits."""
    found = await _read(pool, _COVERING, size=size)
    return found[0] if found else None


async def add(pool: Pool, signed: Signed, keep: Callable[[], Awaitable[None]]) -> bool:
    """Store the next of the series; false, and nothing done, if somebody else was faster.

    ``keep`` is done before it is stored, and only if it will be unless something fails.
    """
    values = signed._asdict()
    del values["signed_at"]
    async with pool.transaction() as db:
        if not (await db.execute(_ADD, {"lane": LANE, **values})).rowcount:
            return False
        await keep()
    return True


async def _read(pool: Pool, query: str, **values: int) -> list[Signed]:
    async def work(db: Connection) -> list[Signed]:
        rows = await db.execute(query, {"lane": LANE, **values})
        return [
            Signed(number, size, bytes(root), bytes(frontier), key, note, signed_at)
            for number, size, root, frontier, key, note, signed_at in await rows.fetchall()
        ]

    return await pool.ask(work)
