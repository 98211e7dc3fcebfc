"""What a Royal Casino table accepts (royal_casino 6, 10): one handler for each action."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine import actions as ca
from engine.events import Event
from engine.games.royal_casino import actions as a
from engine.games.royal_casino import deal, seating
from engine.games.royal_casino.checks import (
    check_build,
    check_capture,
    check_trail,
    require_phase,
)
from engine.games.royal_casino.state import Phase, State
from engine.kernel import Shuffler, Steps

__all__ = ["decide"]


def _trail(steps: Steps[State], actor: int, action: a.TrailCard, shuffler: Shuffler) -> None:
    del shuffler
    deal.trail(steps, check_trail(steps.state, actor, action))


def _capture(steps: Steps[State], actor: int, action: a.CaptureCards, shuffler: Shuffler) -> None:
    del shuffler
    deal.capture(steps, check_capture(steps.state, actor, action))


def _build(steps: Steps[State], actor: int, action: a.BuildCards, shuffler: Shuffler) -> None:
    del shuffler
    deal.build(steps, check_build(steps.state, actor, action))


def _start_deal(steps: Steps[State], actor: int, action: a.StartDeal, shuffler: Shuffler) -> None:
    del actor, action
    require_phase(steps.state, Phase.BETWEEN_DEALS)
    deal.deal(steps, shuffler)


def _time_out(steps: Steps[State], actor: int, action: ca.TimeOut, shuffler: Shuffler) -> None:
    del actor, action, shuffler
    require_phase(steps.state, Phase.PLAYING)
    deal.time_out(steps)


_Handler = Callable[[Steps[State], int, Any, Shuffler], None]

_HANDLERS: Mapping[type[ca.Action], _Handler] = {
    a.TrailCard: _trail,
    a.CaptureCards: _capture,
    a.BuildCards: _build,
    a.StartDeal: _start_deal,
    a.StartGame: seating.start_game,
    ca.TimeOut: _time_out,
    ca.TakeSeat: seating.take_seat,
    ca.LeaveSeat: seating.leave_seat,
    ca.SitOut: seating.sit_out,
    ca.SitIn: seating.sit_in,
    ca.AddChips: seating.add_chips,
    ca.OpenTable: seating.open_table,
    ca.CloseTable: seating.close_table,
}


def decide(
    steps: Steps[State], actor: int, action: ca.Action, shuffler: Shuffler
) -> tuple[tuple[Event, ...], State]:
    """The facts of an action, and of the automatic plays that follow.  Raises ``Refused``."""
    handler = _HANDLERS.get(type(action))
    if handler is None:
        raise TypeError(f"{type(action).__name__} is no action of Royal Casino")
    handler(steps, actor, action, shuffler)
    deal.play_for_absent(steps)
    return steps.result()
