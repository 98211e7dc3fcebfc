"""A process of the load generator: what it tells the fleet, and how it measures itself.

It talks over a pipe: ``Opened`` for each of its parts that is ready, then it waits for ``Begin``; a
``Sample`` a second while it plays; ``Stopped``; ``Checked`` for each table; ``Ended``.  What goes
wrong is told as ``Failed`` and ends it.
"""

from __future__ import annotations

import asyncio
import math
import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Final, NamedTuple

import uvloop

from engine.errors import KartejoError
from engine.games import GAMES
from service.codec import Codec
from service.load.tally import Tally

__all__ = ["Begin", "Ended", "Failed", "Opened", "Process", "Stopped", "until", "work"]

HEARTBEAT_SECONDS: Final = 0.01
SAMPLE_SECONDS: Final = 1.0


class Opened(NamedTuple):
    """One more table is open, or one more player has entered: his number, and who he is."""

    player: int = 0
    id: str = ""


class Begin(NamedTuple):
    """Play from this moment on (``time.monotonic``, which all processes of a machine share)."""

    start: float


class Stopped(NamedTuple):
    """Nothing is played any more.  ``missed``: actions that were never begun."""

    missed: int
    gone: dict[str, int]


class Ended(NamedTuple):
    """Everything is done."""


class Failed(NamedTuple):
    """Why this process has ended too early."""

    reason: str
    what: str


class Process(ABC):
    """Plays its share, counts, and tells of it."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._told: asyncio.Queue[Any] = asyncio.Queue()
        self._seconds = 0
        self._start = 0.0
        self._cpu = 0.0
        self._measuring: list[asyncio.Task[None]] = []
        self.codec = Codec(GAMES)
        self.tally = Tally()

    @abstractmethod
    async def _work(self) -> None:
        """Everything, in order."""

    @abstractmethod
    async def _close(self) -> None:
        """End all connections; may be called twice."""

    async def run(self) -> None:
        """Work, and end with whatever goes wrong anywhere."""
        loop = asyncio.get_running_loop()
        main, before = asyncio.current_task(), loop.get_exception_handler()
        broken: list[BaseException] = []

        def end(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            """A fault in a callback or a line ends everything: half a load measures nothing."""
            broken.append(context.get("exception") or RuntimeError(context["message"]))
            if main is not None:
                main.cancel()

        loop.set_exception_handler(end)
        loop.add_reader(self._pipe.fileno(), self._hear)
        # The loop has made it one that takes and gives what fits at once: not always all of it.
        os.set_blocking(self._pipe.fileno(), True)
        try:
            await self._work()
        except asyncio.CancelledError:
            if broken:
                raise broken[0] from None
            raise
        finally:
            loop.set_exception_handler(before)
            loop.remove_reader(self._pipe.fileno())
            await self._close()

    def _hear(self) -> None:
        try:
            self._told.put_nowait(self._pipe.recv())
        except (EOFError, OSError):  # the fleet is no more: nobody wants to know
            raise SystemExit(1) from None

    # --- measuring ----------------------------------------------------------------------------

    async def _measure_from(self, start: float) -> None:
        """Count from a moment on, for which it waits."""
        self._start = start
        await asyncio.sleep(max(0.0, start - time.monotonic()))
        self._cpu = time.process_time()
        self._measuring = [asyncio.create_task(self._samples()), asyncio.create_task(self._beat())]

    async def _measure_no_more(self) -> None:
        """Tell of what was counted since the last full second."""
        for task in self._measuring:
            task.cancel()
        await asyncio.gather(*self._measuring, return_exceptions=True)
        self._send_sample()

    async def _samples(self) -> None:
        while True:
            moment = self._start + (self._seconds + 1) * SAMPLE_SECONDS
            await asyncio.sleep(max(0.0, moment - time.monotonic()))
            self._send_sample()

    def _send_sample(self) -> None:
        passed = time.monotonic() - self._start
        self._pipe.send(self.tally.sample(self._seconds, passed, time.process_time() - self._cpu))
        self._seconds += 1

    async def _beat(self) -> None:
        """Measures how late this loop is: what the generator itself adds to a latency."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(HEARTBEAT_SECONDS)
            self.tally.lags.record(max(0.0, time.monotonic() - before - HEARTBEAT_SECONDS))


async def until(done: Callable[[], bool], seconds: float) -> None:
    """Wait for something, for so long at most."""
    for _ in range(math.ceil(seconds / HEARTBEAT_SECONDS)):
        if done():
            return
        await asyncio.sleep(HEARTBEAT_SECONDS)


def work(process: Callable[[], Process], pipe: Connection) -> None:
    """Be a process of the generator."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the fleet's to hear
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        try:
            runner.run(process().run())
        except KartejoError as error:
            pipe.send(Failed(error.reason, str(error)))
