"""Groups of cards of one value: dividing into them, and finding them (royal_casino 6.7, 6.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

from engine.cards import Card
from engine.games.royal_casino.values import ACE, capture_value, in_order, low_value

__all__ = ["Cards", "Groups", "groups_of", "groups_with", "partition"]

Cards: TypeAlias = tuple[Card, ...]
Groups: TypeAlias = tuple[Cards, ...]


def _by_lowest(cards: Cards, value: int) -> list[list[int]]:
    """For each card the groups of a value that it is the lowest of, as masks.

    In the order of their index lists, a list before those that go on from it.
    """
    lows = [low_value(card) for card in cards]
    found: list[list[int]] = [[] for _ in cards]

    def longer(lowest: int, mask: int, left: int, start: int) -> None:
        if not left:
            found[lowest].append(mask)
            return
        for index in range(start, len(cards)):
            if lows[index] <= left:
                longer(lowest, mask | 1 << index, left - lows[index], index + 1)

    for index, card in enumerate(cards):
        if value == ACE == capture_value(card):
            found[index].append(1 << index)  # a lone ace; other cards alone are worth what they are
        if lows[index] <= value:
            longer(index, 1 << index, value - lows[index], index + 1)
    return found


def _may_divide(cards: Cards, value: int) -> bool:
    """Whether the sum is that of some number of groups: aces alone count 13 more (6.5.9)."""
    total = sum(map(low_value, cards))
    aces = sum(capture_value(card) == ACE for card in cards) if value == ACE else 0
    return any((total + 13 * alone) % value == 0 for alone in range(aces + 1))


def partition(cards: Iterable[Card], value: int) -> Groups | None:
    """The canonical division of cards into groups of a value; None: they cannot be divided (6.7).

    >>> from engine.cards import card_name, parse_card
    >>> eights = partition(map(parse_card, "5d 3c 8h 6s 2c".split()), 8)
    >>> [" ".join(map(card_name, group)) for group in eights]
    ['2c 6s', '3c 5d', '8h']
    """
    ordered = in_order(cards)
    if not _may_divide(ordered, value):
        return None
    groups = _by_lowest(ordered, value)
    hopeless: set[int] = set()

    def divide(rest: int) -> list[int] | None:
        if not rest:
            return []
        if rest in hopeless:
            return None
        for group in groups[(rest & -rest).bit_length() - 1]:
            if group & rest == group:
                others = divide(rest ^ group)
                if others is not None:
                    return [group, *others]
        hopeless.add(rest)
        return None

    masks = divide((1 << len(ordered)) - 1)
    return None if masks is None else tuple(_cards(ordered, mask) for mask in masks)


def _cards(ordered: Cards, mask: int) -> Cards:
    return tuple(card for index, card in enumerate(ordered) if mask >> index & 1)


@lru_cache(maxsize=1024)
def _sums(loose: Cards) -> Mapping[int, Groups]:
    """All sets of loose cards by the sum of their low values, up to 14; in card order."""
    found: dict[int, list[Cards]] = {}

    def longer(chosen: Cards, total: int, start: int) -> None:
        for index in range(start, len(loose)):
            card = loose[index]
            reached = total + low_value(card)
            if reached <= ACE:
                found.setdefault(reached, []).append((*chosen, card))
                longer((*chosen, card), reached, index + 1)

    longer((), 0, 0)
    return {total: tuple(sets) for total, sets in found.items()}


def groups_of(loose: Cards, value: int) -> Groups:
    """G(v): the groups of a value among loose cards, which come in card order (6.8.1)."""
    sets = _sums(loose).get(value, ())
    if value != ACE:
        return sets
    return (*sets, *((card,) for card in loose if capture_value(card) == ACE))


def groups_with(card: Card, loose: Cards, value: int) -> Groups:
    """The groups of a value that a played card makes with loose cards, without the card itself."""
    alone: Groups = ((),) if capture_value(card) == value else ()
    if value <= low_value(card):
        return alone
    return alone + _sums(loose).get(value - low_value(card), ())
