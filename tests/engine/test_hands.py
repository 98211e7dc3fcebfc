"""The worked examples of the rule specifications, section 12, and scripts of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.games import GAMES
from engine.script import run_local

HANDS = Path(__file__).parents[1] / "hands"
FILES = sorted(HANDS.glob("*/*.hand"))


def test_every_game_has_scripts():
    """A game without worked examples, or examples of no game, would go unnoticed."""
    assert {path.parent.name for path in FILES} == set(GAMES)


@pytest.mark.parametrize("path", FILES, ids=[f"{p.parent.name}/{p.stem}" for p in FILES])
def test_hand(path: Path):
    """Every line of every script holds, and the file speaks of the game of its folder."""
    verdicts = run_local(path)
    assert verdicts
    for script, failure in verdicts:
        assert failure is None, str(failure)
        assert script.header.game.key == path.parent.name
        assert script.lines
