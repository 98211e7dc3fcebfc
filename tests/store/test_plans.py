"""Every statement on a table that grows goes through its index."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from service.store import (
    checkpoints,
    hand_index,
    leases,
    ledger,
    log,
    log_tiles,
    people,
    principals,
    result_queries,
    results,
    snapshots,
    table_index,
)
from service.store.embedded import EmbeddedServer
from tests.pg import TEMPLATE, create

STREAM: dict[str, object] = {"stream": uuid4()}
PAGE: dict[str, object] = {
    "before": 9000,
    "stream": uuid4(),
    "limit": 10,
    "closed": True,
    "free": True,
    "lab": False,
}
SEARCH = result_queries.Search(since=100, until=9000)
PLAYER = SEARCH._replace(player=uuid4())
PLACE: dict[str, object] = {"at": 8000, "stream": uuid4(), "hand": 1, "limit": 10}
HANDS: dict[str, object] = {"streams": [uuid4()], "hands": [1]}
DAYS: dict[str, object] = {"first": 3, "last": 4}


def found(search: result_queries.Search) -> tuple[str, dict[str, object]]:
    return result_queries.query_of(search), {**search._asdict(), **PLACE}


QUERIES: dict[str, tuple[str, dict[str, object]]] = {
    "stream": (log._STREAM, {**STREAM, "after": 3, "until": 9, "limit": 10}),
    "many": (log._MANY, {"streams": [uuid4()], "afters": [3], "limit": 10}),
    "at": (log._AT, {**STREAM, "version": 3}),
    "head": (log._HEAD, STREAM),
    "standing": (log._STANDING, {"streams": [uuid4()], "versions": [3]}),
    "command": (log._COMMAND, {**STREAM, "command": b"c"}),
    "log": (log._LOG, {"after": 30, "limit": 10}),
    "hashes": (log._HASHES, {"after": 30, "limit": 10}),
    "moved": (log._MOVED, {"after": 30, "kind": 1, "limit": 10}),
    "snapshot": (snapshots._LATEST, {**STREAM, "rules": 1, "version": 9}),
    "principal": (principals.FIND, {"issuer": "i", "subject": "s"}),
    "held": (leases._HELD, {"owner": uuid4()}),
    "claim": (leases._CLAIM, {"owner": uuid4(), "streams": [uuid4()]}),
    "release": (leases._RELEASE, {"owner": uuid4(), "streams": [uuid4()]}),
    "page": (table_index._PAGE, PAGE),
    "game": (
        table_index._PAGE_OF_GAME,
        {**PAGE, "game": "g"},
    ),
    "running": (table_index._RUNNING, {"after": uuid4(), "limit": 10}),
    "table rows": (table_index._OF, {"build": 1, "streams": [uuid4()]}),
    "hands": (hand_index._HANDS, {**STREAM, "after": 3, "limit": 10}),
    "hands stand": (hand_index._TABLE_SERVING, STREAM),
    "hand records": (hand_index._TABLES, {"build": 1, "streams": [uuid4()]}),
    "played": (
        hand_index._PLAYED,
        {**STREAM, "player": uuid4(), "at": 9000, "hand": 1, "seat": 0, "limit": 10},
    ),
    "ledger": (ledger._BEFORE, {"account": uuid4(), "before": 50, "limit": 10}),
    "ledger of table": (
        ledger._BEFORE_AT,
        {"account": uuid4(), "table": uuid4(), "before": 50, "limit": 10},
    ),
    "results stand": (results._STATES, {"build": 1, "streams": [uuid4()]}),
    "results": found(SEARCH),
    "results of amount": found(SEARCH._replace(least=19_990)),
    "results of table": found(SEARCH._replace(table=uuid4())),
    "results of player": found(PLAYER),
    "results of player, amount": found(PLAYER._replace(least=7)),
    "results of two": found(PLAYER._replace(other=uuid4(), game="g")),
    "results of two, amount": found(PLAYER._replace(other=uuid4(), least=7)),
    "result players": (result_queries._PLAYERS, HANDS),
    "result moves": (result_queries._MOVES, HANDS),
    "result pair": (result_queries._PAIR, {"low": uuid4(), "high": uuid4(), **DAYS}),
    "result pairs": (result_queries._PAIRS, {**DAYS, "game": "", "least": 2, "limit": 10}),
    "person": (people._GET, {"id": uuid4()}),
    "names": (people._NAMES, {"ids": [uuid4(), uuid4()]}),
    "ledger stands": (ledger._LAST, {"build": 1, "accounts": [uuid4()]}),
    "tiles": (log_tiles._OF, {"build": 1, "levels": [0, 1], "numbers": [70, 0]}),
    "tiles served": (log_tiles._SERVING, {"levels": [0, 1], "numbers": [70, 0]}),
    "older checkpoints": (checkpoints._OLDER, {"before": 9000, "limit": 10}),
    "covering checkpoint": (checkpoints._COVERING, {"size": 9000}),
}

FILL = [
    """INSERT INTO kartejo.commit
