"""Which master keys a store was written with: their public ids, never a key in clear."""

from __future__ import annotations

from typing import Final, NamedTuple

from service.store.connection import Connection, Pool

__all__ = ["KeyUse", "NotedKey", "key_use", "take_into_use"]

# Primary key (number).
_NOTED: Final = "SELECT id, former FROM kartejo.master_key ORDER BY number DESC"
_WRITTEN: Final = "SELECT EXISTS (SELECT FROM kartejo.commit)"
_TAKE: Final = """
INSERT INTO kartejo.master_key (number, id, former) VALUES (%s, %s, %s)
ON CONFLICT (number) DO NOTHING
"""


class NotedKey(NamedTuple):
    """``id`` (8 bytes) of a key, and the key before it, ``former``, wrapped by it.

    ``former`` is None for the first key, and for one that took the place of a lost one.
    """

    id: bytes
    former: bytes | None


class KeyUse(NamedTuple):
    """The keys of a store, the newest first.

    ``written``: the store holds commits, so that there must be a key.
    """

    keys: tuple[NotedKey, ...]
    written: bool

    @property
    def id(self) -> bytes | None:
        """Of the key that the store is written with now; None: none was noted yet."""
        return self.keys[0].id if self.keys else None


async def key_use(pool: Pool) -> KeyUse:
    """The keys that the store was and is written with; raises ``Unavailable``."""

    async def ask(db: Connection) -> KeyUse:
        rows = await (await db.execute(_NOTED)).fetchall()
        ((written,),) = await (await db.execute(_WRITTEN)).fetchall()
        keys = [NotedKey(bytes(key), None if box is None else bytes(box)) for key, box in rows]
        return KeyUse(tuple(keys), written)

    return await pool.ask(ask)


async def take_into_use(
    pool: Pool, before: KeyUse, key_id: bytes, former: bytes | None = None
) -> bool:
    """Note that another key is used from now on; false if somebody else was quicker.

    Raises ``Unavailable``.
    """
    async with pool.transaction() as db:
        done = await db.execute(_TAKE, (len(before.keys) + 1, key_id, former))
        return done.rowcount == 1
