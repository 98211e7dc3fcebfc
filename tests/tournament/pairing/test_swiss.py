"""Swiss rounds: by the published rule, complete, fair and the same from any order of input."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.tournament.pairing.rounds import Pair, Round
from engine.tournament.pairing.swiss import Standing, most_rounds, pair_round


def field(size: int) -> list[Standing]:
    return [Standing(entrant=100 + n, points=0, lot=n) for n in range(size)]


def after(standings: Sequence[Standing], paired: Round, chance: random.Random) -> list[Standing]:
    """The standings after a round in which anything may happen."""
    news = {standing.entrant: standing for standing in standings}
    if paired.bye is not None:
        standing = news[paired.bye]
        news[paired.bye] = standing._replace(points=standing.points + 2, had_bye=True)
    for pair in paired.pairs:
        points = chance.choice((0, 1, 2, 2, 0))
        for me, other, mine in ((*pair, points), (*reversed(pair), 2 - points)):
            standing = news[me]
            news[me] = standing._replace(
                points=standing.points + mine,
                met=standing.met | {other},
                dealt=(*standing.dealt, me == pair.first),
            )
    return list(news.values())


@given(st.integers(2, 24), st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_a_whole_tournament_is_fair(size: int, chance: random.Random) -> None:
    """Everybody plays each round but one bye at most, nobody twice the same."""
    standings = field(size)
    for number in range(1, most_rounds(size) + 1):
        paired = pair_round(standings)
        assert paired is not None
        shuffled = chance.sample(standings, len(standings))
        assert pair_round(shuffled) == paired
        named = [entrant for pair in paired.pairs for entrant in pair]
        assert len(named) + (paired.bye is not None) == size
        assert {*named, *([paired.bye] if paired.bye else [])} == {s.entrant for s in standings}
        before = {standing.entrant: standing for standing in standings}
        assert all(b not in before[a].met for a, b in paired.pairs)
        assert paired.bye is None or not before[paired.bye].had_bye
        standings = after(standings, paired, chance)
        assert all(len(s.met) + s.had_bye == number for s in standings)


@given(st.integers(2, 40), st.randoms(use_true_random=False))
@settings(max_examples=12, deadline=None)
def test_first_deals_stay_equal(size: int, chance: random.Random) -> None:
    standings = field(size)
    for _ in range(most_rounds(size) // 2):
        paired = pair_round(standings)
        assert paired is not None
        standings = after(standings, paired, chance)
        assert all(abs(standing.ahead) <= 2 for standing in standings)


# The oracle: the rule of the module's docstring, every question answered by trying everything.


def complete(left: tuple[Standing, ...], met: set[frozenset[int]]) -> bool:
    if not left:
        return True
    first, *rest = left
    return any(
        frozenset((first.entrant, other.entrant)) not in met
        and complete(tuple(one for one in rest if one is not other), met)
        for other in rest
    )


def pairs_in(left: Sequence[Standing], met: set[frozenset[int]]) -> int:
    if not left:
        return 0
    first, *rest = left
    with_first = [
        1 + pairs_in([one for one in rest if one is not other], met)
        for other in rest
        if frozenset((first.entrant, other.entrant)) not in met
    ]
    return max([pairs_in(rest, met), *with_first])


def by_hand(standings: Sequence[Standing]) -> tuple[list[frozenset[int]], int | None] | None:
    order = sorted(standings, key=lambda s: (-s.points, s.lot))
    for again, bounded in product((False, True), (True, False)):
        met = {frozenset((s.entrant, other)) for s in order for other in s.met}
        for a, b in product(order, order):
            if bounded and a is not b and {a.ahead, b.ahead} in ({2}, {-2}):
                met.add(frozenset((a.entrant, b.entrant)))
        byes: list[Standing | None] = [None]
        if len(order) % 2:
            byes = [s for s in reversed(order) if again or not s.had_bye]
        for bye in byes:
            left = [standing for standing in order if standing is not bye]
            if complete(tuple(left), met):
                return down_the_table(left, met), bye and bye.entrant
    return None


def down_the_table(left: list[Standing], met: set[frozenset[int]]) -> list[frozenset[int]]:
    found: list[frozenset[int]] = []
    while left:
        first = left[0]
        group = [s for s in left if s.points == first.points]
        half = len(group) // 2
        wish = group[half:] + group[:half][:0:-1] if half else []
        wish = [s for s in wish if s is not first]
        levels = [wish]
        lower = sorted({s.points for s in left} - {first.points}, reverse=True)
        levels.extend([s for s in left if s.points == points] for points in lower)
        candidates = [
            s
            for level in levels
            for clash in (0, 1)
            for s in level
            if (first.ahead * s.ahead > 0) == bool(clash)
        ]

        def floats(
            second: Standing, first: Standing = first, group: Sequence[Standing] = group
        ) -> int:
            return pairs_in([s for s in group if s not in (first, second)], met) + (second in group)

        able = [
            s
            for s in candidates
            if frozenset((first.entrant, s.entrant)) not in met
            and complete(tuple(o for o in left if o not in (first, s)), met)
        ]
        most = max(map(floats, able))
        second = next(s for s in able if floats(s) == most)
        found.append(frozenset((first.entrant, second.entrant)))
        left = [s for s in left if s not in (first, second)]
    return found


@given(st.integers(2, 8), st.integers(1, 6), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_rule_followed_by_hand(size: int, rounds: int, chance: random.Random) -> None:
    """Also past the number of rounds that can be paired for certain."""
    standings = field(size)
    for _ in range(rounds):
        paired, expected = pair_round(standings), by_hand(standings)
        if expected is None:
            assert paired is None
            break
        assert paired is not None
        assert ([frozenset(pair) for pair in paired.pairs], paired.bye) == expected
        standings = after(standings, paired, chance)


def test_the_first_round_folds_the_field() -> None:
    paired = pair_round(field(7))
    assert paired == Round((Pair(100, 103), Pair(101, 104), Pair(102, 105)), bye=106)


def test_the_bye_goes_to_the_lowest_who_had_none() -> None:
    standings = [s._replace(points=3 - n, had_bye=n > 0) for n, s in enumerate(field(3))]
    paired = pair_round(standings)
    assert paired is not None
    assert paired.bye == 100


def test_a_bye_falls_twice_rather_than_nobody_plays() -> None:
    standings = [s._replace(had_bye=True) for s in field(3)]
    assert pair_round(standings) == Round((Pair(100, 101),), bye=102)


def test_nobody_is_met_twice_whatever_it_costs() -> None:
    a, b = field(2)
    assert pair_round([a._replace(met=frozenset({101})), b._replace(met=frozenset({100}))]) is None


def test_a_pair_is_not_made_that_would_leave_two_to_float() -> None:
    """A and B are level with C and D; B has met D, so A leaves C to B although he comes first."""
    a, b, c, d, e, f = (s._replace(points=2 if n < 4 else 0) for n, s in enumerate(field(6)))
    b, d = b._replace(met=frozenset({103})), d._replace(met=frozenset({101}))
    paired = pair_round([a, b, c, d, e, f])
    assert paired is not None
    assert {frozenset(pair) for pair in paired.pairs} == {
        frozenset({100, 103}),
        frozenset({101, 102}),
        frozenset({104, 105}),
    }


@pytest.mark.parametrize(
    ("a", "b", "first"),
    [
        ((), (), 100),
        ((True,), (False,), 101),
        ((True, False), (False, True), 100),
        ((True, False), (True, False), 100),
        ((True,), (), 101),
        ((True, True, False), (True,), 100),
    ],
)
def test_who_deals_first(a: tuple[bool, ...], b: tuple[bool, ...], first: int) -> None:
    one, two = field(2)
    paired = pair_round([one._replace(dealt=a), two._replace(dealt=b)])
    assert paired is not None
    assert paired.pairs[0].first == first


def test_two_who_both_dealt_first_too_often_do_not_meet() -> None:
    often = (True, True)
    a, b, c, d = (s._replace(dealt=often if n in {0, 2} else ()) for n, s in enumerate(field(4)))
    paired = pair_round([a, b, c, d])
    assert paired is not None
    assert frozenset({100, 102}) not in {frozenset(pair) for pair in paired.pairs}
    both = pair_round([a, c])
    assert both is not None, "but they do where nobody else is there"
    assert set(both.pairs[0]) == {100, 102}


def test_256_entrants() -> None:
    """A field as large as a tournament may be, and more rounds than any plays."""
    chance = random.Random(8)
    standings = field(256)
    for _ in range(9):
        paired = pair_round(standings)
        assert paired is not None
        standings = after(standings, paired, chance)
    assert all(len(standing.met) == 9 for standing in standings)
