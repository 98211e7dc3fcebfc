"""Swiss pairing: everybody plays every round, nobody the same opponent twice.

The rule, which can be followed by hand:

1. Entrants stand in the order of their points, then of their lots.
2. Of an odd number the lowest who has had no bye gets one, if all others can then be paired.
3. From the top, everybody in turn gets the first of his candidates with whom all others can still
   be paired, and who leaves as many pairs within his group of equal points as are possible.
4. His candidates are those he has not met, nearest points first; those who do not need the first
   deal as he does before those who do; and then the upper half of a group meets the lower half
   (of six the first meets the fourth, else the fifth, sixth, third, second), while in groups
   below his own the order is the standing.
5. First deals are kept equal (:mod:`engine.tournament.pairing.deals`).  Two who both have two
   more first deals than second ones, or two fewer, do not meet.

"Can be paired" is a question to a largest matching, so nothing is ever tried and taken back, and a
pairing is found whenever there is one.  Where there is none, the last sentence of 5 is dropped,
then "who has had no bye".  The latter never happens in up to half as many rounds as entrants:
everybody still has half of the field to meet, and then a pairing exists (Dirac 1952).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from typing import Final, NamedTuple

from engine.tournament.pairing.deals import Dealer, ahead, first_to_deal
from engine.tournament.pairing.matching import Matching
from engine.tournament.pairing.rounds import Pair, Round

__all__ = ["Standing", "most_rounds", "pair_round"]

MOST_AHEAD: Final = 2
"""First deals that anybody may have more or fewer than second ones, where it can be helped."""


class Standing(NamedTuple):
    """What a pairing needs to know of an entrant.

    ``lot``: his place in the draw, another for each; ``dealt``: for each match that he played, in
    order, whether he dealt first.
    """

    entrant: int
    points: int
    lot: int
    met: frozenset[int] = frozenset()
    dealt: tuple[bool, ...] = ()
    had_bye: bool = False

    @property
    def dealer(self) -> Dealer:
        """What decides who deals first."""
        return Dealer(self.entrant, self.lot, self.dealt)

    @property
    def ahead(self) -> int:
        """First deals less second ones."""
        return ahead(self.dealt)


def most_rounds(entrants: int) -> int:
    """How many rounds can be paired for certain, whatever the results.

    >>> most_rounds(7), most_rounds(8)
    (4, 4)
    """
    return (entrants + 1) // 2


def pair_round(standings: Iterable[Standing]) -> Round | None:
    """The next round, by the rule above; None where somebody would have to be met twice.

    The order in which the standings are given does not matter.

    >>> pair_round([Standing(n, 0, n) for n in range(1, 6)])
    Round(pairs=(Pair(first=1, second=3), Pair(first=2, second=4)), bye=5)
    """
    order = sorted(standings, key=lambda standing: (-standing.points, standing.lot))
    for again, bounded in ((False, True), (False, False), (True, True), (True, False)):
        graph = _who_may_meet(order, bounded=bounded)
        whole = Matching(graph, graph)
        for bye in _byes(order, again=again):
            rest = whole if bye is None else whole.without(bye.entrant)
            if rest.is_perfect:
                players = [standing for standing in order if standing is not bye]
                pairs = tuple(_pairs(players, graph, rest))
                return Round(pairs, None if bye is None else bye.entrant)
    return None


def _who_may_meet(order: Sequence[Standing], *, bounded: bool) -> dict[int, set[int]]:
    everyone = {standing.entrant for standing in order}
    dealt_more = {standing.entrant for standing in order if standing.ahead >= MOST_AHEAD}
    dealt_less = {standing.entrant for standing in order if standing.ahead <= -MOST_AHEAD}
    graph: dict[int, set[int]] = {}
    for standing in order:
        graph[standing.entrant] = everyone - standing.met - {standing.entrant}
        for alike in (dealt_more, dealt_less):
            if bounded and standing.entrant in alike:
                graph[standing.entrant] -= alike
    return graph


def _byes(order: Sequence[Standing], *, again: bool) -> Iterator[Standing | None]:
    """Who may have the bye, best first."""
    if len(order) % 2 == 0:
        yield None
    else:
        yield from (standing for standing in reversed(order) if again or not standing.had_bye)


def _need_the_same(a: Standing, b: Standing) -> bool:
    return a.ahead * b.ahead > 0


def _pairs(
    order: Sequence[Standing], graph: Mapping[int, AbstractSet[int]], whole: Matching[int]
) -> Iterator[Pair]:
    left = list(order)
    inside = Matching(graph, ())
    level: int | None = None
    while left:
        first = left[0]
        group = [standing for standing in left if standing.points == first.points]
        if level != first.points:
            level = first.points
            inside = Matching(graph, [standing.entrant for standing in group])
        for wanted, second in _tries(inside.pairs, first, left):
            gone = first.entrant, second.entrant
            if second.entrant not in graph[first.entrant]:
                continue
            kept = inside.without(*gone)
            if kept.pairs + (second.points == level) < wanted:
                continue
            rest = whole.without(*gone)
            if rest.is_perfect:
                break
        else:
            raise AssertionError("what is left can always be paired")
        yield first_to_deal(first.dealer, second.dealer)
        left = [standing for standing in left if standing not in (first, second)]
        whole, inside = rest, kept


def _tries(most: int, first: Standing, left: Sequence[Standing]) -> Iterator[tuple[int, Standing]]:
    """Candidates, and how many pairs there are to be in the group with them: fewer at last."""
    for wanted in range(most, -1, -1):
        for second in _candidates(first, left):
            yield wanted, second


def _candidates(first: Standing, left: Sequence[Standing]) -> Iterator[Standing]:
    """All others, in the order in which ``first``, the uppermost, would like to meet them."""
    for points, group in groupby(left, key=lambda standing: standing.points):
        members = list(group)
        order: Sequence[int] = range(len(members))
        if points == first.points:
            half = len(members) // 2
            order = [*order[half:], *reversed(order[1:half])] if half else []
        ranked = [members[at] for at in order]
        yield from (other for other in ranked if not _need_the_same(first, other))
        yield from (other for other in ranked if _need_the_same(first, other))
