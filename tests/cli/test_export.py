"""Exports from the command line: written once and whole, verified offline, and recorded."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from service.cli.app import app
from service.pb import games_pb2
from tests.cli.conftest import Commands, Served

TYPED = "\nauto_play game\nq\n"


class Ready(NamedTuple):
    """A solitaire that the administrator played to its end, and an auditor's token."""

    kartejo: Commands
    table: str
    auditor: dict[str, str]

    def complete(self, file: Path, *arguments: str) -> Path:
        """A complete export of the table, by the auditor."""
        told = ("export", self.table, "--complete", "-o", str(file), *arguments)
        self.kartejo(*told, **self.auditor).ok()
        return file


@pytest.fixture(scope="module")
def ready(service: Served) -> Ready:
    kartejo = Commands(Path(service.told["data"]))
    told = kartejo("play", "royal_flush", "-o", "turn_seconds=600", typed=TYPED).ok().out
    found = re.search(r"table (\S+), seat 0", told)
    assert found is not None
    token = kartejo("token", "carol", "--role", "auditor").ok().out.strip()
    return Ready(kartejo, found[1], {"KARTEJO_TOKEN": token})


@pytest.fixture(scope="module")
def written(ready: Ready, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete export of the table."""
    return ready.complete(tmp_path_factory.mktemp("export") / "table.jsonl")


def verified(file: Path, *arguments: str) -> Result:
    """``kartejo verify``, which needs nothing but the file: here, in this process."""
    return CliRunner().invoke(app, ["verify", str(file), *arguments])


def lines_of(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text(encoding="ascii").splitlines()]


def test_a_complete_table_is_written_and_verifies(ready: Ready, written: Path) -> None:
    assert written.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in written.parent.iterdir()] == ["table.jsonl"]
    told = verified(written)
    assert told.exit_code == 0
    assert f"complete export of table {ready.table}" in told.stdout
    assert "everything holds" in told.stdout
    report = json.loads(verified(written, "--json").stdout)
    assert report["ok"]
    assert report["counts"]["commits decided again"] > 2
    assert verified(written, "--key", report["key"]).exit_code == 0
    assert verified(written, "--key", "x+y").exit_code == 2
    refused = ("export", ready.table, "--complete", "-o", str(written))
    assert ready.kartejo.fails(*refused, **ready.auditor)[0] == "ALREADY_THERE"


def test_a_changed_export_is_named_with_its_line(written: Path, tmp_path: Path) -> None:
    lines = written.read_text(encoding="ascii").splitlines(keepends=True)
    lines[2] = lines[2].replace('"seat":0,"action"', '"seat":1,"action"')
    file = tmp_path / "changed.jsonl"
    file.write_text("".join(lines), encoding="ascii")
    ended = verified(file)
    assert ended.exit_code == 1
    assert "first bad record: line 3, stream" in ended.stdout
    assert "the hash does not follow (expected " in ended.stdout
    report = verified(file, "--json")
    assert report.exit_code == 1
    assert json.loads(report.stdout)["findings"][0]["line"] == 3
    assert verified(tmp_path / "none.jsonl").exit_code == 2


def test_the_whole_store_from_the_database_itself(ready: Ready, tmp_path: Path) -> None:
    """The operator needs no token; what he copies tells that he did."""
    file = tmp_path / "all.jsonl"
    ready.kartejo("export", "--complete", "--from-store", "-o", str(file)).ok()
    assert json.loads(verified(file, "--json").stdout)["scope"] == "store"
    looked = lines_of(file)[-2]["events"][0]
    assert looked["name"] == "AuditorLooked"
    assert looked["fields"]["reader"] == looked["fields"]["table"] == ""
    told = ready.kartejo("access", ready.table).ok().out
    assert "the operator  the whole store as complete" in told


def test_what_a_player_saw_is_what_he_was_sent(ready: Ready, tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    ready.kartejo("export", ready.table, "-o", str(file)).ok()
    assert ready.kartejo("export", ready.table).ok().out == file.read_text(encoding="ascii")
    assert "seen export of table" in verified(file).stdout
    wires = [event["wire"] for line in lines_of(file)[1:-1] for event in line["events"]]
    assert all(games_pb2.Event.FromString(b64decode(wire)).WhichOneof("family") for wire in wires)
    file.write_text(file.read_text(encoding="ascii").replace('"seat":0', '"seat":1', 1))
    assert verified(file).exit_code == 1


def test_scripts_of_all_hands_run(ready: Ready, tmp_path: Path) -> None:
    file = tmp_path / "table.hand"
    ready.kartejo("export", ready.table, "--format", "script", "-o", str(file)).ok()
    ran = CliRunner().invoke(app, ["script", "run", str(file)])
    assert "every line holds" in ran.stdout


def test_parquet_holds_the_same_rows(ready: Ready, written: Path, tmp_path: Path) -> None:
    folder = ready.complete(tmp_path / "table", "--format", "parquet")
    told = lines_of(written)[1:-1]
    rows = pq.read_table(folder / "commits.parquet").to_pylist()
    # The second export tells of itself, too.
    assert [row["hash"].hex() for row in rows[: len(told)]] == [line["hash"] for line in told]
    events = pq.read_table(folder / "events.parquet").to_pylist()
    assert len(events) == sum(row["count"] for row in rows)
    assert json.loads((folder / "export.json").read_text(encoding="ascii"))["note"]
    mine = tmp_path / "mine"
    ready.kartejo("export", ready.table, "--format", "parquet", "-o", str(mine)).ok()
    seen = pq.read_table(mine / "events.parquet").to_pylist()
    assert [row["version"] for row in seen] == list(range(1, len(seen) + 1))


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["T", "--complete", "--format", "script"],
        ["T", "--from-store"],
        ["T", "--hand", "1"],
        ["T", "--format", "parquet"],
        ["T", "--as", "nobody"],
    ],
)
def test_what_makes_no_sense_is_said(arguments: list[str]) -> None:
    ended = CliRunner().invoke(app, ["export", *arguments])
    assert ended.exit_code == 2
    assert "Invalid value" in ended.stderr


def test_who_may_not_have_it_gets_no_file(ready: Ready, tmp_path: Path) -> None:
    """The administrator is an auditor too, but he plays."""
    file = str(tmp_path / "no.jsonl")
    fails = ready.kartejo.fails
    assert fails("export", "--complete", "-o", file)[0] == "PERMISSION_DENIED"
    unknown = ("export", "00000000-0000-8000-8000-000000000000", "--complete", "-o", file)
    assert fails(*unknown)[0] == "NOT_FOUND"
    assert fails(*unknown, "--from-store")[0] == "NOT_FOUND"
    assert not list(tmp_path.iterdir())


def replayed(file: Path, *arguments: str) -> list[Any]:
    """Steps of an export, replayed in this process: it needs no service."""
    ended = CliRunner().invoke(app, ["replay", str(file), "1", "--json", *arguments])
    assert ended.exit_code == 0, ended.output
    steps: list[Any] = json.loads(ended.stdout)
    return steps


def test_an_export_replays_offline_as_the_service_does(
    ready: Ready, written: Path, tmp_path: Path
) -> None:
    kartejo, table = ready.kartejo, ready.table
    mine = tmp_path / "mine.jsonl"
    kartejo("export", table, "-o", str(mine)).ok()
    as_auditor = kartejo("replay", table, "1", "--as", "auditor", "--json", **ready.auditor)
    assert replayed(written) == as_auditor.ok().json
    assert replayed(written, "--as", "auditor") == as_auditor.json
    by_player = kartejo("replay", table, "1", "--json").ok().json
    assert replayed(mine) == by_player
    seat = replayed(written, "--as", "seat 0")
    assert [step["state"] for step in seat] == [step["state"] for step in by_player]
    last = by_player[-1]["version"]
    assert [step["version"] for step in replayed(written, "--at", str(last))] == [last]
    row = json.loads(CliRunner().invoke(app, ["replay", str(written), "--json"]).stdout)[0]
    assert row == kartejo("replay", table, "--json").ok().json[0]


def test_an_export_that_does_not_hold_is_not_replayed(written: Path, tmp_path: Path) -> None:
    file = tmp_path / "changed.jsonl"
    file.write_text(written.read_text(encoding="ascii").replace('"seat":0', '"seat":1', 1))
    ended = CliRunner().invoke(app, ["replay", str(file), "1"])
    assert "line 3" in str(ended.exception)
    ended = CliRunner().invoke(app, ["replay", str(written), "9"])
    assert "no hand 9 in this export" in str(ended.exception)
