"""How much one caller may have under way at once, so that nobody takes everything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from engine.errors import Exhausted

__all__ = ["Places"]

K = TypeVar("K")

RETRY_MS = 100


class Places(Generic[K]):
    """At most ``most`` places for every key; ``what`` is what a caller hears beyond."""

    def __init__(self, most: int, what: str) -> None:
        self._most = most
        self._what = what
        self._taken: dict[K, int] = {}
        self.taken = 0
        self.refused = 0

    def take(self, key: K) -> None:
        """Take a place, to be given back by ``leave``; raises ``Exhausted``."""
        taken = self._taken.get(key, 0)
        if taken >= self._most:
            self.refused += 1
            raise Exhausted(f"{self._what}: at most {self._most} at once", retry_ms=RETRY_MS)
        self._taken[key] = taken + 1
        self.taken += 1

    def leave(self, key: K) -> None:
        """Give a place back."""
        self.taken -= 1
        left = self._taken[key] - 1
        if left:
            self._taken[key] = left
        else:
            del self._taken[key]

    @contextmanager
    def place(self, key: K) -> Iterator[None]:
        """A place for as long as the block runs; raises ``Exhausted``."""
        self.take(key)
        try:
            yield
        finally:
            self.leave(key)
