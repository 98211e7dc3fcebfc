"""A store is never written with another master key than its own, unless its operator says so."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.cli.conftest import Background, Commands, Served
from tests.commands import environment, quick

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


def test_a_master_key_is_changed_while_a_service_runs(alone: Commands, key: Path) -> None:
    """Cut off by kill -9 before the store names it, and run again: the same new key is taken.

    The running service goes over; the hand that ran goes on, before and after a restart.
    """
    old = key.read_text()
    served = Served(alone.data, "--listen", "127.0.0.1:0")
    (table,) = (each["table"] for each in alone("tables", "--json").ok().json)
    coming = key.with_name("master.key.next")
    with Background(
        [*quick(), "keys", "rotate"], env=environment(alone.data), encoding="utf-8"
    ) as rotating:
        while not coming.exists():
            assert rotating.poll() is None
            time.sleep(0.02)
        rotating.kill()
        rotating.wait(60)
    assert key.read_text() == old
    new = coming.read_text()
    told = alone("keys", "rotate", "--json").ok().json
    assert key.read_text() == new != old
    assert not coming.exists()
    shown = alone("keys", "show", "--json").ok().json
    assert [each["key"] for each in shown] == [told["new"], told["old"]]
    assert [each["follows_by_rotation"] for each in shown] == [True, False]
    assert "in use, opens the one before it" in alone("keys", "show").ok().out
    assert alone("play", "--table", table, typed="q\n").ok()
    logged = [line for line in served.stop().splitlines() if '"master_key' in line]
    assert all('"master_key_taken"' in line for line in logged)
    served = Served(alone.data, "--listen", "127.0.0.1:0")
    assert alone("play", "--table", table, typed="q\n").ok()
    assert not served.stop()
    key.write_text(old)
    assert alone.fails(*QUIET)[0] == "WRONG_MASTER_KEY"


def test_tables_of_a_lost_key_go_on(alone: Commands, key: Path) -> None:
    """The hand that ran is void, the table is not; the log of the service names it."""
    key.unlink()
    served = Served(alone.data, *NEW)
    (table,) = (each["table"] for each in alone("tables", "--json").ok().json)
    assert alone("play", "--table", table, typed="\nq\n").ok()
    served.process.terminate()
    _, logged = served.process.communicate(timeout=60)
    assert sum('"epoch_voided"' in line for line in logged.splitlines()) == 1
    shown = alone("keys", "show", "--json").ok().json
    assert [each["follows_by_rotation"] for each in shown] == [False, False]
