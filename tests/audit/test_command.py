"""``kartejo audit`` as it is typed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from typer.testing import CliRunner

from service.cli.app import app
from service.store.commit import Commit
from service.transparency.checkpoint import Checkpoint
from service.transparency.merkle import Frontier
from service.transparency.notes import SignerKey
from tests.audit.forging import put
from tests.audit.test_rows import changed
from tests.service.harness import MASTER


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "master.key"
    path.write_text(MASTER.hex() + "\n")
    path.chmod(0o600)
    return path


class Told(NamedTuple):
    """A command that has run in this process."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def asked(*arguments: str) -> Told:
    """``kartejo audit`` in this process, with no service and no key of its own."""
    home = {"KARTEJO_DATA": "/nonexistent/kartejo", "KARTEJO_DATABASE": ""}
    done = CliRunner().invoke(app, ["audit", *arguments], env=home)
    return Told(done.exit_code, done.stdout, done.stderr)


def without_time(told: Any) -> Any:
    return {k: v for k, v in told.items() if k not in {"seconds", "events_per_second_and_core"}}


def test_the_report_is_the_same_with_any_number_of_processes(
    dsn: str, admin_dsn: str, key: Path
) -> None:
    """A store that is well, then one that is not; with one process, with two."""
    where = ("--database", dsn, "--master-key", str(key), "--json")
    told = asked(*where).json
    assert told["ok"]
    assert told["first"] is None
    assert told["count"]["decided"] == told["count"]["commits"] == told["head"]
    assert told["count"]["sealed"] == told["count"]["unread"] == 0
    assert told["events_per_second_and_core"] > 0
    poison = "UPDATE kartejo.commit SET rules = rules + 1 WHERE position IN (60, 80, 100)"
    changed(admin_dsn, poison, "DELETE FROM kartejo.commit WHERE position = 120")
    ended = asked(*where)
    assert ended.code == 1
    told = ended.json
    assert (told["first"]["position"], told["first"]["check"]) == (60, "hash")
    assert told["found"] == len(told["findings"]) >= 4
    again = asked(*where, "--jobs", "2").json
    assert without_time(again) == {**without_time(told), "jobs": 2}


def test_people_are_told_the_first_bad_record(dsn: str, admin_dsn: str) -> None:
    ended = asked("--database", dsn)
    assert ended.code == 0
    assert "all is well" in ended.out
    assert "not yet checkable" in ended.out
    changed(admin_dsn, "UPDATE kartejo.commit SET hand = hand + 1 WHERE position > 200")
    ended = asked("--database", dsn, "--most", "2")
    assert (ended.code, ended.err) == (1, "")
    lines = ended.out.splitlines()
    start = next(n for n, line in enumerate(lines) if line.endswith("the first:"))
    assert lines[start + 1].startswith("  position 201, stream ")
    assert lines[start + 2].startswith("    expected ")
    assert lines[start + 3].startswith("    found    ")
    assert lines[-1].startswith("and ")


def test_one_table_alone(dsn: str, admin_dsn: str, key: Path) -> None:
    """What is wrong elsewhere is not looked at."""
    with psycopg.connect(admin_dsn) as db:
        rows = db.execute("SELECT stream FROM kartejo.table_index ORDER BY stream").fetchall()
    one, two = (str(row[0]) for row in rows[:2])
    changed(admin_dsn, f"UPDATE kartejo.commit SET seat = 5 WHERE stream = '{two}'")
    where = ("--database", dsn, "--master-key", str(key), "--json", "--table")
    told = asked(*where, one).json
    assert told["ok"]
    assert (told["count"]["tables"], told["count"]["accounts"]) == (1, 0)
    ended = asked(*where, two)
    assert ended.code == 1
    assert ended.json["first"]["stream"] == two


def test_one_table_is_of_the_log_that_was_signed(
    dsn: str, admin_dsn: str, small_log: Sequence[Commit], tmp_path: Path
) -> None:
    """Whoever rewrote the table and all hashes after it is found by a note that lay elsewhere."""
    note = tmp_path / "kept.note"
    key = SignerKey("cards.example/log", bytes(32))
    tree = Frontier().extended(one.hash for one in small_log)
    note.write_text(Checkpoint(key.verifier.name, tree.size, tree.root()).signed(key))
    commit = next(one for one in small_log if one.kind == 1)
    forged = put(small_log, commit, commit._replace(received_at=1))
    where = ["--database", dsn, "--json", "--table", str(commit.stream)]
    named = ["--log-key", key.verifier.told(), "--checkpoint", str(note)]
    assert asked(*where, *named).json["ok"]
    with psycopg.connect(admin_dsn) as db:
        db.execute("SET session_replication_role = replica")
        db.execute("DELETE FROM kartejo.snapshot")
        for one in forged:
            db.execute(
                "UPDATE kartejo.commit SET hash = %s, received_at = %s WHERE position = %s",
                (one.hash, one.received_at, one.position),
            )
    assert asked(*where).json["ok"]
    ended = asked(*where, *named)
    assert ended.code == 1
    assert ended.json["first"]["check"] == "checkpoint"


def refused(ended: Told, reason: str) -> None:
    assert ended.code == 2
    assert not ended.out
    assert ended.err.startswith(f"kartejo: {reason}: "), ended.err


def test_an_audit_that_cannot_be_made_ends_with_two(honest_dsn: str) -> None:
    dsn = honest_dsn
    refused(asked(), "NO_DATABASE")
    refused(asked("--database", dsn, "--table", "x"), "MALFORMED")
    nobody = "00000000-0000-4000-8000-000000000000"
    refused(asked("--database", dsn, "--table", nobody), "NOT_FOUND")
    refused(asked("--database", dsn, "--log-key", "x"), "MALFORMED")
    refused(asked("--database", dsn, "--master-key", "/nowhere"), "KEY_FILE")
    refused(asked("--database", dsn, "--checkpoint", "/nowhere"), "SYSTEM")
    gone = "postgresql://cards@127.0.0.1:1/cards"
    refused(asked("--database", gone), "UNAVAILABLE")
