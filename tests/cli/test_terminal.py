"""On a real terminal: prompts, Ctrl-C, step by step."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import SECONDS, Commands
from tests.commands import KARTEJO, environment

SIZE: Final = {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "50"}

# Ctrl-C reaches a process whose session owns the terminal: the first one to open it.
TAKE_TERMINAL: Final = """
import os, sys
os.close(os.open(os.ttyname(0), os.O_RDWR))
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """A command whose input and output are one terminal."""

    def __init__(self, data: Path, *arguments: str) -> None:
        self.shown = ""
        self._hand, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", TAKE_TERMINAL, *KARTEJO, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**environment(data), **SIZE},
            start_new_session=True,
        )
        os.close(theirs)

    def until(self, words: str | re.Pattern[str]) -> str:
        """What is shown up to some words, or a pattern, colours left out."""
        before = len(self.shown)
        sought = words if isinstance(words, re.Pattern) else re.compile(re.escape(words))
        while not sought.search(self.shown, before):
            self._read()
        return self.shown[before:]

    def type(self, keys: str) -> None:
        os.write(self._hand, keys.encode())

    def end(self) -> int:
        """The exit code, once the command has said everything."""
        try:
            while True:
                self._read()
        except (OSError, EOFError):
            os.close(self._hand)
            return self.process.wait(SECONDS)

    def _read(self) -> None:
        ready, _, _ = select.select([self._hand], [], [], SECONDS)
        assert ready, f"nothing comes after {self.shown!r}"
        told = os.read(self._hand, 65_536)
        if not told:
            raise EOFError(self.shown)
        self.shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", told.decode(errors="replace"))


@pytest.fixture
def terminals(kartejo: Commands) -> Iterator[list[Terminal]]:
    """Commands on terminals, ended with the test."""
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.process.kill()
        terminal.process.wait(SECONDS)


def test_ctrl_c_leaves_the_table_as_it_is(kartejo: Commands, terminals: list[Terminal]) -> None:
    """At once, and without a word of Python."""
    terminal = Terminal(kartejo.data, "play", "royal_flush")
    terminals.append(terminal)
    terminal.until("Enter starts the next hand")
    terminal.type("\n")
    # Not a number of seconds: on a busy machine some have gone by.
    terminal.until(re.compile(r"your turn \(\d+ s\), q leaves:"))
    terminal.type("\x03")
    assert terminal.end() == 0
    assert "The table stays. Go on: kartejo play --table " in terminal.shown
    assert "Traceback" not in terminal.shown


@pytest.mark.parametrize("keys", ["well\nq\n", "\x04", "\x03"], ids=["q", "ctrl-d", "ctrl-c"])
def test_an_onlooker_is_told_how_to_leave(
    kartejo: Commands, terminals: list[Terminal], keys: str
) -> None:
    told = kartejo("play", "pontoon", "--bots", "0", typed="q\n").ok().out
    table = told.partition("table ")[2].partition(",")[0]
    terminal = Terminal(kartejo.data, "play", "--watch", "--table", table)
    terminals.append(terminal)
    terminal.until("You look on; q leaves.")
    terminal.type(keys)
    assert terminal.end() == 0
    assert "Traceback" not in terminal.shown


def test_a_replay_goes_on_at_enter(kartejo: Commands, terminals: list[Terminal]) -> None:
    table = kartejo("demo", "--game", "royal_flush", "--json").ok().json["games"][0]["table"]
    terminal = Terminal(kartejo.data, "replay", table, "1")
    terminals.append(terminal)
    first = terminal.until("q: leave")
    assert "Step 1 of" in first
    assert "Step 2 of" not in first
    terminal.type("\n")
    assert "Step 2 of" in terminal.until("q: leave")
    last = re.search(r"Step 2 of (\d+)", terminal.shown)
    assert last is not None
    for typed, shown in (
        ("b", "Step 1 of"),
        (f"s {last[1]}", f"Step {last[1]} of"),
        ("h 1", "Step 1 of"),
        ("v 1", "Step 1 of"),
        ("h 99", "no: no hand 99"),
        ("s 99", f"no: there are steps 1 to {last[1]}"),
    ):
        terminal.type(f"{typed}\n")
        assert shown in terminal.until("q: leave")
    terminal.type("q\n")
    assert terminal.end() == 0
    assert "Step 3 of" not in terminal.shown


def test_a_demonstration_draws_every_step(kartejo: Commands, terminals: list[Terminal]) -> None:
    terminal = Terminal(kartejo.data, "demo", "--pause", "0.01")
    terminals.append(terminal)
    assert terminal.end() == 0
    for told in (
        "pile 3 is to be searched",
        "round 5 of 5 · game over",
        "price 10",
        "between hands",
        "the fold agrees",
    ):
        assert told in terminal.shown
