"""Who comes before whom after matches: points, and then one tie-break after the other.

*Buchholz* is the sum of the points of one's opponents, *cut 1* the same without the least of
them.  A round that was not played, by a bye or because the opponent did not come, counts there
like one against somebody with one's own points.  *Direct encounter* compares those who are still
tied by their points against each other, if all of them have met.  The lot always decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import combinations, groupby
from typing import Final, NamedTuple

__all__ = [
    "ALL_PLAY_ALL",
    "DRAW",
    "LOSS",
    "SWISS",
    "WIN",
    "Criterion",
    "Encounter",
    "Line",
    "rank",
]

WIN: Final = 2
DRAW: Final = 1
LOSS: Final = 0


class Criterion(StrEnum):
    """What can be compared."""

    POINTS = "POINTS"
    BUCHHOLZ_CUT_1 = "BUCHHOLZ_CUT_1"
    BUCHHOLZ = "BUCHHOLZ"
    DIRECT_ENCOUNTER = "DIRECT_ENCOUNTER"
    DIFFERENCE = "DIFFERENCE"
    LOT = "LOT"


SWISS: Final = tuple(Criterion)
ALL_PLAY_ALL: Final = (
    Criterion.POINTS,
    Criterion.DIRECT_ENCOUNTER,
    Criterion.DIFFERENCE,
    Criterion.LOT,
)
"""Where all have the same opponents, a sum over opponents tells nobody apart."""


class Encounter(NamedTuple):
    """A round of one entrant.

    ``opponent``: None if nobody was met; ``points``: of the match; ``difference``: own points of
    the games less the opponent's.
    """

    opponent: int | None
    points: int
    difference: int = 0


class Line(NamedTuple):
    """An entrant's place, counted from 1, and by which values he came there: one for each
    criterion, of which more is better.  Of two lots the lower is better, so it stands there with
    the sign changed."""

    place: int
    entrant: int
    values: tuple[int, ...]


def rank(
    played: Mapping[int, Sequence[Encounter]],
    lots: Mapping[int, int],
    criteria: Sequence[Criterion] = SWISS,
) -> tuple[Line, ...]:
    """All entrants of ``played``, best first; ``lots`` gives another number to each.

    >>> games = {1: [Encounter(2, WIN, 9)], 2: [Encounter(1, LOSS, -9)]}
    >>> [line.entrant for line in rank(games, {1: 2, 2: 1})]
    [1, 2]
    """
    if criteria[-1] is not Criterion.LOT:
        raise ValueError("the lot comes last")
    table = _Table(played, lots)
    ordered = _order([(entrant, ()) for entrant in sorted(played)], table, criteria)
    return tuple(Line(place, *item) for place, item in enumerate(ordered, 1))


Valued = tuple[int, tuple[int, ...]]
"""An entrant, and the values that have been compared."""


def _order(tied: list[Valued], table: _Table, criteria: Sequence[Criterion]) -> Iterator[Valued]:
    if not criteria:
        yield from tied
        return
    values = table.values(criteria[0], [entrant for entrant, _ in tied])
    valued = [(entrant, (*before, values[entrant])) for entrant, before in tied]
    valued.sort(key=_last, reverse=True)
    for _, group in groupby(valued, key=_last):
        yield from _order(list(group), table, criteria[1:])


def _last(item: Valued) -> int:
    return item[1][-1]


class _Table:
    """What the criteria are computed from."""

    def __init__(self, played: Mapping[int, Sequence[Encounter]], lots: Mapping[int, int]) -> None:
        self._played = played
        self._lots = lots
        self._points = {
            entrant: sum(one.points for one in encounters) for entrant, encounters in played.items()
        }

    def values(self, criterion: Criterion, tied: Sequence[int]) -> dict[int, int]:
        """What a criterion says of entrants who are tied up to there."""
        if criterion is Criterion.DIRECT_ENCOUNTER:
            return self._direct(tied)
        return {entrant: self._value(criterion, entrant) for entrant in tied}

    def _value(self, criterion: Criterion, entrant: int) -> int:
        match criterion:
            case Criterion.POINTS:
                return self._points[entrant]
            case Criterion.BUCHHOLZ:
                return sum(self._met(entrant))
            case Criterion.BUCHHOLZ_CUT_1:
                met = self._met(entrant)
                return sum(met) - min(met, default=0)
            case Criterion.DIFFERENCE:
                return sum(one.difference for one in self._played[entrant])
            case Criterion.LOT:
                return -self._lots[entrant]
            case Criterion.DIRECT_ENCOUNTER:
                raise AssertionError("compares entrants with each other")

    def _met(self, entrant: int) -> list[int]:
        return [
            self._points[entrant if one.opponent is None else one.opponent]
            for one in self._played[entrant]
        ]

    def _direct(self, tied: Sequence[int]) -> dict[int, int]:
        among = {
            entrant: [one for one in self._played[entrant] if one.opponent in tied]
            for entrant in tied
        }
        met = {(entrant, one.opponent) for entrant in tied for one in among[entrant]}
        if any(pair not in met for pair in combinations(tied, 2)):
            return dict.fromkeys(tied, 0)
        return {entrant: sum(one.points for one in among[entrant]) for entrant in tied}
