"""The strength of hands as the rules state it, and the checks at the edge to C."""

from __future__ import annotations

import doctest
import operator
import random
import warnings
from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from engine import ranking
from engine.cards import ALL_CARDS, PACK, card_name, from_set, parse_card, to_set
from engine.ranking import (
    Category,
    best_cards,
    category,
    ranks,
    strength,
    strength_list,
    strengths,
    strengths_into,
    unchecked_strength,
    unchecked_strength_ace_high,
)
from tests.examples import examples
from tests.native import twins

HANDS = st.sets(st.sampled_from(PACK), max_size=13)


def hand(names: str) -> int:
    return to_set(map(parse_card, names.split()))


def value(cards: int, ace_low: bool = True) -> tuple[str, tuple[int, ...]]:
    word = strength(cards, ace_low)
    return category(word).name, ranks(word)


def test_examples_in_the_docstrings_run():
    """Every example of engine.ranking gives what it says."""
    result = doctest.testmod(ranking)
    assert (result.failed, result.attempted > 5) == (0, True)


def test_categories_have_their_names_and_order():
    """Low to high.  Palace Poker 7.1."""
    assert [c.name for c in sorted(Category)] == [
        "HIGH_CARD",
        "PAIR",
        "TWO_PAIR",
        "THREE_OF_A_KIND",
        "STRAIGHT",
        "FLUSH",
        "FULL_HOUSE",
        "FOUR_OF_A_KIND",
        "STRAIGHT_FLUSH",
    ]
    assert list(Category) == list(range(9))


TABLE = """
(none)                      | HIGH_CARD (0,0,0,0,0)        | < | 2c             | HIGH_CARD (2,0,0,0,0)
As                          | HIGH_CARD (14,0,0,0,0)       | < | 2c 2d          | PAIR (2,0,0,0,0)
Ac Kd Qh Js                 | HIGH_CARD (14,13,12,11,0)    | < | 2c 2d          | PAIR (2,0,0,0,0)
Ac Ad                       | PAIR (14,0,0,0,0)            | < | Ah As 2c       | PAIR (14,2,0,0,0)
Ac Ad Kh Ks                 | TWO_PAIR (14,13,0,0,0)       | < | Ah As Kc Kd 2h | TWO_PAIR (14,13,2,0,0)
Ac Ad Ah Ks Kd              | FULL_HOUSE (14,13,0,0,0)     | < | 2c 2d 2h 2s    | FOUR_OF_A_KIND (2,0,0,0,0)
9c Tc Jc Qc                 | HIGH_CARD (12,11,10,9,0)     | < | 9d 9h          | PAIR (9,0,0,0,0)
Ah 2c 3d 4s 5h              | STRAIGHT (5,0,0,0,0)         | < | 2d 3c 4h 5s 6c | STRAIGHT (6,0,0,0,0)
Ac 2c 3c 4c 5c              | STRAIGHT_FLUSH (5,0,0,0,0)   | > | 7c 7d 7h 7s Ac | FOUR_OF_A_KIND (7,14,0,0,0)
9c 9d 9h                    | THREE_OF_A_KIND (9,0,0,0,0)  | > | 8c 8d 8h As Kd | THREE_OF_A_KIND (8,14,13,0,0)
3c 3d 5h 5s 7c 7d 9h 9s 2c  | TWO_PAIR (9,7,5,0,0)         | = | 9c 9d 7h 7s 5c | TWO_PAIR (9,7,5,0,0)
"""  # noqa: E501

ROWS = [tuple(map(str.strip, line.split("|"))) for line in TABLE.strip().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=operator.itemgetter(0))
def test_values_to_check_an_implementation_by(row):
    """Every row of the table.  Palace Poker 7.7."""
    left, left_value, sign, right, right_value = row
    words = [strength(hand(names.replace("(none)", ""))) for names in (left, right)]
    for word, expected in zip(words, (left_value, right_value), strict=True):
        name, five = expected.split()
        assert (category(word).name, ranks(word)) == (name, tuple(map(int, five[1:-1].split(","))))
    compare = {"<": operator.lt, "=": operator.eq, ">": operator.gt}[sign]
    assert compare(*words)


