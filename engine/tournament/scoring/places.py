"""Places, those who are equal sharing one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, NamedTuple

__all__ = ["Place", "places"]


class Place(NamedTuple):
    """Entrants who share a place; it is counted from 1, and the next is ``place`` plus so many."""

    place: int
    entrants: tuple[int, ...]


def places(keys: Mapping[int, Any]) -> tuple[Place, ...]:
    """Places by key, the greatest first; entrants of one place in ascending order.

    >>> places({7: 10, 8: 30, 9: 10})
    (Place(place=1, entrants=(8,)), Place(place=2, entrants=(7, 9)))
    """
    return tuple(_places(keys))


def _places(keys: Mapping[int, Any]) -> Iterable[Place]:
    before = 0
    ordered = sorted(sorted(keys), key=keys.__getitem__, reverse=True)
    for _, group in groupby(ordered, key=keys.__getitem__):
        entrants = tuple(group)
        yield Place(before + 1, entrants)
        before += len(entrants)
