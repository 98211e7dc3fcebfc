"""All-play-all: the Berger tables as they are printed, and what they promise for any number."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.tournament.pairing.rotation import rotation
from engine.tournament.pairing.rounds import Pair


@given(st.integers(2, 30), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_each_meets_each_once_a_cycle(size: int, cycles: int) -> None:
    entrants = [100 + n for n in range(size)]
    rounds = rotation(entrants, cycles)
    assert len(rounds) == cycles * (size - 1 + size % 2)
    met = Counter(frozenset(pair) for one in rounds for pair in one.pairs)
    assert set(met.values()) == {cycles}
    assert len(met) == size * (size - 1) // 2
    for one in rounds:
        there = [entrant for pair in one.pairs for entrant in pair]
        there += [] if one.bye is None else [one.bye]
        assert sorted(there) == entrants
    byes = Counter(one.bye for one in rounds if one.bye is not None)
    assert set(byes.values()) == ({cycles} if size % 2 else set())


@given(st.integers(2, 30), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_everybody_deals_first_equally_often(size: int, cycles: int) -> None:
    first: Counter[int] = Counter()
    for one in rotation(range(1, size + 1), cycles):
        for pair in one.pairs:
            first[pair.first] += 1
            first[pair.second] -= 1
    assert max(map(abs, first.values())) == (cycles % 2 if size % 2 == 0 else 0)


def test_the_table_for_six() -> None:
    """As the handbook of FIDE prints it."""
    printed = ["16 25 34", "64 53 12", "26 31 45", "65 14 23", "36 42 51"]
    expected = [{Pair(int(pair[0]), int(pair[1])) for pair in line.split()} for line in printed]
    assert [set(one.pairs) for one in rotation(range(1, 7))] == expected


@pytest.mark.parametrize("entrants", [[], [1], [1, 2, 1]])
def test_two_different_entrants_are_needed(entrants: list[int]) -> None:
    with pytest.raises(ValueError, match="two or more different"):
        rotation(entrants)
