"""Table ``kartejo.progress``: how far each build of each projection has come.

A build is one set of a projection's rows.  It is ``building`` until it has caught up, then it
serves readers, and is ``retired`` when another one does.  Its rows and its position move in one
transaction, so that every commit has its effect exactly once: whoever finds the position moved
keeps nothing.  Who holds a build only spares the others the work.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, NamedTuple
from uuid import UUID

from service.store.connection import Connection, Pool
from service.store.errors import ProgressConflict
from service.store.log import LANE

__all__ = ["Build", "Progress", "Standing", "standings"]

HOLD_SECONDS: Final = 3.0

_COLUMNS: Final = "consumer, version, revision, state, position"
# Index: primary key (lane, consumer, version), for all.
_ALL: Final = f"""
SELECT {_COLUMNS}, (SELECT head FROM kartejo.lane WHERE lane = %(lane)b)
  FROM kartejo.progress WHERE lane = %(lane)b ORDER BY consumer, version
"""  # noqa: S608
_OF: Final = f"""
SELECT {_COLUMNS} FROM kartejo.progress
 WHERE lane = %(lane)b AND consumer = %(name)s ORDER BY version
"""  # noqa: S608
_BEGIN: Final = """
INSERT INTO kartejo.progress (lane, consumer, version, revision, position)
SELECT %(lane)b, %(name)s, coalesce(max(version), 0) + 1, %(revision)b, 0
  FROM kartejo.progress WHERE lane = %(lane)b AND consumer = %(name)s
ON CONFLICT (lane, consumer, version) DO NOTHING
"""
# What a crash of the machine takes back, it takes back as a whole: it is made again.
_MOVE: Final = """
UPDATE kartejo.progress
   SET position = %(to)b, worker = %(worker)b,
       held_until = clock_timestamp() + make_interval(secs => %(seconds)b)
  FROM set_config('synchronous_commit', 'off', true)
 WHERE lane = %(lane)b AND consumer = %(name)s AND version = %(number)b AND position = %(from)b
   AND state <> 'retired'
"""
# Who holds the build that serves may be at rest because nothing is left to do.
_HOLD: Final = """
UPDATE kartejo.progress p
   SET worker = %(worker)b,
       held_until = clock_timestamp() + make_interval(secs => %(seconds)b)
 WHERE lane = %(lane)b AND consumer = %(name)s AND version = %(number)b AND state <> 'retired'
   AND (worker IS NULL OR worker = %(worker)b OR held_until <= clock_timestamp() AND
        (state = 'building'
         OR position < (SELECT head FROM kartejo.lane l WHERE l.lane = p.lane)))
"""
_LEAVE: Final = """
UPDATE kartejo.progress SET worker = NULL
 WHERE lane = %(lane)b AND consumer = %(name)s AND version = %(number)b AND worker = %(worker)b
"""
# In the order of numbers, so that two that switch at once do not wait for each other in a circle.
_LOCKED: Final = _OF + " FOR UPDATE"
_STATE: Final = """
UPDATE kartejo.progress SET state = %(state)s
 WHERE lane = %(lane)b AND consumer = %(name)s AND version = %(number)b
"""
_FORGET: Final = """
DELETE FROM kartejo.progress
 WHERE lane = %(lane)b AND consumer = %(name)s AND version = %(number)b AND state = 'retired'
"""


class Build(NamedTuple):
    """A set of rows of the projection ``name``, written by code of ``revision``.

    ``state`` is building, serving or retired; ``position``: the last one that it reflects.
    """

    name: str
    number: int
    revision: int
    state: str
    position: int


class Standing(NamedTuple):
    """How far a build has come in a log that ends at ``head``."""

    build: Build
    head: int

    @property
    def lag(self) -> int:
        """Commits that it does not reflect yet."""
        return self.head - self.build.position


async def standings(pool: Pool) -> list[Standing]:
    """How far every build has come, by name and number: figures of one moment.

    Raises ``Unavailable``.
    """

    async def work(db: Connection) -> list[Standing]:
        rows = await db.execute(_ALL, {"lane": LANE})
        return [Standing(Build._make(row[:-1]), row[-1]) for row in await rows.fetchall()]

    return await pool.ask(work)


class Progress:
    """The builds of projections, as seen by ``worker``.  Raises ``Unavailable``."""

    def __init__(self, pool: Pool, worker: UUID) -> None:
        self._pool = pool
        self._worker = worker

    async def builds(self, name: str) -> list[Build]:
        """The builds of a projection, by their numbers."""

        async def work(db: Connection) -> list[Build]:
            rows = await db.execute(_OF, {"lane": LANE, "name": name})
            return [Build._make(row) for row in await rows.fetchall()]

        return await self._pool.ask(work)

    async def begin(self, name: str, revision: int) -> None:
        """Add a build at position 0; nothing happens where another process does the same now."""
        async with self._pool.transaction() as db:
            await db.execute(_BEGIN, {"lane": LANE, "name": name, "revision": revision})

    async def hold(self, build: Build) -> bool:
        """Whether this worker is to move the build on: nobody else does, or has ceased to."""
        values = {**self._values(build), "seconds": HOLD_SECONDS}

        async def work(db: Connection) -> bool:
            return bool((await db.execute(_HOLD, values)).rowcount)

        return await self._pool.ask(work)

    async def leave(self, build: Build) -> None:
        """Let others take the build over at once."""

        async def work(db: Connection) -> None:
            await db.execute(_LEAVE, self._values(build))

        await self._pool.ask(work)

    @asynccontextmanager
    async def moving(self, build: Build, until: int) -> AsyncIterator[Connection]:
        """A transaction that moves the build to ``until`` when it ends well.

        Rows written on the connection that it yields belong to it.  Raises ``ProgressConflict``
        when the build does not stand where ``build`` says: somebody else is at work, nothing is
        kept.
        """
        values = {**self._values(build), "to": until, "from": build.position}
        async with self._pool.transaction() as db:
            moved = await db.execute(_MOVE, {**values, "seconds": HOLD_SECONDS})
            if not moved.rowcount:
                raise ProgressConflict(build.name, build.position)
            yield db

    async def switch(self, build: Build) -> str:
        """Let readers see this build instead of the one that they see; its state after that.

        It stays ``building`` while it is behind the other.  Builds of this revision and of older
        ones are retired; where one of a newer revision serves, this one is.
        """
        async with self._pool.transaction() as db:
            rows = await db.execute(_LOCKED, {"lane": LANE, "name": build.name})
            found = [Build._make(row) for row in await rows.fetchall()]
            mine = [each for each in found if each.number == build.number]
            if not mine or mine[0].state != "building":
                return mine[0].state if mine else "retired"
            others = [each for each in found if each.number != build.number]
            serving = [each for each in others if each.state == "serving"]
            if any(each.revision > build.revision for each in serving):
                state = "retired"
            elif any(each.position > mine[0].position for each in serving):
                return "building"
            else:
                state = "serving"
                for each in others:
                    if each.revision <= build.revision:
                        await db.execute(_STATE, {**self._values(each), "state": "retired"})
            await db.execute(_STATE, {**self._values(build), "state": state})
        return state

    async def forget(self, build: Build) -> None:
        """Remove a retired build whose rows are gone."""

        async def work(db: Connection) -> None:
            await db.execute(_FORGET, self._values(build))

        await self._pool.ask(work)

    def _values(self, build: Build) -> dict[str, object]:
        named = {"name": build.name, "number": build.number}
        return {"lane": LANE, "worker": self._worker, **named}
