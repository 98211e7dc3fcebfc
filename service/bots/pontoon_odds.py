"""What a seat of Pontoon may know of the cards to come, and what its hands are worth by that.

Every card that the seat does not see is as likely as any other to come next; what it sees is its
view.  Values are expected chips for every chip staked: the next card by exact odds, the cards after
it as if each were put back.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from engine.cards import PACK, Card, rank_of
from engine.games.pontoon.view import PontoonView

__all__ = ["BUST", "PONTOON", "TRICK", "Odds", "Total", "points_of", "total_of"]

BUST: Final = 0
TRICK: Final = 22
PONTOON: Final = 23
STANDS: Final = 17
"""The total from which a banker, as the odds imagine him, takes no more."""
LEAST: Final = 15
"""The least total with which a punter may be thought to have stuck."""
FIVE: Final = 5
SOFT: Final = 11

Weights = tuple[float, ...]
"""The chance of each number of points, aces first: 1, 2 … 10."""


class Total(NamedTuple):
    """Cards as they count: their sum with aces as 1, whether there is an ace, how many."""

    low: int
    ace: bool
    cards: int

    @property
    def best(self) -> int:
        """The best total (pontoon 7.2)."""
        return self.low + 10 if self.ace and self.low <= SOFT else self.low

    @property
    def strength(self) -> int:
        """Strength of a hand that is no pontoon (pontoon 7.5)."""
        if self.low > 21:
            return BUST
        return TRICK if self.cards == FIVE else self.best

    def plus(self, points: int) -> Total:
        """With one more card."""
        return Total(self.low + points, self.ace or points == 1, self.cards + 1)


def points_of(card: Card) -> int:
    """Card points with an ace as 1."""
    rank = rank_of(card)
    return 1 if rank == 12 else min(rank + 2, 10)


def total_of(cards: tuple[Card, ...]) -> Total:
    """How shown cards count."""
    total = Total(0, False, 0)
    for card in cards:
        total = total.plus(points_of(card))
    return total


class Odds:
    """The chances of what is unseen, for one view."""

    def __init__(self, view: PontoonView) -> None:
        rows = (*view.cards, view.bank_hand)
        seen = {card for row in rows for card in row if card}
        self.unseen = Counter(points_of(card) for card in PACK if card not in seen)
        count = sum(self.unseen.values())
        self.weights: Weights = tuple(self.unseen[points] / count for points in range(1, 11))

    def next(self) -> Iterator[tuple[int, float]]:
        """The points of the next card and their chances."""
        return ((points, w) for points, w in enumerate(self.weights, 1) if w)

    def banker(self) -> Mapping[int, float]:
        """The chances of a banker of two unknown cards, who has no pontoon, by strength."""
        return dict(_banker(self.weights))

    def stuck(self, known: Total, hidden: int) -> Mapping[int, float]:
        """The chances of a hand that was stuck with ``hidden`` unknown cards, by strength."""
        if known.cards + hidden == FIVE:
            return {TRICK: 1.0}
        found: Mapping[Total, float] = {known: 1.0}
        for _ in range(hidden):
            more: defaultdict[Total, float] = defaultdict(float)
            for total, chance in found.items():
                for points, weight in self.next():
                    more[total.plus(points)] += chance * weight
            found = more
        fits = {t: chance for t, chance in found.items() if LEAST <= t.best <= 21}
        whole = sum(fits.values())
        by_strength: defaultdict[int, float] = defaultdict(float)
        for total, chance in fits.items():
            by_strength[total.strength] += chance / whole
        return by_strength or {LEAST: 1.0}

    def held(self, total: Total) -> float:
        """What a chip on a hand is worth that takes no more cards."""
        return _held(self.weights, total.strength)

    def drawn(self, total: Total) -> float:
        """What a chip on a hand is worth after one more card, and the best after that."""
        return sum(w * _worth(self.weights, total.plus(points)) for points, w in self.next())


@lru_cache(maxsize=256)
def _banker(weights: Weights) -> tuple[tuple[int, float], ...]:
    found: defaultdict[int, float] = defaultdict(float)
    for first, one in enumerate(weights, 1):
        for second, two in enumerate(weights, 1):
            if {first, second} == {1, 10}:
                continue  # a pontoon would have ended the deal
            total = Total(0, False, 0).plus(first).plus(second)
            for strength, chance in _drawing(weights, total):
                found[strength] += one * two * chance
    whole = sum(found.values())
    return tuple((strength, chance / whole) for strength, chance in found.items() if chance)


@lru_cache(maxsize=4096)
def _drawing(weights: Weights, total: Total) -> tuple[tuple[int, float], ...]:
    """What becomes of a banker who takes cards below :data:`STANDS`."""
    if total.low > 21 or total.cards == FIVE or total.best >= STANDS:
        return ((total.strength, 1.0),)
    found: defaultdict[int, float] = defaultdict(float)
    for points, weight in enumerate(weights, 1):
        for strength, chance in _drawing(weights, total.plus(points)):
            found[strength] += weight * chance
    return tuple(found.items())


@lru_cache(maxsize=4096)
def _held(weights: Weights, strength: int) -> float:
    if strength == BUST:
        return -1.0
    worth = 0.0
    for banker, chance in _banker(weights):
        if strength > banker:
            worth += chance * (2 if strength >= TRICK else 1)
        else:
            worth -= chance * (2 if banker == TRICK else 1)
    return worth


@lru_cache(maxsize=4096)
def _worth(weights: Weights, total: Total) -> float:
    """What a chip on a hand is worth to somebody who goes on as well as he can."""
    if total.low > 21 or total.cards == FIVE:
        return _held(weights, total.strength)
    goes_on = sum(w * _worth(weights, total.plus(p)) for p, w in enumerate(weights, 1) if w)
    return max(_held(weights, total.strength), goes_on) if total.best >= LEAST else goes_on
