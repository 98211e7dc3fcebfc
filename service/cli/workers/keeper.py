"""Keeps the workers: starts them, watches them, starts them again, ends them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import structlog

from service.cli.failures import CommandError
from service.cli.workers.orders import Order
from service.cli.workers.signs import FAILED, READY

__all__ = ["Keeper"]

TICK_SECONDS: Final = 0.5
STALL_TICKS: Final = 10
"""So many looks in a row without a sign of life, and a worker is ended: connections that the
system leads to it would hang.  Looks and not seconds, since the keeper itself may have stood still.
"""

START_TICKS: Final = 240
"""The same before its first sign: modules are read, on a machine that may be busy."""

STEADY_SECONDS: Final = 10.0
"""A worker that has lived for so long is started again at once."""

BACKOFF_SECONDS: Final = (0.0, 0.5, 1.0, 2.0, 5.0)
STOP_SECONDS: Final = 60.0
"""How long a worker may drain."""

log = structlog.get_logger(__name__)


class _Worker:
    """One process of a worker, from its start to its end."""

    def __init__(
        self, order: Order, process: asyncio.subprocess.Process, signs: asyncio.StreamReader
    ) -> None:
        self._process = process
        self._signs = signs
        self._log = log.bind(worker=order.number, pid=process.pid)
        self._silent = 0
        self._patience = START_TICKS
        self.why: CommandError | None = None

    @classmethod
    async def start(cls, order: Order) -> _Worker:
        """Start a fresh interpreter, which finds the modules that this one found.

        Nothing is forked: gRPC has threads.  A terminal's Ctrl-C is for the keeper alone, which
        ends the workers in its turn.
        """
        path = os.pathsep.join(place or str(Path.cwd()) for place in sys.path)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "service.cli.workers.worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )
        if process.stdin is None or process.stdout is None:
            raise AssertionError("both pipes were asked for")
        process.stdin.write(order.as_line().encode())
        process.stdin.close()
        return cls(order, process, process.stdout)

    async def watch(self, ready: Callable[[], None]) -> int:
        """Return when the process has ended, with its exit code; tell when it serves."""
        guarding = asyncio.create_task(self._guard())
        listening = asyncio.create_task(self._listen(ready))
        try:
            await listening
            return await self._process.wait()
        finally:
            guarding.cancel()
            listening.cancel()
            self.kill()

    async def _listen(self, ready: Callable[[], None]) -> None:
        async for line in self._signs:
            self._silent = 0
            self._patience = STALL_TICKS
            word, _, told = line.decode().rstrip().partition(" ")
            if word == READY:
                self._log.info("worker_serves")
                ready()
            elif word == FAILED:
                self.why = CommandError(**json.loads(told))

    async def _guard(self) -> None:
        while self._silent < self._patience:
            await asyncio.sleep(TICK_SECONDS)
            self._silent += 1
        self._log.error("worker_stalled", seconds=self._silent * TICK_SECONDS)
        self.kill()

    def end(self) -> None:
        """Let it drain."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, also one that is stopped."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        if self._process.returncode is None:
            self._process.send_signal(number)


class Keeper:
    """Keeps one worker for each order."""

    def __init__(self, orders: Sequence[Order]) -> None:
        self._orders = orders
        self._running: dict[int, _Worker] = {}
        self._awaited = {order.number for order in orders}
        self._ending = asyncio.Event()

    async def run(self, ready: Callable[[], None]) -> None:
        """Keep the workers until SIGTERM or SIGINT, then drain them; also when cancelled.

        ``ready`` is called when all of them serve.  Raises ``CommandError`` for one that cannot
        serve in the first place; one that ends later is started again.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._ending.set)
        ending = asyncio.create_task(self._ending.wait())
        keeping = [asyncio.create_task(self._keep(order, ready)) for order in self._orders]
        try:
            await asyncio.wait({ending, *keeping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._ending.set()
            await ending
            for worker in self._running.values():
                worker.end()
            await asyncio.wait(keeping, timeout=STOP_SECONDS)
            for late, worker in self._running.items():
                log.error("worker_does_not_end", worker=late)
                worker.kill()
            outcomes = await asyncio.gather(*keeping, return_exceptions=True)
        for outcome in outcomes:
            if outcome is not None:
                raise outcome

    async def _keep(self, order: Order, ready: Callable[[], None]) -> None:
        time = asyncio.get_running_loop().time
        hasty = 0
        while not self._ending.is_set():
            began = time()
            worker = await _Worker.start(order)
            self._running[order.number] = worker
            if self._ending.is_set():
                worker.end()
            try:
                code = await worker.watch(lambda: self._serves(order, ready))
            finally:
                del self._running[order.number]
            if self._ending.is_set():
                return
            if order.number in self._awaited:
                raise worker.why or CommandError(
                    "WORKER_FAILED",
                    f"worker {order.number} ended with exit code {code} before it served",
                    "the log says why",
                )
            tell = log.error if code else log.info
            why = worker.why.reason if worker.why else None
            tell("worker_ended", worker=order.number, exit_code=code, reason=why)
            hasty = 0 if time() - began > STEADY_SECONDS else hasty + 1
            await self._pause(BACKOFF_SECONDS[min(hasty, len(BACKOFF_SECONDS) - 1)])

    def _serves(self, order: Order, ready: Callable[[], None]) -> None:
        if order.number in self._awaited:
            self._awaited.discard(order.number)
            if not self._awaited:
                ready()

    async def _pause(self, seconds: float) -> None:
        """Wait, unless the service ends."""
        try:
            async with asyncio.timeout(seconds):
                await self._ending.wait()
        except TimeoutError:
            return
