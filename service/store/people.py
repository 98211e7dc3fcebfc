"""Table ``kartejo.person``: names, contacts and keys of persons; gone with their principals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from service.store.connection import Connection, Pool
from service.store.log import LANE
from service.store.principals import FIND

__all__ = ["People", "Person"]

KEY_BYTES: Final = 32

# Index: person primary key (lane, id), and principal_id (lane, id), for all of these.
_GET: Final = """
SELECT coalesce(p.name, ''), coalesce(p.contact, '')
  FROM kartejo.principal q LEFT JOIN kartejo.person p USING (lane, id)
 WHERE q.lane = %(lane)b AND q.id = %(id)b
"""
_SET: Final = """
INSERT INTO kartejo.person AS old (lane, id, name, contact, key)
SELECT lane, id, %(name)s, %(contact)s, %(key)b FROM kartejo.principal
 WHERE lane = %(lane)b AND id = %(id)b
ON CONFLICT (lane, id) DO UPDATE SET name = excluded.name, contact = excluded.contact
"""
_NAMES: Final = """
SELECT id, name FROM kartejo.person
 WHERE lane = %(lane)b AND id = ANY (%(ids)b) AND name <> ''
"""
_ADD_KEY: Final = """
INSERT INTO kartejo.person (lane, id, key)
SELECT lane, id, %(key)b FROM kartejo.principal WHERE lane = %(lane)b AND id = %(id)b
ON CONFLICT (lane, id) DO NOTHING
"""
_KEY: Final = "SELECT key FROM kartejo.person WHERE lane = %(lane)b AND id = %(id)b"
# Everything that is known of a person goes with this row.
_ERASE: Final = "DELETE FROM kartejo.principal WHERE lane = %(lane)b AND id = %(id)b"
# The list of who sits where has a row a table and no index by player: erasing is rare.
_TABLES: Final = """
SELECT count(*) FROM kartejo.hand_table
 WHERE lane = %(lane)s AND NOT lab AND %(player)s = ANY (players)
   AND build = (SELECT version FROM kartejo.progress
                 WHERE lane = %(lane)s AND consumer = 'hands' AND state = 'serving')
"""


class Person(NamedTuple):
    """A person's name, as others see it, and contact, for the operator; each may be empty."""

    name: str
    contact: str


class People:
    """What is known of persons, by their ids.  Raises ``Unavailable``."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(self, issuer: str, subject: str) -> UUID | None:
        """The id of a subject that came with a token before; None: nobody did."""

        async def work(db: Connection) -> UUID | None:
            values = {"lane": LANE, "issuer": issuer, "subject": subject}
            found = await (await db.execute(FIND, values)).fetchone()
            return None if found is None else found[0]

        return await self._pool.ask(work)

    async def get(self, player: UUID) -> Person | None:
        """A person; None: the id stands for nobody."""

        async def work(db: Connection) -> Person | None:
            found = await (await db.execute(_GET, {"lane": LANE, "id": player})).fetchone()
            return None if found is None else Person._make(found)

        return await self._pool.ask(work)

    async def set(self, player: UUID, person: Person, key: bytes) -> bool:
        """Write a person's name and contact, with a fresh ``key`` where there is none yet.

        False: the id stands for nobody.
        """
        values = {"lane": LANE, "id": player, "key": key, **person._asdict()}

        async def work(db: Connection) -> bool:
            return bool((await db.execute(_SET, values)).rowcount)

        return await self._pool.ask(work)

    async def names(self, players: Sequence[UUID]) -> dict[UUID, str]:
        """The names of those who have one."""

        async def work(db: Connection) -> dict[UUID, str]:
            rows = await db.execute(_NAMES, {"lane": LANE, "ids": list(players)})
            return dict(await rows.fetchall())

        return await self._pool.ask(work)

    async def key(self, player: UUID, fresh: bytes | None = None) -> bytes | None:
        """The key of a person's notes; where there is none yet, the ``fresh`` one.

        None: there is none, or the id stands for nobody.
        """
        values = {"lane": LANE, "id": player, "key": fresh}

        async def work(db: Connection) -> bytes | None:
            if fresh is not None:
                await db.execute(_ADD_KEY, values)
            found = await (await db.execute(_KEY, values)).fetchone()
            return None if found is None else bytes(found[0])

        return await self._pool.ask(work)

    async def tables_of(self, player: UUID) -> int:
        """At how many tables a player sits, as the hand index has it."""

        async def work(db: Connection) -> int:
            rows = await db.execute(_TABLES, {"lane": LANE, "player": str(player)})
            return int((await rows.fetchall())[0][0])

        return await self._pool.ask(work)

    async def erase(self, player: UUID) -> bool:
        """Forget whom an id stands for; False: it stands for nobody."""

        async def work(db: Connection) -> bool:
            return bool((await db.execute(_ERASE, {"lane": LANE, "id": player})).rowcount)

        return await self._pool.ask(work)
