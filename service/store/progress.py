"""Table ``kartejo.progress``: how far each consumer of the log has come.

A projection writes its rows and moves its progress in one transaction, so that every commit has
its effect exactly once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from service.store.connection import Connection, Pool
from service.store.errors import ProgressConflict
from service.store.log import LANE

__all__ = ["Consumer", "Progress"]

# Index: primary key (lane, consumer, version), for all.
_GET: Final = """
SELECT position FROM kartejo.progress
 WHERE lane = %(lane)b AND consumer = %(name)s AND version = %(version)b
"""
_BEGIN: Final = """
INSERT INTO kartejo.progress (lane, consumer, version, position)
VALUES (%(lane)b, %(name)s, %(version)b, 0) ON CONFLICT (lane, consumer, version) DO NOTHING
"""
_MOVE: Final = """
UPDATE kartejo.progress SET position = %(to)b
 WHERE lane = %(lane)b AND consumer = %(name)s AND version = %(version)b AND position = %(from)b
"""
_FORGET: Final = """
DELETE FROM kartejo.progress
 WHERE lane = %(lane)b AND consumer = %(name)s AND version = %(version)b
"""


class Consumer(NamedTuple):
    """A reader of the log; a rebuild is a new ``version`` that begins at 0."""

    name: str
    version: int = 1


class Progress:
    """Positions of consumers.  Raises ``Unavailable``."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def position(self, consumer: Consumer) -> int:
        """The last position whose effect is stored; 0 before the first."""

        async def work(db: Connection) -> int:
            rows = await db.execute(_GET, {"lane": LANE, **consumer._asdict()})
            row = await rows.fetchone()
            return 0 if row is None else int(row[0])

        return await self._pool.ask(work)

    @asynccontextmanager
    async def moving(self, consumer: Consumer, since: int, until: int) -> AsyncIterator[Connection]:
        """A transaction that moves ``consumer`` from ``since`` to ``until`` when it ends well.

        Rows written on the connection that it yields belong to it.  Raises ``ProgressConflict``
        when the consumer does not stand at ``since``: somebody else is at work, nothing is kept.
        """
        values = {"lane": LANE, **consumer._asdict(), "from": since, "to": until}
        async with self._pool.transaction() as db:
            await db.execute(_BEGIN, values)
            moved = await db.execute(_MOVE, values)
            if not moved.rowcount:
                raise ProgressConflict(consumer.name, since)
            yield db

    async def forget(self, consumer: Consumer) -> None:
        """Let ``consumer`` begin again at 0."""

        async def work(db: Connection) -> None:
            await db.execute(_FORGET, {"lane": LANE, **consumer._asdict()})

        await self._pool.ask(work)
