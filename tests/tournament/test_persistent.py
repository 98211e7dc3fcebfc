"""Collections that share what did not change hold what a list and a dict would."""

from __future__ import annotations

from itertools import count
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tournament.persistent import Named, Numbered, lowest, members


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 1_023, 1_024, 1_025, 32_768, 32_769])
def test_items_have_their_numbers_at_every_depth(size):
    """Where a level more begins too; the number after the last one is none."""
    numbered: Numbered[int] = Numbered()
    for item in range(size):
        numbered = numbered.add(-item)
    assert len(numbered) == size
    assert list(numbered) == [-item for item in range(size)]
    for wrong in (-1, size):
        with pytest.raises(IndexError):
            numbered[wrong]
        with pytest.raises(IndexError):
            numbered.put(wrong, 0)


@given(st.lists(st.integers(), min_size=1, max_size=80), st.data())
def test_a_change_leaves_what_was_before(items, data):
    """The older collection still says what it said, and equal contents are equal."""
    numbered: Numbered[int] = Numbered()
    for item in items:
        numbered = numbered.add(item)
    at = data.draw(st.integers(0, len(items) - 1))
    changed = numbered.put(at, 7)
    assert list(numbered) == items
    assert list(changed) == [*items[:at], 7, *items[at + 1 :]]
    assert changed.put(at, items[at]) == numbered


@given(st.lists(st.tuples(st.text("aé", max_size=3), st.integers(0, 9)), max_size=20))
def test_names_have_what_they_were_given_last(pairs):
    """Whatever the names are, and in whatever order they came."""
    named: Named[int] = Named()
    for name, item in pairs:
        named = named.put(name, item)
    expected = dict(pairs)
    assert {name: named.get(name) for name in expected} == expected
    assert named.get("not there") is None
    backwards: Named[int] = Named()
    for name, item in reversed([*expected.items()]):
        backwards = backwards.put(name, item)
    assert backwards == named


def test_names_with_the_same_checksum_are_told_apart():
    """They share a leaf."""
    mask = (1 << 15) - 1
    twin = next(str(n) for n in count() if crc32(str(n).encode()) & mask == crc32(b"ann") & mask)
    empty: Named[int] = Named()
    named = empty.put("ann", 1).put(twin, 2).put("ann", 3)
    assert (named.get("ann"), named.get(twin)) == (3, 2)


@given(st.sets(st.integers(0, 300)))
def test_sets_are_the_bits_of_an_integer(numbers):
    """Members ascending."""
    bits = sum(1 << number for number in numbers)
    assert list(members(bits)) == sorted(numbers)
    if numbers:
        assert lowest(bits) == min(numbers)
