"""When a call that failed is sent again: safe, since changing requests carry their request id."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from kartejo_client.errors import Exhausted, KartejoError, Unavailable

__all__ = ["Attempts", "Patience"]

_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 2.0
_SHORTEST_ATTEMPT: Final = 0.1


class Patience(NamedTuple):
    """How long a client waits, in seconds.

    ``call``: for one answer.  ``total``: for how long, from the first failure on, a call or a
    watch is sent again; 0: never.
    """

    call: float = 10.0
    total: float = 60.0


class Attempts:
    """The attempts of one call or watch: ``pause_after`` each failure, or no more of them.

    Pauses grow from 50 ms to 2 s, shortened by chance so that callers do not come back together;
    one that the service asks for (``RetryInfo``) is kept in full, and a little longer by chance.
    """

    def __init__(
        self,
        patience: Patience,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._patience = patience
        self._clock = clock
        self._chance = chance
        self._until: float | None = None
        self._pause = _FIRST_PAUSE

    def answered(self) -> None:
        """The service has been heard: what fails from now on is another failure."""
        self._until = None
        self._pause = _FIRST_PAUSE

    @property
    def seconds(self) -> float:
        """The deadline of the next attempt."""
        if self._until is None:
            return self._patience.call
        return min(self._patience.call, max(_SHORTEST_ATTEMPT, self._until - self._clock()))

    def pause_after(self, error: KartejoError, *, repeats: bool = False) -> float:
        """Seconds until the next attempt; raises the error if there is none.

        ``repeats``: another attempt is worth it whatever the error says.
        """
        asked = error.retry_seconds if isinstance(error, (Exhausted, Unavailable)) else None
        if not (repeats or isinstance(error, Unavailable) or asked is not None):
            raise error
        now = self._clock()
        if self._until is None:
            self._until = now + self._patience.total
        chance = self._chance()
        pause = max((asked or 0.0) * (1 + chance / 4), self._pause * (1 - chance / 2))
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        if now + pause > self._until:
            raise error
        return pause
