"""Seats around the deals (pontoon 3.1, 6.14, 6.15, 10.5)."""

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
    TableOpened,
)
from engine.games.pontoon.auction import pass_bid
from engine.games.pontoon.checks import (
    require_host,
    require_member,
    require_open,
    require_seated,
)
from engine.games.pontoon.ending import close, lapse, vacate
from engine.games.pontoon.funds import all_chips
from engine.games.pontoon.options import read_options
from engine.games.pontoon.state import Phase, State, takes_part
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


def open_table(steps: Steps[State], actor: int, action: ca.OpenTable, shuffler: Shuffler) -> None:
    """3.1."""
    del actor, shuffler
    if steps.state.phase is not Phase.NONE:
        require_open(steps.state)
        raise Refused("WRONG_PHASE", phase=steps.state.phase)
    _, texts = read_options(action.options)
    if action.start:
        raise Refused("BAD_PARAMETER", field=min(action.start), expected="no start facts")
    steps.emit(TableOpened("pontoon", texts, ()))


def close_table(steps: Steps[State], actor: int, action: ca.CloseTable, shuffler: Shuffler) -> None:
    """6.15, 9.7."""
    del actor, action, shuffler
    require_host(steps.state, Phase.WAITING, Phase.BETWEEN_DEALS)
    close(steps, "HOST")


def take_seat(steps: Steps[State], actor: int, action: ca.TakeSeat, shuffler: Shuffler) -> None:
    """6.14."""
    del shuffler
    state = steps.state
    require_open(state)
    if any(who is not None and who.player == action.player for who in state.seats):
        raise Refused("ALREADY_SEATED")
    if not 0 <= actor < len(state.seats):
        raise Refused("SEAT_OUT_OF_RANGE", seat=actor, seats=len(state.seats))
    if state.seats[actor] is not None:
        raise Refused("SEAT_TAKEN", seat=actor)
    chips = require_amount("chips", action.chips, 1)
    require_room("chips", all_chips(state), chips)
    steps.emit(SeatTaken(actor, action.player, chips))


def add_chips(steps: Steps[State], actor: int, action: ca.AddChips, shuffler: Shuffler) -> None:
    """6.14."""
    del shuffler
    state = steps.state
    require_member(state, actor)
    if takes_part(state, actor):
        raise Refused("IN_HAND", seat=actor)
    amount = require_amount("amount", action.amount, 1)
    require_room("amount", all_chips(state), amount)
    steps.emit(ChipsAdded(actor, amount))


def _require_unbound(state: State, seat: int) -> None:
    """Banker and highest bidder see an auction through (6.14)."""
    auction = state.auction
    if auction is not None and seat in {state.banker, auction.bidder}:
        raise Refused("AUCTION_IN_PROGRESS")


def _lapse_own(steps: Steps[State], seat: int) -> None:
    lapse(steps, lambda offer: seat in {offer.from_, offer.to})


def _pass_bid(steps: Steps[State], seat: int) -> None:
    """A bidder who goes has passed (S.10)."""
    auction = steps.state.auction
    if auction is not None and seat in auction.bidders:
        pass_bid(steps, seat, auto=True)


def sit_out(steps: Steps[State], actor: int, action: ca.SitOut, shuffler: Shuffler) -> None:
    """6.14."""
    del action, shuffler
    state = steps.state
    who = require_member(state, actor)
    if who.out or who.out_next:
        raise Refused("ALREADY_OUT", seat=actor)
    _require_unbound(state, actor)
    if state.sale is not None and state.sale.buyer == actor:
        raise Refused("SALE_ALREADY_AGREED")
    _lapse_own(steps, actor)
    if takes_part(state, actor):
        steps.emit(SatOut(actor, "DEAL_END"))
        return
    steps.emit(SatOut(actor, "NOW"))
    if actor == state.banker:
        vacate(steps)
    _pass_bid(steps, actor)


def sit_in(steps: Steps[State], actor: int, action: ca.SitIn, shuffler: Shuffler) -> None:
    """6.14."""
    del action, shuffler
    who = require_member(steps.state, actor)
    if not (who.out or who.out_next):
        raise Refused("NOT_OUT", seat=actor)
    steps.emit(SatIn(actor))


def leave_seat(steps: Steps[State], actor: int, action: ca.LeaveSeat, shuffler: Shuffler) -> None:
    """10.5; also at a closed table (6.0)."""
    del action, shuffler
    state = steps.state
    if state.phase is not Phase.CLOSED:
        require_open(state)
    require_seated(state, actor)
    _require_unbound(state, actor)
    _lapse_own(steps, actor)
    buys = state.sale is not None and state.sale.buyer == actor
    if takes_part(state, actor) or buys:
        steps.emit(SeatLeaving(actor))
        return
    if actor == state.banker:
        vacate(steps, gone=True)
    steps.emit(SeatLeft(actor, steps.state.stacks[actor]))
    _pass_bid(steps, actor)
