"""Cards, names and sets."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import cards
from engine.cards import (
    ALL_CARDS,
    HIDDEN,
    PACK,
    RANKS,
    SUITS,
    card_name,
    from_set,
    make_card,
    parse_card,
    rank_of,
    rank_set,
    set_of,
    suit_of,
    suit_set,
    to_set,
)


def test_examples_in_the_docstrings_run():
    """Every example of engine.cards gives what it says."""
    result = doctest.testmod(cards)
    assert (result.failed, result.attempted > 5) == (0, True)


def test_the_pack_is_in_canonical_order():
    """2c 3c … Ac, 2d … As: ids 1…52 (C8)."""
    assert tuple(range(1, 53)) == PACK
    assert [card_name(card) for card in PACK] == [r + s for s in SUITS for r in RANKS]
    assert [card_name(c) for c in (1, 13, 14, 52)] == ["2c", "Ac", "2d", "As"]


def test_names_and_ids_go_both_ways():
    """A card is 13·suit + rank + 1."""
    for card in PACK:
        assert parse_card(card_name(card)) == card == make_card(suit_of(card), rank_of(card))
        assert card_name(card) == RANKS[rank_of(card)] + SUITS[suit_of(card)]


def test_a_hidden_face_has_a_print_but_no_card():
    """0 prints ?? and is read by nobody as a card."""
    assert card_name(HIDDEN) == "??"
    for call in (lambda: parse_card("??"), lambda: to_set([HIDDEN]), lambda: set_of(HIDDEN)):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize(
    "name", ["", "T", "10c", "tc", "TC", "Tc ", " Tc", "1c", "Tx", "T\n", "cT"]
)
def test_other_names_are_refused(name):
    """No trimming, no other case, no tens in digits."""
    with pytest.raises(ValueError, match="no card is called"):
        parse_card(name)


@pytest.mark.parametrize("number", [-1, 53, 255, 2**70])
def test_other_numbers_are_refused(number):
    """Ids end at 52, and none is negative."""
    with pytest.raises(ValueError, match=str(number)):
        card_name(number)
    with pytest.raises(ValueError, match=str(number)):
        to_set([1, number])
    with pytest.raises(ValueError, match=str(number)):
        set_of(number)


@pytest.mark.parametrize(("suit", "rank"), [(-1, 0), (4, 0), (0, -1), (0, 13)])
def test_suits_and_ranks_outside_the_pack_are_refused(suit, rank):
    """Four suits, thirteen ranks."""
    with pytest.raises(ValueError, match="no card has suit"):
        make_card(suit, rank)


@given(st.sets(st.sampled_from(PACK)))
def test_sets_hold_their_cards(chosen):
    """from_set(to_set(x)) is x in canonical order; set algebra is integer algebra."""
    bits = to_set(chosen)
    assert from_set(bits) == tuple(sorted(chosen))
    assert bits == sum(1 << 16 * suit_of(c) + rank_of(c) for c in chosen)
    assert bits.bit_count() == len(chosen)
    assert from_set(ALL_CARDS & ~bits) == tuple(sorted(set(PACK) - chosen))


@given(st.lists(st.sampled_from(PACK)))
def test_a_card_given_twice_counts_once(chosen):
    """Order and repetition do not matter."""
    assert to_set(chosen) == to_set(set(chosen))


@given(st.integers())
def test_words_with_other_bits_are_no_sets(word):
    """Three spare bits in each lane, nothing above, nothing negative."""
    if word & ~ALL_CARDS:
        with pytest.raises(ValueError, match="no card set"):
            from_set(word)
    else:
        assert to_set(from_set(word)) == word


def test_suits_and_ranks_as_sets():
    """Thirteen cards of a suit, four of a rank; together the pack."""
    for suit in range(4):
        assert from_set(suit_set(suit)) == tuple(c for c in PACK if suit_of(c) == suit)
    for rank in range(13):
        assert from_set(rank_set(rank)) == tuple(c for c in PACK if rank_of(c) == rank)
    assert from_set(ALL_CARDS) == PACK
    assert [from_set(set_of(card)) for card in PACK] == [(card,) for card in PACK]
