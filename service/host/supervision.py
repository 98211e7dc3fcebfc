"""Background work that goes on whatever happens, and says so where it does not succeed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeVar

import structlog

from engine.errors import Unavailable
from service.host.faults import report
from service.world import World

__all__ = ["Supervisor", "each"]

log = structlog.get_logger(__name__)

AWAY_SECONDS: Final = 0.5
"""Pause after the store was found away."""

FAULT_SECONDS: Final = 1.0
"""Pause after a fault."""

SOUND_SECONDS: Final = 5.0
"""Work that has run for so long after a fault is sound again."""

K = TypeVar("K")


class Supervisor:
    """Runs work without end; ``told`` hears whether all of it is sound, at every change."""

    def __init__(self, world: World, told: Callable[[bool], object]) -> None:
        self._world = world
        self._told = told
        self._failing: set[str] = set()

    async def keep(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Run ``work`` again whenever it ends, until cancelled.

        A store that is away is no fault of the work's.
        """
        told = False
        while True:
            began = self._world.monotonic()
            sound = self._world.call_later(SOUND_SECONDS, lambda: self._is(name, sound=True))
            try:
                await work()
            except Unavailable as error:
                if not told or self._world.monotonic() - began > SOUND_SECONDS:
                    log.info("task_waits", task=name, reason=error.reason)
                told = True
                pause = AWAY_SECONDS
            except Exception as error:  # noqa: BLE001 whatever it was, the others go on
                report(log.bind(task=name), "task_failed", error)
                self._is(name, sound=False)
                pause = FAULT_SECONDS
            else:
                report(log.bind(task=name), "task_ended", RuntimeError())
                self._is(name, sound=False)
                pause = FAULT_SECONDS
            finally:
                sound.cancel()
            await asyncio.sleep(pause)

    def _is(self, name: str, *, sound: bool) -> None:
        before = bool(self._failing)
        if sound:
            self._failing.discard(name)
        else:
            self._failing.add(name)
        if bool(self._failing) != before:
            self._told(not self._failing)


async def each(
    keys: Iterable[K], work: Callable[[K], Awaitable[None]], most: int
) -> dict[K, Exception]:
    """Do the work for every key, ``most`` at a time; what failed, and why.

    However many there are, and though none of them waits for anything, the loop turns in between.
    """
    left = iter([*keys])
    failed: dict[K, Exception] = {}

    async def some() -> None:
        for key in left:
            try:
                await work(key)
            except Exception as error:  # noqa: BLE001 one key's fault is not the others'
                failed[key] = error
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(most):
            tasks.create_task(some())
    return failed