def test_ace_is_low_by_option_only_and_never_in_the_middle():
    """No wrap-around; without the option A 2 3 4 5 is a high card or a flush.  Palace Poker 7.3."""
    wheel, suited = hand("Ah 2c 3d 4s 5h"), hand("Ac 2c 3c 4c 5c")
    assert value(wheel) == ("STRAIGHT", (5, 0, 0, 0, 0))
    assert value(wheel, ace_low=False) == ("HIGH_CARD", (14, 5, 4, 3, 2))
    assert value(suited) == ("STRAIGHT_FLUSH", (5, 0, 0, 0, 0))
    assert value(suited, ace_low=False) == ("FLUSH", (14, 5, 4, 3, 2))
    assert value(hand("Kd Ac 2h 3s 4d")) == ("HIGH_CARD", (14, 13, 4, 3, 2))
    assert value(hand("Td Jc Qh Ks Ad"), ace_low=False) == ("STRAIGHT", (14, 0, 0, 0, 0))


@pytest.mark.parametrize(
    ("names", "best"),
    [
        ("", ""),
        ("9c 9d 9h 9s 5s 5d 5h Ac", "9c 9d 9h 9s Ac"),
        ("2c 4c 6c 8c Tc Qd Qh Qs Jd", "2c 4c 6c 8c Tc"),
        ("2c 3c 4c 5c 6c 2s 3s 4s 5s 6s", "2c 3c 4c 5c 6c"),
        ("2c 3c 4c 5c 7c 2s 3s 4s 5s 8s", "2s 3s 4s 5s 8s"),
        ("Ad Ah 2s 3s 4s 5c 5h", "5c Ad 2s 3s 4s"),
        ("Kh Ks Qd Qs Jc Js 9d", "Jc Qd Kh Qs Ks"),
    ],
)
def test_the_cards_that_make_a_hand(names, best):
    """At most five, the lowest suits where several would do."""
    assert " ".join(map(card_name, from_set(best_cards(hand(names))))) == " ".join(
        sorted(best.split(), key=parse_card)
    )


@given(HANDS, st.booleans())
def test_best_cards_are_worth_the_hand(cards, ace_low):
    """min(5, n) of its cards have the strength of the whole; more cards never make it weaker."""
    whole = to_set(cards)
    best = best_cards(whole, ace_low)
    assert best & ~whole == 0
    assert best.bit_count() == min(5, len(cards))
    unchecked = unchecked_strength if ace_low else unchecked_strength_ace_high
    assert strength(best, ace_low) == strength(whole, ace_low) == unchecked(whole)
    for card in cards:
        assert strength(to_set(cards - {card}), ace_low) <= strength(whole, ace_low)


@given(st.sets(st.sampled_from(PACK), max_size=9), st.sets(st.sampled_from(PACK), max_size=9))
def test_strengths_compare_like_values(one, other):
    """A total order over hands of all sizes: words compare as the twin's values do.

    Palace Poker 7.2.
    """
    values = [twins.best_value(tuple(cards), True) for cards in (one, other)]
    words = [strength(to_set(cards)) for cards in (one, other)]
    assert (words[0] < words[1], words[0] == words[1]) == (
        values[0] < values[1],
        values[0] == values[1],
    )


