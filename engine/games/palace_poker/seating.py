"""The table around the hands (palace_poker 6.12, 6.16, rules C4 and C5)."""

from __future__ import annotations

from engine import actions as ca
from engine.errors import Refused
from engine.events import (
    ChipsAdded,
    SatIn,
    SatOut,
    SeatLeaving,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableOpened,
)
from engine.games.palace_poker.options import read_options, read_start
from engine.games.palace_poker.state import Phase, Seat, State
from engine.kernel import Shuffler, Steps
from engine.table import require_amount, require_room

__all__ = [
    "add_chips",
    "close_table",
    "leave_seat",
    "open_table",
    "sit_in",
    "sit_out",
    "take_seat",
]


def _require_open(state: State) -> None:
    if state.phase is Phase.CLOSED:
        raise Refused("TABLE_CLOSED")
    if state.phase is Phase.NONE:
        raise Refused("WRONG_PHASE", phase=state.phase)


def _require_member(state: State, seat: int) -> Seat:
    """Who sits there and is not about to leave (6.16.2)."""
    _require_open(state)
    who = state.seats[seat] if 0 <= seat < len(state.seats) else None
    if who is None:
        raise Refused("NOT_SEATED", seat=seat)
    if who.leaving:
        raise Refused("ALREADY_LEAVING", seat=seat)
    return who


def _is_dealt_in(state: State, seat: int) -> bool:
    return state.hand is not None and bool(state.hand.dealt >> seat & 1)


def _all_chips(state: State) -> int:
    return sum(state.stacks) + (state.hand.pot if state.hand else 0)


def open_table(steps: Steps[State], actor: int, action: ca.OpenTable, shuffler: Shuffler) -> None:
    """6.16.1."""
    del actor, shuffler
    if steps.state.phase is not Phase.NONE:
        raise Refused("WRONG_PHASE", phase=steps.state.phase)
    options, texts = read_options(action.options)
    _, start = read_start(action.start, options.max_seats)
    steps.emit(TableOpened("palace_poker", texts, start))


def close_table(steps: Steps[State], actor: int, action: ca.CloseTable, shuffler: Shuffler) -> None:
    """6.16.4."""
    del actor, action, shuffler
    if steps.state.phase is not Phase.IDLE:
        raise Refused("WRONG_PHASE", phase=steps.state.phase)
    for seat, who in enumerate(steps.state.seats):
        if who is not None:
            steps.emit(SeatLeft(seat, steps.state.stacks[seat]))
    steps.emit(TableClosed("HOST"))


def take_seat(steps: Steps[State], actor: int, action: ca.TakeSeat, shuffler: Shuffler) -> None:
    """6.16.2; dealt in from the next hand on (6.16.3)."""
    del shuffler
    chips = require_amount("chips", action.chips, 1)
    state = steps.state
    _require_open(state)
    if any(who is not None and who.player == action.player for who in state.seats):
        raise Refused("ALREADY_SEATED")
    if not 0 <= actor < len(state.seats):
        raise Refused("SEAT_OUT_OF_RANGE", seat=actor, seats=len(state.seats))
    if state.seats[actor] is not None:
        raise Refused("SEAT_TAKEN", seat=actor)
    require_room("chips", _all_chips(state), chips)
    steps.emit(SeatTaken(actor, action.player, chips))


def add_chips(steps: Steps[State], actor: int, action: ca.AddChips, shuffler: Shuffler) -> None:
    """6.16.2, 9.1."""
    del shuffler
    amount = require_amount("amount", action.amount, 1)
    _require_member(steps.state, actor)
    if _is_dealt_in(steps.state, actor):
        raise Refused("IN_HAND", seat=actor)
    require_room("amount", _all_chips(steps.state), amount)
    steps.emit(ChipsAdded(actor, amount))


def sit_out(steps: Steps[State], actor: int, action: ca.SitOut, shuffler: Shuffler) -> None:
    """6.16.3: from the next hand on."""
    del action, shuffler
    if _require_member(steps.state, actor).out:
        raise Refused("ALREADY_OUT", seat=actor)
    steps.emit(SatOut(actor))


def sit_in(steps: Steps[State], actor: int, action: ca.SitIn, shuffler: Shuffler) -> None:
    """6.16.3: from the next hand on."""
    del action, shuffler
    if not _require_member(steps.state, actor).out:
        raise Refused("NOT_OUT", seat=actor)
    steps.emit(SatIn(actor))


def leave_seat(steps: Steps[State], actor: int, action: ca.LeaveSeat, shuffler: Shuffler) -> None:
    """6.12: at once, or when the hand is over."""
    del action, shuffler
    _require_member(steps.state, actor)
    if _is_dealt_in(steps.state, actor):
        steps.emit(SeatLeaving(actor))
    else:
        steps.emit(SeatLeft(actor, steps.state.stacks[actor]))
