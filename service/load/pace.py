"""When actions are due: at full speed, after think times, or at a rate that nothing slows down.

The moments of an open loop are fixed beforehand, whatever the service does: an action that could
not be begun at its moment, because its table still waited for an answer, is begun late and its
latency counts from the moment, not from the delay's end.  So a service that stands still for a
second is charged for everything that was due in that second, not for the few calls under way.

Nothing here reads a clock: moments are seconds on the caller's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from heapq import heappop, heappush
from itertools import count
from typing import Generic, NamedTuple, TypeVar

__all__ = ["Due", "FixedRate", "FullSpeed", "Pace", "Thinking"]

T = TypeVar("T", bound=Hashable)


class Due(NamedTuple, Generic[T]):
    """A table that acts now, and the moment from which the action's latency counts."""

    table: T
    intended: float


class Pace(ABC, Generic[T]):
    """Matches tables that may act with the moments at which somebody is to act."""

    @abstractmethod
    def ready(self, table: T, now: float) -> None:
        """A table may act from ``now`` on, once."""

    @abstractmethod
    def due(self, now: float) -> Iterator[Due[T]]:
        """The tables that act now; each has to be ``ready`` again before it acts again."""

    @abstractmethod
    def wakes(self) -> float | None:
        """When a table that is ready acts next; None: when another one gets ready."""

    @abstractmethod
    def missed(self, end: float) -> Iterator[float]:
        """Moments before ``end`` at which nobody acted; asked once, at the end."""

    def drop(self, table: T) -> None:
        """A table acts no more."""


class FullSpeed(Pace[T]):
    """Every table acts as soon as it may: a closed loop, whose moments the service sets."""

    def __init__(self) -> None:
        self._ready: deque[Due[T]] = deque()

    def ready(self, table: T, now: float) -> None:
        """It acts at once."""
        self._ready.append(Due(table, now))

    def due(self, now: float) -> Iterator[Due[T]]:
        """All that are ready."""
        del now
        while self._ready:
            yield self._ready.popleft()

    def wakes(self) -> float | None:
        """At once, if there is one."""
        return self._ready[0].intended if self._ready else None

    def missed(self, end: float) -> Iterator[float]:
        """None: who waits for an answer has no moment."""
        del end
        return iter(())


class FixedRate(Pace[T]):
    """So many actions a second from ``start`` on, evenly, whichever tables are ready.

    >>> pace = FixedRate[str](rate=2.0, start=10.0)
    >>> pace.ready("a", 10.0); pace.ready("b", 10.0)
    >>> list(pace.due(10.1)), pace.wakes()
    ([Due(table='a', intended=10.0)], 10.5)
    """

    def __init__(self, rate: float, start: float) -> None:
        self._rate = rate
        self._start = start
        self._begun = 0
        self._ready: deque[T] = deque()

    def _moment(self) -> float:
        return self._start + self._begun / self._rate

    def ready(self, table: T, now: float) -> None:
        """It takes the oldest moment that is left."""
        del now
        self._ready.append(table)

    def due(self, now: float) -> Iterator[Due[T]]:
        """Tables in the order in which they got ready, moments in theirs."""
        while self._ready and self._moment() <= now:
            due = Due(self._ready.popleft(), self._moment())
            self._begun += 1
            yield due

    def wakes(self) -> float | None:
        """The next moment, if somebody is ready for it."""
        return self._moment() if self._ready else None

    def missed(self, end: float) -> Iterator[float]:
        """Moments for which no table was ready in time."""
        while self._moment() < end:
            yield self._moment()
            self._begun += 1


class Thinking(Pace[T]):
    """Each table has moments of its own: the sums of think times, as though answers took none."""

    def __init__(self, think: Callable[[], float], start: float) -> None:
        self._think = think
        self._start = start
        self._moments: dict[T, float] = {}
        self._ready: list[tuple[float, int, T]] = []
        self._order = count()

    def ready(self, table: T, now: float) -> None:
        """It acts at its next moment, or at once if that is over."""
        del now
        moment = self._moments.get(table)
        if moment is None:
            moment = self._moments[table] = self._start + self._think()
        heappush(self._ready, (moment, next(self._order), table))

    def due(self, now: float) -> Iterator[Due[T]]:
        """Tables whose moment has come, in the order of the moments."""
        while self._ready and self._ready[0][0] <= now:
            moment, _, table = heappop(self._ready)
            self._moments[table] = moment + self._think()
            yield Due(table, moment)

    def wakes(self) -> float | None:
        """The earliest moment of a table that is ready."""
        return self._ready[0][0] if self._ready else None

    def drop(self, table: T) -> None:
        """Its moments go with it."""
        self._moments.pop(table, None)

    def missed(self, end: float) -> Iterator[float]:
        """Of each table, the moments that have passed."""
        for moment in self._moments.values():
            while moment < end:
                yield moment
                moment += max(self._think(), 1e-6)  # noqa: PLW2901 - the next one of this table
