"""Table ``kartejo.log_key``: who signs the transparency log.  Verifier keys, never a secret one."""

from __future__ import annotations

from typing import Final, NamedTuple

from service.store.connection import Connection, Pool

__all__ = ["LogKeyUse", "log_key_use", "take_log_key"]

_USE: Final = "SELECT number, key FROM kartejo.log_key ORDER BY number DESC LIMIT 1"
_TAKE: Final = """
INSERT INTO kartejo.log_key (number, key) VALUES (%s, %s) ON CONFLICT (number) DO NOTHING
"""


class LogKeyUse(NamedTuple):
    """``number`` of keys so far, and the newest (None: there was none yet)."""

    number: int
    key: str | None


async def log_key_use(pool: Pool) -> LogKeyUse:
    """The key that signs now; raises ``Unavailable``."""

    async def ask(db: Connection) -> LogKeyUse:
        row = await (await db.execute(_USE)).fetchone()
        return LogKeyUse(*row) if row else LogKeyUse(0, None)

    return await pool.ask(ask)


async def take_log_key(pool: Pool, before: LogKeyUse, key: str) -> bool:
    """Note that another key signs from now on; false if somebody else was quicker.

    Raises ``Unavailable``.
    """
    async with pool.transaction() as db:
        return (await db.execute(_TAKE, (before.number + 1, key))).rowcount == 1
