"""Garbage collection without long pauses.

A process holds thousands of tables, a hundred objects each, and CPython's full collection looks at
all of them: 0.3 s for four thousand tables, in which nobody is served.  Reference counting frees
nearly everything anyway; collections are there for cycles, which calls leave behind and tables do
not.  So what has survived one full collection is put aside (``gc.freeze``) and not looked at again:
the next one looks at what is new since.  What was frozen and has become a cycle of garbage
meanwhile is found when the process has nothing to do.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Self

from service.world import Clock

__all__ = ["ColdStorage"]

THRESHOLDS: Final = (4_000, 3, 1)
"""As for ``gc.set_threshold``: a collection of young objects looks at 4,000, now and then at
16,000, and a full one at some 40,000, for what was there before is frozen.  An object takes one to
two microseconds, and who plays waits for all of them.  Limits of 1,000 made the shortest pauses, at
a twelfth of the processor; of 10,000, 5 and 10 such of up to 55 ms, and saved nothing."""

FULL: Final = 2
"""The generation whose collection looks at everything that is not frozen."""

LOOK_SECONDS: Final = 5.0
THAW_SECONDS: Final = 3_600.0
PATIENCE_SECONDS: Final = 6 * 3_600.0
"""Everything is looked at after an hour when the process is idle, after six in any case."""


class ColdStorage:
    """Freezes what survives full collections, as long as its block runs.  One in a process.

    ``keep`` thaws it at times; ``is_idle`` says whether a pause of a second would disturb nobody.
    """

    def __init__(self, clock: Clock, is_idle: Callable[[], bool]) -> None:
        self._clock = clock
        self._is_idle = is_idle
        self._before = gc.get_threshold()
        self._thawed_at = clock.monotonic()

    def __enter__(self) -> Self:
        gc.set_threshold(*THRESHOLDS)
        gc.callbacks.append(self._collected)
        _freeze()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        gc.callbacks.remove(self._collected)
        gc.set_threshold(*self._before)
        gc.unfreeze()

    @staticmethod
    def _collected(phase: str, info: dict[str, Any]) -> None:
        if phase == "stop" and info["generation"] == FULL:
            gc.freeze()

    async def keep(self) -> None:
        """Look at everything at times, without end."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            since = self._clock.monotonic() - self._thawed_at
            if since >= PATIENCE_SECONDS or (since >= THAW_SECONDS and self._is_idle()):
                self.thaw()

    def thaw(self) -> None:
        """Look at everything there is now, and freeze what is no garbage again."""
        gc.unfreeze()
        _freeze()
        self._thawed_at = self._clock.monotonic()


def _freeze() -> None:
    """Freeze what is no garbage, twice.

    CPython puts full collections off until there is a quarter of what the last one left: after the
    first that is everything, after the second nothing, for by then all of it is frozen.
    """
    gc.collect()
    gc.collect()
