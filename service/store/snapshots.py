"""Table ``kartejo.snapshot``: sealed states to start a replay from.  All may be thrown away."""

from __future__ import annotations

from typing import Final, NamedTuple
from uuid import UUID

from service.store.connection import Connection, Pool
from service.store.log import LANE

__all__ = ["Snapshot", "Snapshots"]

KEPT: Final = 2

# Index: primary key (lane, stream, rules, version), for all three.
_PUT: Final = """
INSERT INTO kartejo.snapshot (lane, stream, rules, version, hash, sealed)
VALUES (%(lane)b, %(stream)b, %(rules)b, %(version)b, %(hash)b, %(sealed)b)
ON CONFLICT (lane, stream, rules, version) DO NOTHING
"""
_PRUNE: Final = """
DELETE FROM kartejo.snapshot
 WHERE lane = %(lane)b AND stream = %(stream)b AND (rules, version) NOT IN (
   SELECT rules, version FROM kartejo.snapshot
    WHERE lane = %(lane)b AND stream = %(stream)b
    ORDER BY version DESC, rules DESC LIMIT %(kept)b)
"""
_LATEST: Final = """
SELECT stream, version, hash, rules, sealed FROM kartejo.snapshot
 WHERE lane = %(lane)b AND stream = %(stream)b AND rules = %(rules)b AND version <= %(version)b
 ORDER BY version DESC LIMIT 1
"""


class Snapshot(NamedTuple):
    """The state of ``stream`` after ``version``, whose commit has ``hash``, folded by ``rules``.

    ``sealed`` is opaque here.  Whoever opens it checks that it was sealed for these columns.
    """

    stream: UUID
    version: int
    hash: bytes
    rules: int
    sealed: bytes


class Snapshots:
    """Keeps the newest ``KEPT`` snapshots of every stream.  Raises ``Unavailable``."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def put(self, snapshot: Snapshot) -> None:
        """Keep ``snapshot``, and let older ones of its stream go."""
        values = {"lane": LANE, "kept": KEPT, **snapshot._asdict()}

        async def work(db: Connection) -> None:
            async with db.transaction():
                await db.execute(_PUT, values)
                await db.execute(_PRUNE, values)

        await self._pool.ask(work)

    async def latest(self, stream: UUID, rules: int, version: int = 2**31 - 1) -> Snapshot | None:
        """The newest snapshot by ``rules`` that stands at ``version`` or before."""
        values = {"lane": LANE, "stream": stream, "rules": rules, "version": version}

        async def work(db: Connection) -> Snapshot | None:
            async with db.cursor(binary=True) as cursor:
                await cursor.execute(_LATEST, values)
                row = await cursor.fetchone()
            return None if row is None else Snapshot._make(row)

        return await self._pool.ask(work)
