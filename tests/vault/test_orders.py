"""Orders of whole packs: where each card comes to lie, over very many secrets."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from uuid import UUID

import pytest

from service.vault import EpochKeys, EpochShuffler
from tests.vault import twin

CARDS = 52
AT_99_9 = 2830
AT_99 = 2772
"""Chi-square of 51 · 51 = 2,601 degrees of freedom."""


def decks(first: int, count: int) -> Iterable[tuple[int, ...]]:
    """Packs, all the way from a secret that is the hash of its number: a run can be repeated."""
    stream = UUID(int=6)
    for number in range(first, first + count):
        keys = EpochKeys(stream, number, sha256(number.to_bytes(8, "big")).digest())
        yield EpochShuffler(keys).shuffle("DEAL", twin.PACK)


def chi_square(table: list[int]) -> float:
    """Of independence, of a 52 × 52 table: as if each row had the same shares of the columns."""
    rows = [sum(table[CARDS * i : CARDS * (i + 1)]) for i in range(CARDS)]
    columns = [sum(table[i::CARDS]) for i in range(CARDS)]
    total = sum(rows)
    found = 0.0
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            expected = row * column / total
            found += (table[CARDS * i + j] - expected) ** 2 / expected
    return found


def tables_of(first: int, count: int) -> tuple[list[int], list[int]]:
    """Card against place; first card against the last card of the pack before."""
    places = [0] * CARDS * CARDS
    pairs = [0] * CARDS * CARDS
    last = None
    for deck in decks(first, count):
        for place, card in enumerate(deck):
            places[place * CARDS + card - 1] += 1
        if last is not None:
            pairs[(last - 1) * CARDS + deck[0] - 1] += 1
        last = deck[-1]
    return places, pairs


def test_where_cards_lie_is_even() -> None:
    """20,000 packs; and the same statistics of a shuffle that leaves one card too often."""
    count = 20_000
    places, _ = tables_of(0, count)
    assert chi_square(places) < AT_99_9
    moved = count // 20 // CARDS  # of every twentieth pack the two of clubs is put on top
    for place in range(1, CARDS):
        places[0] += moved
        places[place * CARDS] -= moved
    assert chi_square(places) > AT_99_9


@pytest.mark.long
def test_where_cards_lie_is_even_in_a_million_packs() -> None:
    """Ten runs of 100,000: at most one above the value of 99 %, none above that of 99.9 %.

    Both tables; and of all 1,000,000 together the first.
    """
    runs, count = 10, 100_000
    total = [0] * CARDS * CARDS
    above = 0
    for number in range(runs):
        places, pairs = tables_of(1_000_000 + number * count, count)
        total = [one + other for one, other in zip(total, places, strict=True)]
        for table in (places, pairs):
            found = chi_square(table)
            assert found < AT_99_9
            above += found > AT_99
    assert above <= 1
    found = chi_square(total)
    print(f"chi-square of 52 x 52 places over {runs * count:,} packs: {found:.0f} of {AT_99_9}")
    assert found < AT_99_9
