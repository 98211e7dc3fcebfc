"""The exact chance to win, without dealing a card (docs/odds.md has the proof).

A game that is won has found cards of one hand H only, the one it ends with: claims are never
withdrawn.  So it went like a game that sought H from the start, which the C core plays out for
every set of places that H can hold, and no search met a card of another hand while that hand was
still possible.  Such cards are the hand's *rivals*.  A rival that stops being wanted with the i-th
claim must not be among the cards thrown away before that claim, and is free otherwise: the ways to
place all rivals are a product, counted in whole numbers.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial, prod
from typing import Final, NamedTuple

from engine._native import ffi, lib
from engine.cards import PACK
from engine.games.royal_flush.options import Options
from engine.games.royal_flush.target import hands
from engine.odds import Progress

__all__ = ["Winners", "chance", "chance_of", "narrowings", "winners"]

MOST_HAND: Final = 5
"""Cards of the longest hand."""

_DEALS: Final = ("round_robin", "pile_by_pile", "packet")
_SEARCHES: Final = ("turn_pile", "card_by_card")
_GATHERS: Final = ("turn_packet", "turn_piles", "as_they_lie")
_ROW: Final = 64
"""Factors in a row of ``kj_rf_weigh``."""


class Winners(NamedTuple):
    """The sets of places that win for a hand sought from the start, each as the C core tells it."""

    pack: int
    size: int
    """Cards of the hand."""
    profiles: array[int]


def winners(
    styles: Options, size: int, pack: int = 52, progress: Progress | None = None
) -> Winners:
    """Play out all C(pack, size) sets of places by the three styles of ``styles``.

    ``size`` is 1…5; ``pack`` is 52 but for tests.
    """
    if not 1 <= size <= MOST_HAND or not size <= pack <= len(PACK):
        raise ValueError(f"no hand of {size} cards lies in a pack of {pack}")
    options = ffi.new(
        "kj_rf_options *",
        {
            "deal_style": _DEALS.index(styles.deal_style),
            "search_style": _SEARCHES.index(styles.search_style),
            "gather_style": _GATHERS.index(styles.gather_style),
        },
    )
    found = array("I")
    room = array("I", bytes(4)) * comb(pack - 1, size - 1)
    raw = ffi.from_buffer("uint32_t[]", room)
    for lowest in range(pack - size + 1):
        won = lib.kj_rf_winning_places(options, pack, size, lowest, raw)
        found += room[:won]
        if progress is not None:
            progress(1 - comb(pack - 1 - lowest, size) / comb(pack, size))
    return Winners(pack, size, found)


def narrowings(family: Iterable[int]) -> Counter[tuple[int, ...]]:
    """How the choice of hands narrows, over all hands and all orders of claiming their cards.

    A key says how many rivals stop being wanted with the first claim, the second, …; the values
    are numbers of (hand, order).  Hands are sets of cards, one bit each, all of one size.
    """
    memo: dict[int, Counter[tuple[int, ...]]] = {}
    return _narrow(tuple(family), 0, memo)


def _narrow(
    possible: Sequence[int], claimed: int, memo: dict[int, Counter[tuple[int, ...]]]
) -> Counter[tuple[int, ...]]:
    if claimed in memo:
        return memo[claimed]
    wanted = _union(possible)
    found: Counter[tuple[int, ...]] = Counter()
    if claimed == possible[0]:
        found[()] = 1
    rest = wanted & ~claimed
    while rest and claimed != possible[0]:
        card = rest & -rest
        rest ^= card
        left = [hand for hand in possible if hand & card]
        dropped = (wanted & ~_union(left)).bit_count()
        for later, times in _narrow(left, claimed | card, memo).items():
            found[dropped, *later] += times
    memo[claimed] = found
    return found


def _union(sets: Iterable[int]) -> int:
    union = 0
    for one in sets:
        union |= one
    return union


def chance_of(won: Winners, narrowed: Counter[tuple[int, ...]]) -> Fraction:
    """The chance to win by the family of ``narrowed`` with the styles of ``won``."""
    total = Fraction(0)
    for drops, times in narrowed.items():
        total += times * Fraction(_weigh(won, drops), _placements(won.pack - won.size, drops))
    return total / (comb(won.pack, won.size) * factorial(won.size))


def _placements(places: int, drops: Sequence[int]) -> int:
    """Ways to place all rivals beside the hand, those of one claim alike."""
    rivals = sum(drops)
    return factorial(places) // (factorial(places - rivals) * prod(map(factorial, drops)))


def _weigh(won: Winners, drops: Sequence[int]) -> int:
    """Over all winning sets of places: the ways to place the rivals where they do no harm.

    Rivals that are wanted longest have the fewest places, all of which are open to the others:
    they are placed first.
    """
    factors = array("Q", bytes(8)) * (_ROW * won.size)
    others = won.pack - won.size
    placed = 0
    bound = len(won.profiles)
    for claim in reversed(range(won.size)):
        for thrown in range(others + 1):
            places = max(others - thrown - placed, 0)
            factors[_ROW * claim + thrown] = comb(places, drops[claim])
        placed += drops[claim]
        bound *= max(factors[_ROW * claim : _ROW * (claim + 1)])
    if bound >= 1 << 128:
        raise OverflowError(f"the sum may not fit into 128 bits: up to {bound}")
    halves = ffi.new("uint64_t[2]")
    profiles = ffi.from_buffer("uint32_t[]", won.profiles)
    rows = ffi.from_buffer("uint64_t[]", factors)
    lib.kj_rf_weigh(profiles, len(won.profiles), won.size, rows, halves)
    return int(halves[1]) << 64 | int(halves[0])


def chance(
    options: Options, progress: Progress | None = None, *, won: Winners | None = None
) -> Fraction:
    """The chance that a game with these options is won, over all orders of the pack.

    Plays out C(52, k) games for a hand of k cards, at most 2,598,960: a second or two.  ``won``:
    what they came to, where they were played before for the same styles and size.
    """
    if won is None:
        won = winners(options, options.size, progress=progress)
    return chance_of(won, _narrowed(hands(options.family)))


@lru_cache(maxsize=32)
def _narrowed(family: tuple[int, ...]) -> Counter[tuple[int, ...]]:
    return narrowings(family)
