"""Table ``kartejo.commit``: the statements that read and append the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from psycopg import AsyncCursor
from psycopg.rows import TupleRow

from engine.errors import Corrupt
from service.store.arrays import Packed, byteas, int2s, int4s, int8s, read_int4s, uuids
from service.store.commit import Commit
from service.store.connection import Connection
from service.store.statement import Statement

__all__ = [
    "LANE",
    "Reply",
    "append_batch",
    "as_arrays",
    "batch_sizes",
    "commit_at",
    "commit_of_command",
    "commits_after",
    "hashes_after",
    "head_position",
    "log_after",
    "many_after",
    "standing_at",
    "stream_head",
]

LANE: Final = 0

NEWEST: Final = 2**31 - 1
"""A version that no stream goes beyond."""

# The one text that is put into others is this one.
_COLUMNS: Final = """stream, kind, version, count, command, group_id, digest, actor_kind, actor,
  seat, action, received_at, recorded_at, hand, epoch, rules, body, hash, position"""

# Index: primary key (lane, stream, version).
_STREAM: Final = f"""
SELECT {_COLUMNS} FROM kartejo.commit
 WHERE lane = %(lane)b AND stream = %(stream)b AND version > %(after)b AND version <= %(until)b
 ORDER BY version LIMIT %(limit)b
"""  # noqa: S608
_MANY: Final = f"""
SELECT c.* FROM unnest(%(streams)b::uuid[], %(afters)b::integer[]) AS u(stream, after)
 CROSS JOIN LATERAL (
   SELECT {_COLUMNS} FROM kartejo.commit c
    WHERE c.lane = %(lane)b AND c.stream = u.stream AND c.version > u.after
    ORDER BY c.version LIMIT %(limit)b) c
"""  # noqa: S608
_AT: Final = f"""
SELECT {_COLUMNS} FROM kartejo.commit
 WHERE lane = %(lane)b AND stream = %(stream)b AND version = %(version)b
"""  # noqa: S608
_HEAD: Final = """
SELECT version, hash FROM kartejo.commit
 WHERE lane = %(lane)b AND stream = %(stream)b ORDER BY version DESC LIMIT 1
"""
_STANDING: Final = """
SELECT c.stream, c.version, c.hash, c.position
  FROM unnest(%(streams)b::uuid[], %(versions)b::integer[]) AS u(stream, version)
  JOIN kartejo.commit c ON c.lane = %(lane)b AND c.stream = u.stream AND c.version = u.version
"""

# Index: commit_command (lane, stream, command).
_COMMAND: Final = f"""
SELECT {_COLUMNS} FROM kartejo.commit
 WHERE lane = %(lane)b AND stream = %(stream)b AND command = %(command)b
"""  # noqa: S608

# Index: commit_position (lane, position).
_LOG: Final = f"""
SELECT {_COLUMNS} FROM kartejo.commit
 WHERE lane = %(lane)b AND position > %(after)b ORDER BY position LIMIT %(limit)b
"""  # noqa: S608
_HASHES: Final = """
SELECT position, hash FROM kartejo.commit
 WHERE lane = %(lane)b AND position > %(after)b ORDER BY position LIMIT %(limit)b
"""
_MOVED: Final = """
SELECT DISTINCT stream FROM (
  SELECT stream, kind FROM kartejo.commit
   WHERE lane = %(lane)b AND position > %(after)b ORDER BY position DESC LIMIT %(limit)b
) AS newest WHERE kind = %(kind)b
"""
# Index: commit_tournament, for the one kind that is asked for; it holds first commits only.
_OF_KIND: Final = """
SELECT stream FROM kartejo.commit c
 WHERE lane = %(lane)b AND kind = 3 AND version = count
   AND NOT EXISTS (SELECT FROM kartejo.tournament_done d
                    WHERE d.lane = c.lane AND d.stream = c.stream)
"""
_DONE: Final = """
INSERT INTO kartejo.tournament_done (lane, stream) VALUES (%(lane)b, %(stream)b)
ON CONFLICT DO NOTHING
"""
_POSITION: Final = "SELECT head FROM kartejo.lane WHERE lane = %(lane)b"
# A batch is what one transaction appended.  Index: commit_position (lane, position).
_BATCHES: Final = """
SELECT size, count(*) FROM (
  SELECT count(*) AS size FROM kartejo.commit
   WHERE lane = %(lane)b AND position > %(after)b AND position <= %(until)b GROUP BY xmin) b
 GROUP BY size ORDER BY size
