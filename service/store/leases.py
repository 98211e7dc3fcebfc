"""Table ``kartejo.lease``: who arms timers for a stream.  Correctness never depends on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from service.store.connection import Connection, Pool
from service.store.log import LANE

__all__ = ["Leases"]

# Index: primary key (lane, stream).  In the order of ids, so that two workers cannot block each
# other in a circle.
_CLAIM: Final = """
INSERT INTO kartejo.lease AS held (lane, stream, owner, expires_at)
SELECT %(lane)b, stream, %(owner)b, clock_timestamp() + make_interval(secs => %(seconds)b)
  FROM unnest(%(streams)b::uuid[]) AS u(stream) ORDER BY stream
ON CONFLICT (lane, stream) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
 WHERE held.owner = excluded.owner OR held.expires_at <= clock_timestamp()
RETURNING stream
"""
_RENEW: Final = """
UPDATE kartejo.lease SET expires_at = clock_timestamp() + make_interval(secs => %(seconds)b)
 WHERE lane = %(lane)b AND owner = %(owner)b AND stream IN (
   SELECT stream FROM kartejo.lease
    WHERE lane = %(lane)b AND owner = %(owner)b AND stream = ANY (%(streams)b::uuid[])
    ORDER BY stream FOR UPDATE)
RETURNING stream
"""
_RELEASE: Final = """
DELETE FROM kartejo.lease
 WHERE lane = %(lane)b AND owner = %(owner)b AND stream IN (
   SELECT stream FROM kartejo.lease
    WHERE lane = %(lane)b AND owner = %(owner)b AND stream = ANY (%(streams)b::uuid[])
    ORDER BY stream FOR UPDATE)
RETURNING stream
"""
# Index: lease_expiry (lane, expires_at).
_EXPIRED: Final = """
SELECT stream FROM kartejo.lease
 WHERE lane = %(lane)b AND expires_at <= clock_timestamp() ORDER BY expires_at LIMIT %(limit)b
"""


class Leases:
    """Leases of one owner (a process, by an id of its own) on many streams at once.

    Time is the database's.  All methods answer with streams and raise ``Unavailable``.
    """

    def __init__(self, pool: Pool, owner: UUID) -> None:
        self._pool = pool
        self.owner = owner

    async def claim(self, streams: Iterable[UUID], seconds: float) -> set[UUID]:
        """Take or prolong what is free, run out or ours already; returns what is ours now."""
        return await self._ask(_CLAIM, streams, seconds)

    async def renew(self, streams: Iterable[UUID], seconds: float) -> set[UUID]:
        """Prolong what is still ours; what is missing in the answer was taken over."""
        return await self._ask(_RENEW, streams, seconds)

    async def release(self, streams: Iterable[UUID]) -> set[UUID]:
        """Give back what is ours, so that another may take it at once."""
        return await self._ask(_RELEASE, streams, 0.0)

    async def expired(self, limit: int = 1_000) -> list[UUID]:
        """Streams whose owner has not renewed, those that ran out first before the others."""

        async def work(db: Connection) -> list[UUID]:
            rows = await db.execute(_EXPIRED, {"lane": LANE, "limit": limit})
            return [row[0] for row in await rows.fetchall()]

        return await self._pool.ask(work)

    async def _ask(self, query: str, streams: Iterable[UUID], seconds: float) -> set[UUID]:
        wanted = sorted(set(streams))
        if not wanted:
            return set()
        values = {"lane": LANE, "owner": self.owner, "streams": wanted, "seconds": float(seconds)}

        async def work(db: Connection) -> set[UUID]:
            rows = await db.execute(query, values)
            return {row[0] for row in await rows.fetchall()}

        return await self._pool.ask(work)
