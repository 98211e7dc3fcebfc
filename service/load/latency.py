"""Latencies: an HdrHistogram of microseconds, from 1 µs to an hour, three digits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hdrh.histogram import HdrHistogram

__all__ = ["Latencies"]

LOWEST_US: Final = 1
HIGHEST_US: Final = 3_600_000_000
DIGITS: Final = 3
CURVE: Final = (
    *(0.0, 10.0, 25.0, 50.0, 75.0, 80.0, 85.0, 90.0, 92.5, 95.0, 97.0, 98.0, 99.0, 99.3, 99.5),
    *(99.7, 99.8, 99.9, 99.93, 99.95, 99.97, 99.98, 99.99, 99.995, 99.999),
)
"""Percentiles of a curve; the last one that is drawn is that of a single value."""


class Latencies:
    """A histogram of seconds.

    >>> some = Latencies()
    >>> for milliseconds in range(1, 1001):
    ...     some.record(milliseconds / 1000)
    >>> round(some.percentile(99.0), 2), round(some.worst, 2), some.count
    (0.99, 1.0, 1000)
    """

    def __init__(self) -> None:
        self._histogram: Any = HdrHistogram(LOWEST_US, HIGHEST_US, DIGITS)

    def record(self, seconds: float) -> None:
        """Count a latency; beyond an hour it is an hour."""
        self._histogram.record_value(min(max(round(seconds * 1e6), LOWEST_US), HIGHEST_US))

    def add(self, other: Latencies) -> None:
        """Count everything of another one."""
        self._histogram.add(other._histogram)

    def corrected(self, expected: float) -> Latencies:
        """With what a closed loop left out: while a call took longer than the ``expected`` seconds
        between two of its caller, others would have begun, each with what was left to wait then.
        """
        found = Latencies()
        found.add(self)
        interval = max(round(expected * 1e6), LOWEST_US)
        for item in self._histogram.get_recorded_iterator():
            missing = item.value_iterated_to - interval
            while missing >= interval:
                found._histogram.record_value(missing, item.count_added_in_this_iter_step)
                missing -= interval
        return found

    @property
    def count(self) -> int:
        """How many were counted."""
        return int(self._histogram.get_total_count())

    @property
    def worst(self) -> float:
        """The greatest, in seconds; 0 of none."""
        return float(self._histogram.get_max_value()) / 1e6 if self.count else 0.0

    @property
    def mean(self) -> float:
        """The mean, in seconds; 0 of none."""
        return float(self._histogram.get_mean_value()) / 1e6 if self.count else 0.0

    def percentile(self, percent: float) -> float:
        """What so many in a hundred are not above, in seconds; 0 of none."""
        if not self.count:
            return 0.0
        return float(self._histogram.get_value_at_percentile(percent)) / 1e6

    def curve(self) -> Iterator[tuple[float, float]]:
        """Percentiles and their seconds, up to the percentile that one value stands for."""
        if not self.count:
            return
        last = 100.0 * (1 - 1 / self.count)
        for percent in CURVE:
            if percent < last:
                yield percent, self.percentile(percent)
        yield last, self.worst

    def encode(self) -> bytes:
        """The histogram in few bytes."""
        return bytes(self._histogram.encode())

    @classmethod
    def decode(cls, data: bytes) -> Latencies:
        """The histogram of :meth:`encode`."""
        found = cls()
        found._histogram.decode_and_add(data)
        return found
