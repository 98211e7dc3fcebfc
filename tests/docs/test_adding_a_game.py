"""docs/adding-a-game.md: the game that it copies runs under its new name."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from grpc_tools import protoc

from tests.commands import ROOT
from tests.docs.blocks import blocks

(COPY,) = (block.text for block in blocks("docs/adding-a-game.md"))

PLAYS = """
from engine.games import GAMES
from engine.script import LocalStage
game = GAMES["bezique"]
assert (type(game).__name__, game.NUMBER) == ("Bezique", 900)
assert type(game).__module__ == "engine.games.bezique"
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy of the folders that the recipe touches, after its commands."""
    for name in ("engine", "proto"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["bash", "-euo", "pipefail", "-c", COPY], cwd=tmp_path, check=True)
    return tmp_path


def test_the_copy_runs_under_its_new_name(clone: Path) -> None:
    """With what the page says is done by hand: key, number, the name of the table, the line."""
    game = clone / "engine" / "games" / "bezique"
    for name, old, new in (
        ("__init__.py", r'= "royal_flush"', '= "bezique"'),
        ("__init__.py", r"NUMBER(.*)= 400", r"NUMBER\1= 900"),
        ("rules.py", r'TableOpened\(\s*"royal_flush"', 'TableOpened("bezique"'),
        (
            "../__init__.py",
            r"(from engine.games.royal_flush .*\n)",
            r"\1from engine.games.bezique import Bezique\n",
        ),
        ("../__init__.py", r"RoyalFlush\(\)\)", "RoyalFlush(), Bezique())"),
    ):
        file = game / name
        text, changed = re.subn(old, new, file.read_text(encoding="utf-8"))
        assert changed == 1, (name, old)
        file.write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, "-c", PLAYS], cwd=clone, check=True, env={"PYTHONPATH": "."})


def test_the_copied_messages_go_beside_those_of_the_other_games(
    clone: Path, tmp_path: Path
) -> None:
    """No name of the copy is one of the package already."""
    out = tmp_path / "set"
    sources = sorted((clone / "proto").rglob("*.proto"))
    files = [str(path) for path in sources if path.stem in {"bezique", "royal_flush"}]
    import_ = [f"-I{clone / 'proto'}", f"-I{Path(protoc.__file__).parent / '_proto'}"]
    assert len(files) == 2
    assert protoc.main(["protoc", *import_, f"--descriptor_set_out={out}", *files]) == 0
