"""A match of two sides: best of so many games, and who deals first in each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

__all__ = ["EXTRA_GAMES", "Game", "Verdict", "first_dealer", "verdict"]

EXTRA_GAMES: Final = 2
"""Games that are added to a level match of a knock-out: each side deals first once more."""


class Game(NamedTuple):
    """A game that is over: the side that won, 0 or 1, None if it was drawn; points by side."""

    winner: int | None
    points: tuple[int, int]


class Verdict(NamedTuple):
    """A match that is over: ``winner`` as in a game, and by how many points side 0 was ahead."""

    winner: int | None
    difference: int


def first_dealer(game: int) -> int:
    """The side that deals first in a game, counted from 0: by turns, side 0 first."""
    return game % 2


def verdict(games: Sequence[Game], best_of: int, *, decisive: bool = False) -> Verdict | None:
    """Who won the match, or None as long as it goes on.

    It is over as soon as a side has won more games than the other could still come to, or all
    ``best_of`` have been played.  Is it level then and has to be ``decisive``, at most two more
    are played, until one is won; then the points decide.  Are they equal too the verdict has no
    winner, and the caller's lot decides.

    >>> verdict([Game(0, (21, 12)), Game(0, (21, 20))], best_of=3)
    Verdict(winner=0, difference=10)
    """
    wins = [sum(game.winner == side for game in games) for side in (0, 1)]
    ahead = wins[0] - wins[1]
    difference = sum(game.points[0] - game.points[1] for game in games)
    if abs(ahead) > max(0, best_of - len(games)):
        return Verdict(0 if ahead > 0 else 1, difference)
    if len(games) < best_of + (EXTRA_GAMES if decisive else 0):
        return None
    if decisive and difference:
        return Verdict(0 if difference > 0 else 1, difference)
    return Verdict(None, difference)
