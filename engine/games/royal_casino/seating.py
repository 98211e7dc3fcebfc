"""The table around the games (royal_casino 6.2, 10.3–10.5, rules C4 and C5)."""

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
from engine.games.royal_casino import actions as a
from engine.games.royal_casino import events as e
from engine.games.royal_casino.checks import require_phase
from engine.games.royal_casino.ending import forfeit_if_alone
from engine.games.royal_casino.options import read_options
from engine.games.royal_casino.state import (
    Phase,
    Seat,
    State,
    following_dealer,
    forfeited,
    is_running,
    side_of,
)
from engine.kernel import Shuffler, Steps
from engine.options import parse_options
from engine.table import is_amount, require_amount, require_room

__all__ = [
    "add_chips",
    "close_table",
    "leave_seat",
    "open_table",
    "sit_in",
    "sit_out",
    "start_game",
    "start_obstacle",
    "take_seat",
]


def _all_chips(state: State) -> int:
    return state.pot + sum(who.chips for who in state.seats if who is not None)


def _require_member(state: State, seat: int) -> Seat:
    """Who sits there and has not left (10.3, 10.4)."""
    if state.phase is Phase.CLOSED:
        raise Refused("TABLE_CLOSED")
    who = state.seats[seat] if 0 <= seat < len(state.seats) else None
    if who is None:
        raise Refused("NOT_SEATED", seat=seat)
    if who.leaving:
        raise Refused("ALREADY_LEAVING", seat=seat)
    return who


def open_table(steps: Steps[State], actor: int, action: ca.OpenTable, shuffler: Shuffler) -> None:
    """3.1, 6.2.1."""
    del actor, shuffler
    require_phase(steps.state, Phase.NONE)
    _, texts = read_options(action.options)
    parse_options((), action.start)  # there are no start facts
    steps.emit(TableOpened("royal_casino", texts, ()))


def close_table(steps: Steps[State], actor: int, action: ca.CloseTable, shuffler: Shuffler) -> None:
    """6.2.1."""
    del actor, action, shuffler
    require_phase(steps.state, Phase.LOBBY, Phase.GAME_OVER)
    for seat, who in enumerate(steps.state.seats):
        if who is not None:
            steps.emit(SeatLeft(seat, who.chips))
    steps.emit(TableClosed("HOST"))


def take_seat(steps: Steps[State], actor: int, action: ca.TakeSeat, shuffler: Shuffler) -> None:
    """6.2.1."""
    del shuffler
    chips = require_amount("chips", action.chips)
    state = steps.state
    require_phase(state, Phase.LOBBY, Phase.GAME_OVER)
    if not 0 <= actor < len(state.seats):
        raise Refused("SEAT_OUT_OF_RANGE", seat=actor, seats=len(state.seats))
    if state.seats[actor] is not None:
        raise Refused("SEAT_TAKEN", seat=actor)
    if any(who is not None and who.player == action.player for who in state.seats):
        raise Refused("ALREADY_SEATED")
    if chips < state.options.stake:
        raise Refused("INSUFFICIENT_CHIPS", stake=state.options.stake)
    require_room("chips", _all_chips(state), chips)
    steps.emit(SeatTaken(actor, action.player, chips))


def add_chips(steps: Steps[State], actor: int, action: ca.AddChips, shuffler: Shuffler) -> None:
    """6.2.1."""
    del shuffler
    amount = require_amount("amount", action.amount, 1)
    _require_member(steps.state, actor)
    if steps.state.phase is Phase.PLAYING:
        raise Refused("IN_HAND", seat=actor)
    require_room("amount", _all_chips(steps.state), amount)
    steps.emit(ChipsAdded(actor, amount))


def sit_out(steps: Steps[State], actor: int, action: ca.SitOut, shuffler: Shuffler) -> None:
    """10.3: from now on."""
    del action, shuffler
    if _require_member(steps.state, actor).out:
        raise Refused("ALREADY_OUT", seat=actor)
    steps.emit(SatOut(actor))


def sit_in(steps: Steps[State], actor: int, action: ca.SitIn, shuffler: Shuffler) -> None:
    """10.3: from now on."""
    del action, shuffler
    if not _require_member(steps.state, actor).out:
        raise Refused("NOT_OUT", seat=actor)
    steps.emit(SatIn(actor))


def leave_seat(steps: Steps[State], actor: int, action: ca.LeaveSeat, shuffler: Shuffler) -> None:
    """10.4, 10.5: at once, or for the rest of the game."""
    del action, shuffler
    who = _require_member(steps.state, actor)
    if not is_running(steps.state):
        steps.emit(SeatLeft(actor, who.chips))
        return
    steps.emit(SeatLeaving(actor))
    side = side_of(steps.state.options, actor)
    if side in forfeited(steps.state):
        steps.emit(e.SideForfeited(side))
        forfeit_if_alone(steps)


# --- the start of a game (6.2.2) --------------------------------------------------------------


def start_obstacle(state: State) -> str:
    """Why no game can start, if none can."""
    if None in state.seats:
        return "SEATS_NOT_FULL"
    seated = [who for who in state.seats if who is not None]
    if any(who.out for who in seated):
        return "SEATS_NOT_READY"
    if any(who.chips < state.options.stake for who in seated):
        return "INSUFFICIENT_CHIPS"
    return ""


def known_dealer(state: State) -> int | None:
    """The first dealer of the next game, where option or last game says."""
    if state.options.first_dealer is not None:
        return state.options.first_dealer
    return None if state.dealer is None else following_dealer(state.options, state.dealer)


def start_game(steps: Steps[State], actor: int, action: a.StartGame, shuffler: Shuffler) -> None:
    """6.2.2."""
    del actor, shuffler
    state = steps.state
    chosen = action.first_dealer
    expected = f"a seat 0 to {state.options.players - 1}"
    if chosen is not None and not is_amount(chosen, 0, state.options.players - 1):
        raise Refused("BAD_PARAMETER", field="first_dealer", expected=expected)
    require_phase(state, Phase.LOBBY, Phase.GAME_OVER)
    obstacle = start_obstacle(state)
    if obstacle:
        raise Refused(obstacle)
    dealer = known_dealer(state)
    if dealer is None:
        dealer = chosen
    if dealer is None:
        raise Refused("BAD_PARAMETER", field="first_dealer", expected=expected)
    steps.emit(e.GameStarted(dealer))
    if state.options.stake:
        for seat in range(state.options.players):
            steps.emit(e.StakePosted(seat, state.options.stake))
