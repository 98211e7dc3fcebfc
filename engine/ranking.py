"""What a hand is worth: the strength of any 0 to 13 cards, in one total order.

A strength is a 32-bit word; words compare like the values of palace_poker 7.1–7.3, across hands
of all sizes.  It is computed, never stored: its form may change with the C core.

The C core ranks with the best instructions of the processor.  The environment variable
``KARTEJO_RANKING``, the name of a ``Tier`` in lower case, makes it use lesser ones; the strengths
are the same.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from engine._native import ffi, lib
from engine.cards import ALL_CARDS, CardSet
from engine.errors import Malformed

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = [
    "HAND_VALUE_MARK",
    "MAX_CARDS",
    "Category",
    "HandValue",
    "Tier",
    "best_cards",
    "best_tier",
    "category",
    "hand_value",
    "ranks",
    "strength",
    "strength_list",
    "strengths",
    "strengths_into",
    "tier",
    "unchecked_strength",
    "unchecked_strength_ace_high",
    "use_tier",
]

MAX_CARDS: Final = 13
"""More cards than this are no hand of any game."""

HAND_VALUE_MARK: Final = "hand value"
"""Marks six integers as a hand's value for :mod:`engine.fields`."""

HandValue: TypeAlias = Annotated[tuple[int, ...], HAND_VALUE_MARK]
"""A category 0…8 and five ranks, as events tell them; six zeros where hidden."""

unchecked_strength: Final = lib.kj_strength
"""``strength(cards)`` for inner loops over sets that are hands: 0 for any other word."""

unchecked_strength_ace_high: Final = lib.kj_strength_ace_high
"""``strength(cards, ace_low=False)`` in the same way."""

_strength: Final = lib.kj_strength
_strength_ace_high: Final = lib.kj_strength_ace_high
_strength_many: Final = lib.kj_strength_many
_category: Final = lib.kj_category
_ranks: Final = lib.kj_ranks
_best_cards: Final = lib.kj_best_cards
_NO_CARDS: Final = ~ALL_CARDS
_from_buffer: Final = ffi.from_buffer


