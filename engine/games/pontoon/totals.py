"""What hands are worth, and which of their cards lie open (pontoon 7, 4.3)."""

from __future__ import annotations

from typing import Final

from engine.cards import HIDDEN, rank_of
from engine.games.pontoon.options import Options
from engine.games.pontoon.state import FIVE, Cards, Hand

__all__ = [
    "PONTOON",
    "TRICK",
    "best",
    "is_ace",
    "is_bust",
    "is_pair",
    "is_pontoon",
    "low",
    "may_draw",
    "public_faces",
    "strength",
]

PONTOON: Final = 23
TRICK: Final = 22

_LIMIT: Final = 21
_ACE: Final = 12
"""Rank of an ace."""
_TEN: Final = 8
"""Rank of a ten; J, Q, K follow."""


def is_ace(card: int) -> bool:
    """Whether a card is an ace; a hidden one is none."""
    return card != HIDDEN and rank_of(card) == _ACE


def _is_ten(card: int) -> bool:
    """Ten-point cards (7.1)."""
    return card != HIDDEN and _TEN <= rank_of(card) < _ACE


def _points(card: int) -> int:
    """Card points with an ace as 1 (7.1)."""
    rank = rank_of(card)
    return 1 if rank == _ACE else min(rank + 2, 10)


def low(cards: Cards) -> int:
    """The sum with every ace as 1 (7.2)."""
    return sum(map(_points, cards))


def best(cards: Cards) -> int:
    """The best total (7.2).

    >>> from engine.cards import parse_card
    >>> best(tuple(map(parse_card, ("Ac", "4d")))), best(tuple(map(parse_card, ("Ac", "Ad"))))
    (15, 12)
    """
    total = low(cards)
    return total + 10 if total <= _LIMIT - 10 and any(map(is_ace, cards)) else total


def is_bust(cards: Cards) -> bool:
    """7.2."""
    return low(cards) > _LIMIT


def may_draw(cards: Cards, options: Options) -> bool:
    """Whether a hand may take another card (7.2)."""
    total = low(cards) if options.soft_21_draw else best(cards)
    return len(cards) < FIVE and total < _LIMIT


def is_pontoon(cards: Cards, split: bool, options: Options) -> bool:
    """7.3; ``split``: the hand comes of a split."""
    if len(cards) != 2 or (split and not options.split_pontoon):
        return False
    one, other = cards
    return (is_ace(one) and _is_ten(other)) or (_is_ten(one) and is_ace(other))


def is_pair(cards: Cards) -> bool:
    """Exactly two cards of the same rank (6.5)."""
    return len(cards) == 2 and rank_of(cards[0]) == rank_of(cards[1])


def strength(cards: Cards, split: bool, options: Options) -> int:
    """7.5: the higher wins, equality goes to the banker."""
    if is_bust(cards):
        return 0
    if is_pontoon(cards, split, options):
        return PONTOON
    return TRICK if len(cards) == FIVE else best(cards)


def public_faces(hand: Hand, split: bool, options: Options) -> Cards:
    """A punter's cards as everybody has seen them during play, 0 for the others (4.3).

    The card left by a split, twisted cards, the ace of a declared pontoon, and all of a bust hand.
    In the eyes of one who does not know the other card of a declared pontoon that is a hidden one.
    """
    cards = hand.cards
    if hand.bust:
        return cards
    twisted = 2 + len(hand.bought)
    shown = [
        card if at >= twisted or (split and at == 0) else HIDDEN for at, card in enumerate(cards)
    ]
    if hand.closed and len(cards) == 2 and not (split and not options.split_pontoon):
        for at, card in enumerate(cards):
            other = cards[1 - at]
            if is_ace(card) and (other == HIDDEN or _is_ten(other)):
                shown[at] = card
    return tuple(shown)
