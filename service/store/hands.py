"""What the headers of a stream's commits tell: its hands, and who acted there."""

from __future__ import annotations

from typing import Final, NamedTuple
from uuid import UUID

from service.store.commit import ActorKind
from service.store.connection import Connection
from service.store.log import LANE

__all__ = ["HandRow", "hands_after", "has_acted"]

# Index: primary key (lane, stream, version); a stream's commits lie together.
_HANDS: Final = """
SELECT hand, min(version - count)::bigint, max(version)::bigint, min(recorded_at), max(recorded_at)
  FROM kartejo.commit
 WHERE lane = %(lane)s AND stream = %(stream)s AND hand > %(after)s
 GROUP BY hand ORDER BY hand LIMIT %(limit)s
"""
# The same index, through the whole stream if need be: auditors are few.
_ACTED: Final = """
SELECT EXISTS (
  SELECT FROM kartejo.commit
   WHERE lane = %(lane)s AND stream = %(stream)s
     AND actor = %(actor)s AND actor_kind = %(kind)s)
"""


class HandRow(NamedTuple):
    """A hand: its versions (before its first event, after its last) and times in microseconds."""

    hand: int
    first_version: int
    last_version: int
    started_at: int
    ended_at: int


async def hands_after(db: Connection, stream: UUID, after: int, limit: int) -> list[HandRow]:
    """Hands with numbers above ``after``, ascending, at most ``limit``."""
    values = {"lane": LANE, "stream": stream, "after": after, "limit": limit}
    rows = await db.execute(_HANDS, values)
    return [HandRow._make(row) for row in await rows.fetchall()]


async def has_acted(db: Connection, stream: UUID, player: UUID) -> bool:
    """Whether an action of ``player``, at whatever seat, was ever accepted on a stream."""
    values = {"lane": LANE, "stream": stream, "actor": player, "kind": int(ActorKind.PLAYER)}
    row = await (await db.execute(_ACTED, values)).fetchone()
    return row is not None and bool(row[0])
