"""Prizes to the unit: tables of percentages, odd units, guarantees, ties."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tournament import money, persistent
from engine.tournament.money import prizes_of, shares_for, split, tied_prizes
from engine.tournament.state import Money, Tournament
from engine.tournament.structure import MAX_ENTRANTS, WHOLE, Payouts, Structure

COUNTS = [1, 3, 4, 7, 8, 19, 20, 39, 40, 79, 80, 81, 1_000, 11_999, 12_000, MAX_ENTRANTS]


@pytest.mark.parametrize("module", [money, persistent])
def test_examples_in_the_docstrings_run(module):
    """Every example gives what it says."""
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("entries", [*COUNTS, MAX_ENTRANTS * 101])
def test_the_standard_tables_pay_out_everything(entries):
    """Whatever the field: the whole pool, no place more than the one before it."""
    shares = shares_for(Structure(), entries)
    assert sum(shares) == WHOLE
    assert list(shares) == sorted(shares, reverse=True)
    assert shares[-1] >= 1
    assert len(shares) <= entries


def test_more_entries_pay_more_places():
    """About one in eight of a large field, at most 1,500 places."""
    assert [len(shares_for(Structure(), count)) for count in COUNTS] == [
        *(1, 1, 2, 2, 3, 3, 5, 5, 8, 8, 10, 10, 125, 1_499, 1_500, 1_500)
    ]


def test_a_table_of_its_own_pays_by_the_row_of_its_entries():
    """The last row that begins with so many entries or fewer."""
    own = Structure(payouts=(Payouts(2, (10_000,)), Payouts(5, (7_000, 3_000))))
    assert shares_for(own, 4) == (10_000,)
    assert shares_for(own, 5) == (7_000, 3_000)
    assert shares_for(own, 5_000) == (7_000, 3_000)


def pool(amount: int, entries: int, **fields: object) -> Tournament:
    return Tournament(
        structure=Structure(**fields),  # type: ignore[arg-type]
        field=entries,
        money=Money(pool=amount),
    )


def test_odd_units_go_to_the_first_places_that_were_rounded():
    """Half, 30 % and 20 %: of 101 that is 50.5, 30.3 and 20.2; of 102 it is 51, 30.6 and 20.4."""
    assert prizes_of(pool(101, 8)).prizes == (51, 30, 20)
    assert prizes_of(pool(102, 8)).prizes == (51, 31, 20)


def test_places_that_win_nothing_are_not_in_the_money():
    """A pool of 2 pays two places of three, one of nothing none."""
    assert prizes_of(pool(2, 8)).prizes == (1, 1)
    assert prizes_of(pool(0, 8)).prizes == ()


def test_the_house_adds_what_a_guarantee_lacks():
    """And nothing where the pool is as large."""
    short = prizes_of(pool(600, 8, guarantee=1_000))
    assert (short.prizes, short.added) == ((500, 300, 200), 400)
    enough = prizes_of(pool(1_000, 8, guarantee=1_000))
    assert (enough.prizes, enough.added) == ((500, 300, 200), 0)


def test_who_share_a_place_share_the_prizes_of_all_they_fill():
    """Also of places that win nothing; the odd units go to the first entries."""
    assert tied_prizes((50, 30, 20), 1, 3) == [34, 33, 33]
    assert tied_prizes((50, 30, 20), 3, 2) == [10, 10]
    assert tied_prizes((50, 30, 20), 4, 2) == [0, 0]


@given(
    st.integers(0, 10**15),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=50).filter(any),
)
def test_a_split_loses_nothing_and_is_fair_to_the_unit(amount, weights):
    """Each part differs from its exact share by less than one unit."""
    parts = split(amount, weights)
    assert sum(parts) == amount
    whole = sum(weights)
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part * whole - amount * weight) < whole
