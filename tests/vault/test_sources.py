"""What the shuffle path may import: no default generator, no clock (trust.md 3.1, 3.4)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import service.identity
import service.vault

ROOT = Path(__file__).parents[2]
PATHS = sorted([ROOT / "engine" / "shuffle.py", *(ROOT / "service" / "vault").glob("*.py")])
FORBIDDEN = {"random", "time", "datetime", "numpy", "uuid.uuid1", "uuid.uuid4"}


def imported(path: Path) -> set[str]:
    """Modules and names that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found | {name.split(".")[0] for name in found}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_the_shuffle_path_imports_neither_generator_nor_clock(path: Path) -> None:
    assert not imported(path) & FORBIDDEN


def test_the_lint_would_notice(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    for line in ("import random", "from time import time_ns", "def f():\n    import random as r"):
        bad.write_text(line)
        assert imported(bad) & FORBIDDEN


CHANCE = {
    "service.world": {"secrets"},  # the one source of every secret
    "service.vault.secret_file": {"secrets"},  # names of temporary files
    "service.store.writer": {"secrets"},  # names of sessions of the database
    "service.store.principals": {"uuid.uuid4"},  # ids of principals
    "service.client.sitting": {"os.urandom"},  # what a player adds to the shuffles
    "service.client.connection": {"uuid.uuid4"},  # ids of requests
    "service.cli.company": {"secrets"},  # names and seeds of bots
    "service.cli.tournament_running": {"secrets"},  # names and seeds of bots
    "service.cli.loading": {"secrets"},  # the seed of a load run
    "service.cli.tournament_loading": {"secrets"},  # the same
    "service.web.company": {"secrets"},  # names and seeds of bots
    "service.web.entrants": {"secrets"},  # the same of those that enter tournaments
}
"""Where chance may come in, and what for.  Bots and load tools, who play, draw as they like."""

PLAYING = ("service.bots.", "service.load.")
GENERATORS = {"random", "secrets", "numpy", "os.urandom", "uuid.uuid1", "uuid.uuid4"}


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def drawn_from(path: Path) -> set[str]:
    """The generators that a file imports or names."""
    text = path.read_text(encoding="utf-8")
    named = {"os.urandom"} if "urandom" in text or "getrandom" in text else set()
    return imported(path) & GENERATORS | named


def test_nothing_that_serves_draws_anything_but_from_its_world() -> None:
    """Of all of engine and service: no generator but where it is written down above, and why."""
    found = {
        module_of(path): drawn
        for folder in ("engine", "service")
        for path in (ROOT / folder).rglob("*.py")
        if (drawn := drawn_from(path)) and not module_of(path).startswith(PLAYING)
    }
    assert found == CHANCE


def test_the_whole_path_is_looked_at() -> None:
    assert {"shuffle.py", "epochs.py", "seal.py", "shuffler.py"} <= {path.name for path in PATHS}


@pytest.mark.parametrize("package", [service.vault, service.identity])
def test_a_package_offers_what_it_lists(package: object) -> None:
    """``__all__`` against what is really visible, submodules apart."""
    names = {
        name
        for name, value in vars(package).items()
        if not name.startswith("_")
        and not hasattr(value, "__path__")
        and not hasattr(value, "__spec__")
    }
    assert names == set(package.__all__)  # type: ignore[attr-defined]
