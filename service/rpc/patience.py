"""How long a call may take, and how long a stream waits for its caller to read.

One timer for a call or a stream, and none for a message.  Every call comes through here, which is
why this is no ``asyncio.timeout``: that takes longer than all the rest of a call's guard.
"""

from __future__ import annotations

import asyncio
from typing import Any, Self

import structlog

from engine.errors import Exhausted
from service.rpc.context import Context

__all__ = ["Patience", "Within"]

log = structlog.get_logger(__name__)


class Within:
    """A block of one task that raises ``TimeoutError`` when it takes longer than ``seconds``."""

    __slots__ = ("_cancelled_before", "_is_over", "_seconds", "_task", "_timer")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._is_over = False

    def __enter__(self) -> Self:
        self._task = _this_task()
        self._cancelled_before = self._task.cancelling()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._end)
        return self

    def _end(self) -> None:
        self._is_over = True
        self._task.cancel()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._timer.cancel()
        if not self._is_over:
            return
        is_ours = self._task.uncancel() <= self._cancelled_before
        if is_ours and kind is asyncio.CancelledError:
            raise TimeoutError from None


class Patience:
    """Writes the messages of one stream from one task, until one of them has waited for too long.

    A context manager around all of the task's writing; it raises ``Exhausted`` at its end if the
    task had to be woken from a write.
    """

    def __init__(self, seconds: float) -> None:
        """Of the task that runs."""
        self._task = _this_task()
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._since: float | None = None
        self._is_over = False

    async def write(self, context: Context, message: object) -> bool:
        """Send a message; false if the caller's connection is gone."""
        self._since = self._loop.time()
        is_there = await context.write(message)
        self._since = None
        return is_there

    def __enter__(self) -> Self:
        self._timer = self._loop.call_later(self._seconds, self._look)
        return self

    def _look(self) -> None:
        waited = 0.0 if self._since is None else self._loop.time() - self._since
        if waited >= self._seconds:
            self._is_over = True
            self._task.cancel()
        else:
            self._timer = self._loop.call_later(self._seconds - waited, self._look)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._timer.cancel()
        if self._is_over and kind is asyncio.CancelledError:
            self._task.uncancel()
            log.warning("stream_not_read", seconds=self._seconds)
            raise Exhausted("this stream is not read; resume it when it is") from None


def _this_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("a task is what waits")
    return task
