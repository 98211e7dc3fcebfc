"""The rules for players: every drawing is what its hand script gives."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from engine.games import GAMES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_rules", ROOT / "tools" / "draw_rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_game_has_its_rules_with_drawings_in_step(tool: ModuleType, game: str) -> None:
    page = (ROOT / "docs" / "rules" / f"{game}.md").read_text(encoding="utf-8")
    assert len(tool.BLOCK.findall(page)) == page.count("<!-- draw ") >= 5
    assert tool.redrawn(page) == page


def test_a_drawing_that_is_not_in_step_is_drawn_anew(tool: ModuleType) -> None:
    page = (ROOT / "docs" / "rules" / "palace_poker.md").read_text(encoding="utf-8")
    spoiled = page.replace("price 20", "price 21")
    assert spoiled != page
    assert tool.redrawn(spoiled) == page


def test_no_step_beyond_the_script(tool: ModuleType) -> None:
    script = ROOT / "tests" / "hands" / "palace_poker" / "e08_defender_folds.hand"
    with pytest.raises(ValueError, match="3 accepted steps"):
        tool.draw(script, tool.Wish(step=4))
    with pytest.raises(ValueError, match="invalid literal"):
        tool.Wish.read(" step=two")
