"""Token buckets: how fast one caller, or one connection, may ask, or be refused.

A bucket holds ``BURST_SECONDS`` of its rate and fills all the time; a call takes one token.  What
is kept of it is one number, the moment at which it is full again: a full bucket is none at all, so
memory holds those only that asked within the last ``BURST_SECONDS``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from math import ceil
from typing import Final

from engine.errors import Exhausted
from service.world import Clock

__all__ = ["BURST_SECONDS", "Rates"]

BURST_SECONDS: Final = 2
"""How many seconds' worth of calls may come at once after a silence."""

_FORGOTTEN_AT_A_CALL: Final = 2


class Rates:
    """One bucket for every key; ``whose`` and ``what`` are named to whoever is too fast.

    ``each_second``: tokens that come back in a second; 0 stands for no limit at all.

    >>> from service.world import SteppedWorld
    >>> world = SteppedWorld()
    >>> rates = Rates("one caller", "calls", 1, world)
    >>> for _ in range(2):
    ...     rates.take("ann")
    >>> rates.take("ann")
    Traceback (most recent call last):
    ...
    engine.errors.Exhausted: too many calls of one caller: 1 a second, 2 at once
    >>> world.advance(1)
    >>> rates.take("ann")
    """

    def __init__(self, whose: str, what: str, each_second: int, clock: Clock) -> None:
        """Raises ``ValueError`` for a negative rate."""
        if each_second < 0:
            raise ValueError("a rate is 0 (no limit) or more")
        self._too_fast = (
            f"too many {what} of {whose}: {each_second} a second, "
            f"{each_second * BURST_SECONDS} at once"
        )
        self._token_seconds = 1 / each_second if each_second else 0.0
        self._clock = clock
        self._full_at: OrderedDict[Hashable, float] = OrderedDict()
        self.refused = 0
        self.paced = 0

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit at all."""
        return self._token_seconds > 0

    def __len__(self) -> int:
        """Buckets that are kept."""
        return len(self._full_at)

    def __contains__(self, key: Hashable) -> bool:
        """Whether a bucket is kept: one that is not, is full."""
        return key in self._full_at

    def take(self, key: Hashable) -> None:
        """Take a token; raises ``Exhausted`` with the time until there is one."""
        wait = self._wait(key)
        if wait > 0:
            self.refused += 1
            raise Exhausted(self._too_fast, retry_ms=ceil(wait * 1000))

    def spend(self, key: Hashable) -> None:
        """Take a token for what has happened already; of an empty bucket there is none to take."""
        self._wait(key)

    def owe(self, key: Hashable, most: float) -> float:
        """Take a token, one that is still to come if need be: seconds until it is there.

        Nobody waits for longer than ``most`` seconds, nor owes what would take longer.
        """
        if self._wait(key) <= 0:
            return 0.0
        now = self._clock.monotonic()
        latest = now + most + BURST_SECONDS
        self._full_at[key] = min(self._full_at[key] + self._token_seconds, latest)
        self._full_at.move_to_end(key)
        return self._full_at[key] - now - BURST_SECONDS

    def require(self, key: Hashable) -> None:
        """Raises ``Exhausted``, with the time until there is one, where no token is left."""
        full_at = self._full_at.get(key)
        if full_at is None:
            return
        wait = full_at + self._token_seconds - BURST_SECONDS - self._clock.monotonic()
        if wait > _ROUNDING:
            self.refused += 1
            raise Exhausted(self._too_fast, retry_ms=ceil(wait * 1000))

    async def pace(self, key: Hashable) -> None:
        """Take a token, and wait for it if need be."""
        while (wait := self._wait(key)) > 0:
            self.paced += 1
            await self._clock.sleep(wait)

    def _wait(self, key: Hashable) -> float:
        """Seconds until there is a token; 0.0 if one was taken."""
        if not self._token_seconds:
            return 0.0
        now = self._clock.monotonic()
        full_at = max(now, self._full_at.get(key, now)) + self._token_seconds
        wait = full_at - now - BURST_SECONDS
        if wait > _ROUNDING:
            return wait
        self._full_at[key] = full_at
        self._full_at.move_to_end(key)
        for _ in range(_FORGOTTEN_AT_A_CALL):
            oldest = next(iter(self._full_at))
            if self._full_at[oldest] > now:
                break
            del self._full_at[oldest]
        return 0.0


_ROUNDING: Final = 1e-9
"""Sums of many tokens' times are off by as little: a token that is there is given."""
