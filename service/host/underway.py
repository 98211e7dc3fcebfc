"""What is under way in a process and is to come to its end, whoever stops waiting for it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

import structlog

from engine.errors import KartejoError
from service.host.faults import report

__all__ = ["UnderWay", "pass_on", "settle"]

log = structlog.get_logger(__name__)

FINISH_SECONDS: Final = 10.0
"""How long a service that stops waits for the outcome of its commands."""

T = TypeVar("T")


class UnderWay:
    """``futures``: tasks, and the outcomes of commands that go without one."""

    def __init__(self) -> None:
        self.futures: set[asyncio.Future[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task that :meth:`finish` waits for."""
        task = asyncio.create_task(work)
        self.add(task)
        return task

    def add(self, future: asyncio.Future[Any]) -> None:
        """One more that :meth:`finish` waits for; a fault of ours in it is told in the log."""
        self.futures.add(future)
        future.add_done_callback(self._ended)

    def _ended(self, future: asyncio.Future[Any]) -> None:
        self.futures.discard(future)
        if future.cancelled():
            return
        error = future.exception()
        if error is not None and not isinstance(error, KartejoError):
            report(log, "command_failed", error)

    async def finish(self) -> None:
        """Wait until nothing runs any more, for ``FINISH_SECONDS`` at most.

        Without its database a command may have no outcome for as long as that stays away; whoever
        sends it again learns it.
        """
        until = asyncio.get_running_loop().time() + FINISH_SECONDS
        while self.futures:
            left = until - asyncio.get_running_loop().time()
            if left <= 0:
                break
            await asyncio.wait(set(self.futures), timeout=left)
        if self.futures:
            log.warning("commands_given_up", commands=len(self.futures))
            for future in self.futures:
                future.cancel()
            await asyncio.gather(*self.futures, return_exceptions=True)


def settle(done: asyncio.Future[T], outcome: T | Exception) -> None:
    """Bring a future to its outcome, unless it was given up meanwhile."""
    if done.done():
        return
    if isinstance(outcome, Exception):
        done.set_exception(outcome)
    else:
        done.set_result(outcome)


def pass_on(done: asyncio.Future[T], task: asyncio.Task[T]) -> None:
    """Bring a future to the outcome of a task."""
    if task.cancelled():
        done.cancel()
    elif isinstance(error := task.exception(), Exception):
        settle(done, error)
    else:
        settle(done, task.result())
