"""Cards, their names, and sets of cards.

A card is an integer, 1…52 = 13·suit + rank + 1 (suits c d h s, ranks 2…A); 0 is a face that is
not shown.  Ids ascend in canonical order, so sorting cards is sorting integers.  A card set is
one word with bit 16·suit + rank (lanes of 16 bits, three of them spare), which is what the C
core computes with; union, intersection, difference and count are those of ``int``.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Annotated, Final, TypeAlias

__all__ = [
    "ALL_CARDS",
    "CARD_MARK",
    "HIDDEN",
    "PACK",
    "RANKS",
    "SUITS",
    "Card",
    "CardSet",
    "card_name",
    "card_names",
    "from_set",
    "make_card",
    "parse_card",
    "rank_of",
    "rank_set",
    "set_of",
    "suit_of",
    "suit_set",
    "to_set",
]

CARD_MARK: Final = "card"
"""Marks an integer as a card for :mod:`engine.fields`; type checkers see plain ``int``."""

Card: TypeAlias = Annotated[int, CARD_MARK]
"""1…52, or ``HIDDEN`` where a face may be missing."""

CardSet: TypeAlias = int
"""Bit 16·suit + rank; no other bits."""

SUITS: Final = "cdhs"
RANKS: Final = "23456789TJQKA"

HIDDEN: Final[Card] = 0
"""A face that is not shown; prints ``??``."""

PACK: Final[tuple[Card, ...]] = tuple(range(1, 53))
"""The pack in canonical order: 2c 3c … Ac, 2d … As.  What a shuffle starts from (rules C8)."""

ALL_CARDS: Final[CardSet] = 0x1FFF_1FFF_1FFF_1FFF

_NAMES: Final = ("??", *(rank + suit for suit in SUITS for rank in RANKS))
_NAME_OF: Final = dict(enumerate(_NAMES)).__getitem__
_IDS: Final = MappingProxyType({name: card for card, name in enumerate(_NAMES) if card})
_BITS: Final = MappingProxyType({c: 1 << (c - 1 + 3 * ((c - 1) // 13)) for c in PACK})
_CARDS: Final = MappingProxyType({bit.bit_length(): card for card, bit in _BITS.items()})


def card_name(card: Card) -> str:
    """Rank and suit of a card, ``??`` for a hidden one.

    Raises ``ValueError`` for any other number.

    >>> card_name(1), card_name(52), card_name(HIDDEN)
    ('2c', 'As', '??')
    """
    if not HIDDEN <= card <= 52:
        raise ValueError(f"no card has the id {card}")
    return _NAMES[card]


def card_names(cards: Iterable[Card]) -> str:
    """The names of several cards, a space between two.

    Raises ``ValueError`` for a number that is no card.

    >>> card_names((1, 52, HIDDEN))
    '2c As ??'
    """
    try:
        return " ".join(map(_NAME_OF, cards))
    except KeyError as error:
        raise ValueError(f"no card has the id {error.args[0]}") from None


def parse_card(name: str) -> Card:
    """The card of a name such as ``Td``; exactly as printed, upper-case rank, lower-case suit.

    Raises ``ValueError`` for everything else, ``??`` included: a hidden face is no card.

    >>> parse_card("Td")
    22
    """
    card = _IDS.get(name)
    if card is None:
        raise ValueError(f"no card is called {name!r}")
    return card


def make_card(suit: int, rank: int) -> Card:
    """The card of a suit 0…3 and a rank 0…12.

    >>> card_name(make_card(3, 12))
    'As'
    """
    if not (0 <= suit < 4 and 0 <= rank < 13):
        raise ValueError(f"no card has suit {suit} and rank {rank}")
    return 13 * suit + rank + 1


def suit_of(card: Card) -> int:
    """0…3 for c d h s.  The card must be a shown one.

    >>> SUITS[suit_of(parse_card("Td"))]
    'd'
    """
    return (card - 1) // 13


def rank_of(card: Card) -> int:
    """0…12 for 2…A.  The card must be a shown one.

    >>> RANKS[rank_of(parse_card("Td"))]
    'T'
    """
    return (card - 1) % 13


def suit_set(suit: int) -> CardSet:
    """The thirteen cards of a suit 0…3."""
    return 0x1FFF << 16 * suit


def rank_set(rank: int) -> CardSet:
    """The four cards of a rank 0…12."""
    return 0x0001_0001_0001_0001 << rank


def set_of(card: Card) -> CardSet:
    """The set of one card.

    Raises ``ValueError`` for a number that is no card, the hidden face included.

    >>> hex(set_of(14))
    '0x10000'
    """
    bit = _BITS.get(card)
    if bit is None:
        raise ValueError(f"no card has the id {card}")
    return bit


def to_set(cards: Iterable[Card]) -> CardSet:
    """The set of the given cards; a card given twice counts once.

    Raises ``ValueError`` for a number that is no card, the hidden face included.

    >>> hex(to_set([1, 13, 14]))
    '0x11001'
    """
    found = 0
    try:
        for card in cards:
            found |= _BITS[card]
    except KeyError as unknown:
        raise ValueError(f"no card has the id {unknown.args[0]}") from None
    return found


def from_set(cards: CardSet) -> tuple[Card, ...]:
    """The cards of a set in canonical order.

    Raises ``ValueError`` if the word has bits that are no cards.

    >>> from_set(to_set([52, 1, 14]))
    (1, 14, 52)
    """
    if cards & ~ALL_CARDS:
        raise ValueError(f"{cards:#x} is no card set")
    found: list[Card] = []
    while cards:
        lowest = cards & -cards
        found.append(_CARDS[lowest.bit_length()])
        cards ^= lowest
    return tuple(found)
