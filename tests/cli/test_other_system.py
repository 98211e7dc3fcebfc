"""``kartejo`` where POSIX is missing, as on Windows: all but what serves, and words for that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import SECONDS, Commands, Ended, Served
from tests.commands import ROOT, environment


def there(*arguments: str, typed: str = "") -> Ended:
    """The end of a command on such a system, which has no service of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.cli.other_system", *arguments],
        input=typed,
        capture_output=True,
        encoding="utf-8",
        env=environment(None),
        timeout=SECONDS,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Ended(done.returncode, done.stdout, done.stderr)


def test_rules_scripts_and_odds_work_there() -> None:
    script = ROOT / "tests" / "hands" / "royal_flush"
    assert there("script", "run", str(script)).ok().out
    assert there("--version").ok().out.startswith("kartejo ")
    assert there("odds", "royal_flush").ok().out


@pytest.fixture
def away(kartejo: Commands, service: Served, tmp_path: Path) -> tuple[str, ...]:
    """How somebody there reaches a service elsewhere."""
    token = tmp_path / "ann.token"
    token.write_text(kartejo("token", "ann", "--role", "player").ok().out)
    return ("--address", service.address, "--token-file", str(token))


def test_who_plays_elsewhere_plays_exports_and_verifies(
    kartejo: Commands, away: tuple[str, ...], tmp_path: Path
) -> None:
    there("play", "royal_flush", *away, typed="\nauto_play scope=game\nq\n").ok()
    table = kartejo.tables()[0]["table"]
    assert table in there("tables", *away).ok().out
    assert there("replay", table, "1", *away).ok().out
    assert there("proof", table, "1", *away).ok().out
    file = tmp_path / "table.jsonl"
    there("export", table, "-o", str(file), *away).ok()
    assert there("verify", str(file)).code == 0


def test_a_service_is_refused_in_words() -> None:
    ended = there("serve")
    assert ended.code == 1
    assert ended.err.startswith("kartejo: NOT_HERE: ")
    assert "WSL" in ended.err
