"""Recorded hands export as scripts that reproduce them.  hand_script 2.4."""

from __future__ import annotations

from random import Random

import pytest

from engine.events import TableOpened
from engine.games.palace_poker.actions import StartHand
from engine.script import Recorded, export, run_text
from tests.games.palace_poker.tables import GAME
from tests.laws.walks import walk


@pytest.mark.parametrize("seed", range(12))
def test_a_table_and_its_last_hand(seed: int) -> None:
    """From ``open_table`` on, and from the position in which a hand starts."""
    life = [one for one in walk(Random(seed), GAME, 80) if not one.reason]
    record = [Recorded(one.actor, one.action, one.events) for one in life]
    (opened,) = life[0].events
    assert isinstance(opened, TableOpened)
    starts = [place for place, one in enumerate(life) if isinstance(one.action, StartHand)]
    texts = [export(GAME, record)]
    if starts:
        before = life[starts[-1]].before.state
        texts.append(export(GAME, record[starts[-1] :], before=before, options=opened.options))
    for text in texts:
        for _, failure in run_text(text, "exported.hand"):
            assert failure is None, str(failure)