def test_order_agrees_with_two_other_evaluators():
    """eval7 (greater is better) and phevaluator (smaller is better) rank 5–7 cards as we do."""
    with warnings.catch_warnings():  # its import uses a deprecated name of its parser
        warnings.simplefilter("ignore", DeprecationWarning)
        import eval7
    draw = random.Random("peers")
    hands = [draw.sample(PACK, 5 + number % 3) for number in range(6_000)]
    ours = [strength(to_set(cards)) for cards in hands]
    sevens = [eval7.evaluate([eval7.Card(card_name(c)) for c in cards]) for cards in hands]
    others = [-evaluate_cards(*map(card_name, cards)) for cards in hands]
    for theirs in (sevens, others):
        by_ours = sorted(zip(ours, theirs, strict=True))
        for (low, their_low), (high, their_high) in pairwise(by_ours):
            assert (low < high) == (their_low < their_high)


@given(HANDS, st.permutations(range(4)))
def test_suits_never_rank(cards, suits):
    """Exchanging suits leaves the strength as it is.  Palace Poker 7.2."""
    exchanged = [13 * suits[(card - 1) // 13] + (card - 1) % 13 + 1 for card in cards]
    assert strength(to_set(exchanged)) == strength(to_set(cards))


NO_HANDS = [-1, 1 << 13, 1 << 63, 1 << 64, 1 << 700, ALL_CARDS, (1 << 13) - 1 | 1 << 16]


@pytest.mark.parametrize("word", NO_HANDS)
def test_words_that_are_no_hands_are_refused(word):
    """Other bits, or more than 13 cards."""
    for call in (strength, best_cards):
        with pytest.raises(ValueError, match=r"no card set|no hand"):
            call(word)


@examples(20, 200, st.lists(HANDS.map(to_set)), st.booleans())
def test_many_hands_in_one_call(sets, ace_low):
    """Item by item what single calls give."""
    expected = [strength(cards, ace_low) for cards in sets]
    assert strength_list(sets, ace_low) == strength_list(iter(sets), ace_low) == expected
    assert list(strengths(array("Q", sets), ace_low)) == expected
    out = array("I", bytes(4 * len(sets)))
    strengths_into(out, memoryview(array("Q", sets)), ace_low)
    assert list(out) == expected


@pytest.mark.parametrize("word", NO_HANDS)
@pytest.mark.parametrize("place", [0, 1, 15, 16, 40])
def test_a_bad_item_is_named(word, place):
    """The first one, wherever it stands, with what is wrong with it; the others are ranked."""
    sets = [1 << number % 13 for number in range(41)]
    sets[place] = sets[-1] = word
    with pytest.raises(ValueError, match=rf"item {place}: .*(no card set|no hand)"):
        strength_list(sets)
    if 0 <= word < 1 << 64:
        out = array("I", [7]) * len(sets)
        with pytest.raises(ValueError, match=rf"item {place}: .*(no card set|no hand)"):
            strengths_into(out, array("Q", sets))
        assert list(out) == [unchecked_strength(cards) for cards in sets]
        assert out[place] == 0


@pytest.mark.parametrize(
    "wrong",
    [
        b"12345678",
        array("q", [1]),
        array("I", [1]),
        array("d", [1.0]),
        memoryview(array("Q", range(4)).tobytes()).cast("Q", (2, 2)),
    ],
)
def test_buffers_of_other_items_are_refused(wrong):
    """Unsigned 64-bit words in one dimension, nothing else."""
    with pytest.raises(ValueError, match="not a buffer of unsigned 64-bit words"):
        strengths(wrong)


def test_buffers_that_do_not_fit_are_refused():
    """An output of another length, of other items, one that cannot be written, a view with gaps."""
    sets = array("Q", [1, 2, 4])
    short = array("I", [7, 7])
    with pytest.raises(ValueError, match="3 sets do not fit a buffer of 2"):
        strengths_into(short, sets)
    assert list(short) == [7, 7]
    with pytest.raises(ValueError, match="unsigned 32-bit words"):
        strengths_into(array("i", [0, 0, 0]), sets)
    with pytest.raises((BufferError, ValueError, TypeError)):
        strengths_into(memoryview(bytes(12)).cast("I"), sets)
    with pytest.raises((BufferError, ValueError)):
        strengths(memoryview(sets)[::2])
