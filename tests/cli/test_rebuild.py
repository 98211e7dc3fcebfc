"""``kartejo rebuild``: beside a running service, on what stands still, and what cannot be."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.conftest import Commands
from tests.commands import environment, quick

NAMES = ["hands", "ledger", "log", "results", "tables", "tournaments"]


def test_beside_a_running_service(kartejo: Commands) -> None:
    """The rows that readers see are other ones afterwards, and say the same."""
    kartejo("account", "credit", "rita", "5").ok()
    before = kartejo("account", "history", "rita", "--json").ok().json
    assert [(row["kind"], row["change"], row["balance"]) for row in before] == [("credited", 5, 5)]
    told = kartejo("rebuild", "--json").ok().json
    assert sorted(row["name"] for row in told) == NAMES
    assert {row["state"] for row in told} == {"serving"}
    again = kartejo("rebuild", "ledger", "--json").ok().json
    (old,) = [row for row in told if row["name"] == "ledger"]
    assert [(row["name"], row["number"]) for row in again] == [("ledger", old["number"] + 1)]
    assert kartejo("account", "history", "rita", "--json").ok().json == before
    assert "credited" in kartejo("account", "history", "rita").ok().out
    status = kartejo("rebuild", "--status", "--json").ok().json
    assert sorted(row["name"] for row in status if row["state"] == "serving") == NAMES
    assert all(row["lag"] == row["head"] - row["position"] >= 0 for row in status)
    assert "readers see it" in kartejo("rebuild", "tables", "--status").ok().out


def test_two_at_once_do_each_other_no_harm(kartejo: Commands) -> None:
    both = [
        subprocess.Popen(
            [*quick(), "rebuild"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=environment(kartejo.data),
        )
        for _ in range(2)
    ]
    for one in both:
        out, err = one.communicate(timeout=60)
        assert (one.returncode, err) == (0, "")
        assert sorted(line.split()[0] for line in out.splitlines()) == NAMES


def test_what_parts_log_is_no_output_of_a_command(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing below a warning, and that on standard error."""
    script = (
        "import structlog\n"
        "from service.cli.loop import run_async\n"
        "async def work():\n"
        "    log = structlog.get_logger()\n"
        "    log.info('step', n=1)\n"
        "    log.warning('amiss', n=2)\n"
        "    print('told')\n"
        "run_async(work())\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env=environment(None))
    out, err = capfd.readouterr()
    assert out == "told\n"
    assert "amiss" in err
    assert "step" not in err


def test_what_is_no_projection_and_where_there_is_none(kartejo: Commands, alone: Commands) -> None:
    assert kartejo("rebuild", "cards").code == 2
    assert alone.fails("rebuild")[0] == "NO_DATABASE"
    assert not alone.data.exists()
    reason, told = alone.fails("rebuild", "--database", "postgresql://cards@127.0.0.1:1/cards")
    assert reason == "UNAVAILABLE"
    assert "kartejo serve" not in told


@pytest.mark.parametrize("most", ["0", "100001"])
def test_history_has_a_most(kartejo: Commands, most: str) -> None:
    assert kartejo("account", "history", "--most", most).code == 2
