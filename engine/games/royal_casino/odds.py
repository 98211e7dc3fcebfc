"""Counts of what may still come in Royal Casino: how many cards of each kind were not seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engine.cards import Card, rank_of, suit_of
from engine.games.royal_casino.events import Item
from engine.games.royal_casino.scoring import CARD_OF
from engine.odds import unseen

__all__ = ["Unseen", "count_unseen"]

_SPADES = 3


class Unseen(NamedTuple):
    """Numbers of cards that were not seen."""

    cards: int
    values: tuple[int, ...]
    """Of each capture value 2…14 (royal_casino 2.5)."""
    spades: int
    scoring: tuple[Item, ...]
    """Items that are scored for one card, where that card was not seen (7.2)."""


def count_unseen(hand: Iterable[Card], table: Iterable[Card], gone: Iterable[Card]) -> Unseen:
    """Count the cards that are neither in hand, nor on the table, nor gone.

    Raises ``Malformed`` for a card in two places and a number that is none.

    >>> count_unseen((1,), (2, 3), ()).values[:4]
    (3, 3, 3, 4)
    """
    rest = unseen(("hand", hand), ("table", table), ("gone", gone))
    return Unseen(
        len(rest),
        tuple(sum(rank_of(card) == rank for card in rest) for rank in range(13)),
        sum(suit_of(card) == _SPADES for card in rest),
        tuple(item for item, card in CARD_OF.items() if card in rest),
    )
