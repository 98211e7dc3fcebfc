"""How long a stream waits for its caller to read: one timer a stream, and none for a message."""

from __future__ import annotations

import asyncio
from typing import Any, Self

import grpc
import structlog

from engine.errors import Exhausted

__all__ = ["Patience"]

log = structlog.get_logger(__name__)


class Patience:
    """Writes the messages of one stream from one task, until one of them has waited for too long.

    A context manager around all of the task's writing; it raises ``Exhausted`` at its end if the
    task had to be woken from a write.
    """

    def __init__(self, seconds: float) -> None:
        """Of the task that runs."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a stream is written by a task")
        self._task = task
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._since: float | None = None
        self._is_over = False

    async def write(self, context: Any, message: object) -> bool:
        """Send a message; false if the caller's connection is gone."""
        self._since = self._loop.time()
        try:
            await context.write(message)
        except grpc.aio.InternalError:  # its connection is gone; the end is on its way
            return False
        self._since = None
        return True

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
