"""Which pairs of players are unusual: a statistic that a few wild hands do not lead astray.

Two questions are asked of every pair, each against two yardsticks.

*Direction*: does one of them win from the other more than chance and skill would say?  *Volume*:
do more chips move between them, whichever way, than between others, or fewer?

*The hand itself* is the first yardstick: for strangers, any two of its players might have swapped
places with any others, so what is expected between two of them, and its variance, follow from
what moved in that very hand.  Stakes and wild tables cancel out.  *Their counterparties* are the
second: whoever wins from everybody, or plays big with everybody, does so with this one too.  What
he usually does is the median over his counterparties, which a few accomplices do not move.

What is left is told in standard deviations, and those are measured against all pairs: where all
scatter more than chance alone would have it, all scores shrink.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import NormalDist, median
from typing import Final, NamedTuple

from service.projections.pair_sums import MILLI, Pair, PairSums

__all__ = ["Ranking", "Unusual", "rank"]

OWN_WEIGHT: Final = 4
"""Counterparties that speak for the average player, so that two or three do not speak alone."""

FALSE_ALARMS: Final = 0.01
"""The chance that the threshold is passed by any pair where all is as it should be."""

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

    ``threshold``: the score that no pair is to pass by chance but once in a hundred reports.
    """

    pairs: Sequence[Unusual]
    threshold: float


class _Rates(NamedTuple):
    """Chips that moved, and that the higher player won, for each one that was expected."""

    moved: float
    won: float


def rank(pairs: Iterable[tuple[Pair, PairSums]], least_hands: int) -> Ranking:
    """The pairs that shared at least so many hands, the most unusual one first."""
    judged = [(pair, sums) for pair, sums in pairs if sums.hands >= least_hands]
    rates = {
        pair: _Rates(
            MILLI * (sums.up + sums.down) / sums.expected,
            MILLI * (sums.up - sums.down) / sums.expected,
        )
        for pair, sums in judged
        if sums.expected
    }
    usual = _usual(rates)
    directions, volumes = [], []
    for pair, sums in judged:
        low, high = (usual.get(player, _Rates(1.0, 0.0)) for player in pair)
        won = sums.expected * (high.won - low.won) / MILLI
        moved = sums.expected * low.moved * high.moved / MILLI
        directions.append(_deviations(sums.up - sums.down - won, sums.drift))
        volumes.append(_deviations(sums.up + sums.down - moved, sums.spread))
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


def _usual(rates: Mapping[Pair, _Rates]) -> dict[str, _Rates]:
    """What each player does with whomever he meets.

    ``moved`` is told in such a way that the product of both players' is what is to be expected.
    """
    if not rates:
        return {}
    met: defaultdict[str, list[_Rates]] = defaultdict(list)
    for (low, high), rate in rates.items():
        met[low].append(_Rates(rate.moved, -rate.won))
        met[high].append(rate)
    average = median(rate.moved for rate in rates.values()) or 1.0
    return {
        player: _Rates(
            _shrunk([rate.moved for rate in own], average) / sqrt(average),
            _shrunk([rate.won for rate in own], 0.0),
        )
        for player, own in met.items()
    }


def _shrunk(values: Sequence[float], average: float) -> float:
    """The median of some values; of few, nearer to the average."""
    count = len(values)
    return (count * median(values) + OWN_WEIGHT * average) / (count + OWN_WEIGHT)


def _deviations(excess: float, variance: int) -> float:
    return MILLI * excess / sqrt(variance) if variance else 0.0


def _in_scale(values: Sequence[float]) -> list[float]:
    """Values around their median, shrunk where half of them scatter more than chance would."""
    if not values:
        return []
    middle = median(values)
    scale = max(1.0, _TO_DEVIATIONS * median(abs(value - middle) for value in values))
    return [(value - middle) / scale for value in values]