"""

# The types of a commit's columns up to its hash, as the append function takes them.
_TYPES: Final = (
    *("uuid[]", "smallint[]", "integer[]", "integer[]"),  # stream, kind, version, count
    *("bytea[]", "bytea[]", "bytea[]"),  # command, group, digest
    *("smallint[]", "uuid[]", "smallint[]", "bytea[]"),  # actor kind, actor, seat, action
    *("bigint[]", "bigint[]"),  # received at, recorded at
    *("integer[]", "integer[]", "integer[]"),  # hand, epoch, rules
    *("bytea[]", "bytea[]"),  # body, hash
)
_PACKERS: Final[Mapping[str, Callable[[Sequence[Any]], Packed]]] = {
    "uuid[]": uuids,
    "smallint[]": int2s,
    "integer[]": int4s,
    "bigint[]": int8s,
    "bytea[]": byteas,
}
_LANE: Final = LANE.to_bytes(2, "big")
_APPEND: Final = Statement(
    "kartejo_append",
    ("smallint", "integer[]", *_TYPES),
    "SELECT * FROM kartejo.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,"
    " $16, $17, $18, $19, $20)",
)


class Reply(NamedTuple):
    """What the append function answers: see migrations/0001_store.sql."""

    first_position: int
    stored: int
    lost: Sequence[int]
    lost_version: Sequence[int]
    lost_duplicate: Sequence[int]


def _as_commit(_: AsyncCursor[Any]) -> Callable[[Sequence[Any]], Commit]:
    return Commit._make


async def _rows(db: Connection, query: str, **values: object) -> list[TupleRow]:
    async with db.cursor(binary=True) as cursor:
        await cursor.execute(query, {"lane": LANE, **values}, prepare=True)
        return await cursor.fetchall()


async def _commits(db: Connection, query: str, **values: object) -> list[Commit]:
    async with db.cursor(row_factory=_as_commit, binary=True) as cursor:
        await cursor.execute(query, {"lane": LANE, **values}, prepare=True)
        return await cursor.fetchall()


async def commits_after(
    db: Connection, stream: UUID, after: int, limit: int, until: int = NEWEST
) -> list[Commit]:
    """Commits of ``stream`` with versions above ``after`` up to ``until``, at most ``limit``."""
    return await _commits(db, _STREAM, stream=stream, after=after, limit=limit, until=until)


async def many_after(db: Connection, afters: Mapping[UUID, int], limit: int) -> list[Commit]:
    """The same for several streams at once; ``limit`` holds for each of them."""
    streams, versions = list(afters), list(afters.values())
    return await _commits(db, _MANY, streams=streams, afters=versions, limit=limit)


async def commit_at(db: Connection, stream: UUID, version: int) -> list[Commit]:
    """The commit whose last event is ``version``: one or none."""
    return await _commits(db, _AT, stream=stream, version=version)


async def commit_of_command(db: Connection, stream: UUID, command: bytes) -> list[Commit]:
    """The commit that ``command`` made on ``stream``: one or none."""
    return await _commits(db, _COMMAND, stream=stream, command=command)


async def stream_head(db: Connection, stream: UUID) -> list[TupleRow]:
    """(version, hash) of the newest commit of ``stream``: one or none."""
    return await _rows(db, _HEAD, stream=stream)


async def standing_at(db: Connection, commits: Sequence[Commit]) -> list[TupleRow]:
    """(stream, version, hash, position) of what stands at the versions of ``commits``."""
    streams = [commit.stream for commit in commits]
    versions = [commit.version for commit in commits]
    return await _rows(db, _STANDING, streams=streams, versions=versions)


async def log_after(db: Connection, after: int, limit: int) -> list[Commit]:
    """Commits of all streams with positions above ``after``, in order, at most ``limit``."""
    return await _commits(db, _LOG, after=after, limit=limit)


async def hashes_after(db: Connection, after: int, limit: int) -> list[bytes]:
    """Hashes of the commits at ``after + 1`` and so on, in order, at most ``limit``.

    Raises ``Corrupt`` when a position is missing between them.
    """
    rows = await _rows(db, _HASHES, after=after, limit=limit)
    for expected, (position, _) in enumerate(rows, after + 1):
        if position != expected:
            raise Corrupt(f"position {expected} is missing from the log")
    return [row[1] for row in rows]


async def moved_after(db: Connection, after: int, kind: int, limit: int) -> list[TupleRow]:
    """(stream) of a kind that the newest commits above ``after`` moved, ``limit`` at most."""
    return await _rows(db, _MOVED, after=after, kind=kind, limit=limit)


async def tournaments(db: Connection) -> list[TupleRow]:
    """(stream) of every tournament at which something may be left to do."""
    return await _rows(db, _OF_KIND)


async def tournament_done(db: Connection, stream: UUID) -> None:
    """Take down that nothing is left to do at a tournament, for good."""
    await db.execute(_DONE, {"lane": LANE, "stream": stream}, binary=True)


async def head_position(db: Connection) -> int:
    """The last position given out."""
    rows = await _rows(db, _POSITION)
    return int(rows[0][0])


async def batch_sizes(db: Connection, after: int, until: int) -> dict[int, int]:
    """How many batches of each size made the commits from ``after`` (excluded) to ``until``."""
    rows = await _rows(db, _BATCHES, after=after, until=until)
    return {int(size): int(count) for size, count in rows}


def as_arrays(commits: Sequence[Commit]) -> list[Packed]:
    """One array for every column of ``commits``, in the order of the append function."""
    columns = zip(_TYPES, zip(*commits, strict=True), strict=False)
    return [_PACKERS[name](column) for name, column in columns]


async def append_batch(db: Connection, groups: Sequence[Sequence[Commit]]) -> Reply:
    """One call of the append function: one round trip, one transaction, one flush."""
    numbers = [number for number, group in enumerate(groups) for _ in group]
    commits = [commit for group in groups for commit in group]
    row = await _APPEND.row(db, [_LANE, int4s(numbers), *as_arrays(commits)])
    first, stored, lost, versions, duplicates = row
    return Reply(
        int.from_bytes(first or b"", "big"),
        int.from_bytes(stored or b"", "big"),
        read_int4s(lost),
        read_int4s(versions),
        read_int4s(duplicates),
    )
