"""The seam between runner and stage, and what later games may add to it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from engine.errors import Refused
from engine.games.royal_flush import RoyalFlush
from engine.games.royal_flush.actions import DealPiles, GatherPiles
from engine.kernel import Listed, Listing
from engine.script import LocalStage, ScriptError, ScriptFailure, parse, run, run_text
from engine.script.runner import _finish
from engine.visibility import AUDITOR

TEXT = (
    "game: royal_flush\nseats: 0=100\nstart:\ndeck: Td\n"
    "0: deal_piles\n> PilesDealt\nview 0: > PilesDealt round=1\n= next 1\nlegal 1:\n"
    "0: gather_piles ! WRONG_PHASE\n= next 1\n"
)


class SlowStage(LocalStage):
    """A stage that has to wait, as one behind a network does."""

    waits = 0

    async def act(self, actor, action):
        await asyncio.sleep(0)
        SlowStage.waits += 1
        return await super().act(actor, action)


class LeakyStage(LocalStage):
    """A stage on which a refused action changes something all the same."""

    async def act(self, actor, action):
        try:
            return await super().act(actor, action)
        except Refused:
            self._state = self._state._replace(next_pile=2)
            raise


def test_a_stage_may_wait():
    """The same runner serves stages that answer at once and stages that do not."""
    [script] = parse(TEXT, "x.hand")
    asyncio.run(run(script, SlowStage(script.header.game)))
    assert SlowStage.waits == 2


def test_a_stage_that_waits_cannot_be_run_without_a_loop():
    """Said plainly, not as a silent success."""
    [script] = parse(TEXT, "x.hand")
    with pytest.raises(RuntimeError, match="waited for something"):
        _finish(run(script, SlowStage(script.header.game)))


def test_a_refused_action_must_change_nothing():
    """C7: the positions before and after are compared."""
    [script] = parse(TEXT, "x.hand")
    with pytest.raises(ScriptFailure) as caught:
        _finish(run(script, LeakyStage(script.header.game)))
    assert caught.value.at.line == 10
    assert "nothing changes" in caught.value.expected
    assert "\nnext 2\n" in caught.value.position


def test_before_a_table_there_is_no_position():
    """A script that opens the table itself begins with nothing."""
    stage = LocalStage(RoyalFlush())
    assert _finish(stage.lines(AUDITOR)) == []
    assert _finish(stage.derived(AUDITOR)) == []
    failure = run_text("game: royal_flush\nhost: open_table x=1", "x.hand")[0].failure
    assert failure is not None
    assert failure.position == ""
    assert "(no table)" in str(failure)


class Talkative(RoyalFlush):
    """A game that lists its plays and compares some lines in its own way."""

    def listing(self, state: Any, seat: int, limit: int) -> Listing:
        del state
        plays = [] if seat else [Listed("6d", GatherPiles()), Listed("6d:5h,Ad", DealPiles())]
        counts = (("trails", len(plays) // 2), ("captures", len(plays) // 2), ("builds", 0))
        return Listing(counts, tuple(plays[:limit]))

    def line_matches(self, found: Mapping[str, str], key: str, expected: str) -> bool | None:
        if key == "top":
            return found["deck"].startswith(expected)
        return None


GAMES = {"royal_flush": Talkative()}
HEADER = "game: royal_flush\nseats: 0=1\nstart:\ndeck: Td 2c\n"


@pytest.mark.parametrize(
    "line",
    [
        "plays 0: total=2",
        "plays 0: total=2 trails=1 captures=1 builds=0",
        "plays 0: 6d 6d:5h,Ad",
        "plays 1: total=0",
        "plays 1: -",
        "plays 1:",
        "= top Td 2c",
        "= phase DEAL",
    ],
)
def test_what_a_game_may_add_holds(line: str):
    """Royal Casino's plays, Pontoon's top of the stock: the runner asks the game."""
    [verdict] = run_text(HEADER + line, "x.hand", GAMES)
    assert verdict.failure is None


@pytest.mark.parametrize(
    ("line", "expected", "found"),
    [
        ("plays 0: total=3", "total=3", "total=2 trails=1 captures=1 builds=0"),
        ("plays 0: trails=0", "trails=0", "total=2 trails=1 captures=1 builds=0"),
        ("plays 0: 6d:5h,Ad 6d", "6d:5h,Ad 6d", "6d 6d:5h,Ad"),
        ("plays 0: -", "-", "6d …"),
        ("plays 0: 6d", "6d", "6d 6d:5h,Ad"),
        ("plays 1: 6d", "6d", "-"),
        ("= top 2c Td", "2c Td", "no such line"),
    ],
)
def test_what_a_game_may_add_can_fail(line: str, expected: str, found: str):
    [verdict] = run_text(HEADER + line, "x.hand", GAMES)
    assert verdict.failure is not None
    assert (verdict.failure.expected, verdict.failure.found) == (expected, found)


def test_a_key_that_the_game_does_not_explain_is_still_an_error():
    with pytest.raises(ScriptError, match="has a key 'bottom'"):
        run_text(HEADER + "= bottom 2c", "x.hand", GAMES)
