"""Counts and distributions that cost a few hundred nanoseconds, and never grow without a bound.

Not thread-safe: all of them belong to the event loop of their process.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

__all__ = ["MOST", "OTHER", "SECONDS", "Histogram", "Histograms", "Tally"]

SECONDS: Final = (
    *(0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)
"""Upper bounds for durations, in seconds."""

MOST: Final = 1_000
"""Different words that one recorder keeps apart.  Words are the program's own, a few dozen; that
nothing a caller sends ever becomes one is the rule, and this is the net below it."""

OTHER: Final = "other"
"""What further words are counted as."""


class Tally:
    """How often something happened, by ``names``.

    >>> told = Tally("method", "reason")
    >>> told.add("Check", "OK")
    >>> told.add("Check", "OK")
    >>> told.counts
    {('Check', 'OK'): 2}
    """

    __slots__ = ("_most", "_other", "counts", "names")

    def __init__(self, *names: str, most: int = MOST) -> None:
        self.names = names
        self.counts: dict[tuple[str, ...], int] = {}
        self._most = most
        self._other = (OTHER,) * len(names)

    def add(self, *words: str, times: int = 1) -> None:
        """Count once, or so many times; ``words`` are as many as the names."""
        counts = self.counts
        if words not in counts:
            if len(counts) >= self._most:
                words = self._other
            counts.setdefault(words, 0)
        counts[words] += times


class Histogram:
    """How values are spread: ``counts[i]`` of them were at most ``bounds[i]``, the last above all.

    >>> sizes = Histogram((1, 10))
    >>> for size in (1, 2, 10, 11):
    ...     sizes.observe(size)
    >>> sizes.counts, sizes.sum
    ([1, 2, 1], 24.0)
    """

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[float] = SECONDS) -> None:
        """``bounds`` ascend."""
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.sum = 0.0

    def observe(self, value: float) -> None:
        """Take one value in."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    @property
    def count(self) -> int:
        """Values taken in."""
        return sum(self.counts)


class Histograms:
    """A histogram for every word of ``name``."""

    __slots__ = ("_bounds", "_most", "each", "name")

    def __init__(self, name: str, bounds: Sequence[float] = SECONDS, most: int = MOST) -> None:
        self.name = name
        self.each: dict[str, Histogram] = {}
        self._bounds = tuple(bounds)
        self._most = most

    def observe(self, word: str, value: float) -> None:
        """Take a value in for that word."""
        self.of(word).observe(value)

    def of(self, word: str) -> Histogram:
        """The histogram of a word, made at its first use."""
        found = self.each.get(word)
        if found is None:
            if len(self.each) >= self._most:
                word = OTHER
            found = self.each.setdefault(word, Histogram(self._bounds))
        return found
