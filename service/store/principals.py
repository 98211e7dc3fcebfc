"""Table ``kartejo.principal``: the only place that knows whom an internal id stands for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from uuid import UUID, uuid4

from engine.errors import Corrupt
from service.store.connection import Connection, Pool
from service.store.log import LANE

__all__ = ["FIND", "Principals"]

# Index: primary key (lane, issuer, subject).
FIND: Final = """
SELECT id FROM kartejo.principal
 WHERE lane = %(lane)b AND issuer = %(issuer)s AND subject = %(subject)s
"""
_ADD: Final = """
INSERT INTO kartejo.principal (lane, issuer, subject, id)
VALUES (%(lane)b, %(issuer)s, %(subject)s, %(id)b) ON CONFLICT (lane, issuer, subject) DO NOTHING
"""
# Index: principal_id (lane, id).
_KNOWN: Final = """
SELECT EXISTS (SELECT FROM kartejo.principal WHERE lane = %(lane)b AND id = %(id)b)
"""


class Principals:
    """(issuer, subject) of tokens to internal ids; erased by ``People``.

    Raises ``Unavailable``.
    """

    def __init__(self, pool: Pool, new_id: Callable[[], UUID] = uuid4) -> None:
        self._pool = pool
        self._new_id = new_id

    async def resolve(self, issuer: str, subject: str) -> UUID:
        """The id of this subject: always the same, given out at the first question."""
        values = {"lane": LANE, "issuer": issuer, "subject": subject, "id": self._new_id()}

        async def work(db: Connection) -> UUID:
            found = await (await db.execute(FIND, values)).fetchone()
            if found is None:
                await db.execute(_ADD, values)
                # Another process may have been quicker: its id stands.
                found = await (await db.execute(FIND, values)).fetchone()
            if found is None:
                raise Corrupt("a principal vanished while it was looked up")
            known: UUID = found[0]
            return known

        return await self._pool.ask(work)

    async def is_known(self, player: UUID) -> bool:
        """Whether an id stands for somebody."""

        async def work(db: Connection) -> bool:
            found = await (await db.execute(_KNOWN, {"lane": LANE, "id": player})).fetchone()
            return found is not None and bool(found[0])

        return await self._pool.ask(work)
