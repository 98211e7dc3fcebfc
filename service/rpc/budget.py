"""Places: how many calls may be open at a time, by caller and by all."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from engine.errors import Exhausted

__all__ = ["Budget", "Limits"]

RETRY_MS = 1_000


class Limits(NamedTuple):
    """Places for one caller (or connection), and for everybody together."""

    each: int
    all: int


class Budget:
    """Places that are taken and given back; nobody waits for one.

    >>> budget = Budget("calls", Limits(each=1, all=10))
    >>> give_back = budget.take("ann")
    >>> budget.take("ann")
    Traceback (most recent call last):
    ...
    engine.errors.Exhausted: too many calls at a time: 1 of one caller
    >>> give_back()
    >>> budget.taken
    0
    """

    def __init__(self, what: str, limits: Limits, whose: str = "one caller") -> None:
        self._what = what
        self._whose = whose
        self.limits = limits
        self._held: dict[Hashable, int] = {}
        self.taken = 0
        self.refused = 0

    def take(self, holder: Hashable) -> Callable[[], None]:
        """Take a place; what comes back gives it back.  Raises ``Exhausted``."""
        held = self._held.get(holder, 0)
        if held >= self.limits.each:
            raise self._exhausted(f"{held} of {self._whose}")
        if self.taken >= self.limits.all:
            raise self._exhausted(f"{self.taken} of all callers")
        self._held[holder] = held + 1
        self.taken += 1
        return lambda: self._give_back(holder)

    def _give_back(self, holder: Hashable) -> None:
        self.taken -= 1
        left = self._held[holder] - 1
        if left:
            self._held[holder] = left
        else:
            del self._held[holder]

    def _exhausted(self, why: str) -> Exhausted:
        self.refused += 1
        return Exhausted(f"too many {self._what} at a time: {why}", RETRY_MS)

    @contextmanager
    def place(self, holder: Hashable) -> Iterator[None]:
        """Hold a place for a while.  Raises ``Exhausted``."""
        give_back = self.take(holder)
        try:
            yield
        finally:
            give_back()
