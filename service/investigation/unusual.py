"""Which pairs of players are unusual: a statistic that a few wild hands do not lead astray.

Two questions are asked of every pair, each against two yardsticks.

*Direction*: does one of them win from the other more than chance and skill would say?  *Volume*:
do more chips move between them, whichever way, than between others, or fewer?

*The hand itself* is the first yardstick: for strangers, any two of its players might have swapped
places with any others, so what is expected between two of them, and its variance, follow from
what moved in that very hand.  Stakes and wild tables cancel out.  *Their counterparties* are the
second: whoever wins from everybody, or plays big with everybody, does so with this one too.  What
he usually does is the median over his other counterparties, which a few accomplices do not move.

What is left is told in standard deviations, and those are measured against all pairs: where all
scatter more than chance alone would have it, all scores shrink.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import NormalDist, median
from typing import Final, NamedTuple

from service.projections.pair_sums import Pair, PairSums

__all__ = ["Ranking", "Unusual", "rank"]

OTHERS: Final = 3
"""Other counterparties that it takes to say what a player usually does; else he is like all."""

FALSE_ALARMS: Final = 0.001
"""The chance that the threshold is passed by any pair where all is as it should be.

If what moves were distributed normally.  It is not quite: about one honest report in a hundred.
"""

_TO_DEVIATIONS: Final = 1.4826
"""Median absolute deviation to standard deviation, of what is distributed normally."""


class Unusual(NamedTuple):
    """A pair, its sums, and how unusual it is.

    ``direction``: positive where the higher of the two won more from the lower than expected.
    ``volume``: positive where more moved between them than expected, negative where less.  Both
    in standard deviations of all pairs.  ``score``: the larger of them, without its sign.
    """

    pair: Pair
    sums: PairSums
    direction: float
    volume: float

    @property
    def score(self) -> float:
        """How unusual, whichever way."""
        return max(abs(self.direction), abs(self.volume))


class Ranking(NamedTuple):
    """All pairs that were judged, the most unusual one first.

    ``threshold``: the score that no pair is to pass by chance but in one report of a hundred.
    """

    pairs: Sequence[Unusual]
    threshold: float


def rank(pairs: Iterable[tuple[Pair, PairSums]], least_hands: int) -> Ranking:
    """The pairs that shared at least so many hands, the most unusual one first."""
    judged = [(pair, sums) for pair, sums in pairs if sums.hands >= least_hands]
    told = [(pair, sums) for pair, sums in judged if sums.usual]
    moved = _Usual((pair, sums.moved / sums.usual, sums.moved / sums.usual) for pair, sums in told)
    won = _Usual((pair, -sums.won / sums.usual, sums.won / sums.usual) for pair, sums in told)
    average = moved.average or 1.0
    directions, volumes = [], []
    for (low, high), sums in judged:
        edge = won.of(high, low, 0.0) - won.of(low, high, 0.0)
        pace = moved.of(low, high, average) * moved.of(high, low, average) / average
        directions.append(_deviations(sums.won - edge * sums.usual, sums.drift))
        volumes.append(_deviations(sums.moved - pace * sums.usual, sums.spread))
    found = [
        Unusual(pair, sums, direction, volume)
        for (pair, sums), direction, volume in zip(
            judged, _in_scale(directions), _in_scale(volumes), strict=True
        )
    ]
    found.sort(key=lambda each: (-each.score, each.pair))
    # Two questions, each with two ends.
    tail = FALSE_ALARMS / (4 * max(1, len(found)))
    return Ranking(found, -NormalDist().inv_cdf(tail))


class _Usual:
    """What players do with whomever they meet, for each unit that would be expected.

    Made of (pair, rate of the lower player, rate of the higher).
    """

    def __init__(self, rates: Iterable[tuple[Pair, float, float]]) -> None:
        met: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for (low, high), of_low, of_high in rates:
            met[low][high] = of_low
            met[high][low] = of_high
        self._met = met
        self._sorted = {player: sorted(own.values()) for player, own in met.items()}
        every = [rate for own in met.values() for rate in own.values()]
        self.average = median(every) if every else 0.0

    def of(self, player: str, other: str, average: float) -> float:
        """The median over all whom a player met but this one; of few, the ``average``."""
        rates = self._sorted.get(player, [])
        if len(rates) <= OTHERS:
            return average
        own = self._met[player].get(other)
        return median(rates) if own is None else _median_without(rates, own)


def _median_without(rates: Sequence[float], left_out: float) -> float:
    """The median of ascending values, one of which does not count.

    >>> _median_without([1, 2, 4, 9], 9)
    2.0
    """
    place, count = bisect_left(rates, left_out), len(rates) - 1

    def at(index: int) -> float:
        return rates[index + (index >= place)]

    return (at((count - 1) // 2) + at(count // 2)) / 2


def _deviations(excess: float, variance: int) -> float:
    return excess / sqrt(variance) if variance else 0.0


def _in_scale(values: Sequence[float]) -> list[float]:
    """Values around their median, shrunk where half of them scatter more than chance would."""
    if not values:
        return []
    middle = median(values)
    scale = max(1.0, _TO_DEVIATIONS * median(abs(value - middle) for value in values))
    return [(value - middle) / scale for value in values]
