"""Long sums, worked out beside the event loop: one thread, a bounded line, an end on request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Final, TypeVar
from uuid import UUID

from engine.odds import Progress
from service.rpc.budget import Budget, Limits

__all__ = ["Reckoning"]

T = TypeVar("T")

LINE: Final = Limits(each=1, all=8)
"""Sums under way or waiting."""


class _Stopped(Exception):
    """Nobody waits for this sum any more."""


class Reckoning:
    """The thread that works sums out."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="reckoning")
        self.line = Budget("sums", LINE)
        self._closed = Event()

    async def make(self, caller: UUID, work: Callable[[Progress], T]) -> T:
        """What ``work`` comes to; it tells its progress, and ends there when the call has ended.

        Raises ``Exhausted`` when the caller has a sum under way, or too many wait.
        """
        left = Event()

        def tell(_: float) -> None:
            if left.is_set() or self._closed.is_set():
                raise _Stopped

        with self.line.place(caller):
            try:
                return await asyncio.get_running_loop().run_in_executor(
                    self._thread, lambda: work(tell)
                )
            finally:
                left.set()

    def close(self) -> None:
        """Take no more, and end what is under way."""
        self._closed.set()
        self._thread.shutdown(wait=False, cancel_futures=True)
