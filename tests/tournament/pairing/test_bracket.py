"""Knock-out draws: one champion, everybody else has lost as often as puts him out."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.tournament.pairing.bracket import Played, bracket, played


def play(size: int, lives: int, chance: random.Random) -> tuple[Played, list[tuple[int, int]]]:
    """A whole knock-out in which anything may happen; also (winner, loser) of each match."""
    draw = bracket(size, lives)
    entrants = [100 + n for n in range(size)]
    won: dict[int, int] = {}
    matches: list[tuple[int, int]] = []
    while (state := played(draw, entrants, won)).champion is None:
        assert state.due
        named = [entrant for due in state.due for entrant in (due.a, due.b)]
        assert len(named) == len(set(named)), "nobody has two matches at once"
        gone = {entrant for group in state.out for entrant in group}
        assert gone.isdisjoint(named)
        due = chance.choice(state.due)
        winner = chance.choice((due.a, due.b))
        won[due.match] = winner
        matches.append((winner, due.a + due.b - winner))
    assert state.due == ()
    return state, matches


@given(st.integers(2, 40), st.sampled_from([1, 2]), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_one_champion(size: int, lives: int, chance: random.Random) -> None:
    state, matches = play(size, lives, chance)
    losses = Counter(loser for _, loser in matches)
    assert state.champion is not None
    assert losses[state.champion] < lives
    out = [entrant for group in state.out for entrant in group]
    assert sorted([*out, state.champion]) == [100 + n for n in range(size)]
    assert all(losses[entrant] == lives for entrant in out)
    assert len(matches) == lives * (size - 1) + losses[state.champion]


@given(st.integers(2, 40), st.sampled_from([1, 2]), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_who_lasted_longer_stands_higher(size: int, lives: int, chance: random.Random) -> None:
    """Nobody is placed before the one who put him out, and no two of one place met last."""
    state, matches = play(size, lives, chance)
    assert state.champion is not None
    groups = [(state.champion,), *state.out]
    place = {entrant: n for n, group in enumerate(groups) for entrant in group}
    last: dict[int, int] = {loser: winner for winner, loser in matches}
    assert all(place[winner] < place[loser] for loser, winner in last.items() if place[loser])


@pytest.mark.parametrize("size", [2, 3, 5, 8, 13, 32, 256])
def test_the_stronger_always_wins(size: int) -> None:
    """The first in the draw meets the second in the final, the third and fourth before that."""
    for lives in (1, 2):
        draw = bracket(size, lives)
        entrants = list(range(1, size + 1))
        won: dict[int, int] = {}
        while (state := played(draw, entrants, won)).champion is None:
            won |= {due.match: min(due.a, due.b) for due in state.due}
        assert state.champion == 1
        assert state.out[0] == (2,)
        if size > 3:
            assert state.out[1] == ((3, 4) if lives == 1 else (3,))


def test_byes_go_to_the_first_in_the_draw() -> None:
    """Of five the first three have no match at first, and wait for the one that there is."""
    entrants = [0, 1, 2, 3, 4]
    first = played(bracket(5), entrants, {}).due
    assert [{due.a, due.b} for due in first] == [{3, 4}]
    second = played(bracket(5), entrants, {first[0].match: 4}).due
    assert [{due.a, due.b} for due in second] == [{0, 4}, {1, 2}]


@given(st.integers(2, 40), st.sampled_from([1, 2]), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_played_round_by_round(size: int, lives: int, chance: random.Random) -> None:
    """Who goes out together shares a place, and whoever goes out later stands higher."""
    draw = bracket(size, lives)
    entrants = chance.sample(range(size), size)
    won: dict[int, int] = {}
    before: tuple[tuple[int, ...], ...] = ()
    while (state := played(draw, entrants, won)).champion is None:
        won |= {due.match: chance.choice((due.a, due.b)) for due in state.due}
        after = played(draw, entrants, won).out
        assert after[len(after) - len(before) :] == before, "nobody joins those who went before"
        assert len(after) - len(before) <= 1
        before = after


def test_the_second_final_is_played_only_after_a_first_loss() -> None:
    draw = bracket(2, lives=2)
    first = {0: 7}
    assert [due.match for due in played(draw, [7, 8], first).due] == [1]
    assert played(draw, [7, 8], {**first, 1: 7}) == Played((), ((8,),), 7)
    again = played(draw, [7, 8], {**first, 1: 8})
    assert ([due.match for due in again.due], again.champion) == ([2], None)
    assert played(draw, [7, 8], {**first, 1: 8, 2: 7}) == Played((), ((8,),), 7)
    assert played(draw, [7, 8], {**first, 1: 8, 2: 8}) == Played((), ((7,),), 8)


@pytest.mark.parametrize(("entrants", "lives"), [(1, 1), (0, 2), (4, 0), (4, 3)])
def test_draws_that_make_no_sense(entrants: int, lives: int) -> None:
    with pytest.raises(ValueError, match=r"needed|puts"):
        bracket(entrants, lives)
