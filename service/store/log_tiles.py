"""Table ``kartejo.log_tile``: the tree of the transparency log, a projection of the commits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from service.store.arrays import Packed, byteas, int2s, int8s
from service.store.connection import Connection
from service.store.log import LANE

__all__ = ["NAME", "TileId", "clear", "put", "serving_size", "serving_tiles", "tiles_of"]

NAME: Final = "log"

_WANTED: Final = "unnest(%(levels)b::smallint[], %(numbers)b::bigint[]) AS u(level, number)"
# Index: primary key (lane, build, level, number), for all.  A limit, because a join could come to
# read all tiles of a build for want of statistics.
_OF: Final = f"""
SELECT u.level, u.number, t.hashes FROM {_WANTED} CROSS JOIN LATERAL (
  SELECT hashes FROM kartejo.log_tile t
   WHERE t.lane = %(lane)b AND t.build = %(build)b AND t.level = u.level AND t.number = u.number
   LIMIT 1) t
"""  # noqa: S608
# One statement, because two would see two moments: a build may be replaced between them.
_SERVING: Final = f"""
SELECT u.level, u.number, t.hashes FROM kartejo.progress p CROSS JOIN {_WANTED}
 CROSS JOIN LATERAL (
  SELECT hashes FROM kartejo.log_tile t
   WHERE t.lane = p.lane AND t.build = p.version AND t.level = u.level AND t.number = u.number
   LIMIT 1) t
 WHERE p.lane = %(lane)b AND p.consumer = 'log' AND p.state = 'serving'
"""  # noqa: S608
_SIZE: Final = """
SELECT position FROM kartejo.progress
 WHERE lane = %(lane)b AND consumer = 'log' AND state = 'serving'
"""
_PUT: Final = """
INSERT INTO kartejo.log_tile (lane, build, level, number, hashes)
SELECT %(lane)b, %(build)b, level, number, hashes
  FROM unnest(%(levels)b::smallint[], %(numbers)b::bigint[], %(hashes)b::bytea[])
       AS u(level, number, hashes)
ON CONFLICT (lane, build, level, number) DO UPDATE SET hashes = excluded.hashes
"""
_CLEAR: Final = """
DELETE FROM kartejo.log_tile WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM kartejo.log_tile WHERE lane = %(lane)b AND build = %(build)b LIMIT %(limit)b))
"""


class TileId(NamedTuple):
    """Which tile: hashes at height ``8 * level``, from index ``256 * number`` on."""

    level: int
    number: int


async def tiles_of(db: Connection, build: int, ids: Iterable[TileId]) -> dict[TileId, bytes]:
    """Those tiles of a build that there are."""
    return await _tiles(db, _OF, ids, build=build)


async def serving_tiles(db: Connection, ids: Iterable[TileId]) -> dict[TileId, bytes]:
    """Those tiles of the build that readers see that there are."""
    return await _tiles(db, _SERVING, ids)


async def serving_size(db: Connection) -> int:
    """How many leaves the tiles hold that readers see; 0 while they see none."""
    row = await (await db.execute(_SIZE, {"lane": LANE})).fetchone()
    return int(row[0]) if row else 0


async def put(db: Connection, build: int, tiles: Mapping[TileId, bytes]) -> None:
    """Write tiles, new or longer than before."""
    values = {"lane": LANE, "build": build, "hashes": byteas(list(tiles.values()))}
    await db.execute(_PUT, {**values, **_columns(tiles)})


async def clear(db: Connection, build: int, limit: int) -> int:
    """Remove some tiles of a build; how many."""
    values = {"lane": LANE, "build": build, "limit": limit}
    return (await db.execute(_CLEAR, values)).rowcount


async def _tiles(
    db: Connection, query: str, ids: Iterable[TileId], **values: object
) -> dict[TileId, bytes]:
    async with db.cursor(binary=True) as cursor:
        await cursor.execute(query, {"lane": LANE, **values, **_columns(ids)}, prepare=True)
        rows = await cursor.fetchall()
    return {TileId(level, number): bytes(hashes) for level, number, hashes in rows}


def _columns(ids: Iterable[TileId]) -> dict[str, Packed]:
    wanted = list(ids)
    return {
        "levels": int2s([each.level for each in wanted]),
        "numbers": int8s([each.number for each in wanted]),
    }
