"""Royal Flush as a series: many games, most wins.

The game asks for no decision, so this is a lottery whose secret its players help to make: the
deck of each game comes from the committed secret and what its player adds to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.tournament.scoring.places import Place, places

__all__ = ["Deal", "rank_series"]


class Deal(NamedTuple):
    """A game that is over: whether it was won, and the cards left that were not sought."""

    won: bool
    left: int


def rank_series(deals: Mapping[int, Sequence[Deal]]) -> tuple[Place, ...]:
    """Places by most games won, then by fewest cards left in all games together.

    Who is equal in both shares a place.

    >>> rank_series({1: [Deal(True, 0), Deal(False, 7)], 2: [Deal(True, 0), Deal(False, 5)]})
    (Place(place=1, entrants=(2,)), Place(place=2, entrants=(1,)))
    """
    return places(
        {
            entrant: (sum(deal.won for deal in played), -sum(deal.left for deal in played))
            for entrant, played in deals.items()
        }
    )
