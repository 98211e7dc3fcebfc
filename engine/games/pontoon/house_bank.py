"""How the bank of the house plays: as is published, without a choice.

It deals as soon as it may, and plays like a banker whose time is up (pontoon 10.3): it draws below
``stick_min`` and stays from there on.
"""

from __future__ import annotations

from engine.actions import Action
from engine.games.pontoon import actions as a
from engine.games.pontoon.rules import banker_draw_obstacle
from engine.games.pontoon.state import Phase, State, running, to_act
from engine.games.pontoon.totals import best

__all__ = ["house_action"]


def house_action(state: State, seat: int) -> Action | None:
    """What it does at its turn; None: it is not its turn, or not as the banker."""
    if seat != to_act(state) or seat != state.banker:
        return None
    if state.phase is Phase.BETWEEN_DEALS:
        return a.StartDeal()
    if state.phase is not Phase.BANKER_TURN:
        return None
    low = best(running(state).bank) < state.options.stick_min
    draws = low and not banker_draw_obstacle(state)
    return a.BankerDraw() if draws else a.BankerStay()
