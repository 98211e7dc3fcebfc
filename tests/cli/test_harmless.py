"""What others wrote is shown, and does nothing: to a terminal, a line, or who reads JSON."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from rich.table import Table
from typer.testing import CliRunner

from engine.errors import Unavailable
from service.cli import audit, verify
from service.cli.app import app
from service.cli.console import Output, print_json
from service.cli.failures import tell
from service.verify import Report

EVIL = "\x1b[2J\x1b]0;owned\x07 \x9b31m \u202egpj \ud800\r\x7f"
ACTING = set("\x1b\x07\x9b\u202e\ud800\r\x7f")

HOSTILE = (
    {"type": "export", "format": 1, "kind": EVIL, "scope": EVIL, "key": EVIL, "checkpoint": ""},
    {"type": "export", "format": 1, "kind": "seen", "viewer": EVIL, "table": f"1\n{EVIL}"},
)


def test_what_is_printed_does_nothing_to_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    out = Output()
    table = Table(EVIL)
    table.add_row(EVIL)
    out.print(EVIL, markup=False)
    out.lines([EVIL, "two\nlines", "1:100:2 :smile:"])
    out.print(table)
    told = capsys.readouterr().out
    assert not ACTING & set(told)
    assert "\\x1b[2J" in told
    assert "two\nlines\n1:100:2 :smile:\n" in told


def test_an_error_is_one_line_whoever_wrote_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell(Unavailable(f"gone\n{EVIL}")) == 1
    told = capsys.readouterr().err
    assert not ACTING & set(told)
    assert told.startswith("kartejo: UNAVAILABLE: gone\\n\\x1b[2J")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_json_is_the_same_text_on_every_output(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    value = {"name": f"Ænne {EVIL}", "tag": "\U000e0041", "far": "\U0001f0a1"}
    print_json(value)
    told = raw.getvalue()
    assert json.loads(told.decode(encoding)) == value
    assert not ACTING & set(told.decode(encoding))
    assert told.count(b"\n") == 1


@pytest.mark.parametrize("line", HOSTILE)
def test_a_hostile_export_is_told_and_not_obeyed(tmp_path: Path, line: object) -> None:
    path = tmp_path / "hostile.jsonl"
    path.write_bytes(json.dumps(line).encode() + b"\n\x1b[2Jno json\n")
    told = CliRunner().invoke(app, ["verify", str(path)])
    assert told.exit_code == 1
    assert not ACTING & set(told.output)
    assert all(
        each.startswith(("seen", "unknown", "first", "also")) for each in told.output.splitlines()
    )
    report = CliRunner().invoke(app, ["verify", str(path), "--json"])
    assert report.exit_code == 1
    assert json.loads(report.output)["ok"] is False
    replayed = CliRunner().invoke(app, ["replay", str(path)])
    assert not ACTING & set(replayed.output)


def test_what_cannot_be_told_is_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 1 says that a record is bad: a full disk, or a pager that went, is none."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "one.jsonl"
    path.write_text("")
    monkeypatch.setattr(verify, "_verified", lambda *_, **__: Report())
    monkeypatch.setattr(verify, "_tell", full)
    assert CliRunner().invoke(app, ["verify", str(path)]).exit_code == 2
    path.write_text('{"type":"export","format":1,"kind":"complete"}\n{"type":"end","note":""}\n')
    monkeypatch.setattr(audit, "_report", full)
    data = ("--data", str(tmp_path / "data"))
    assert CliRunner().invoke(app, ["audit", "--export", str(path), *data]).exit_code == 2


def test_no_hand_has_the_number_0() -> None:
    """It is what lies between hands; it was taken for no number, and showed the first hand."""
    told = CliRunner().invoke(app, ["replay", "5e1d", "0"])
    assert told.exit_code == 2
