"""What cards are worth, and their order (royal_casino 2.4, 2.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from engine.cards import PACK, Card, rank_of, suit_of

__all__ = ["ACE", "ORDER", "capture_value", "group_value", "in_order", "low_value"]

ACE: Final = 14
"""Capture value of an ace."""

ORDER: Final = (0, *(4 * rank_of(card) + suit_of(card) + 1 for card in PACK))
"""By card id: its place in card order, 2c 2d 2h 2s 3c …; a face that is not shown comes first."""

_CAPTURE: Final = (0, *(rank_of(card) + 2 for card in PACK))
_LOW: Final = (0, *((rank_of(card) + 1) % 13 + 1 for card in PACK))


def capture_value(card: Card) -> int:
    """2…14: what a card captures, and what it is worth alone.

    >>> from engine.cards import parse_card
    >>> capture_value(parse_card("As")), capture_value(parse_card("Jd"))
    (14, 11)
    """
    return _CAPTURE[card]


def low_value(card: Card) -> int:
    """1…13: what a card is worth beside others; an ace is 1.

    >>> from engine.cards import parse_card
    >>> low_value(parse_card("As")), low_value(parse_card("Jd"))
    (1, 11)
    """
    return _LOW[card]


def group_value(cards: Sequence[Card]) -> int:
    """What one card, or several together, are worth (2.6).

    >>> from engine.cards import parse_card
    >>> group_value([parse_card("As")]), group_value([parse_card("As"), parse_card("5d")])
    (14, 6)
    """
    return capture_value(cards[0]) if len(cards) == 1 else sum(map(low_value, cards))


def in_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Cards in card order.

    >>> from engine.cards import card_name, parse_card
    >>> [card_name(card) for card in in_order(map(parse_card, ("Ac", "3s", "3c")))]
    ['3c', '3s', 'Ac']
    """
    return tuple(sorted(cards, key=ORDER.__getitem__))
