"""Tie-breaks, by hand and by laws."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.tournament.pairing.ranking import (
    ALL_PLAY_ALL,
    DRAW,
    LOSS,
    SWISS,
    WIN,
    Criterion,
    Encounter,
    rank,
)
from engine.tournament.pairing.rotation import rotation


def table(*results: tuple[int, int, int, int]) -> dict[int, list[Encounter]]:
    """Matches as (entrant, entrant, points of the first, difference)."""
    played: dict[int, list[Encounter]] = {}
    for a, b, points, difference in results:
        played.setdefault(a, []).append(Encounter(b, points, difference))
        played.setdefault(b, []).append(Encounter(a, 2 - points, -difference))
    return played


def order(played: dict[int, list[Encounter]], criteria: Sequence[Criterion] = SWISS) -> list[int]:
    lots = {entrant: entrant for entrant in played}
    return [line.entrant for line in rank(played, lots, criteria)]


def test_buchholz_cut_1_leaves_the_weakest_out() -> None:
    """1 and 2 have 2 points each; 1 met 3 (2 points) and 4 (2), 2 met 5 (4) and 6 (0)."""
    played = table(
        (1, 3, WIN, 1), (1, 4, LOSS, -1), (2, 5, LOSS, -1), (2, 6, WIN, 1),
        (3, 7, WIN, 1), (5, 7, WIN, 1),
    )  # fmt: skip
    lines = {line.entrant: line for line in rank(played, {e: e for e in played})}
    assert lines[1].values[:3] == (2, 2, 4)
    assert lines[2].values[:3] == (2, 4, 4)
    assert lines[2].place < lines[1].place


def test_buchholz_where_cut_1_is_equal() -> None:
    played = table(
        (1, 3, WIN, 1), (1, 4, LOSS, 0), (2, 3, WIN, 1), (2, 5, LOSS, 0), (4, 5, DRAW, 0)
    )
    played[3].append(Encounter(None, LOSS))
    played[4].append(Encounter(None, DRAW))
    assert order(played)[:3] == [4, 5, 1]
    lines = {line.entrant: line.values for line in rank(played, {e: e for e in played})}
    assert lines[1][1:3] == (4, 4)
    assert lines[2][1:3] == (3, 3)


def test_a_bye_counts_like_one_against_an_equal() -> None:
    played = {1: [Encounter(None, WIN), Encounter(2, WIN, 5)], 2: [Encounter(1, LOSS, -5)]}
    lines = {line.entrant: line.values for line in rank(played, {1: 2, 2: 1})}
    assert lines[1][:3] == (4, 4, 4)
    assert lines[2][:3] == (0, 0, 4)


def test_direct_encounter_comes_before_difference() -> None:
    played = table(
        (1, 2, LOSS, -1), (1, 3, WIN, 20), (2, 3, LOSS, -9),
        (1, 4, WIN, 9), (2, 4, WIN, 1), (3, 4, LOSS, -1),
    )  # fmt: skip
    assert [line.values for line in rank(played, {e: e for e in played}, ALL_PLAY_ALL)] == [
        (4, 2, -7, -2),
        (4, 0, 28, -1),
        (2, 2, -9, -4),
        (2, 0, -12, -3),
    ]


def test_direct_encounter_needs_that_all_have_met() -> None:
    """1 beat 2, but neither met 3, who is level with them."""
    played = table((1, 2, WIN, 1), (3, 4, WIN, 5), (1, 5, LOSS, -3), (2, 6, WIN, 9))
    values = {
        line.entrant: line.values for line in rank(played, {e: e for e in played}, ALL_PLAY_ALL)
    }
    assert {e: values[e][:2] for e in (1, 2, 3)} == {1: (2, 0), 2: (2, 0), 3: (2, 0)}
    assert values[2][2] > values[3][2] > values[1][2]


def test_the_lot_decides_at_last() -> None:
    played = table((1, 2, DRAW, 0))
    assert [line.entrant for line in rank(played, {1: 9, 2: 4})] == [2, 1]


def test_the_lot_has_to_come_last() -> None:
    with pytest.raises(ValueError, match="lot comes last"):
        rank({}, {}, [Criterion.POINTS])


@given(st.integers(2, 8), st.data())
@settings(max_examples=40, deadline=None)
def test_a_total_order_whatever_the_input_looks_like(size: int, data: st.DataObject) -> None:
    results: list[tuple[int, int, int, int]] = []
    for one in rotation(range(1, size + 1)):
        for a, b in one.pairs:
            if data.draw(st.booleans()):
                results.append((a, b, data.draw(st.sampled_from([0, 1, 2])), 0))
    played = table(*results)
    if not played:
        return
    lots = dict(zip(played, data.draw(st.permutations(range(len(played)))), strict=True))
    lines = rank(played, lots)
    assert [line.place for line in lines] == list(range(1, len(played) + 1))
    assert [line.values[0] for line in lines] == sorted((v.values[0] for v in lines), reverse=True)
    again = {entrant: played[entrant] for entrant in data.draw(st.permutations(list(played)))}
    assert rank(again, lots) == lines
