"""Which master keys a store was written with: their public ids, never a key."""

from __future__ import annotations

from typing import Final, NamedTuple

from service.store.connection import Connection, Pool

__all__ = ["KeyUse", "key_use", "take_into_use"]

_USE: Final = """
SELECT coalesce(max(number), 0),
       (array_agg(id ORDER BY number DESC))[1],
       EXISTS (SELECT FROM kartejo.commit)
  FROM kartejo.master_key
"""
_TAKE: Final = """
INSERT INTO kartejo.master_key (number, id) VALUES (%s, %s) ON CONFLICT (number) DO NOTHING
"""


class KeyUse(NamedTuple):
    """``number`` of keys so far, the ``id`` of the newest (8 bytes; None: none was noted yet).

    ``written``: the store holds commits, so that there must be a key.
    """

    number: int
    id: bytes | None
    written: bool


async def key_use(pool: Pool) -> KeyUse:
    """The key that the store is written with now; raises ``Unavailable``."""

    async def ask(db: Connection) -> KeyUse:
        (row,) = await (await db.execute(_USE)).fetchall()
        return KeyUse(row[0], None if row[1] is None else bytes(row[1]), row[2])

    return await pool.ask(ask)


async def take_into_use(pool: Pool, before: KeyUse, key_id: bytes) -> bool:
    """Note that another key is used from now on; false if somebody else was quicker.

    Raises ``Unavailable``.
    """
    async with pool.transaction() as db:
        done = await db.execute(_TAKE, (before.number + 1, key_id))
        return done.rowcount == 1
