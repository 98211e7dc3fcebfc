"""Offers: actions that would be accepted, and what each of their parameters may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from engine.actions import Action

__all__ = [
    "Budget",
    "Cards",
    "Groups",
    "Limit",
    "Names",
    "Offer",
    "OneCard",
    "Range",
    "Words",
]


class Range(NamedTuple):
    """An integer parameter from ``low`` to ``high``, both included.

    With ``standard`` the parameter may also be left out, or be 0: it is ``standard`` then.
    """

    field: str
    low: int
    high: int
    standard: int | None = None


class Words(NamedTuple):
    """A parameter that is one of some words."""

    field: str
    words: tuple[str, ...]


class Cards(NamedTuple):
    """A parameter that lists ``low`` to ``high`` different cards out of ``cards``."""

    field: str
    cards: tuple[int, ...]
    low: int
    high: int


class OneCard(NamedTuple):
    """A parameter that is one of some cards."""

    field: str
    cards: tuple[int, ...]


class Groups(NamedTuple):
    """A parameter that lists the cards of some groups, no card twice.

    One of them is out of ``first``, unless that is empty; any number of others are out of
    ``more``.  Together they have ``low`` cards or more, one of ``among`` at least if that is not
    empty.  This is the short form of what may be thousands of lists.
    """

    field: str
    first: tuple[tuple[int, ...], ...]
    more: tuple[tuple[int, ...], ...]
    low: int = 0
    among: tuple[int, ...] = ()

    def admits(self, cards: Iterable[int]) -> bool:
        """Whether a list of different cards is the union of such groups.

        >>> Groups("loose", (), ((1,), (2, 3), (3, 4)), 1).admits((2, 3, 1))
        True
        """
        rest = frozenset(cards)
        if len(rest) < self.low or (self.among and not rest & set(self.among)):
            return False
        return any(
            rest >= set(group) and _divides(rest - set(group), self.more)
            for group in self.first or ((),)
        )

    def unions(self) -> Iterator[tuple[int, ...]]:
        """All lists there may be, each once, as they are found."""
        seen: set[frozenset[int]] = set()
        for group in self.first or ((),):
            for cards in _unions(frozenset(group), self.more):
                fits = len(cards) >= self.low and (not self.among or cards & set(self.among))
                if fits and cards not in seen:
                    seen.add(cards)
                    yield tuple(sorted(cards))


class Names(NamedTuple):
    """A parameter that lists ``low`` or more different words, all of ``must`` among them."""

    field: str
    words: tuple[str, ...]
    low: int = 0
    must: tuple[str, ...] = ()


Limit = Range | Words | Cards | OneCard | Groups | Names


def _divides(rest: frozenset[int], groups: Sequence[tuple[int, ...]]) -> bool:
    if not rest:
        return True
    lowest = min(rest)
    return any(
        lowest in group and rest >= set(group) and _divides(rest - set(group), groups)
        for group in groups
    )


def _unions(
    chosen: frozenset[int], groups: Sequence[tuple[int, ...]], start: int = 0
) -> Iterator[frozenset[int]]:
    yield chosen
    for index in range(start, len(groups)):
        if not chosen.intersection(groups[index]):
            yield from _unions(chosen.union(groups[index]), groups, index + 1)


class Budget(NamedTuple):
    """What several parameters may be together: the weighted sum of some is at most ``most``.

    A parameter that is left out counts as 0.
    """

    fields: tuple[str, ...]
    weights: tuple[int, ...]
    most: int


class Offer(NamedTuple):
    """An action that would be accepted, with everything its parameters may be.

    ``together``: what they may be besides, where one of them leaves less for another.
    """

    action: type[Action]
    limits: tuple[Limit, ...] = ()
    together: tuple[Budget, ...] = ()
