"""Watches the event loop from inside: how late it wakes what is due, and where the clocks stand.

A loop that is held up answers nobody.  A task that asks to be woken every 20 ms finds out: what
it is late by is what everything else waited, to within those 20 ms.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Final

import structlog

from service.telemetry.recorders import Histogram
from service.world import Clock

__all__ = ["STALL_SECONDS", "LoopMonitor"]

log = structlog.get_logger(__name__)

TICK_SECONDS: Final = 0.02
STALL_SECONDS: Final = 0.05
"""What is told as a stall; the figure that a service under load is held to."""

JUMP_SECONDS: Final = 1.0
"""By so much the time of day may leave the time that has passed, in one tick, before it is told."""

_BOUNDS: Final = (0.001, 0.002_5, 0.005, 0.01, 0.025, STALL_SECONDS, 0.1, 0.25, 0.5, 1.0, 5.0)


class LoopMonitor:
    """``late`` is how late the loop was at every tick, in seconds; the others are counts."""

    def __init__(self, clock: Clock, now: Callable[[], float] = perf_counter) -> None:
        self.late = Histogram(_BOUNDS)
        self.stalls = 0
        self.jumps = 0
        self._clock = clock
        self._now = now
        self._offset = self._time_of_day()

    async def run(self) -> None:
        """Watch, without end."""
        while True:
            due = self._now() + TICK_SECONDS
            await asyncio.sleep(TICK_SECONDS)
            self.woke(self._now() - due)

    def woke(self, late: float) -> None:
        """Take in how late the loop was, in seconds, and look at the clocks."""
        self.late.observe(max(0.0, late))
        if late > STALL_SECONDS:
            self.stalls += 1
            log.warning("loop_stalled", seconds=round(late, 3))
        offset = self._time_of_day()
        jump = offset - self._offset
        if abs(jump) > JUMP_SECONDS:
            self.jumps += 1
            log.warning("clock_jumped", seconds=round(jump, 3))
        self._offset = offset

    def _time_of_day(self) -> float:
        """How far the time of day is from the time that passes, in seconds."""
        return self._clock.now() / 1e6 - self._clock.monotonic()
