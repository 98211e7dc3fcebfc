"""Who deals first in a match, so that everybody does so equally often."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.tournament.pairing.rounds import Pair

__all__ = ["Dealer", "ahead", "first_to_deal"]


class Dealer(NamedTuple):
    """An entrant, his place in the draw, and of each match he played whether he dealt first."""

    entrant: int
    lot: int
    dealt: tuple[bool, ...]


def ahead(dealt: Sequence[bool]) -> int:
    """First deals less second ones."""
    return 2 * sum(dealt) - len(dealt)


def first_to_deal(a: Dealer, b: Dealer) -> Pair:
    """The pair, the one first who is to deal first.

    That is the one with fewer first deals, less second ones; else the one who did not deal first
    in the latest match in which they differ; else the one with the better lot.

    >>> first_to_deal(Dealer(7, 1, (True, False)), Dealer(8, 2, (False, True)))
    Pair(first=7, second=8)
    """
    balance = ahead(a.dealt) - ahead(b.dealt)
    if balance:
        a_first = balance < 0
    else:
        recent = zip(reversed(a.dealt), reversed(b.dealt), strict=False)
        a_first = next((theirs for mine, theirs in recent if mine != theirs), a.lot < b.lot)
    return Pair(a.entrant, b.entrant) if a_first else Pair(b.entrant, a.entrant)
