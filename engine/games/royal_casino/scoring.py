"""Counting a deal (royal_casino 7.1–7.5, 7.7.3): values in, values out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from engine.cards import parse_card, suit_of
from engine.games.royal_casino.events import Item, Scored
from engine.games.royal_casino.groups import Cards
from engine.games.royal_casino.options import Options

__all__ = ["CARD_OF", "Count", "count"]

CARD_OF: Final = {
    Item.BIG_CASINO: parse_card("Td"),
    Item.LITTLE_CASINO: parse_card("2s"),
    Item.ACE_S: parse_card("As"),
    Item.ACE_C: parse_card("Ac"),
    Item.ACE_H: parse_card("Ah"),
    Item.ACE_D: parse_card("Ad"),
}
"""The card that each of these items is scored for."""

_POINTS: Final = {Item.MOST_CARDS: 3, Item.BIG_CASINO: 2}
_SPADES: Final = 3


class Count(NamedTuple):
    """What a deal was worth.

    ``automatic``: sides that gained the item they were locked on.  ``first``: the side that won
    by reaching the target first, in sequential counting only.
    """

    items: tuple[Scored, ...]
    after: tuple[int, ...]
    counts: tuple[int, ...]
    spades: tuple[int, ...]
    automatic: tuple[int, ...]
    first: int | None


class _Held(NamedTuple):
    """An item, who holds it, and its points by themselves."""

    item: Item
    side: int | None
    points: int


def _most(numbers: Sequence[int]) -> int | None:
    """The side with strictly more than every other (7.2).

    >>> _most((18, 17, 17)), _most((26, 26))
    (0, None)
    """
    best = max(numbers)
    return numbers.index(best) if numbers.count(best) == 1 else None


def _held(
    piles: tuple[Cards, ...], spades: tuple[int, ...], sweeps: tuple[int, ...]
) -> Iterator[_Held]:
    """All items in counting order (7.2)."""
    yield _Held(Item.MOST_CARDS, _most([len(pile) for pile in piles]), _POINTS[Item.MOST_CARDS])
    yield _Held(Item.MOST_SPADES, _most(spades), 1)
    for item, card in CARD_OF.items():
        side = next(side for side, pile in enumerate(piles) if card in pile)
        yield _Held(item, side, _POINTS.get(item, 1))
    for side, own in enumerate(sweeps):
        net = own - max(other for rival, other in enumerate(sweeps) if rival != side)
        if net > 0:
            yield _Held(Item.SWEEPS, side, net)


class _Side:
    """A side's running total under the rules near the target (7.5)."""

    def __init__(self, options: Options, score: int, lock: Item | None) -> None:
        self._target = options.target
        self._capped = options.endgame == "capped"
        self._before = score
        self._lock = lock
        self.score = score
        self.automatic = False

    def gain(self, held: _Held) -> int:
        """Award an item; what the total gained."""
        points = self._points(held)
        self.score += points
        return points

    def _points(self, held: _Held) -> int:
        if self._lock is None:
            return held.points
        if held.item is self._lock:
            self.automatic = True
            return self._target - self.score
        if not self._capped or self.automatic:
            return 0
        if held.item is Item.SWEEPS and self._before > self._target - 3:
            return 0
        return min(held.points, self._target - 1 - self.score)


def count(
    options: Options,
    piles: tuple[Cards, ...],
    sweeps: tuple[int, ...],
    before: tuple[int, ...],
    locks: tuple[Item | None, ...],
    barred: frozenset[int],
) -> Count:
    """The count of a deal that was played out; ``barred`` sides score, but cannot win (7.7)."""
    spades = tuple(sum(suit_of(card) == _SPADES for card in pile) for pile in piles)
    sides = [_Side(options, score, lock) for score, lock in zip(before, locks, strict=True)]
    items: list[Scored] = []
    first: int | None = None
    for held in _held(piles, spades, sweeps):
        if held.side is None:
            items.append(Scored(held.item, None, 0))
            continue
        side = sides[held.side]
        items.append(Scored(held.item, held.side, side.gain(held)))
        if options.sequential and side.score >= options.target and held.side not in barred:
            first = held.side
            break
    return Count(
        items=tuple(items),
        after=tuple(side.score for side in sides),
        counts=tuple(map(len, piles)),
        spades=spades,
        automatic=tuple(number for number, side in enumerate(sides) if side.automatic),
        first=first,
    )
