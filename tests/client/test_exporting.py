"""What an action was follows from the events it made (hand_script 2.4)."""

from __future__ import annotations

import pytest

from engine.actions import Action
from engine.games.pontoon import actions as a
from engine.script import action_name
from service.client.exporting import _with_actions
from tests.games.pontoon.tables import GAME, placed

HIGH = """
    kitty 900
    hands 1 1[2c 3c 4c]
    bought 1.1 1000
    bets 1=500 2=40
    stacks 0=200000 1=50000 2=400
"""
"""501 prices and 901 shoot bets for one card: more together than can be tried."""


@pytest.mark.parametrize("named", [True, False], ids=("named", "unnamed"))
@pytest.mark.parametrize(
    "action",
    [a.BuyCard(990, 880), a.BuyCard(777, 0), a.BuyCard(1000, 900), a.TwistCard(5), a.TwistCard(0)],
    ids=str,
)
def test_two_wide_amounts_of_one_action_are_found(action: Action, named: bool) -> None:
    play = placed(HIGH, shoot="true", max_bet="1000")
    before = play.state
    play.do(1, action)
    name = action_name(type(action)) if named else ""
    (step,) = _with_actions(GAME, before, [(1, name, play.events)])
    assert (step.actor, step.action, step.events) == (1, action, play.events)
