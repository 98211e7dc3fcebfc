"""What the headers of a stream's commits tell: who acted there."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from service.store.commit import ActorKind
from service.store.connection import Connection
from service.store.log import LANE

__all__ = ["has_acted"]

# Index: primary key (lane, stream, version), through the whole stream if need be: auditors are few.
_ACTED: Final = """
SELECT EXISTS (
  SELECT FROM kartejo.commit
   WHERE lane = %(lane)s AND stream = %(stream)s
     AND actor = %(actor)s AND actor_kind = %(kind)s)
"""


async def has_acted(db: Connection, stream: UUID, player: UUID) -> bool:
    """Whether an action of ``player``, at whatever seat, was ever accepted on a stream."""
    values = {"lane": LANE, "stream": stream, "actor": player, "kind": int(ActorKind.PLAYER)}
    row = await (await db.execute(_ACTED, values)).fetchone()
    return row is not None and bool(row[0])
