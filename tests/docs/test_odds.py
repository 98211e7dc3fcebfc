"""docs/odds.md: exact values that are worked out again, and counts of deals that agree."""

from __future__ import annotations

import importlib.util
import json
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from engine.games.royal_flush.combinations import SAME_STYLES, STYLES, TARGETS, options_of
from engine.games.royal_flush.odds import chance, winners
from engine.games.royal_flush.simulation import simulate
from service.cli.flush_chances import standard_errors

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "odds.md").read_text(encoding="utf-8")
PLAYED = json.loads((ROOT / "docs" / "odds-simulated.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("odds_table", ROOT / "tools" / "odds_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows() -> dict[tuple[int, str], list[str]]:
    """The long table: (style, target) to the other cells."""
    found = {}
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[0].isdecimal():
            found[int(cells[0]), cells[1]] = cells[2:]
    return found


def test_every_combination_is_there_and_deals_agree(tool: ModuleType) -> None:
    """204 combinations, each within four standard errors."""
    table = rows()
    assert set(table) == {(n, t.name) for n in range(1, 13) for t in TARGETS}
    assert PLAYED["deals"] >= 100_000_000
    assert len(PLAYED["won"]) == len(tool.games()) == 130
    for (number, name), (exact, decimal, won, away) in table.items():
        style = STYLES[number - 1]
        target = next(each for each in TARGETS if each.name == name)
        count = PLAYED["won"][tool.key(style, target.as_)]
        value = Fraction(exact)
        errors = standard_errors(value, count, PLAYED["deals"])
        assert abs(errors) <= 4, (style, name)
        assert (decimal, won, away) == (f"{float(value):.10f}", f"{count:,}", f"{errors:+.2f}")


def test_some_fractions_are_worked_out_again() -> None:
    """Four cards and fewer, in every style; the rest takes longer: --check, below."""
    table = rows()
    for number, style in enumerate(STYLES, 1):
        for target in TARGETS:
            options = options_of(style, target)
            if options.size < 5:
                assert str(chance(options)) == table[number, target.name][0].removesuffix("/1")


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_page_is_what_the_tool_writes(tool: ModuleType) -> None:
    block = tool.BLOCK.search(PAGE)
    assert block is not None
    assert block[2] == tool.tables()


def test_styles_and_targets_that_are_one_game_play_alike() -> None:
    """The same places win, and the same deals are won."""
    for style, other in SAME_STYLES.items():
        pair = [options_of(each, TARGETS[2]) for each in (style, other)]
        assert winners(pair[0], 4).profiles == winners(pair[1], 4).profiles
        first, second = simulate(pair, "same", 0, 3_000)
        assert first == second


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_recorded_deals_are_played_again(tool: ModuleType) -> None:
    """A part of them: what it wins is no more than the whole, and near its share."""
    games = tool.games()
    deals = 1_000_000
    counts = simulate([options_of(*game) for game in games], PLAYED["seed"], 0, deals)
    for (style, target), won in zip(games, counts, strict=True):
        whole = PLAYED["won"][tool.key(style, target.name)]
        share = Fraction(whole, PLAYED["deals"])
        assert won <= whole
        assert abs(standard_errors(share, won, deals)) < 4.5
