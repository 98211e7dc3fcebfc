"""Table ``kartejo.tournament_index``: the list of tournaments, a projection of the log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from service.store.connection import Connection, Pool
from service.store.log import LANE
from service.store.records import as_records

__all__ = ["NAME", "NEWEST", "TournamentIndex", "TournamentRow"]

NAME: Final = "tournaments"

_COLUMNS: Final = """stream, name, game, format, host, phase, entries, waits, created_at,
  started_at, ended_at, position"""
# Index: primary key (lane, build, stream).
_PUT: Final = f"""
INSERT INTO kartejo.tournament_index (lane, build, {_COLUMNS})
SELECT %(lane)s, %(build)s, {_COLUMNS}
  FROM jsonb_populate_recordset(NULL::kartejo.tournament_index, %(rows)s::jsonb)
ON CONFLICT (lane, build, stream) DO UPDATE SET
  phase = excluded.phase, entries = excluded.entries, waits = excluded.waits,
  started_at = excluded.started_at, ended_at = excluded.ended_at, position = excluded.position
"""  # noqa: S608
_OF: Final = f"""
SELECT {_COLUMNS} FROM kartejo.tournament_index
 WHERE lane = %(lane)s AND build = %(build)s AND stream = ANY (%(streams)s)
"""  # noqa: S608
_CLEAR: Final = """
DELETE FROM kartejo.tournament_index WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM kartejo.tournament_index WHERE lane = %(lane)s AND build = %(build)s
   LIMIT %(limit)s))
"""
# Index: tournament_index_newest (lane, build, created_at, stream), read backwards.
_PAGE: Final = f"""
SELECT {_COLUMNS} FROM kartejo.tournament_index
 WHERE lane = %(lane)s
   AND build = (SELECT version FROM kartejo.progress
                 WHERE lane = %(lane)s AND consumer = 'tournaments' AND state = 'serving')
   AND (created_at, stream) < (%(before)s, %(stream)s)
   AND (%(game)s::text IS NULL OR game = %(game)s) AND phase = ANY (%(phases)s)
 ORDER BY created_at DESC, stream DESC LIMIT %(limit)s
"""  # noqa: S608
NEWEST: Final = (2**63 - 1, UUID(int=2**128 - 1))


class TournamentRow(NamedTuple):
    """What a list of tournaments shows of one.

    Times in microseconds.  ``entries``: that have a place; ``waits``: numbers of those that wait.
    ``position`` of the commit that last moved it.
    """

    stream: UUID
    name: str
    game: str
    format: str
    host: str
    phase: int
    entries: int
    waits: list[int]
    created_at: int
    started_at: int | None
    ended_at: int | None
    position: int


async def rows_of(db: Connection, build: int, streams: Sequence[UUID]) -> list[TournamentRow]:
    """The rows that a build has of some tournaments."""
    rows = await db.execute(_OF, {"lane": LANE, "build": build, "streams": list(streams)})
    return [TournamentRow._make(row) for row in await rows.fetchall()]


async def put(db: Connection, build: int, rows: Iterable[TournamentRow]) -> None:
    """Write rows of a build over those that it has."""
    await db.execute(_PUT, {"lane": LANE, "build": build, "rows": as_records(rows)})


async def clear(db: Connection, build: int, limit: int) -> int:
    """Remove rows of a build, ``limit`` at most; how many."""
    return (await db.execute(_CLEAR, {"lane": LANE, "build": build, "limit": limit})).rowcount


class TournamentIndex:
    """What readers see of the list.  Raises ``Unavailable``."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def page(
        self,
        *,
        before: tuple[int, UUID] = NEWEST,
        limit: int = 100,
        game: str | None = None,
        phases: Sequence[int],
    ) -> list[TournamentRow]:
        """Those in one of ``phases`` older than ``before`` (created at, stream), newest first."""
        values = {
            "lane": LANE,
            "before": before[0],
            "stream": before[1],
            "limit": limit,
            "game": game,
            "phases": list(phases),
        }

        async def work(db: Connection) -> list[TournamentRow]:
            rows = await db.execute(_PAGE, values)
            return [TournamentRow._make(row) for row in await rows.fetchall()]

        return await self._pool.ask(work)
