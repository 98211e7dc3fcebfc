"""Whose chips became whose: stakes, the kitty, the price of the bank (pontoon 8, 9.5, 10.2, S).

Punters play against the banker alone.  The kitty is the banker's until it is lost: what goes from
his stack into it and home again is moved to nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.events import Event, TableClosed
from engine.games.pontoon import bank_events as b
from engine.games.pontoon import events as e
from engine.transfers import BANK, BankHeld, Move, Moved

__all__ = ["MOVES_CHIPS", "moved"]


def _of_bank(seat: int, net: int) -> Move:
    """What a punter wins from the bank or, negative, loses to it."""
    return Moved(BANK, seat, net) if net > 0 else Moved(seat, BANK, -net)


def _auctioned(event: b.AuctionClosed) -> Move:
    """S.10: the bank is still the old banker's; nothing is paid where nobody bid."""
    return Moved(BANK if event.to is None else event.to, BANK, event.price or 0)


_MOVES: Mapping[type[Event], Callable[[Any], Move]] = {
    e.StakeCollected: lambda event: Moved(event.seat, BANK, event.amount),
    e.HandSettled: lambda event: _of_bank(event.seat, event.net),
    b.ShootBetForfeited: lambda event: Moved(event.seat, BANK, event.amount),
    b.ShootBetSettled: lambda event: _of_bank(event.seat, event.net),
    b.BankSold: lambda event: Moved(event.buyer, event.seller, event.price),
    b.AuctionClosed: _auctioned,
    b.BankerChosen: lambda event: BankHeld(event.seat),
    b.BankPassed: lambda event: BankHeld(event.to),
    b.BankVacated: lambda _: BankHeld(None),
    TableClosed: lambda _: BankHeld(None),
}
MOVES_CHIPS: Final = frozenset(_MOVES)


def moved(event: Event) -> tuple[Move, ...]:
    """See ``Game.moved``."""
    move = _MOVES.get(type(event))
    return () if move is None else (move(event),)
