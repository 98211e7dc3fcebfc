"""Tables ``kartejo.result_…``: who won what from whom, a projection of the log.

A hand's rows are written over as it goes on; sums of pairs are added to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from service.store.connection import Connection
from service.store.log import LANE
from service.store.records import as_records

__all__ = ["NAME", "HandResult", "MoveRow", "PairRow", "PlayerRow", "TableState"]

NAME: Final = "results"

# Index: primary key of each table, for all but what is cleared.
_STATE: Final = "stream, version, game, lab, known"
_STATES: Final = f"""
SELECT {_STATE} FROM kartejo.result_table
 WHERE lane = %(lane)s AND build = %(build)s AND stream = ANY (%(streams)s)
"""  # noqa: S608
_PUT_STATE: Final = f"""
INSERT INTO kartejo.result_table (lane, build, {_STATE})
SELECT %(lane)s, %(build)s, {_STATE}
  FROM jsonb_populate_recordset(NULL::kartejo.result_table, %(rows)s::jsonb)
ON CONFLICT (lane, build, stream) DO UPDATE SET
  version = excluded.version, game = excluded.game, lab = excluded.lab, known = excluded.known
"""  # noqa: S608
_HAND: Final = "stream, hand, game, started_at, ended_at, over, most"
_PUT_HAND: Final = f"""
INSERT INTO kartejo.result_hand (lane, build, {_HAND})
SELECT %(lane)s, %(build)s, {_HAND}
  FROM jsonb_populate_recordset(NULL::kartejo.result_hand, %(rows)s::jsonb)
ON CONFLICT (lane, build, stream, hand) DO UPDATE SET
  ended_at = excluded.ended_at, over = excluded.over, most = excluded.most
"""  # noqa: S608
_PLAYER: Final = "player, started_at, stream, hand, net"
_PUT_PLAYER: Final = f"""
INSERT INTO kartejo.result_player (lane, build, {_PLAYER})
SELECT %(lane)s, %(build)s, {_PLAYER}
  FROM jsonb_populate_recordset(NULL::kartejo.result_player, %(rows)s::jsonb)
ON CONFLICT (lane, build, player, started_at, stream, hand) DO UPDATE SET net = excluded.net
"""  # noqa: S608
_MOVE: Final = "stream, hand, low, high, chips"
_PUT_MOVE: Final = f"""
INSERT INTO kartejo.result_move (lane, build, {_MOVE})
SELECT %(lane)s, %(build)s, {_MOVE}
  FROM jsonb_populate_recordset(NULL::kartejo.result_move, %(rows)s::jsonb)
ON CONFLICT (lane, build, stream, hand, low, high) DO UPDATE SET chips = excluded.chips
"""  # noqa: S608
_PAIR: Final = "low, high, game, day, hands, up, down, expected, won, moved, usual, drift, spread"
_ADD_PAIR: Final = f"""
INSERT INTO kartejo.result_pair AS old (lane, build, {_PAIR})
SELECT %(lane)s, %(build)s, {_PAIR}
  FROM jsonb_populate_recordset(NULL::kartejo.result_pair, %(rows)s::jsonb)
ON CONFLICT (lane, build, low, high, game, day) DO UPDATE SET
  hands = old.hands + excluded.hands, up = old.up + excluded.up, down = old.down + excluded.down,
  expected = old.expected + excluded.expected, won = old.won + excluded.won,
  moved = old.moved + excluded.moved, usual = old.usual + excluded.usual,
  drift = old.drift + excluded.drift, spread = old.spread + excluded.spread
"""  # noqa: S608
_CLEAR: Final = tuple(
    f"""
DELETE FROM {table} WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM {table} WHERE lane = %(lane)s AND build = %(build)s LIMIT %(limit)s))
"""  # noqa: S608
    for table in (
        "kartejo.result_table",
        "kartejo.result_hand",
        "kartejo.result_player",
        "kartejo.result_move",
        "kartejo.result_pair",
    )
)


class TableState(NamedTuple):
    """Where the projection stands at a table; ``known`` is its own."""

    stream: UUID
    version: int
    game: str
    lab: bool
    known: Mapping[str, Any]


class HandResult(NamedTuple):
    """A hand; times in microseconds; ``most``: what somebody won or lost, at most."""

    stream: UUID
    hand: int
    game: str
    started_at: int
    ended_at: int
    over: bool
    most: int


class PlayerRow(NamedTuple):
    """What a player of a hand won; negative: lost."""

    player: UUID
    started_at: int
    stream: UUID
    hand: int
    net: int


class MoveRow(NamedTuple):
    """Chips that went from one player of a hand to another, the lower to the higher."""

    stream: UUID
    hand: int
    low: UUID
    high: UUID
    chips: int


class PairRow(NamedTuple):
    """What some hands of a game that began on a day (since the epoch) add to a pair's sums."""

    low: UUID
    high: UUID
    game: str
    day: int
    hands: int
    up: int
    down: int
    expected: int
    won: int
    moved: int
    usual: int
    drift: int
    spread: int


async def states_of(db: Connection, build: int, streams: Sequence[UUID]) -> list[TableState]:
    """Where a build stands at some tables."""
    rows = await db.execute(_STATES, {"lane": LANE, "build": build, "streams": list(streams)})
    return [TableState._make(row) for row in await rows.fetchall()]


async def put(
    db: Connection,
    build: int,
    states: Iterable[TableState],
    hands: Iterable[HandResult],
    players: Iterable[PlayerRow],
    moves: Iterable[MoveRow],
    pairs: Iterable[PairRow],
) -> None:
    """Write where a build stands and the hands that changed, and add to its pairs."""
    fixed = {"lane": LANE, "build": build}
    await db.execute(_PUT_STATE, {**fixed, "rows": as_records(states)})
    await db.execute(_PUT_HAND, {**fixed, "rows": as_records(hands)})
    await db.execute(_PUT_PLAYER, {**fixed, "rows": as_records(players)})
    await db.execute(_PUT_MOVE, {**fixed, "rows": as_records(moves)})
    await db.execute(_ADD_PAIR, {**fixed, "rows": as_records(pairs)})


async def clear(db: Connection, build: int, limit: int) -> int:
    """Remove rows of a build, ``limit`` at most of each table; how many."""
    values = {"lane": LANE, "build": build, "limit": limit}
    return sum([(await db.execute(query, values)).rowcount for query in _CLEAR])
