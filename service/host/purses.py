"""What players may bring to a table, and from where (rules C12)."""

from __future__ import annotations

from engine.actions import Action, AddChips, TakeSeat
from engine.errors import Refused
from engine.house import House, Table
from service.identity import Principal

__all__ = ["require_buy_in", "require_purse"]


def require_purse(house: House, caller: Principal, action: Action) -> None:
    """A token for one table has no account: it brings no chips from there."""
    if isinstance(action, (TakeSeat, AddChips)) and house.options.purse != "free":
        caller.require_unlimited()


def require_buy_in(table: Table, seat: int, action: Action) -> None:
    """House rule C12: what a player brings lies between the house's bounds."""
    low, high = table.house.options.min_buy_in, table.house.options.max_buy_in
    wanted = 0
    if isinstance(action, TakeSeat):
        wanted = action.chips or 0
    elif isinstance(action, AddChips):
        sitting = table.game.players(table.state).get(seat)
        wanted = (action.amount or 0) + (sitting[1] if sitting else 0)
        low = 0
    else:
        return
    # What is no amount at all is left to the rules: they have their own word for it.
    if wanted > high or 0 <= wanted < low:
        raise Refused("BUY_IN_OUT_OF_RANGE", low=low, high=high)
