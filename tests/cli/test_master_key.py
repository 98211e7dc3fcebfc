"""A store is never written with another master key than its own, unless its operator says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Commands, Served

QUIET = ("serve", "--temporary-data", "--listen", "127.0.0.1:0")
NEW = ("--listen", "127.0.0.1:0", "--new-master-key")


@pytest.fixture
def key(alone: Commands) -> Path:
    """The master key of a store in which a hand runs."""
    served = Served(alone.data, "--listen", "127.0.0.1:0")
    alone("play", "royal_flush", typed="\nq\n").ok()
    served.stop()
    return alone.data.with_name(alone.data.name + "-secrets") / "master.key"


def test_a_lost_master_key_is_not_replaced(alone: Commands, key: Path) -> None:
    """``serve`` says which one is missing and writes none; with the old one it goes on."""
    kept = key.with_name("kept.key")
    key.rename(kept)
    reason, told = alone.fails(*QUIET)
    assert reason == "NO_MASTER_KEY"
    assert "--new-master-key" in told
    assert not key.exists()
    kept.rename(key)
    Served(alone.data, "--listen", "127.0.0.1:0").stop()


def test_another_master_key_is_refused_wherever_it_comes_from(alone: Commands, key: Path) -> None:
    """From its file or from the environment; both keys are named by their public ids."""
    reason, told = alone.fails(*QUIET, KARTEJO_MASTER_KEY="ab" * 32)
    assert reason == "WRONG_MASTER_KEY"
    assert "--new-master-key" in told
    assert "ab" * 32 not in told
    key.write_text("cd" * 32 + "\n")
    assert alone.fails(*QUIET)[0] == "WRONG_MASTER_KEY"


def test_a_new_master_key_is_taken_when_told_so(alone: Commands, key: Path) -> None:
    """Finished hands stay readable, new ones can be played, the old key is refused from then on."""
    served = Served(alone.data, "--listen", "127.0.0.1:0")
    games = alone("demo", "--json").ok().json["games"]
    served.stop()
    old = key.read_text()
    key.unlink()
    served = Served(alone.data, *NEW)
    listed = {each["table"] for each in alone("tables", "--closed", "--json").ok().json}
    for played in (each["table"] for each in games):
        assert played in listed
        assert "Step 2 of" in alone("replay", played, "1").ok().out
    assert alone("demo", "--json").ok().json["verified"]
    served.process.terminate()
    served.process.communicate(timeout=60)
    assert key.read_text() != old
    key.write_text(old)
    assert alone.fails(*QUIET)[0] == "WRONG_MASTER_KEY"


def test_a_first_start_that_was_cut_off_may_make_its_key(alone: Commands) -> None:
    """Where nothing was ever written nothing is lost, whatever lies there already."""
    Served(alone.data, "--listen", "127.0.0.1:0").kill()
    Served(alone.data, "--listen", "127.0.0.1:0").stop()
