"""What a hand is worth: the strength of any 0 to 13 cards, in one total order.

A strength is a 32-bit word; words compare like the values of palace_poker 7.1–7.3, across hands
of all sizes.  It is computed, never stored: its form may change with the C core.
"""

from __future__ import annotations

from array import array
from enum import IntEnum
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from engine._native import ffi, lib
from engine.cards import ALL_CARDS, CardSet

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = [
    "HAND_VALUE_MARK",
    "MAX_CARDS",
    "Category",
    "HandValue",
    "best_cards",
    "category",
    "hand_value",
    "ranks",
    "strength",
    "strengths",
    "strengths_into",
    "unchecked_strength",
    "unchecked_strength_ace_high",
]

MAX_CARDS: Final = 13
"""More cards than this are no hand of any game."""

HAND_VALUE_MARK: Final = "hand value"
"""Marks six integers as a hand's value for :mod:`engine.fields`."""

HandValue: TypeAlias = Annotated[tuple[int, ...], HAND_VALUE_MARK]
"""A category 0…8 and five ranks, as events tell them; six zeros where hidden."""

unchecked_strength: Final = lib.kj_strength
"""``strength(cards)`` without its checks, for inner loops over sets that are known to be hands.
Safe for every 64-bit word; bits that are no cards are ignored."""

unchecked_strength_ace_high: Final = lib.kj_strength_ace_high
"""``strength(cards, ace_low=False)`` without its checks."""

_strength_many: Final = lib.kj_strength_many
_first_bad: Final = lib.kj_first_bad
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


def strength(cards: CardSet, ace_low: bool = True) -> int:
    """Strength of a hand, from the best five of its cards, or all if they are fewer.

    ``ace_low`` makes A 2 3 4 5 a straight with top card 5.  Rule: Palace Poker 7.2, 7.3.

    Raises ``ValueError`` for a word that is no card set and for more than ``MAX_CARDS`` cards.

    >>> from engine.cards import parse_card, to_set
    >>> hand = to_set(map(parse_card, "Ah 2c 3d 4s 5h".split()))
    >>> category(strength(hand)).name, category(strength(hand, ace_low=False)).name
    ('STRAIGHT', 'HIGH_CARD')
    """
    if cards & _NO_CARDS or cards.bit_count() > MAX_CARDS:
        raise _no_hand(cards)
    return unchecked_strength(cards) if ace_low else unchecked_strength_ace_high(cards)


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

    Raises ``ValueError`` before anything is written.
    """
    n = _count(sets, 8)
    if _count(out, 4) != n:
        raise ValueError(f"{n} sets do not fit a buffer of {_count(out, 4)} strengths")
    words = _from_buffer("uint64_t[]", sets)
    bad = _first_bad(words, n)
    if bad < n:
        raise ValueError(f"item {bad} is no hand of at most {MAX_CARDS} cards")
    _strength_many(words, n, ace_low, _from_buffer("uint32_t[]", out, require_writable=True))


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
    if cards & _NO_CARDS or cards.bit_count() > MAX_CARDS:
        raise _no_hand(cards)
    return _best_cards(cards, ace_low)


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
