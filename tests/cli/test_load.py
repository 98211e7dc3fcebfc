"""``kartejo load``: what it measures, what it writes, and that it finds a broken promise."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from typer.testing import CliRunner

from engine.games import GAMES
from service.cli.app import app
from service.cli.failures import CommandError
from service.identity import KeyRing, Role, SecretFiles, Tokens
from service.world import RealWorld
from tests.cli.conftest import SECONDS, Background, Commands, Served
from tests.cli.test_terminal import Terminal
from tests.commands import environment, quick


def test_a_run_is_told_in_words_as_json_and_as_a_page(kartejo: Commands, tmp_path: Path) -> None:
    document, page = tmp_path / "load.json", tmp_path / "load.html"
    out = (
        kartejo(
            *("load", "--seconds", "1.5", "--tables", "5", "--processes", "2", "--watchers", "1"),
            *("--json", str(document), "--html", str(page)),
        )
        .ok()
        .out
    )
    assert "Verified in the commit table: " in out
    assert "errors      none" in out
    told = json.loads(document.read_text(encoding="utf-8"))
    assert sorted(told["load"]["games"]) == sorted(GAMES)
    assert told["load"]["loop"] == "closed"
    found = told["verification"]
    assert found["holds"] is True
    assert found["tables"] == 5
    assert found["commits"] == found["acknowledged"] == found["in_commit_table"]
    assert found["watched"] == found["commits"]
    assert told["actions"] == sum(each["actions"] for each in told["over_time"])
    batches = told["commit_batches"]
    assert batches["commits"] >= told["actions"]
    assert sum(int(size) * times for size, times in batches["sizes"].items()) == batches["commits"]
    assert told["generator"]["cpu_share"] > 0
    latency = told["latency_ms"]
    assert 0 < latency["p50"] <= latency["p99"] <= latency["p99_9"] <= latency["max"]
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 5
    assert "Verified in the commit table" in text


def test_players_with_tokens_of_their_own_need_no_keys(service: Served, tmp_path: Path) -> None:
    """From another machine: an address, a token to read with, a file of players."""
    files, world = SecretFiles.beside(Path(service.told["data"])), RealWorld()
    maker = Tokens(KeyRing.load(files.token_keys, world), world)
    made = [maker.issue(f"player {number}", {Role.PLAYER}, 3_600) for number in range(2)]
    tokens = tmp_path / "players"
    tokens.write_text("\n".join(made), encoding="utf-8")
    tokens.chmod(0o600)
    elsewhere = Commands(tmp_path / "nothing here")
    some = ("load", "--seconds", "0.5", "--tables", "2", "--game", "pontoon", "--unary")
    reach = {"KARTEJO_ADDRESS": service.address, "KARTEJO_TOKEN": made[0]}
    reason, words = elsewhere.fails(*some, "--players", str(tokens), **reach)
    assert reason == "NO_KEYS"
    assert "5 players sit or look on at a table, " in words
    out = elsewhere(*some, "--seats", "2", "--players", str(tokens), **reach).ok().out
    assert "Verified over the API (no --database to look into): " in out


def test_a_database_that_is_not_the_services_is_said(kartejo: Commands, service: Served) -> None:
    nobody = "postgresql://nobody@127.0.0.1:1/x"
    assert kartejo.fails("load", "--database", nobody)[0] == "UNAVAILABLE"
    told = json.loads((kartejo.data / "server.json").read_text(encoding="utf-8"))
    other = make_conninfo(told["conninfo"], dbname="postgres")
    assert kartejo.fails("load", "--database", other)[0] == "NOT_FOUND"


def test_ctrl_c_ends_the_load_and_goes_on_to_the_verification(kartejo: Commands) -> None:
    """On a terminal, where one picture is drawn anew and all processes hear the key."""
    terminal = Terminal(kartejo.data, "load", "--seconds", "600", "--tables", "2", "--rate", "20")
    try:
        terminal.until(re.compile(r"actions +\d[\d,]* a second"))
        terminal.type("\x03")
        terminal.until("Verified in the commit table: ")
        assert terminal.end() == 0
        assert "Traceback" not in terminal.shown
    finally:
        terminal.process.kill()


def test_without_a_service_it_says_how_to_start_one(alone: Commands) -> None:
    reason, words = alone.fails("load")
    assert reason == "NO_SERVICE"
    assert "start one with `kartejo serve`" in words


@pytest.mark.parametrize(
    ("arguments", "reason", "words"),
    [
        (["--game", "whist"], "NOT_FOUND", "there are palace_poker, "),
        (["--bot", "clever"], "NOT_FOUND", "there are random, sensible"),
        (["--think", "now"], "BAD_OPTIONS", "exponential:MEAN"),
        (["--think", "constant:5", "--rate", "5"], "BAD_OPTIONS", "name one"),
        (["--json", "nowhere/load.json"], "NO_FOLDER", "there is no folder nowhere"),
    ],
)
def test_what_cannot_be_is_said_at_once(arguments: list[str], reason: str, words: str) -> None:
    found = CliRunner().invoke(app, ["load", *arguments]).exception
    assert isinstance(found, CommandError)
    assert found.reason == reason
    assert words in f"{found} {found.hint}"


def _loading(data: Path, document: Path, *arguments: str) -> Background:
    """A load that has told of its first second."""
    load = Background(
        [*quick(), "load", "--tables", "4", "--json", str(document), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(data),
    )
    assert load.stdout is not None
    assert "opening" in load.stdout.readline()
    assert " 1 s " in load.stdout.readline()
    return load


def test_a_service_that_stands_still_and_a_row_that_is_gone(
    alone: Commands, tmp_path: Path
) -> None:
    """A pause of a second shows in the percentiles; a commit that is deleted is found."""
    served = Served(alone.data, "--listen", "127.0.0.1:0")
    document = tmp_path / "load.json"
    with _loading(alone.data, document, "--seconds", "2.5", "--rate", "60") as load:
        os.kill(served.pid, signal.SIGSTOP)
        time.sleep(1)  # the pause itself
        os.kill(served.pid, signal.SIGCONT)
        out, err = load.communicate(timeout=SECONDS)
        assert (load.returncode, err) == (0, ""), out
    told = json.loads(document.read_text(encoding="utf-8"))
    assert told["load"]["loop"] == "open"
    # No more than four calls were under way, which are hardly two in a hundred; but sixty were due.
    assert told["actions"] + told["never_begun"] in (150, 151)
    assert told["latency_ms"]["p90"] > 600
    assert told["latency_ms"]["p99"] > 900
    with _loading(alone.data, document, "--seconds", "1.3", "--rate", "60") as load:
        database = json.loads((alone.data / "server.json").read_text(encoding="utf-8"))
        with psycopg.connect(database["conninfo"], autocommit=True) as db:
            db.execute("SET session_replication_role = replica")
            gone = db.execute(
                "DELETE FROM kartejo.commit WHERE position = "
                "(SELECT max(position) - 5 FROM kartejo.commit) RETURNING stream, version"
            ).fetchone()
        out, err = load.communicate(timeout=SECONDS)
    assert (load.returncode, err) == (1, "")
    assert gone is not None
    assert "Not what was told, in " in out
    assert str(gone[0]) in out
    told = json.loads(document.read_text(encoding="utf-8"))
    assert told["verification"]["holds"] is False
    served.kill()
