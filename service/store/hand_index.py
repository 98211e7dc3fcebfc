"""Tables ``kartejo.hand_index``, ``hand_table``, ``hand_player``: hands, a projection of the log.

Rows of a hand are deltas that add up: a hand's versions and times widen, its players stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from service.store.connection import Connection
from service.store.log import LANE
from service.store.records import as_records

__all__ = ["NAME", "AddedRow", "DealtRow", "HandRow", "PlayedRow", "TableRecord"]

NAME: Final = "hands"

_SERVING: Final = """(SELECT version FROM kartejo.progress
  WHERE lane = %(lane)s AND consumer = 'hands' AND state = 'serving')"""
_POSITION: Final = """
SELECT position FROM kartejo.progress
 WHERE lane = %(lane)s AND consumer = 'hands' AND state = 'serving'
"""
_HAND: Final = """hand, game, first_version, last_version, started_at, ended_at, over, seats,
  players"""
# Index: primary key (lane, build, stream, hand).
_PUT_HAND: Final = f"""
INSERT INTO kartejo.hand_index AS old (lane, build, stream, {_HAND})
SELECT %(lane)s, %(build)s, stream, {_HAND}
  FROM jsonb_populate_recordset(NULL::kartejo.hand_index, %(rows)s::jsonb)
ON CONFLICT (lane, build, stream, hand) DO UPDATE SET
  first_version = least(old.first_version, excluded.first_version),
  last_version = greatest(old.last_version, excluded.last_version),
  started_at = least(old.started_at, excluded.started_at),
  ended_at = greatest(old.ended_at, excluded.ended_at),
  over = old.over OR excluded.over,
  seats = CASE WHEN old.seats = '{{}}' THEN excluded.seats ELSE old.seats END,
  players = CASE WHEN old.seats = '{{}}' THEN excluded.players ELSE old.players END
"""  # noqa: S608
_HANDS: Final = f"""
SELECT {_HAND} FROM kartejo.hand_index
 WHERE lane = %(lane)s AND build = {_SERVING} AND stream = %(stream)s AND hand > %(after)s
 ORDER BY hand LIMIT %(limit)s
"""  # noqa: S608
# Index: primary key (lane, build, stream).
_TABLE: Final = "stream, version, game, lab, seats, players"
_PUT_TABLE: Final = f"""
INSERT INTO kartejo.hand_table (lane, build, {_TABLE})
SELECT %(lane)s, %(build)s, {_TABLE}
  FROM jsonb_populate_recordset(NULL::kartejo.hand_table, %(rows)s::jsonb)
ON CONFLICT (lane, build, stream) DO UPDATE SET
  version = excluded.version, game = excluded.game, lab = excluded.lab, seats = excluded.seats,
  players = excluded.players
"""  # noqa: S608
_TABLES: Final = f"""
SELECT {_TABLE} FROM kartejo.hand_table
 WHERE lane = %(lane)s AND build = %(build)s AND stream = ANY (%(streams)s)
"""  # noqa: S608
_TABLE_SERVING: Final = f"""
SELECT {_TABLE} FROM kartejo.hand_table
 WHERE lane = %(lane)s AND build = {_SERVING} AND stream = %(stream)s
"""  # noqa: S608
_PUT_PLAYER: Final = """
INSERT INTO kartejo.hand_player (lane, build, player, started_at, stream, hand, seat)
SELECT %(lane)s, %(build)s, player, started_at, stream, hand, seat
  FROM jsonb_populate_recordset(NULL::kartejo.hand_player, %(rows)s::jsonb)
ON CONFLICT DO NOTHING
"""
# Index: primary key (lane, build, player, started_at, stream, hand, seat), read backwards.
_PLAYED: Final = f"""
SELECT p.stream, p.seat, h.hand, h.game, h.first_version, h.last_version, h.started_at,
       h.ended_at, h.over, h.seats, h.players
  FROM kartejo.hand_player p
  JOIN kartejo.hand_index h USING (lane, build, stream, hand)
 WHERE p.lane = %(lane)s AND p.build = {_SERVING} AND p.player = %(player)s
   AND (p.started_at, p.stream, p.hand, p.seat) < (%(at)s, %(stream)s, %(hand)s, %(seat)s)
 ORDER BY p.started_at DESC, p.stream DESC, p.hand DESC, p.seat DESC LIMIT %(limit)s
"""  # noqa: S608
_CLEAR: Final = tuple(
    f"""
