"""The strength of card sets in C against the slow twin, everywhere."""

from __future__ import annotations

import random
from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise

import pytest

from engine._native import ffi, lib
from tests.native import twins

CARDS = range(1, 53)
BITS = [twins.card_set([card]) for card in CARDS]
SPARE_BITS = [1 << 16 * lane + bit for lane in range(4) for bit in (13, 14, 15)]


def c_value(word: int) -> twins.Value:
    packed = lib.kj_ranks(word)
    return lib.kj_category(word), tuple(packed >> shift & 15 for shift in (16, 12, 8, 4, 0))


def c_strength(cards: int, ace_low: bool = True) -> int:
    return lib.kj_strength(cards) if ace_low else lib.kj_strength_ace_high(cards)


def c_best_value(cards: tuple[int, ...], ace_low: bool) -> twins.Value:
    return c_value(c_strength(twins.card_set(cards), ace_low))


def many(sets: array[int], ace_low: bool = True) -> array[int]:
    out = array("I", bytes(4)) * len(sets)
    lib.kj_strength_many(
        ffi.from_buffer("uint64_t[]", sets), len(sets), ace_low, ffi.from_buffer("uint32_t[]", out)
    )
    return out


def samples(seed: int, count: int, n: int) -> Iterator[tuple[tuple[int, ...], bool]]:
    """Sets of n cards: a third from two suits, a third from six ranks, so that nothing is rare."""
    draw = random.Random(f"{seed}/{n}")
    for number in range(count):
        pack = list(CARDS)
        if number % 3 == 1:
            suits = draw.sample(range(4), 2)
            pack = [card for card in pack if twins.suit(card) in suits]
        elif number % 3 == 2:
            ranks = draw.sample(range(2, 15), 6)
            pack = [card for card in pack if twins.rank(card) in ranks]
        yield tuple(sorted(draw.sample(pack, n))), number % 2 == 0


MARKS = [1 << 3 * (twins.rank(c) - 2) | 1 << 39 + 3 * twins.suit(c) for c in CARDS]
"""Of each card: five of them add up to the numbers of their ranks and suits."""


def cards_of_mark(mark: int) -> list[int]:
    """Some five cards with these numbers of ranks and, if it is a flush, of one suit."""
    ranks = [r for r in range(13) for _ in range(mark >> 3 * r & 7)]
    if any(mark >> 39 + 3 * suit & 7 == 5 for suit in range(4)):
        return [r + 1 for r in ranks]
    suits = [ranks[:i].count(r) for i, r in enumerate(ranks)]
    if len(set(suits)) == 1:
        suits[0] = 1
    return [13 * s + r + 1 for s, r in zip(suits, ranks, strict=True)]


@pytest.mark.parametrize("ace_low", [True, pytest.param(False, marks=pytest.mark.long)])
def test_all_five_card_hands_fall_into_the_known_classes(all_fives, ace_low):
    """2,598,960 hands, 7,462 classes, the published counts; each hand has the twin's value.

    Without the ace-low straight the 1,024 hands A 2 3 4 5 are high cards and flushes.
    """
    sets = all_fives
    words = many(sets, ace_low)
    assert len(words) == 2_598_960
    times = Counter(words)
    assert len(times) == 7_462
    counts: Counter[int] = Counter()
    for word, number in times.items():
        counts[lib.kj_category(word)] += number
    wheels, suited_wheels = (0, 0) if ace_low else (1_020, 4)
    assert counts == {
        0: 1_302_540 + wheels,
        1: 1_098_240,
        2: 123_552,
        3: 54_912,
        4: 10_200 - wheels,
        5: 5_108 + suited_wheels,
        6: 3_744,
        7: 624,
        8: 40 - suited_wheels,
    }
    for cards in dict(zip(words, sets, strict=True)).values():  # one hand of each class
        assert lib.kj_best_cards(cards, ace_low) == cards
    kinds = set(zip(words, map(sum, combinations(MARKS, 5)), strict=True))
    wrong = [
        mark
        for word, mark in kinds
        if c_value(word) != twins.value_of(cards_of_mark(mark), ace_low)
    ]
    assert not wrong
    assert all(c_value(low) < c_value(high) for low, high in pairwise(sorted(times)))