class Category(IntEnum):
    """The categories of hands, low to high.  Rule: Palace Poker 7.1."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8


_UNSIGNED: Final = {size: tuple(c for c in "ILQ" if array(c).itemsize == size) for size in (4, 8)}
_CATEGORIES: Final = tuple(Category)


class Tier(IntEnum):
    """What the C core ranks with, slow to fast; all give the same strengths."""

    PORTABLE = lib.KJ_PORTABLE
    BMI2 = lib.KJ_BMI2
    AVX2 = lib.KJ_AVX2
    AVX512 = lib.KJ_AVX512


def strength(cards: CardSet, ace_low: bool = True) -> int:
    """Strength of a hand, from the best five of its cards, or all if they are fewer.

    ``ace_low`` makes A 2 3 4 5 a straight with top card 5.  Rule: Palace Poker 7.2, 7.3.

    Raises ``ValueError`` for a word that is no card set and for more than ``MAX_CARDS`` cards.

    >>> from engine.cards import parse_card, to_set
    >>> hand = to_set(map(parse_card, "Ah 2c 3d 4s 5h".split()))
    >>> category(strength(hand)).name, category(strength(hand, ace_low=False)).name
    ('STRAIGHT', 'HIGH_CARD')
    """
    try:
        return (_strength(cards) if ace_low else _strength_ace_high(cards)) or _nothing(cards)
    except OverflowError:  # no 64-bit word
        raise _no_hand(cards) from None


def strength_list(sets: Iterable[CardSet], ace_low: bool = True) -> list[int]:
    """Strengths of many hands that come one by one, in a list; in buffers they take a fiftieth.

    Raises ``ValueError`` as ``strengths`` does.

    >>> list(map(category, strength_list([0b1, 0b1 << 16 | 0b1])))
    [<Category.HIGH_CARD: 0>, <Category.PAIR: 1>]
    """
    words = sets if isinstance(sets, (list, tuple)) else list(sets)
    try:
        buffer = array("Q", words)
    except OverflowError:
        bad = next(i for i, word in enumerate(words) if not 0 <= word < 1 << 64)
        raise ValueError(f"item {bad}: {_no_hand(words[bad])}") from None
    return strengths(buffer, ace_low).tolist()


def strengths(sets: ReadableBuffer, ace_low: bool = True) -> array[int]:
    """Strengths of many hands: item i of the ``array("I")`` belongs to item i of ``sets``.

    ``sets`` is a contiguous buffer of unsigned 64-bit words: ``array("Q")``, a NumPy array.

    Raises ``ValueError`` as ``strength`` does, naming the first bad item.

    >>> list(map(category, strengths(array("Q", [0b1, 0b1 << 16 | 0b1]))))
    [<Category.HIGH_CARD: 0>, <Category.PAIR: 1>]
    """
    out = array("I", bytes(4)) * _count(sets, 8)
    strengths_into(out, sets, ace_low)
    return out


def strengths_into(out: WriteableBuffer, sets: ReadableBuffer, ace_low: bool = True) -> None:
    """As ``strengths``, into a buffer of as many unsigned 32-bit words that the caller keeps.

    Buffers that do not fit, or that share memory, are refused before anything is written.  Where
    an item is no hand, all are ranked nevertheless, and it has the strength 0.
    """
    n = _count(sets, 8)
    if _count(out, 4) != n:
        raise ValueError(f"{n} sets do not fit a buffer of {_count(out, 4)} strengths")
    words = _from_buffer("uint64_t[]", sets)
    room = _from_buffer("uint32_t[]", out, require_writable=True)
    if words < room + n and room < words + n:  # addresses: what is ranked would be overwritten
        raise ValueError("the buffers of sets and of strengths share memory")
    bad = _strength_many(words, n, ace_low, room)
    if bad < n:
        raise ValueError(f"item {bad}: {_no_hand(words[bad])}")


def category(strength: int) -> Category:
    """The category of a strength.  Rule: Palace Poker 7.1.

    >>> category(strength(0))
    <Category.HIGH_CARD: 0>
    """
    return _CATEGORIES[_category(strength)]


def ranks(strength: int) -> tuple[int, int, int, int, int]:
    """The five ranks that follow the category, 2…14, ace 14, 0 for none.

    Rule: Palace Poker 7.2.

    >>> from engine.cards import parse_card, to_set
    >>> ranks(strength(to_set(map(parse_card, "Ac Ad Kh Ks".split()))))
    (14, 13, 0, 0, 0)
    """
    packed = _ranks(strength)
    return packed >> 16, packed >> 12 & 15, packed >> 8 & 15, packed >> 4 & 15, packed & 15


def hand_value(strength: int) -> HandValue:
    """Category and ranks of a strength in one tuple, to be told and stored.

    >>> from engine.cards import parse_card, to_set
    >>> hand_value(strength(to_set(map(parse_card, "Ac Ad 2h".split()))))
    (1, 14, 2, 0, 0, 0)
    """
    packed = _ranks(strength)
    return (
        _category(strength),
        packed >> 16,
        packed >> 12 & 15,
        packed >> 8 & 15,
        packed >> 4 & 15,
        packed & 15,
    )


def best_cards(cards: CardSet, ace_low: bool = True) -> CardSet:
    """The min(5, n) cards of a hand that make its strength.

    Where cards of several suits would do, the lowest suits are taken, c d h s, rank by rank;
    of two equal flushes the one in the lowest suit.

    Raises ``ValueError`` as ``strength`` does.

    >>> from engine.cards import card_name, from_set, parse_card, to_set
    >>> hand = to_set(map(parse_card, "9c 9d 9h 5s 5d 5h Ac".split()))
    >>> " ".join(map(card_name, from_set(best_cards(hand))))
    '9c 5d 9d 5h 9h'
    """
    try:
        return _best_cards(cards, ace_low) or _nothing(cards)
    except OverflowError:
        raise _no_hand(cards) from None


def tier() -> Tier:
    """The tier in use: the best one that the processor has, unless told otherwise."""
    return Tier(lib.kj_tier())


def best_tier() -> Tier:
    """The best tier that processor and build have; all below it will do as well."""
    return Tier(lib.kj_best_tier())


def use_tier(wanted: Tier) -> None:
    """Rank with another tier.  For tests and measurements, while no other thread ranks.

    Raises ``ValueError`` if the processor or the build lacks it.
    """
    if lib.kj_use_tier(wanted) != lib.KJ_OK:
        best = best_tier().name.lower()
        raise ValueError(f"this machine has no {wanted.name.lower()}; its best tier is {best}")


def _nothing(cards: CardSet) -> int:
    """0 for no cards; C says 0 as well of what is no hand."""
    if cards:
        raise _no_hand(cards)
    return 0


def _count(words: ReadableBuffer, size: int) -> int:
    """Items of a buffer of unsigned words of ``size`` bytes; C sees only where it begins."""
    with memoryview(words) as view:
        if view.ndim != 1 or view.itemsize != size or view.format not in _UNSIGNED[size]:
            raise ValueError(f"not a buffer of unsigned {8 * size}-bit words: {view.format!r}")
        return len(view)


def _no_hand(cards: CardSet) -> ValueError:
    if cards & _NO_CARDS:
        return ValueError(f"{cards:#x} is no card set")
    return ValueError(f"{cards.bit_count()} cards are no hand; at most {MAX_CARDS} are")


def _use_tier_of_environment() -> None:
    name = os.environ.get("KARTEJO_RANKING")
    if name is None:
        return
    known = {tier.name.lower(): tier for tier in Tier}
    if name not in known:
        raise Malformed("KARTEJO_RANKING", f"{name!r} is none of {', '.join(known)}")
    try:
        use_tier(known[name])
    except ValueError as error:
        raise Malformed("KARTEJO_RANKING", str(error)) from None


_use_tier_of_environment()
