"""Table ``kartejo.table_index``: the list of tables, a projection of the log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from service.store.connection import Connection, Pool
from service.store.log import LANE
from service.store.records import as_records

__all__ = ["NAME", "TableIndex", "TableRow"]

NAME: Final = "tables"

_COLUMNS: Final = """stream, game, lab, house, created_at, closed_at, hand, running, seats_taken,
  seats, position"""
# Index: primary key (lane, build, stream).
_PUT: Final = f"""
INSERT INTO kartejo.table_index (lane, build, {_COLUMNS})
SELECT %(lane)s, %(build)s, {_COLUMNS}
  FROM jsonb_populate_recordset(NULL::kartejo.table_index, %(rows)s::jsonb)
ON CONFLICT (lane, build, stream) DO UPDATE SET
  closed_at = excluded.closed_at, hand = excluded.hand, running = excluded.running,
  seats_taken = excluded.seats_taken, seats = excluded.seats, house = excluded.house,
  position = excluded.position
"""  # noqa: S608
_OF: Final = f"""
SELECT {_COLUMNS} FROM kartejo.table_index
 WHERE lane = %(lane)s AND build = %(build)s AND stream = ANY (%(streams)s)
"""  # noqa: S608
_CLEAR: Final = """
DELETE FROM kartejo.table_index WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM kartejo.table_index WHERE lane = %(lane)s AND build = %(build)s
   LIMIT %(limit)s))
"""
# The build that readers see; one row by its own index (progress_serving).
_SERVING: Final = """(SELECT version FROM kartejo.progress
  WHERE lane = %(lane)s AND consumer = 'tables' AND state = 'serving')"""
_POSITION: Final = """
SELECT position FROM kartejo.progress
 WHERE lane = %(lane)s AND consumer = 'tables' AND state = 'serving'
"""
_GET: Final = f"""
SELECT {_COLUMNS} FROM kartejo.table_index
 WHERE lane = %(lane)s AND build = {_SERVING} AND stream = ANY (%(streams)s)
"""  # noqa: S608
# Index: table_index_newest (lane, build, created_at, stream), read backwards.
_PAGE: Final = f"""
SELECT {_COLUMNS} FROM kartejo.table_index
 WHERE lane = %(lane)s AND build = {_SERVING}
   AND (created_at, stream) < (%(before)s, %(stream)s)
   AND (%(closed)s OR closed_at IS NULL) AND lab = %(lab)s
   AND (NOT %(free)s OR seats_taken < seats)
 ORDER BY created_at DESC, stream DESC LIMIT %(limit)s
"""  # noqa: S608
# Index: table_index_running (lane, build, stream).
_RUNNING: Final = f"""
SELECT {_COLUMNS} FROM kartejo.table_index
 WHERE lane = %(lane)s AND build = {_SERVING} AND running AND stream > %(after)s
 ORDER BY stream LIMIT %(limit)s
"""  # noqa: S608
# Index: table_index_game (lane, build, game, created_at, stream), read backwards.
_PAGE_OF_GAME: Final = f"""
SELECT {_COLUMNS} FROM kartejo.table_index
 WHERE lane = %(lane)s AND build = {_SERVING} AND game = %(game)s
   AND (created_at, stream) < (%(before)s, %(stream)s)
   AND (%(closed)s OR closed_at IS NULL) AND lab = %(lab)s
   AND (NOT %(free)s OR seats_taken < seats)
 ORDER BY created_at DESC, stream DESC LIMIT %(limit)s
"""  # noqa: S608
FIRST: Final = UUID(int=0)
NEWEST: Final = (2**63 - 1, UUID(int=2**128 - 1))


class TableRow(NamedTuple):
    """What a list of tables shows of one.

    Times in microseconds; ``running``: something may happen there by time alone; ``position`` of
    the commit that last moved it.
    """

    stream: UUID
    game: str
    lab: bool
    house: str
    created_at: int
    closed_at: int | None
    hand: int
    running: bool
    seats_taken: int
    seats: int
    position: int


async def rows_of(db: Connection, build: int, streams: Sequence[UUID]) -> list[TableRow]:
    """The rows that a build has of some tables."""
    rows = await db.execute(_OF, {"lane": LANE, "build": build, "streams": list(streams)})
    return [TableRow._make(row) for row in await rows.fetchall()]


async def put(db: Connection, build: int, rows: Iterable[TableRow]) -> None:
    """Write rows of a build over those that it has."""
    await db.execute(_PUT, {"lane": LANE, "build": build, "rows": as_records(rows)})


async def clear(db: Connection, build: int, limit: int) -> int:
    """Remove rows of a build, ``limit`` at most; how many."""
    return (await db.execute(_CLEAR, {"lane": LANE, "build": build, "limit": limit})).rowcount


class TableIndex:
    """What readers see of the list.  Raises ``Unavailable``."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def position(self) -> int:
        """The last position of the log that the list reflects; 0 where there is none yet."""

        async def work(db: Connection) -> int:
            found = await (await db.execute(_POSITION, {"lane": LANE})).fetchone()
            return 0 if found is None else int(found[0])

        return await self._pool.ask(work)

    async def get(self, streams: Sequence[UUID]) -> dict[UUID, TableRow]:
        """The rows of ``streams``, where they have one."""
        found = await self._rows(_GET, streams=list(streams))
        return {row.stream: row for row in found}

    async def page(
        self,
        *,
        before: tuple[int, UUID] = NEWEST,
        limit: int = 100,
        game: str | None = None,
        closed: bool = False,
        lab: bool = False,
        free: bool = False,
    ) -> list[TableRow]:
        """Tables older than ``before`` (created at, stream), newest first.

        Open ones, or ``closed`` ones too; ``lab`` tables or the others, never both;
        those with a ``free`` seat, or all.
        """
        query = _PAGE if game is None else _PAGE_OF_GAME
        return await self._rows(
            query,
            before=before[0],
            stream=before[1],
            limit=limit,
            game=game,
            closed=closed,
            lab=lab,
            free=free,
        )

    async def running(self, *, after: UUID = FIRST, limit: int = 1_000) -> list[TableRow]:
        """Tables at which time may make something happen, for whoever arms timers."""
        return await self._rows(_RUNNING, after=after, limit=limit)

    async def _rows(self, query: str, **values: object) -> list[TableRow]:
        async def work(db: Connection) -> list[TableRow]:
            rows = await db.execute(query, {"lane": LANE, **values})
            return [TableRow._make(row) for row in await rows.fetchall()]

        return await self._pool.ask(work)
