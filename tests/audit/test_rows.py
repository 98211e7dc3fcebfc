"""Audits of a database: all rows beside the log are compared, and whatever is changed is named."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.errors import InsufficientPrivilege

from engine.errors import Unavailable
from service.audit.findings import Finding
from service.audit.whole import Audited
from tests.audit.looking import BLIND, audited
from tests.audit.played import play_on
from tests.service.harness import run


def changed(admin_dsn: str, *statements: str) -> None:
    """Statements of somebody whom no privilege and no trigger stops; each changes something."""
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        db.execute("SET session_replication_role = replica")
        for statement in statements:
            assert db.execute(statement.encode()).rowcount, statement


@pytest.fixture
def audit(dsn: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Finding]]:
    return lambda: audited(dsn, monkeypatch).result.findings


def test_an_honest_store_is_well(honest_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every commit decided again; snapshots, tables, hands and changes compared; none left out."""
    result = audited(honest_dsn, monkeypatch).result
    count = result.count
    assert not result.findings
    assert (count.tables, count.accounts) == (32, 4)
    assert count.decided == count.commits > 200
    assert count.credited == count.balance + count.at_tables == 400_000
    assert count.transfers > 10
    assert count.rows > 60
    assert (count.unread, count.unchecked, count.sealed, count.folded) == (0, 0, 0, 0)


def test_without_a_key_what_is_told_is_checked(
    honest_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Running epochs are counted as not yet checkable: that is no fault."""
    result = audited(honest_dsn, monkeypatch, BLIND).result
    count = result.count
    assert not result.findings
    assert 0 < count.sealed < count.commits / 2
    assert count.decided + count.sealed == count.commits
    assert count.unread  # snapshots: nothing opens them


def test_an_audit_beside_players_finds_nothing(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what is stored while it runs it sees nothing, or all: no row is said to be wrong."""

    async def scenario() -> list[Audited]:
        done = asyncio.Event()
        playing = asyncio.create_task(play_on(dsn, done))
        found = [await asyncio.to_thread(audited, dsn, monkeypatch) for _ in range(2)]
        done.set()
        await playing
        return [*found, audited(dsn, monkeypatch)]

    audits = run(scenario())
    assert [each.result.findings for each in audits] == [[]] * 3
    heads = [each.standing.head for each in audits]
    assert sorted(set(heads)) == heads


def test_an_auditor_needs_to_read_and_nothing_else(
    admin_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the grant he is told which it is."""
    auditor = make_conninfo(admin_dsn, options="-c role=auditor")
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        db.execute("DROP ROLE IF EXISTS auditor")
        db.execute("CREATE ROLE auditor")
        with pytest.raises(Unavailable, match="GRANT kartejo_reader"):
            audited(auditor, monkeypatch)
        db.execute("GRANT kartejo_reader TO auditor")
        with psycopg.connect(auditor) as reader, pytest.raises(InsufficientPrivilege):
            reader.execute("DELETE FROM kartejo.snapshot")
        result = audited(auditor, monkeypatch).result
        assert not result.findings
        assert result.count.rows > 60
        assert result.count.unread == 0
        db.execute("DROP ROLE auditor")


OF_EACH_KIND = {
    "snapshot": [
        "UPDATE kartejo.snapshot SET sealed = set_byte(sealed, 40, get_byte(sealed, 40) # 1)",
        "UPDATE kartejo.snapshot SET hash = sha256(hash)",
        "UPDATE kartejo.snapshot SET version = version + 100000",
        "UPDATE kartejo.snapshot SET version = version - 1",
    ],
    "projection tables": [
        "UPDATE kartejo.table_index SET seats_taken = seats_taken + 1",
        "UPDATE kartejo.table_index SET closed_at = NULL WHERE closed_at IS NOT NULL",
        "UPDATE kartejo.table_index SET house = '{}'",
        "UPDATE kartejo.table_index SET position = position - 1",
        "DELETE FROM kartejo.table_index WHERE game = 'pontoon'",
    ],
    "projection hands": [
        "UPDATE kartejo.hand_index SET last_version = last_version + 1 WHERE hand = 2",
        "UPDATE kartejo.hand_index SET players = array_reverse(players) WHERE game = 'pontoon'",
        "DELETE FROM kartejo.hand_index WHERE hand = 1",
        "UPDATE kartejo.hand_index SET hand = hand + 1000 WHERE hand = 1",
        "UPDATE kartejo.hand_table SET version = version - 1",
        "DELETE FROM kartejo.hand_table WHERE game = 'royal_casino'",
    ],
    "projection ledger": [
        "UPDATE kartejo.ledger SET balance = balance + 1 WHERE version = 1",
        "UPDATE kartejo.ledger SET note = 'for nothing' WHERE kind = 'credited'",
        "DELETE FROM kartejo.ledger WHERE version = 2",
        "UPDATE kartejo.ledger SET version = version + 100 WHERE version = 2",
    ],
}
ROWS = [
    {check: each[number] for check, each in OF_EACH_KIND.items() if number < len(each)}
    for number in range(max(map(len, OF_EACH_KIND.values())))
]


STRAYS = {
    "lane": "UPDATE kartejo.commit SET lane = 1 WHERE position = 20",
    "snapshot": "UPDATE kartejo.snapshot SET stream = gen_random_uuid()",
    "projection tables": "UPDATE kartejo.table_index SET stream = gen_random_uuid()",
    "projection hands": "DELETE FROM kartejo.hand_player WHERE hand = 1",
    "projection ledger": "UPDATE kartejo.ledger SET account = gen_random_uuid() WHERE version = 1",
}


def test_rows_that_belong_nowhere_are_counted(
    admin_dsn: str, audit: Callable[[], list[Finding]]
) -> None:
    changed(admin_dsn, *STRAYS.values())
    strays = [each for each in audit() if not each.stream.int and not each.position]
    assert sorted(each.check for each in strays) == sorted(STRAYS)
    assert all("that should not be there" in each.found for each in strays)


@pytest.mark.parametrize("rows", ROWS, ids=range(len(ROWS)))
def test_a_row_that_does_not_follow_is_named(
    admin_dsn: str, audit: Callable[[], list[Finding]], rows: dict[str, str]
) -> None:
    """One of each kind at a time: each is found by its own check."""
    changed(admin_dsn, *rows.values())
    found = audit()
    assert {each.check for each in found} == set(rows)
    assert {each.check for each in found if each.stream.int and not each.position} == set(rows)
