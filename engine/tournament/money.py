"""Prize pools: what each place wins, to the unit.

A pool is shared by hundredths of a percent; what rounding down leaves goes, one unit each, to the
first places that were rounded.  Who share a place share the prizes of all places they fill, and
what does not divide goes, one unit each, to the lowest numbers of entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

from engine.tournament.events import PrizesSet
from engine.tournament.state import Phase, Tournament
from engine.tournament.structure import WHOLE, Payouts, Structure

__all__ = ["STANDARD", "prize_pool", "prizes_of", "shares_for", "split", "tied_prizes"]

STANDARD: Final = (
    Payouts(1, (10_000,)),
    Payouts(4, (6_500, 3_500)),
    Payouts(8, (5_000, 3_000, 2_000)),
    Payouts(20, (4_000, 2_500, 1_500, 1_200, 800)),
    Payouts(40, (3_400, 2_100, 1_350, 1_000, 750, 600, 450, 350)),
)
"""Payouts of a structure that names none, up to 79 entries; then :func:`_long_tail`."""


def shares_for(structure: Structure, entries: int) -> tuple[int, ...]:
    """What each place wins of the pool, in hundredths of a percent, the first one first.

    >>> shares_for(Structure(), 9)
    (5000, 3000, 2000)
    """
    rows = structure.payouts or STANDARD
    if not structure.payouts and entries >= 80:
        return _long_tail(entries)
    return max((row for row in rows if row.entries <= entries), default=rows[0]).shares


def _long_tail(entries: int) -> tuple[int, ...]:
    """One entry in eight wins something.

    The weight of a place falls with the number of its place, and every place has at least one
    hundredth of a percent.
    """
    places = min(entries // 8, 1_500)
    weights = [1_000_000 // (place + 2) for place in range(places)]
    spare = WHOLE - places
    shares = [1 + part for part in split(spare, weights)]
    return tuple(shares)


def split(amount: int, weights: Sequence[int]) -> list[int]:
    """An amount in proportion to weights, rounded down; the first that were get the odd units.

    >>> split(100, [1, 1, 1]), split(1, [0, 1, 1])
    ([34, 33, 33], [0, 1, 0])
    """
    whole = sum(weights)
    parts = [amount * weight // whole for weight in weights]
    rounded = (at for at, weight in enumerate(weights) if amount * weight % whole)
    for at in islice(rounded, amount - sum(parts)):
        parts[at] += 1
    return parts


def prize_pool(state: Tournament) -> tuple[int, int]:
    """The prize pool, and what the house adds to keep its guarantee; one cancelled has none."""
    guaranteed = 0 if state.phase is Phase.CANCELLED else state.structure.guarantee
    added = max(0, guaranteed - state.money.pool)
    return state.money.pool + added, added


def prizes_of(state: Tournament) -> PrizesSet:
    """What each place wins once nobody can enter any more; places that win nothing are left out."""
    pool, added = prize_pool(state)
    prizes = split(pool, shares_for(state.structure, state.field))
    while prizes and not prizes[-1]:
        prizes.pop()
    return PrizesSet(tuple(prizes), added)


def tied_prizes(prizes: Sequence[int], place: int, equal: int) -> list[int]:
    """What ``equal`` entries win that share ``place`` (from 1), by number of entry.

    >>> tied_prizes((50, 30, 21), 2, 2)
    [26, 25]
    """
    return split(sum(prizes[place - 1 : place - 1 + equal]), [1] * equal)