DELETE FROM {table} WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM {table} WHERE lane = %(lane)s AND build = %(build)s LIMIT %(limit)s))
"""  # noqa: S608
    for table in ("kartejo.hand_index", "kartejo.hand_table", "kartejo.hand_player")
)
_ONE_MOMENT: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"


class HandRow(NamedTuple):
    """A hand, or what some commits add to it.

    Versions before its first event and after its last, times in microseconds, whether it is over,
    and who was dealt in: player ``players[i]`` on seat ``seats[i]``.
    """

    hand: int
    game: str
    first_version: int
    last_version: int
    started_at: int
    ended_at: int
    over: bool
    seats: Sequence[int]
    players: Sequence[str]

    def and_then(self, later: HandRow) -> HandRow:
        """Both added up, as the database does."""
        known = bool(self.seats)
        return HandRow(
            hand=self.hand,
            game=self.game,
            first_version=min(self.first_version, later.first_version),
            last_version=max(self.last_version, later.last_version),
            started_at=min(self.started_at, later.started_at),
            ended_at=max(self.ended_at, later.ended_at),
            over=self.over or later.over,
            seats=self.seats if known else later.seats,
            players=self.players if known else later.players,
        )


class TableRecord(NamedTuple):
    """Where the index stands at a table: its version, and who sits where."""

    stream: UUID
    version: int
    game: str
    lab: bool
    seats: Sequence[int]
    players: Sequence[str]


class AddedRow(NamedTuple):
    """What commits add to a hand of the table ``stream``; see ``HandRow``."""

    stream: UUID
    hand: int
    game: str
    first_version: int
    last_version: int
    started_at: int
    ended_at: int
    over: bool
    seats: Sequence[int]
    players: Sequence[str]


class DealtRow(NamedTuple):
    """A player who was dealt in."""

    player: UUID
    started_at: int
    stream: UUID
    hand: int
    seat: int


class PlayedRow(NamedTuple):
    """A hand that a player was dealt in, on ``seat`` of the table ``stream``."""

    stream: UUID
    seat: int
    hand: HandRow


NEWEST: Final = (2**63 - 1, UUID(int=2**128 - 1), 2**31 - 1, 2**15 - 1)
"""After every hand: started at, stream, hand, seat."""


async def records_of(db: Connection, build: int, streams: Sequence[UUID]) -> list[TableRecord]:
    """Where a build stands at some tables."""
    rows = await db.execute(_TABLES, {"lane": LANE, "build": build, "streams": list(streams)})
    return [TableRecord._make(row) for row in await rows.fetchall()]


async def put(
    db: Connection,
    build: int,
    tables: Iterable[TableRecord],
    hands: Iterable[AddedRow],
    played: Iterable[DealtRow],
) -> None:
    """Write where a build stands, what it adds to hands, and who plays them."""
    fixed = {"lane": LANE, "build": build}
    await db.execute(_PUT_TABLE, {**fixed, "rows": as_records(tables)})
    await db.execute(_PUT_HAND, {**fixed, "rows": as_records(hands)})
    await db.execute(_PUT_PLAYER, {**fixed, "rows": as_records(played)})


async def clear(db: Connection, build: int, limit: int) -> int:
    """Remove rows of a build, ``limit`` at most of each table; how many."""
    values = {"lane": LANE, "build": build, "limit": limit}
    return sum([(await db.execute(query, values)).rowcount for query in _CLEAR])


async def position(db: Connection) -> int:
    """The last position of the log that the index reflects; 0 where there is none yet."""
    found = await (await db.execute(_POSITION, {"lane": LANE})).fetchone()
    return 0 if found is None else int(found[0])


async def hands_after(
    db: Connection, stream: UUID, after: int, limit: int
) -> tuple[list[HandRow], TableRecord | None]:
    """Hands with numbers above ``after``, ascending, and where the index stands: one moment's."""
    values = {"lane": LANE, "stream": stream, "after": after, "limit": limit}
    async with db.transaction():
        await db.execute(_ONE_MOMENT)
        rows = await (await db.execute(_HANDS, values)).fetchall()
        table = await (await db.execute(_TABLE_SERVING, values)).fetchone()
    return (
        [HandRow._make(row) for row in rows],
        None if table is None else TableRecord._make(table),
    )


async def played_before(
    db: Connection, player: UUID, before: tuple[int, UUID, int, int], limit: int
) -> list[PlayedRow]:
    """Hands that a player was dealt in, newest first."""
    at, stream, hand, seat = before
    values = {"lane": LANE, "player": player, "limit": limit}
    place = {"at": at, "stream": stream, "hand": hand, "seat": seat}
    rows = await db.execute(_PLAYED, {**values, **place})
    return [PlayedRow(row[0], row[1], HandRow._make(row[2:])) for row in await rows.fetchall()]
