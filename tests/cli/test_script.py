"""Scripts run in process and on a service, with the same verdict."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Commands
from tests.commands import ROOT

FAILING = """\
game: royal_flush
seats: 0=5
deck: As
= stacks 0=6
---
host: start_game
= stock As Kd
---
host: start_game
0: search_pile pile=1
---
host: start_game
0: search_pile pile=1 ! NOT_SEATED
---
host: start_game
legal 0: deal_piles
---
host: start_game
view 0: = stock As
---
host: start_game
>> GameStarted
---
= stacks 0=5
"""
WRONG = {
    "no table": (2, "game: royal_flush\n0: deal_piles\n"),
    "no such game": (1, "game: whist\n"),
    "refused seat": (2, "game: royal_flush\nseats: 0=5 1=5\n= stacks 0=5\n"),
    "refused options": (2, "game: royal_flush\nopts: target_pair_rank=2\n= phase LOBBY\n"),
    "no shuffle": (3, "game: royal_flush\nseats: 0=5\nhost: start_game\n"),
    "no position": (2, "game: royal_flush\ngiven: phase DEAL\n= phase DEAL\n"),
    "unknown key": (3, "game: royal_flush\nseats: 0=5\n= pot 5\n"),
    "no plays": (3, "game: royal_flush\nseats: 0=5\nplays 0: total=1\n"),
}
"""Scripts that are wrong themselves, and the line that is blamed."""


def test_the_scripts_of_a_folder_hold_in_process_and_on_a_service(kartejo: Commands) -> None:
    """As in ``tests/service/test_hands_over_grpc.py``, where all of them are run."""
    hands = ROOT / "tests/hands/royal_flush"
    here = kartejo("script", "run", str(hands)).ok().out
    there = kartejo("script", "run", "--service", str(hands)).ok().out
    assert here == there
    assert here.endswith("every line holds\n")


def test_what_fails_fails_alike(kartejo: Commands, tmp_path: Path) -> None:
    """Line for line, with step, expected, found and position."""
    file = tmp_path / "failing.hand"
    file.write_text(FAILING, encoding="utf-8")
    here = kartejo("script", "run", str(file))
    there = kartejo("script", "run", "--service", str(file))
    assert here == there
    assert here.code == 1
    assert not here.err
    assert here.out.endswith("8 scripts in 1 file: 7 failed\n")
    assert f"{file}:4: = stacks 0=6\n  step:     (header)\n" in here.out
    assert "expected: accepted\n  found:    refused: WRONG_PHASE" in here.out
    told = kartejo("script", "run", "--json", str(file))
    assert told.code == 1
    assert [each["line"] for each in told.json["failures"]] == [4, 7, 10, 13, 16, 19, 22]


def test_an_error_of_a_script_is_placed_alike(kartejo: Commands, tmp_path: Path) -> None:
    """What the reader, the rules, the decks or the position do not allow."""
    for name, (_, text) in WRONG.items():
        (tmp_path / f"{name}.hand").write_text(text, encoding="utf-8")
    here = kartejo("script", "run", "--json", str(tmp_path))
    there = kartejo("script", "run", "--json", "--service", str(tmp_path))
    assert here.code == there.code == 1
    for ended in (here, there):
        faults = ended.json["failures"]
        assert {fault["reason"] for fault in faults} == {"INVALID_SCRIPT"}
        blamed = {Path(fault["file"]).stem: fault["line"] for fault in faults}
        assert blamed == {name: line for name, (line, _) in WRONG.items()}


def test_scripts_that_are_not_there(kartejo: Commands, tmp_path: Path) -> None:
    assert kartejo.fails("script", "run", str(tmp_path / "none.hand"))[0] == "NO_SCRIPTS"
    assert kartejo.fails("script", "run", str(tmp_path))[0] == "NO_SCRIPTS"
    empty = tmp_path / "empty.hand"
    for text in ("", "\n# a remark\n\n"):
        empty.write_text(text)
        for where in ((), ("--service",)):
            reason, told = kartejo.fails("script", "run", *where, str(empty))
            assert reason == "NO_SCRIPTS"
            assert "empty.hand" in told
    binary = tmp_path / "binary.hand"
    binary.write_bytes(b"\xff\xfe")
    assert kartejo.fails("script", "run", str(binary))[0] == "NO_SCRIPTS"


def test_an_ordinary_token_opens_no_lab_table(kartejo: Commands, tmp_path: Path) -> None:
    file = tmp_path / "small.hand"
    file.write_text("game: royal_flush\nseats: 0=5\n= stacks 0=5\n", encoding="utf-8")
    token = kartejo("token", "ann", "--role", "admin").ok().out.strip()
    reason, _ = kartejo.fails("script", "run", "--service", str(file), KARTEJO_TOKEN=token)
    assert reason == "PERMISSION_DENIED"
