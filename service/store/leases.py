"""Tables ``kartejo.lease`` and ``lease_owner``: who arms timers for a stream.

A lease lasts as long as its owner says that it lives, in one row for all of them: a sign of life
costs the same for one table as for ten thousand.  Correctness never depends on any of this.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

from service.store.connection import Connection, Pool
from service.store.log import LANE

__all__ = ["SIGNER", "Leases"]

SIGNER: Final = UUID(int=0)
"""No stream: who signs the transparency log."""

# Index: primary key (lane, owner); there are as many rows as processes.
_BEAT: Final = """
INSERT INTO kartejo.lease_owner (lane, owner, expires_at)
VALUES (%(lane)b, %(owner)b, clock_timestamp() + make_interval(secs => %(seconds)b))
ON CONFLICT (lane, owner) DO UPDATE SET expires_at = excluded.expires_at
"""
# Who says so sees the others, and where the log ends: a process at rest asks for nothing else.
_BEAT_AND_LOOK: Final = f"""
WITH beat AS ({_BEAT})
SELECT coalesce(array_agg(owner), '{{}}'), (SELECT head FROM kartejo.lane WHERE lane = %(lane)b)
  FROM kartejo.lease_owner WHERE lane = %(lane)b AND expires_at > clock_timestamp()
"""  # noqa: S608
_LIVING: Final = """
SELECT owner FROM kartejo.lease_owner WHERE lane = %(lane)b AND expires_at > clock_timestamp()
"""
_LEAVE: Final = """
UPDATE kartejo.lease_owner SET expires_at = clock_timestamp()
 WHERE lane = %(lane)b AND owner = %(owner)b
"""
_AWAY: Final = """
SELECT extract(epoch FROM clock_timestamp() - max(expires_at))::float8
  FROM kartejo.lease_owner WHERE lane = %(lane)b AND expires_at <= clock_timestamp()
"""
# All but the last one who lived: when that was, those who come after him want to know.
_FORGET: Final = """
DELETE FROM kartejo.lease_owner
 WHERE lane = %(lane)b AND expires_at < clock_timestamp() - interval '1 minute'
   AND expires_at < (SELECT max(expires_at) FROM kartejo.lease_owner
                      WHERE lane = %(lane)b AND expires_at <= clock_timestamp())
"""
# Reads every lease: only when an owner has gone, and now and then.  Whoever buries the same ones
# meanwhile does it alone, so that two cannot block each other in a circle.
_BURY: Final = """
DELETE FROM kartejo.lease WHERE lane = %(lane)b AND stream IN (
  SELECT stream FROM kartejo.lease AS held
   WHERE lane = %(lane)b AND NOT EXISTS (
     SELECT FROM kartejo.lease_owner AS living
      WHERE living.lane = held.lane AND living.owner = held.owner
        AND living.expires_at > clock_timestamp())
     FOR UPDATE OF held SKIP LOCKED)
"""
# Index: lease_of_owner (lane, owner).
_HELD: Final = "SELECT stream FROM kartejo.lease WHERE lane = %(lane)b AND owner = %(owner)b"
# Index: primary key (lane, stream).  In the order of ids, for the same reason as above.
_CLAIM: Final = """
INSERT INTO kartejo.lease (lane, stream, owner)
SELECT %(lane)b, stream, %(owner)b FROM unnest(%(streams)b::uuid[]) AS u(stream) ORDER BY stream
ON CONFLICT (lane, stream) DO NOTHING
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


class Leases:
    """Leases of one owner (a process, by an id of its own) on many streams at once.

    Time is the database's.  All methods raise ``Unavailable``.
    """

    def __init__(self, pool: Pool, owner: UUID) -> None:
        self._pool = pool
        self.owner = owner

    async def beat(self, seconds: float) -> None:
        """Say that the owner lives, for so many seconds to come."""
        await self._ask(_BEAT, seconds=float(seconds), owner=self.owner)

    async def beat_and_look(self, seconds: float) -> tuple[set[UUID], int]:
        """The same; and who has said so before, and the last position of the log."""
        values = {"lane": LANE, "owner": self.owner, "seconds": float(seconds)}

        async def work(db: Connection) -> tuple[set[UUID], int]:
            (row,) = await (await db.execute(_BEAT_AND_LOOK, values)).fetchall()
            return set(row[0]), row[1]

        return await self._pool.ask(work)

    async def living(self) -> set[UUID]:
        """The owners that have said so lately."""
        return await self._ask(_LIVING)

    async def leave(self) -> None:
        """Live no more: the others may take over at once."""
        await self._ask(_LEAVE, owner=self.owner)

    async def away(self) -> float | None:
        """Seconds since the last of those lived who live no more; None: nobody is remembered."""
        found: set[float | None] = await self._ask(_AWAY)
        return found.pop()

    async def bury(self) -> None:
        """End the leases of owners that do not live."""
        await self._ask(_BURY)
        await self._ask(_FORGET)

    async def held(self) -> set[UUID]:
        """The streams that are the owner's now; others may have buried it when it was slow."""
        return await self._ask(_HELD, owner=self.owner)

    async def claim(self, streams: Iterable[UUID]) -> set[UUID]:
        """Take what is nobody's; returns what was taken."""
        return await self._ask_of(_CLAIM, streams)

    async def release(self, streams: Iterable[UUID]) -> set[UUID]:
        """Give back what is the owner's, so that another may take it at once."""
        return await self._ask_of(_RELEASE, streams)

    async def _ask_of(self, query: str, streams: Iterable[UUID]) -> set[UUID]:
        wanted = sorted(set(streams))
        if not wanted:
            return set()
        return await self._ask(query, owner=self.owner, streams=wanted)

    async def _ask(self, query: str, **values: object) -> set[Any]:
        async def work(db: Connection) -> set[Any]:
            rows = await db.execute(query, {"lane": LANE, **values})
            return {row[0] for row in await rows.fetchall()} if rows.description else set()

        return await self._pool.ask(work)