def test_hands_of_fewer_cards_keep_the_order(all_fives):
    """All hands of 0–4 cards have the twin's value; 9,842 values in all, one order for all."""
    distinct: dict[int, set[int]] = {}
    for n in range(5):
        sets = array("Q", map(sum, combinations(BITS, n)))
        words = many(sets)
        distinct[n] = set(words)
        cases = zip(words, combinations(CARDS, n), strict=True)
        assert not [c for word, c in cases if c_value(word) != twins.value_of(c, True)][:1]
    assert [len(distinct[n]) for n in range(5)] == [1, 13, 91, 455, 1_820]
    values = set().union(*distinct.values(), many(all_fives))
    assert len(values) == 9_842
    assert all(c_value(low) < c_value(high) for low, high in pairwise(sorted(values)))


@pytest.mark.parametrize(("n", "count"), [(5, 600), (6, 600), (7, 600), (8, 300), (9, 200)])
def test_any_hand_is_its_best_five(n, count):
    """Random sets against the twin that tries all fives."""
    assert twins.differs(c_best_value, twins.best_value, samples(1, count, n)) is None


@pytest.mark.parametrize(("n", "count"), [(10, 100), (11, 70), (12, 40), (13, 30)])
def test_two_flush_suits_are_both_looked_at(n, count):
    """With ten cards and more two suits may hold five."""
    draw = random.Random(f"two flushes/{n}")
    cases = []
    for number in range(count):
        suits = draw.sample(range(4), 2)
        cards = {13 * suit + r + 1 for suit in suits for r in draw.sample(range(13), 5)}
        rest = draw.sample([card for card in CARDS if card not in cards], n - 10)
        cases.append((tuple(sorted(cards.union(rest))), number % 2 == 0))
    assert twins.differs(c_best_value, twins.best_value, cases) is None
    assert twins.differs(c_best_value, twins.best_value, samples(3, count, n)) is None


@pytest.mark.parametrize("n", range(14))
def test_best_cards_are_the_lowest_suits_of_the_best_five(n):
    """The cards that make the strength, chosen as the twin chooses."""

    def c_best_cards(cards: tuple[int, ...], ace_low: bool) -> int:
        return lib.kj_best_cards(twins.card_set(cards), ace_low)

    def twin(cards: tuple[int, ...], ace_low: bool) -> int:
        return twins.card_set(twins.best_cards(cards, ace_low))

    count = 300 if n < 8 else 60 if n < 11 else 20
    assert twins.differs(c_best_cards, twin, samples(4, count, n)) is None


def test_the_twins_can_fail():
    """A twin that forgets the ace-low straight, and one that prefers high suits, are found out."""

    def forgets(cards: tuple[int, ...], ace_low: bool) -> twins.Value:
        return twins.best_value(cards, False)

    def cut_short(cards: tuple[int, ...], ace_low: bool) -> twins.Value:
        return twins.best_value(cards[:6], ace_low)

    assert twins.differs(c_best_value, forgets, samples(1, 600, 7)) is not None
    assert twins.differs(c_best_value, cut_short, samples(1, 600, 7)) is not None


def test_what_is_no_hand_has_no_strength():
    """A bit outside the lanes, or a fourteenth card: 0, and no best cards; one by one and many."""
    wrong = [*SPARE_BITS, twins.card_set(range(1, 15)), twins.card_set(CARDS)]
    for cards in wrong:
        assert c_strength(cards) == c_strength(cards, False) == 0
        assert lib.kj_best_cards(cards, True) == lib.kj_best_cards(cards, False) == 0
    assert many(array("Q", wrong)) == array("I", bytes(4)) * len(wrong)