SELECT 0, md5((n / 20)::text)::uuid, n % 20 + 1, 1, n + 1, 1, substr(sha256(n::text::bytea), 1, 16),
       substr(sha256(n::text::bytea), 1, 16), sha256(''), 1, NULL, -1, '', 0, 0, 0, 0, 1,
       sha256(''), '' FROM generate_series(0, 19999) n""",
    """INSERT INTO kartejo.snapshot
SELECT 0, md5(n::text)::uuid, 1, 1, sha256(''), '' FROM generate_series(1, 20000) n""",
    """INSERT INTO kartejo.principal
SELECT 0, 'i', n::text, md5(n::text)::uuid FROM generate_series(1, 20000) n""",
    """INSERT INTO kartejo.lease
SELECT 0, md5(n::text)::uuid, md5((n % 9)::text)::uuid FROM generate_series(1, 20000) n""",
    """INSERT INTO kartejo.table_index
SELECT 0, md5(n::text)::uuid, chr(n % 5 + 97), false, '', n, NULL, 0, n % 10 = 0, 0, 0, 1, 1
  FROM generate_series(1, 20000) n""",
    """INSERT INTO kartejo.hand_index
SELECT 0, 1, md5((n / 50)::text)::uuid, n % 50 + 1, 'g', n, n, n, n, true, '{}', '{}'
  FROM generate_series(0, 19999) n""",
    """INSERT INTO kartejo.hand_table
SELECT 0, 1, md5(n::text)::uuid, 1, 'g', false, '{}', '{}' FROM generate_series(0, 19999) n""",
    """INSERT INTO kartejo.hand_player
SELECT 0, 1, md5((n % 100)::text)::uuid, n, md5((n / 50)::text)::uuid, n % 50 + 1, 0
  FROM generate_series(0, 19999) n""",
    """INSERT INTO kartejo.ledger
SELECT 0, 1, md5((n / 100)::text)::uuid, n % 100 + 1, 'credited', 1, 1, md5((n % 7)::text)::uuid, 1,
       '', n FROM generate_series(0, 19999) n""",
    """INSERT INTO kartejo.log_tile
SELECT 0, 1, 0, n, sha256('') FROM generate_series(0, 19999) n""",
    """INSERT INTO kartejo.checkpoint
SELECT 0, n, n, sha256(''), '', '', '' FROM generate_series(1, 20000) n""",
    """INSERT INTO kartejo.result_table
SELECT 0, 1, md5(n::text)::uuid, 1, 'g', false, '{}' FROM generate_series(0, 19999) n""",
    """INSERT INTO kartejo.result_hand
SELECT 0, 1, md5((n / 50)::text)::uuid, n % 50 + 1, 'g', n, n, true, n
  FROM generate_series(0, 19999) n""",
    """INSERT INTO kartejo.result_player
SELECT 0, 1, md5((n % 100)::text)::uuid, n, md5((n / 50)::text)::uuid, n % 50 + 1, n % 9
  FROM generate_series(0, 19999) n""",
    """INSERT INTO kartejo.result_move
SELECT 0, 1, md5((n / 50)::text)::uuid, n % 50 + 1, md5((n % 100)::text)::uuid,
       md5((n % 90)::text)::uuid, n % 9 FROM generate_series(0, 19999) n""",
    """INSERT INTO kartejo.result_pair
SELECT 0, 1, md5((n % 99)::text)::uuid, md5((n % 100)::text)::uuid, 'g', n / 100,
       1, 1, 1, 1, 1, 1, 1, 1, 1 FROM generate_series(0, 19999) n""",
    """INSERT INTO kartejo.person SELECT 0, id, 'n', '', '' FROM kartejo.principal""",
    """INSERT INTO kartejo.progress SELECT 0, name, 1, 9, 1, 'serving'
  FROM unnest(ARRAY['tables', 'hands', 'ledger', 'results', 'log']) AS name""",
    "ANALYZE",
]


@pytest.fixture(scope="module")
def full(pg: EmbeddedServer) -> Iterator[psycopg.Connection]:
    """A database with 20,000 rows in each table, and its statistics."""
    create(pg, "plans", TEMPLATE)
    with psycopg.connect(make_conninfo(pg.conninfo, dbname="plans"), autocommit=True) as db:
        for statement in FILL:
            db.execute(statement)
        yield db


@pytest.mark.parametrize("name", QUERIES)
def test_query_uses_an_index(full: psycopg.Connection, name: str) -> None:
    query, values = QUERIES[name]
    lines = full.execute("EXPLAIN " + query, {"lane": 0, **values}).fetchall()
    plan = "\n".join(line for (line,) in lines)
    assert "Index" in plan, plan
    # Which build readers see stands in a table of a few rows.
    assert "Seq Scan" not in plan.replace("Seq Scan on progress", ""), plan
