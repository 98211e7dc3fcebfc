"""Checks that the actions of Pontoon share, in their order (pontoon 6.0)."""

from __future__ import annotations

from engine.errors import Refused
from engine.games.pontoon.state import (
    Auction,
    Hand,
    Phase,
    Punter,
    Seat,
    State,
    active_hand,
    punter_of,
    running,
    to_act,
)
from engine.table import require_amount

__all__ = [
    "acting_banker",
    "acting_bidder",
    "acting_punter",
    "active",
    "amount_or_none",
    "require_banker",
    "require_host",
    "require_member",
    "require_phase",
    "require_shoot",
]


def require_open(state: State) -> None:
    """Check 0."""
    if state.phase is Phase.CLOSED:
        raise Refused("TABLE_CLOSED")
    if state.phase is Phase.NONE:
        raise Refused("WRONG_PHASE", phase=state.phase)


def require_seated(state: State, seat: int) -> Seat:
    """Check 1."""
    who = state.seats[seat] if 0 <= seat < len(state.seats) else None
    if who is None:
        raise Refused("NOT_SEATED", seat=seat)
    if who.leaving:
        raise Refused("ALREADY_LEAVING", seat=seat)
    return who


def require_member(state: State, seat: int) -> Seat:
    """Checks 0 and 1."""
    require_open(state)
    return require_seated(state, seat)


def require_shoot(state: State) -> None:
    """Check 2 of Part B."""
    if not state.options.shoot:
        raise Refused("SHOOT_NOT_AVAILABLE")


def require_phase(state: State, *phases: Phase) -> None:
    """Check 3."""
    if state.phase not in phases:
        raise Refused("WRONG_PHASE", phase=state.phase, expected=" or ".join(phases))


def require_host(state: State, *phases: Phase) -> None:
    """Checks 0 and 3 of a host's action."""
    require_open(state)
    require_phase(state, *phases)


def require_banker(state: State, seat: int) -> None:
    """Check 4 of a banker's action."""
    if seat != state.banker:
        raise Refused("NOT_BANKER", seat=seat, banker=state.banker)


def _require_turn(state: State, seat: int) -> None:
    """Check 5."""
    turn = to_act(state)
    if seat != turn:
        raise Refused("NOT_YOUR_TURN", seat=seat, to_act=turn)


def acting_banker(state: State, seat: int, phase: Phase, *, part_b: bool = False) -> None:
    """All checks up to 5 of a banker's action at his turn; ``part_b``: that of the auction."""
    require_member(state, seat)
    if part_b:
        require_shoot(state)
        if state.options.fixed_bank:
            raise Refused("SALE_NOT_ALLOWED")
    require_phase(state, phase)
    require_banker(state, seat)
    _require_turn(state, seat)


def acting_punter(state: State, seat: int, phase: Phase, *, part_b: bool = False) -> Punter:
    """All checks up to 5 of a punter's action at his turn; the punter."""
    require_member(state, seat)
    if part_b:
        require_shoot(state)
    require_phase(state, phase)
    punter = punter_of(running(state), seat)
    if punter is None:
        raise Refused("NOT_A_PUNTER", seat=seat)
    _require_turn(state, seat)
    return punter


def active(state: State, seat: int) -> tuple[Punter, Hand]:
    """All checks up to 5 of an action of ``PLAYER_TURNS``: the active hand (5.3)."""
    acting_punter(state, seat, Phase.PLAYER_TURNS)
    found = active_hand(running(state))
    if found is None:
        raise AssertionError("no hand is open while the punters play")
    return found


def acting_bidder(state: State, seat: int) -> Auction:
    """All checks up to 5 of an auction's action: the auction (S.10)."""
    require_member(state, seat)
    require_shoot(state)
    require_phase(state, Phase.AUCTION)
    auction = state.auction
    if auction is None or seat not in auction.bidders:
        raise Refused("NOT_A_BIDDER", seat=seat)
    _require_turn(state, seat)
    return auction


def amount_or_none(field: str, value: object) -> int:
    """A parameter that is 0 if it is left out; raises ``Refused(BAD_PARAMETER)``."""
    return 0 if value is None else require_amount(field, value)
