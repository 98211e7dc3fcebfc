"""The outside of a process: clock, timers, entropy, handed in once as a ``World``.

Nothing in the service reads a clock or draws a random byte anywhere else.  ``RealWorld`` asks the
operating system.  ``SteppedWorld`` is the same service run deterministically: time moves only when
told to, entropy comes from a seed, so two runs of the same commands give the same bytes.

Times of day are int microseconds since the Unix epoch (UTC); durations are float seconds.
"""

from __future__ import annotations

import asyncio
import heapq
import secrets
import time
from collections.abc import Callable
from hashlib import shake_256
from itertools import count
from typing import Final, Protocol
from uuid import UUID

__all__ = [
    "Clock",
    "Entropy",
    "Handle",
    "RealWorld",
    "SteppedWorld",
    "World",
    "uuid7",
    "uuid7_shaped",
]

_MICROSECONDS: Final = 1_000_000
_UUID_RANDOM_BYTES: Final = 10
_ENTROPY_LABEL: Final = b"kartejo/v1/stepped-entropy"


class Handle(Protocol):
    """A timer that has been set."""

    def cancel(self) -> None:
        """Take the timer back; no effect once it has run."""


class Clock(Protocol):
    """Time of day, elapsed time and timers."""

    def now(self) -> int:
        """Time of day: microseconds since the Unix epoch, UTC.  May jump."""

    def monotonic(self) -> float:
        """Seconds since some fixed moment; never goes back."""

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Handle:
        """Run ``callback`` once, ``seconds`` from now (at once when not positive)."""

    async def sleep(self, seconds: float) -> None:
        """Return ``seconds`` from now."""


class Entropy(Protocol):
    """Where secrets come from."""

    def entropy(self, size: int) -> bytes:
        """``size`` bytes that nobody can predict."""


class World(Clock, Entropy, Protocol):
    """All that a process takes from outside, besides its store and its sockets."""


class RealWorld:
    """The operating system's clock and entropy.  Timers need a running event loop.

    No generator state is kept: each call of ``entropy`` asks the kernel, so forked workers never
    repeat each other.
    """

    def now(self) -> int:
        return time.time_ns() // 1_000

    def monotonic(self) -> float:
        return time.monotonic()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Handle:
        return asyncio.get_running_loop().call_later(max(0.0, seconds), callback)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))

    def entropy(self, size: int) -> bytes:
        return secrets.token_bytes(size)


class _Timer:
    """One timer of a ``SteppedWorld``; ordered by due time, then by the order of setting."""

    __slots__ = ("callback", "due", "order")

    def __init__(self, due: int, order: int, callback: Callable[[], object]) -> None:
        self.due = due
        self.order = order
        self.callback: Callable[[], object] | None = callback

    def cancel(self) -> None:
        self.callback = None

    def __lt__(self, other: _Timer) -> bool:
        return (self.due, self.order) < (other.due, other.order)


class SteppedWorld:
    """A world that stands still until ``advance``; equal seeds and steps give equal bytes.

    ``now`` is the time of day at the start (microseconds), ``seed`` feeds the entropy.  For
    deterministic runs only: whoever knows the seed knows every secret.

    >>> world = SteppedWorld(now=1_000_000)
    >>> handle = world.call_later(2, lambda: print("due at", world.now()))
    >>> world.advance(5)
    due at 3000000
    >>> world.now(), world.monotonic()
    (6000000, 5.0)
    """

    def __init__(self, now: int = 1_700_000_000_000_000, seed: bytes = b"") -> None:
        self._day = now
        self._elapsed = 0
        self._seed = len(seed).to_bytes(4, "big") + seed
        self._draws = count()
        self._orders = count()
        self._timers: list[_Timer] = []

    def now(self) -> int:
        return self._day + self._elapsed

    def monotonic(self) -> float:
        return self._elapsed / _MICROSECONDS

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Handle:
        timer = _Timer(self._elapsed + _microseconds(seconds), next(self._orders), callback)
        heapq.heappush(self._timers, timer)
        return timer

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def wake() -> None:
            if not woken.done():  # cancelled in this very step
                woken.set_result(None)

        timer = self.call_later(seconds, wake)
        try:
            await woken
        finally:
            timer.cancel()

    def entropy(self, size: int) -> bytes:
        draw = next(self._draws).to_bytes(8, "big")
        return shake_256(_ENTROPY_LABEL + self._seed + draw).digest(size)

    def set_now(self, now: int) -> None:
        """Let the time of day jump to ``now`` (microseconds).  Timers do not notice."""
        self._day = now - self._elapsed

    def due_in(self) -> float | None:
        """Seconds until the next timer, ``None`` when there is none."""
        while self._timers and self._timers[0].callback is None:
            heapq.heappop(self._timers)
        if not self._timers:
            return None
        return max(0, self._timers[0].due - self._elapsed) / _MICROSECONDS

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass: timers due by then run in order, each at its own time.

        A timer that a callback sets runs too if it falls within the step.  An error in a callback
        comes out here; what was due after it stays set for the next step.  Tasks waiting in
        ``sleep`` are made ready; they run when the event loop gets its turn.

        Raises ``ValueError`` for a negative step.
        """
        if seconds < 0:
            raise ValueError("time does not run backwards")
        until = self._elapsed + _microseconds(seconds)
        while self._timers and self._timers[0].due <= until:
            timer = heapq.heappop(self._timers)
            if timer.callback is None:
                continue
            self._elapsed = max(self._elapsed, timer.due)
            timer.callback()
        self._elapsed = until


def _microseconds(seconds: float) -> int:
    return max(0, round(seconds * _MICROSECONDS))


def uuid7(world: World) -> UUID:
    """A new UUIDv7 (RFC 9562): 48 bits of ``world``'s milliseconds, 74 random bits."""
    return uuid7_shaped(world.now(), world.entropy(_UUID_RANDOM_BYTES))


def uuid7_shaped(at: int, noise: bytes) -> UUID:
    """The UUIDv7 of time ``at`` (microseconds) with the first 74 bits after it from ``noise``.

    A pure function, for ids that are derived rather than drawn: ``noise`` is then a digest.

    >>> uuid7_shaped(1_700_000_000_000_000, bytes(10))
    UUID('018bcfe5-6800-7000-8000-000000000000')

    Raises ``ValueError`` for fewer than ten bytes of noise or a time outside 48 bits.
    """
    if len(noise) < _UUID_RANDOM_BYTES:
        raise ValueError("a UUIDv7 needs ten bytes of noise")
    milliseconds = at // 1_000
    if not 0 <= milliseconds < 1 << 48:
        raise ValueError("time outside the 48 bits of a UUIDv7")
    bits = int.from_bytes(noise[:_UUID_RANDOM_BYTES], "big")
    high = bits >> 68  # 12 of the 80 bits; 62 more below, 6 are left over
    low = bits & ((1 << 62) - 1)
    return UUID(int=milliseconds << 80 | 7 << 76 | high << 64 | 2 << 62 | low)
