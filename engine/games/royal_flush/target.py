"""The hand sought: families, possible hands, wanted cards (royal_flush 7.2–7.6).

Sets of cards are the C core's words (bit 16·suit + rank) here; a family is a few to 3,744 of them.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from engine.cards import RANKS, SUITS, from_set, set_of, to_set

__all__ = ["Family", "Target", "target"]


class Family(NamedTuple):
    """The parameters that name a target family (section 3)."""

    mode: str
    suit: str | None = None
    rank: str | None = None
    pair_rank: str | None = None
    named: tuple[int, ...] | None = None


class Target(NamedTuple):
    """What the claimed cards leave: how many hands, which cards belong to any of them.

    ``wanted`` stands in canonical order; it is the hand itself when only one is possible.
    """

    possible: int
    wanted: tuple[int, ...]


def _card(suit: int, rank: int) -> int:
    return 1 << (16 * suit + rank)


def _straights(family: Family, lowest_top: int) -> list[int]:
    """Runs of five with tops from ``lowest_top`` (3 = the five, ace low) to 12 (the ace)."""
    hands: list[int] = []
    for suit in range(4):
        for top in range(lowest_top, 13):
            ranks = [(top - step) % 13 for step in range(5)]
            if family.suit in {None, SUITS[suit]} and family.rank in {None, RANKS[top]}:
                hands.append(sum(_card(suit, rank) for rank in ranks))
    return hands


def _of_rank(rank: int, count: int) -> list[int]:
    return [sum(_card(suit, rank) for suit in suits) for suits in combinations(range(4), count)]


def _full_houses(family: Family) -> list[int]:
    triples = [r for r in range(13) if family.rank in {None, RANKS[r]}]
    pairs = [r for r in range(13) if family.pair_rank in {None, RANKS[r]}]
    return [
        three | two
        for triple in triples
        for pair in pairs
        if triple != pair
        for three in _of_rank(triple, 3)
        for two in _of_rank(pair, 2)
    ]


@lru_cache(maxsize=256)
def hands(family: Family) -> tuple[int, ...]:
    """All hands of a family as card sets (7.2)."""
    match family.mode:
        case "royal_flush":
            return tuple(_straights(family, 12))
        case "straight_flush":
            return tuple(_straights(family, 3))
        case "four_of_a_kind":
            ranks = [r for r in range(13) if family.rank in {None, RANKS[r]}]
            return tuple(hand for rank in ranks for hand in _of_rank(rank, 4))
        case "full_house":
            return tuple(_full_houses(family))
        case "named_cards":
            return (to_set(family.named or ()),)
        case _:
            raise ValueError(family.mode)


# Claims come one by one, so each set of hands is a part of the one before: after the first claim
# a full house is one of at most 360.  The caches keep the families and claims under way.
@lru_cache(maxsize=4096)
def _possible(family: Family, claimed: tuple[int, ...]) -> tuple[int, ...]:
    """The hands that contain all claimed cards, as card sets (7.4)."""
    if not claimed:
        return hands(family)
    last = set_of(claimed[-1])
    return tuple(hand for hand in _possible(family, claimed[:-1]) if hand & last)


@lru_cache(maxsize=4096)
def target(family: Family, claimed: tuple[int, ...]) -> Target:
    """The possible hands, counted, and the wanted cards (7.4, 7.5).

    >>> target(Family("royal_flush"), ()).possible
    4
    """
    possible = _possible(family, claimed)
    wanted = 0
    for hand in possible:
        wanted |= hand
    return Target(len(possible), from_set(wanted))
