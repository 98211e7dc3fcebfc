"""What readers see of ``kartejo.result_…``: hands, and sums of pairs.  One moment an answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

from service.store.connection import Connection
from service.store.log import LANE
from service.store.results import HandResult

__all__ = ["NEWEST", "Found", "GameSums", "PairTotal", "Search", "find_hands", "pair", "pairs"]

_SERVING: Final = """(SELECT version FROM kartejo.progress
  WHERE lane = %(lane)s AND consumer = 'results' AND state = 'serving')"""
_BEHIND: Final = """
SELECT l.head - coalesce((SELECT position FROM kartejo.progress p
   WHERE p.lane = l.lane AND consumer = 'results' AND state = 'serving'), 0)
  FROM kartejo.lane l WHERE lane = %(lane)s
"""
_HAND: Final = "h.stream, h.hand, h.game, h.started_at, h.ended_at, h.over, h.most"

# Index: result_player primary key (lane, build, player, started_at, stream, hand), read backwards.
_OF_PLAYER: Final = f"""
SELECT {_HAND} FROM kartejo.result_player p
  JOIN kartejo.result_hand h USING (lane, build, stream, hand)
 WHERE p.lane = %(lane)s AND p.build = {_SERVING} AND p.player = %(player)s
   AND p.started_at >= %(since)s AND p.started_at < %(until)s
   AND (p.started_at, p.stream, p.hand) < (%(at)s, %(stream)s, %(hand)s)
"""  # noqa: S608
_HIS_AMOUNT: Final = " AND abs(p.net) >= %(least)s"
# Index: the same one for the other, and the primary key of result_move.
_WITH_OTHER: Final = """ AND EXISTS (SELECT FROM kartejo.result_player o
   WHERE o.lane = p.lane AND o.build = p.build AND o.player = %(other)s
     AND o.started_at = p.started_at AND o.stream = p.stream AND o.hand = p.hand)"""
_THEIR_AMOUNT: Final = """ AND EXISTS (SELECT FROM kartejo.result_move m
   WHERE m.lane = p.lane AND m.build = p.build AND m.stream = p.stream AND m.hand = p.hand
     AND m.low = least(%(player)s::uuid, %(other)s::uuid)
     AND m.high = greatest(%(player)s::uuid, %(other)s::uuid) AND abs(m.chips) >= %(least)s)"""
_PLAYER_ORDER: Final = " ORDER BY p.started_at DESC, p.stream DESC, p.hand DESC LIMIT %(limit)s"
# Index: result_hand_newest, result_hand_table or result_hand_most, read backwards.
_OF_ALL: Final = f"""
SELECT {_HAND} FROM kartejo.result_hand h
 WHERE h.lane = %(lane)s AND h.build = {_SERVING}
   AND h.started_at >= %(since)s AND h.started_at < %(until)s
   AND (h.started_at, h.stream, h.hand) < (%(at)s, %(stream)s, %(hand)s)
"""  # noqa: S608
_AMOUNT: Final = " AND h.most >= %(least)s"
_ORDER: Final = " ORDER BY h.started_at DESC, h.stream DESC, h.hand DESC LIMIT %(limit)s"
_TABLE: Final = " AND h.stream = %(table)s"
_GAME: Final = " AND h.game = %(game)s"
# Index: result_player_hand (lane, build, stream, hand).
_PLAYERS: Final = f"""
SELECT stream, hand, player, net FROM kartejo.result_player
 WHERE lane = %(lane)s AND build = {_SERVING}
   AND (stream, hand) IN (SELECT * FROM unnest(%(streams)s::uuid[], %(hands)s::integer[]))
 ORDER BY stream, hand, player
"""  # noqa: S608
# Index: primary key (lane, build, stream, hand, low, high).
_MOVES: Final = f"""
SELECT stream, hand, low, high, chips FROM kartejo.result_move
 WHERE lane = %(lane)s AND build = {_SERVING} AND chips <> 0
   AND (stream, hand) IN (SELECT * FROM unnest(%(streams)s::uuid[], %(hands)s::integer[]))
 ORDER BY stream, hand, low, high
"""  # noqa: S608
# Index: primary key (lane, build, low, high, game, day).
_PAIR: Final = f"""
SELECT game, sum(hands)::bigint, sum(up), sum(down) FROM kartejo.result_pair
 WHERE lane = %(lane)s AND build = {_SERVING} AND low = %(low)s AND high = %(high)s
   AND day BETWEEN %(first)s AND %(last)s
 GROUP BY game ORDER BY game
"""  # noqa: S608
# Index: result_pair_day (lane, build, day), where the days are few; else all of them are read.
# The statistic needs no more digits than a float has, which is read ten times as fast.
_PAIRS: Final = f"""
SELECT low::text, high::text, sum(hands)::bigint, least(sum(up), {2**63 - 1})::bigint,
       least(sum(down), {2**63 - 1})::bigint, sum(expected)::float8, sum(won)::float8,
       sum(moved)::float8, sum(usual)::float8, sum(drift)::float8, sum(spread)::float8
  FROM kartejo.result_pair
 WHERE lane = %(lane)s AND build = {_SERVING} AND day BETWEEN %(first)s AND %(last)s
   AND (%(game)s = '' OR game = %(game)s)
 GROUP BY low, high HAVING sum(hands) >= %(least)s ORDER BY low, high LIMIT %(limit)s
