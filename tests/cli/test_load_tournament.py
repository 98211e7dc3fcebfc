"""``kartejo load --tournament``: a field enters, plays to the payout, and all of it is verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.cli.app import app
from service.cli.failures import CommandError
from service.load.tournaments.plan import FIELDS
from tests.cli.conftest import Commands

SERIES = """
name = "Small <patience>"
game = "royal_flush"
format = "series"
table_size = 1
buy_in = 10
fee = 1

[settings]
games = {games}
"""


@pytest.fixture
def series(tmp_path: Path) -> Path:
    """The file of a tournament that is soon over."""
    path = tmp_path / "series.toml"
    path.write_text(SERIES.format(games=1), encoding="utf-8")
    return path


def test_a_field_is_told_of_in_words_as_json_and_as_a_page(
    kartejo: Commands, series: Path, tmp_path: Path
) -> None:
    document, page = tmp_path / "load.json", tmp_path / "load.html"
    out = (
        kartejo(
            *("load", "--tournament", str(series), "--entries", "5", "--processes", "2"),
            *("--json", str(document), "--html", str(page)),
        )
        .ok()
        .out
    )
    assert "crediting: 5\nentering: 5\n" in out
    words = " ".join(out.split())
    assert "Small <patience>: 5 players of royal_flush at 5 tables, 5 hands; finished in " in words
    assert "Verified in the commit table: " in out
    told = json.loads(document.read_text(encoding="utf-8"))
    assert told["load"]["games"] == ["royal_flush"]
    played = told["tournament"]
    assert (played["entries"], played["hands"], played["phase"]) == (5, 5, "finished")
    assert played["prize_pool"] == 50
    assert played["clocks_expired"] == played["clocks_expired_through_us"] == 0
    found = told["verification"]
    assert found["holds"] is True
    assert found["tables"] == 5
    assert found["acknowledged"] == found["in_commit_table"] == told["actions"]
    text = page.read_text(encoding="utf-8")
    assert "<title>Kartejo under load: Small &lt;patience&gt;, 5 entries at 5 tables" in text
    assert "clocks" in text


@pytest.mark.long
def test_a_service_of_its_own_is_killed_and_started_again(alone: Commands, tmp_path: Path) -> None:
    path, document = tmp_path / "long.toml", tmp_path / "load.json"
    path.write_text(SERIES.format(games=60), encoding="utf-8")
    out = (
        alone(
            *("load", "--tournament", str(path), "--entries", "8", "--temporary-data"),
            *("--kill", "2", "--kill-every", "0.5", "--json", str(document)),
        )
        .ok()
        .out
    )
    assert "killed      the service, 2 times" in out
    told = json.loads(document.read_text(encoding="utf-8"))
    assert told["tournament"]["service_killed"] == 2
    assert told["verification"]["holds"] is True
    assert told["errors"]["UNAVAILABLE"] > 0
    assert alone.fails("load")[0] == "NO_SERVICE"  # it was stopped with the load


@pytest.mark.parametrize(
    ("arguments", "reason", "words"),
    [
        (["--tournament", "friday.toml"], "NOT_FOUND", "by name there are palace_poker, pontoon"),
        (["--tournament", "pontoon", "--bot", "clever"], "NOT_FOUND", "random, sensible"),
        (["--tournament", "pontoon", "--rate", "5"], "BAD_OPTIONS", "--rate is of tables"),
        (["--tournament", "pontoon", "--unary"], "BAD_OPTIONS", "--unary is of tables"),
        (["--tournament", "pontoon", "--apart"], "BAD_OPTIONS", "--apart is of tables"),
        (["--entries", "5"], "BAD_OPTIONS", "are of a --tournament"),
        (["--kill", "5"], "BAD_OPTIONS", "are of a --tournament"),
        (
            ["--tournament", "pontoon", "--kill", "1", "--address", "127.0.0.1:1"],
            "BAD_OPTIONS",
            "leave out --address",
        ),
    ],
)
def test_what_cannot_be_is_said_at_once(arguments: list[str], reason: str, words: str) -> None:
    found = CliRunner().invoke(app, ["load", *arguments]).exception
    assert isinstance(found, CommandError)
    assert found.reason == reason
    assert words in f"{found} {found.hint}"


def test_the_structures_for_load_are_named_in_the_help() -> None:
    told = " ".join(CliRunner().invoke(app, ["load", "--help"]).output.replace("│", "").split())
    assert all(name in told for name in FIELDS)
