"""Royal Flush as a series: many games, most wins.

The game asks for no decision, so this is a lottery whose secret its players help to make: the
deck of each game comes from the committed secret and what its player adds to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from engine.tournament.scoring.places import Place, places

__all__ = ["Wins", "rank_series"]


class Wins(NamedTuple):
    """Games won, and the cards left that were not sought, in all games together."""

    won: int = 0
    left: int = 0


def rank_series(wins: Mapping[int, Wins]) -> tuple[Place, ...]:
    """Places by most games won, then by fewest cards left; who is equal in both shares a place.

    >>> rank_series({1: Wins(1, 7), 2: Wins(1, 5)})
    (Place(place=1, entrants=(2,)), Place(place=2, entrants=(1,)))
    """
    return places({entrant: (one.won, -one.left) for entrant, one in wins.items()})
