"""Royal Flush by choice: each entrant commits to a hand before the cards, rare hands pay more.

A win is worth the reciprocal of its exact chance, so that whatever is chosen scores the same on
average.  What is left to the player is the risk that his place in the standings calls for, and
being early.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from engine.tournament.scoring.places import Place, places

__all__ = ["AVERAGE", "LEAST_CHANCE", "Score", "rank_choice", "worth"]

AVERAGE: Final = 1_000_000
"""What each choice scores on average in one deal."""

LEAST_CHANCE: Final = Fraction(1, 10**9)
"""Chances below this are not offered: a score must stay a number of 64 bits."""


class Score(NamedTuple):
    """What counts for a place, of all deals together.

    ``left``: cards left that were not sought; ``order``: numbers of the commitments, from 1 for
    the first one of the tournament.
    """

    points: int = 0
    left: int = 0
    order: int = 0


def worth(chance: Fraction) -> int:
    """Points for a win that has this chance, rounded to the nearest whole number, halves up.

    Raises ``ValueError`` for a chance that is not from ``LEAST_CHANCE`` to 1.

    >>> worth(Fraction(1, 8)), worth(Fraction(2, 3))
    (8000000, 1500000)
    """
    if not LEAST_CHANCE <= chance <= 1:
        raise ValueError(f"a chance from {LEAST_CHANCE} to 1 is needed, not {chance}")
    return (2 * AVERAGE * chance.denominator + chance.numerator) // (2 * chance.numerator)


def rank_choice(scores: Mapping[int, Score]) -> tuple[Place, ...]:
    """Places by points, then fewest cards left, then earlier commitment.

    Who is equal in all three, which one deal alone cannot bring about, shares a place.
    """
    return places({entrant: (s.points, -s.left, -s.order) for entrant, s in scores.items()})
