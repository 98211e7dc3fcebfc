"""Table ``kartejo.snapshot``: sealed states to start a replay from.  All may be thrown away."""

from __future__ import annotations

from typing import Final, NamedTuple
from uuid import UUID

from service.store.connection import Connection, Pool
from service.store.log import LANE

__all__ = ["SPACING", "Snapshot", "Snapshots"]

SPACING: Final = 500
"""Events between two snapshots of a stream, as far as older ones are kept."""

# Index: primary key (lane, stream, rules, version), for all four.
_PUT: Final = """
INSERT INTO kartejo.snapshot (lane, stream, rules, version, hash, sealed)
VALUES (%(lane)b, %(stream)b, %(rules)b, %(version)b, %(hash)b, %(sealed)b)
ON CONFLICT (lane, stream, rules, version) DO NOTHING
"""
# Of the newest ones, the newest two stay; one between two others that lie close enough goes.
_THIN: Final = """
DELETE FROM kartejo.snapshot
 WHERE lane = %(lane)b AND stream = %(stream)b AND rules = %(rules)b AND version = (
   SELECT version FROM (
     SELECT version, row_number() OVER newest AS place, lag(version) OVER newest AS newer,
            lead(version) OVER newest AS older
       FROM (SELECT version FROM kartejo.snapshot
              WHERE lane = %(lane)b AND stream = %(stream)b AND rules = %(rules)b
              ORDER BY version DESC LIMIT 8) near
     WINDOW newest AS (ORDER BY version DESC)) n
    WHERE place > 2 AND newer - older <= %(spacing)b ORDER BY version LIMIT 1)
"""
# Rules of another revision fold by themselves; the newest state of theirs is enough for them.
_LEAVE: Final = """
DELETE FROM kartejo.snapshot old
 WHERE lane = %(lane)b AND stream = %(stream)b AND rules <> %(rules)b AND EXISTS (
   SELECT FROM kartejo.snapshot newer
    WHERE newer.lane = old.lane AND newer.stream = old.stream AND newer.rules = old.rules
      AND newer.version > old.version)
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
    """Keeps the newest two snapshots of every stream, and older ones ``SPACING`` events apart.

    So a fold to any point of a long stream begins near it.  Raises ``Unavailable``.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def put(self, snapshot: Snapshot) -> None:
        """Keep ``snapshot``, and let one go that is not needed beside it."""
        values = {"lane": LANE, "spacing": SPACING, **snapshot._asdict()}

        async def work(db: Connection) -> None:
            async with db.transaction():
                await db.execute(_PUT, values)
                await db.execute(_THIN, values)
                await db.execute(_LEAVE, values)

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