"""  # noqa: S608
_ONE_MOMENT: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
NEWEST: Final = (2**63 - 1, UUID(int=2**128 - 1), 2**31 - 1)
"""After every hand: started at, stream, hand."""


class Search(NamedTuple):
    """Which hands are wanted; None and 0: any.  Times in microseconds, ``until`` excluded.

    ``least``: chips that went from ``player`` to ``other`` or back, that ``player`` won or lost,
    or else that anybody did.  ``other`` needs ``player``.
    """

    player: UUID | None = None
    other: UUID | None = None
    table: UUID | None = None
    game: str = ""
    since: int = 0
    until: int = 2**63 - 1
    least: int = 0


class Found(NamedTuple):
    """A hand with what everybody won, and what moved: (payer, payee, chips)."""

    hand: HandResult
    nets: Sequence[tuple[UUID, int]]
    moves: Sequence[tuple[UUID, UUID, int]]


class GameSums(NamedTuple):
    """What moved between two players in one game: hands, chips from low to high, and back."""

    game: str
    hands: int
    up: int
    down: int


PairTotal: TypeAlias = tuple[str, str, int, int, int, float, float, float, float, float, float]
"""Two players and their sums over all that is asked for, in the order of ``PairRow``."""


def query_of(search: Search) -> str:
    """The statement that finds these hands."""
    if search.player is None:
        parts = [_OF_ALL, _AMOUNT * bool(search.least)]
    else:
        parts = [_OF_PLAYER]
        parts += [_WITH_OTHER] if search.other else []
        if search.least:
            parts.append(_THEIR_AMOUNT if search.other else _HIS_AMOUNT)
    parts += [_TABLE * (search.table is not None), _GAME * bool(search.game)]
    return "".join([*parts, _ORDER if search.player is None else _PLAYER_ORDER])


async def find_hands(
    db: Connection, search: Search, before: tuple[int, UUID, int], limit: int
) -> tuple[list[Found], int]:
    """Hands older than ``before`` (started at, stream, hand), newest first.

    And how many commits the rows are behind.
    """
    at, stream, hand = before
    place = {"at": at, "stream": stream, "hand": hand, "limit": limit}
    values = {"lane": LANE, **search._asdict(), **place}
    nets: defaultdict[tuple[UUID, int], list[tuple[UUID, int]]] = defaultdict(list)
    moves: defaultdict[tuple[UUID, int], list[tuple[UUID, UUID, int]]] = defaultdict(list)
    async with db.transaction():
        await db.execute(_ONE_MOMENT)
        rows = await (await db.execute(query_of(search), values)).fetchall()
        hands = [HandResult._make(row) for row in rows]
        of = {
            "lane": LANE,
            "streams": [each.stream for each in hands],
            "hands": [each.hand for each in hands],
        }
        for stream, hand, player, net in await (await db.execute(_PLAYERS, of)).fetchall():
            nets[stream, hand].append((player, net))
        for stream, hand, low, high, chips in await (await db.execute(_MOVES, of)).fetchall():
            move = (low, high, chips) if chips > 0 else (high, low, -chips)
            moves[stream, hand].append(move)
        behind = await _behind(db)
    keys = [(each.stream, each.hand) for each in hands]
    found = [Found(each, nets[key], moves[key]) for each, key in zip(hands, keys, strict=True)]
    return found, behind


async def pair(
    db: Connection, low: UUID, high: UUID, first: int, last: int
) -> tuple[list[GameSums], int]:
    """What moved between two players on some days, by game; and how far that is behind."""
    values = {"lane": LANE, "low": low, "high": high, "first": first, "last": last}
    async with db.transaction():
        await db.execute(_ONE_MOMENT)
        rows = await (await db.execute(_PAIR, values)).fetchall()
        behind = await _behind(db)
    return [GameSums(game, *map(int, sums)) for game, *sums in rows], behind


async def pairs(
    db: Connection, first: int, last: int, game: str, least: int, limit: int
) -> tuple[list[PairTotal], int]:
    """Pairs that shared ``least`` hands of a game (empty: of all) on some days.

    And how far that is behind.
    """
    days = {"first": first, "last": last}
    values = {"lane": LANE, **days, "game": game, "least": least, "limit": limit}
    async with db.transaction():
        await db.execute(_ONE_MOMENT)
        behind = await _behind(db)
        rows: list[PairTotal] = await (await db.execute(_PAIRS, values)).fetchall()
    return rows, behind


async def _behind(db: Connection) -> int:
    found = await (await db.execute(_BEHIND, {"lane": LANE})).fetchone()
    return 0 if found is None else int(found[0])
