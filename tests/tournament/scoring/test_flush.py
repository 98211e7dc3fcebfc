"""Royal Flush: the choice and the series."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.tournament.scoring.choice import (
    AVERAGE,
    LEAST_CHANCE,
    Score,
    rank_choice,
    worth,
)
from engine.tournament.scoring.places import Place, places
from engine.tournament.scoring.series import Wins, rank_series


@given(st.fractions(LEAST_CHANCE, 1))
@settings(max_examples=50, deadline=None)
def test_every_choice_scores_the_same_on_average(chance: Fraction) -> None:
    """To half a point of a win."""
    assert abs(worth(chance) * chance - AVERAGE) <= chance / 2
    assert worth(chance) < 2**63


@pytest.mark.parametrize("chance", [Fraction(0), LEAST_CHANCE / 2, Fraction(-1, 2), Fraction(3, 2)])
def test_chances_that_cannot_be_offered(chance: Fraction) -> None:
    with pytest.raises(ValueError, match="a chance from"):
        worth(chance)


def test_the_bounds_of_a_chance() -> None:
    assert worth(LEAST_CHANCE) == AVERAGE * 10**9
    assert worth(Fraction(1)) == AVERAGE
    assert worth(Fraction(400_000, 1_000_001)) == 2_500_003, "2,500,002.5 is rounded up"


def test_points_then_cards_then_commitment() -> None:
    scores = {
        1: Score(2_000_000, 3, 4),
        2: Score(40_000_000, 30, 9),
        3: Score(2_000_000, 2, 8),
        4: Score(2_000_000, 3, 1),
        5: Score(2_000_000, 3, 1),
    }
    assert rank_choice(scores) == (
        Place(1, (2,)), Place(2, (3,)), Place(3, (4, 5)), Place(5, (1,)),
    )  # fmt: skip


def test_series_by_wins_then_cards() -> None:
    wins = {1: Wins(1, 10), 2: Wins(2, 90), 3: Wins(1, 9), 4: Wins(1, 10)}
    assert rank_series(wins) == (Place(1, (2,)), Place(2, (3,)), Place(3, (1, 4)))


@given(st.dictionaries(st.integers(1, 99), st.integers(0, 5)))
@settings(max_examples=50, deadline=None)
def test_places_count_who_is_better(keys: dict[int, int]) -> None:
    """One plus the number of those who are better, from any order of input."""
    told = {entrant: one.place for one in places(keys) for entrant in one.entrants}
    assert told == {e: 1 + sum(k > key for k in keys.values()) for e, key in keys.items()}
    assert places(dict(reversed(keys.items()))) == places(keys)


def test_thousands_of_entrants() -> None:
    """Ten thousand are placed without anything that grows with their square."""
    scores = {entrant: Score(entrant % 7, entrant % 11, entrant % 13) for entrant in range(10_000)}
    ranked = rank_choice(scores)
    assert sum(len(one.entrants) for one in ranked) == 10_000
    assert len(ranked) == 7 * 11 * 13
