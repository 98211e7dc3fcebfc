"""Dividing cards into groups, against the words of the specification (royal_casino 2.6, 6.7)."""

from __future__ import annotations

from itertools import chain, combinations
from random import Random
from time import perf_counter

from hypothesis import given
from hypothesis import strategies as st

from engine.cards import PACK
from engine.games.royal_casino.groups import Cards, Groups, groups_of, groups_with, partition
from engine.games.royal_casino.values import ORDER, capture_value, group_value, in_order, low_value
from tests.games.royal_casino.tables import cards
from tests.laws.base import law

SEEDS = st.integers(0, 2**32 - 1)


def drawn(rng: Random, most: int) -> Cards:
    """Some cards, low ones more often."""
    pack = sorted(PACK, key=lambda card: low_value(card) + rng.randrange(9))
    return tuple(pack[: rng.randint(0, most)])


def subsets(pile: Cards) -> list[Cards]:
    sizes = range(1, len(pile) + 1)
    return list(chain.from_iterable(combinations(pile, size) for size in sizes))


def by_definition(pile: Cards, value: int) -> Groups | None:
    """6.7, word by word."""
    if not pile:
        return ()
    lowest = min(pile, key=ORDER.__getitem__)
    of_value = [in_order(s) for s in subsets(pile) if lowest in s and group_value(s) == value]
    for group in sorted(of_value, key=lambda group: [ORDER[card] for card in group]):
        rest = by_definition(tuple(card for card in pile if card not in group), value)
        if rest is not None:
            return (group, *rest)
    return None


@law(300)
@given(SEEDS)
def test_the_canonical_partition_is_that_of_the_specification(seed: int) -> None:
    rng = Random(seed)
    pile = drawn(rng, 9)
    for value in range(2, 15):
        assert partition(rng.sample(pile, len(pile)), value) == by_definition(pile, value)


@law(200)
@given(SEEDS)
def test_the_number_of_groups_follows_from_cards_and_value(seed: int) -> None:
    """6.5.9: k·v is the sum of low values and 13 for each lone ace."""
    pile = drawn(Random(seed), 12)
    for value in range(2, 15):
        groups = partition(pile, value)
        if groups is not None:
            alone = sum(len(group) == 1 and capture_value(group[0]) == 14 for group in groups)
            assert len(groups) * value == sum(map(low_value, pile)) + 13 * alone
            assert sorted(card for group in groups for card in group) == sorted(pile)


@law(150)
@given(SEEDS)
def test_groups_are_all_those_of_a_value(seed: int) -> None:
    """6.8.1, 6.8.3."""
    rng = Random(seed)
    loose = in_order(drawn(rng, 9))
    played = rng.choice([card for card in PACK if card not in loose])
    for value in range(2, 15):
        expected = [group for group in subsets(loose) if group_value(group) == value]
        assert sorted(groups_of(loose, value)) == sorted(expected)
        beside = [(), *subsets(loose)]
        expected = [group for group in beside if group_value((played, *group)) == value]
        assert sorted(groups_with(played, loose, value)) == sorted(expected)


def test_what_cannot_be_divided_is_found_out_in_time() -> None:
    """The longest searches there are: many small cards, the right sum, no division."""
    pile = cards("2c 2d 2h 2s 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kh As")
    rng = Random(5)
    began = perf_counter()
    for _ in range(400):
        partition(rng.sample(pile, rng.randint(8, 16)), rng.randint(9, 14))
    assert perf_counter() - began < 8
