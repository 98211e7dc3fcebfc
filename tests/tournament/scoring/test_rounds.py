"""Pontoon in rounds: tables, banks, orders of betting, who goes on."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.tournament.scoring.places import Place
from engine.tournament.scoring.rounds import (
    Advance,
    Run,
    advance,
    bankers,
    best_first,
    betting_order,
    tables,
)


@given(st.integers(1, 300), st.integers(1, 8))
@settings(max_examples=50, deadline=None)
def test_as_few_tables_as_hold_everybody(entrants: int, size: int) -> None:
    seated = tables(range(entrants), size)
    sizes = [len(table) for table in seated]
    assert sorted(entrant for table in seated for entrant in table) == list(range(entrants))
    assert max(sizes) <= size
    assert max(sizes) - min(sizes) <= 1
    assert (len(sizes) - 1) * size < entrants


@given(st.lists(st.integers(), min_size=1, max_size=8, unique=True), st.integers(1, 4), st.data())
@settings(max_examples=50, deadline=None)
def test_everybody_banks_equally_often(players: list[int], times: int, data: st.DataObject) -> None:
    out = data.draw(st.sets(st.sampled_from(players)))
    turns = Counter(bankers(players, times, out))
    assert turns == dict.fromkeys(set(players) - out, times)


@given(st.lists(st.integers(), min_size=1, max_size=8, unique=True), st.integers(1, 40))
@settings(max_examples=50, deadline=None)
def test_everybody_bets_first_equally_often(players: list[int], deals: int) -> None:
    for place in range(len(players)):
        at = Counter(betting_order(players, deal)[place] for deal in range(1, deals + 1))
        counts = [at[player] for player in players]
        assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (Run((10, 20)), Run((99, 19))),
        (Run((12, 20, 20)), Run((11, 20, 20))),
        (Run((0,)), Run((90, 90), out=True)),
        (Run((90, 0), out=True), Run((0,), out=True)),
        (Run((9, 5), out=True), Run((99, 4), out=True)),
    ],
)
def test_what_is_better(better: Run, worse: Run) -> None:
    assert best_first({1: worse, 2: better}, {1: 1, 2: 2}) == (2, 1)


def test_the_lot_where_all_was_equal() -> None:
    assert best_first({1: Run((5, 7)), 2: Run((5, 7))}, {1: 2, 2: 1}) == (2, 1)


def test_top_of_each_table_and_best_losers() -> None:
    seated = [
        {1: Run((100,)), 2: Run((90,)), 3: Run((20,))},
        {4: Run((60,)), 5: Run((50,)), 6: Run((50,)), 7: Run((0,), out=True)},
    ]
    lots = {entrant: entrant for entrant in range(1, 8)}
    assert advance(seated, lots, top=1, best_losers=2) == Advance(
        (1, 2, 4, 5), (Place(1, (6,)), Place(2, (3,)), Place(3, (7,)))
    )
    assert advance(seated, lots, top=2, best_losers=0).through == (1, 2, 4, 5)
    assert advance(seated, lots, top=9, best_losers=9).through == (1, 2, 3, 4, 5, 6)


def test_equal_stacks_share_a_place_whatever_the_way_there() -> None:
    seated = [{1: Run((9, 9)), 2: Run((5, 4)), 3: Run((6, 4)), 4: Run((1, 0))}]
    ended = advance(seated, {entrant: entrant for entrant in range(1, 5)}, 1, 0)
    assert ended.out == (Place(1, (2, 3)), Place(3, (4,)))


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), max_size=6),
        max_size=5,
    ),
    st.integers(0, 3),
    st.integers(0, 4),
)
@settings(max_examples=50, deadline=None)
def test_nobody_is_lost(rows: list[list[tuple[int, int, bool]]], top: int, losers: int) -> None:
    number = 0
    seated: list[dict[int, Run]] = []
    for row in rows:
        table = {number + n: Run((a, b), out) for n, (a, b, out) in enumerate(row)}
        number += len(row)
        seated.append(table)
    ended = advance(seated, {n: n for n in range(number)}, top, losers)
    gone = [entrant for place in ended.out for entrant in place.entrants]
    assert sorted([*ended.through, *gone]) == list(range(number))
    still = [sum(not run.out for run in table.values()) for table in seated]
    straight = sum(min(top, count) for count in still)
    assert len(ended.through) == straight + min(losers, sum(still) - straight)
    again = advance([dict(reversed(t.items())) for t in reversed(seated)],
                    {n: n for n in range(number)}, top, losers)  # fmt: skip
    assert again == ended
