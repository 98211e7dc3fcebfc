"""A service of the load's own, which is killed now and then, and started again on its data."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from engine.errors import KartejoError

__all__ = ["OwnService", "kill_now_and_then"]

PORTS: Final = range(20_000, 32_000)
"""Below those that a system hands out: between a kill and the next start nobody gets the port."""

LOG: Final = "load-service.log"
STOP_SECONDS: Final = 60.0


class NotStarted(KartejoError):
    """The service has ended before it listened; what it said stands in its log."""

    reason = "NOT_STARTED"


class OwnService:
    """``kartejo serve`` on a folder, in a process of its own; a context manager."""

    def __init__(self, home: Path, arguments: tuple[str, ...] = ()) -> None:
        self._home = home
        self._arguments = arguments
        self._port = _free_port()
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and wait until it listens; raises :class:`NotStarted`."""
        self._home.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "service.cli", "serve", "--data", str(self._home)]
        command += ["--listen", f"127.0.0.1:{self._port}", "--json", *self._arguments]
        with (self._home / LOG).open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, encoding="utf-8"
            )
        if self._process.stdout is None or not self._process.stdout.readline():
            raise NotStarted(f"exit code {self._process.wait()}; see {self._home / LOG}")

    def kill(self) -> None:
        """End it at once, as if it had lost its power."""
        self._end(signal.SIGKILL)

    def _end(self, number: int) -> None:
        process = self._process
        if process is not None and process.poll() is None:
            os.kill(process.pid, number)
            process.wait(STOP_SECONDS)
        if process is not None and process.stdout is not None:
            process.stdout.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end(signal.SIGTERM)


def _free_port() -> int:
    for port in random.sample(PORTS, 50):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise NotStarted(f"no port from {PORTS.start} to {PORTS.stop} is free")


async def kill_now_and_then(
    service: OwnService, times: int, seconds: float, told: Callable[[int], None]
) -> None:
    """Kill it so often, each time after about so many seconds; ``told`` hears of each."""
    for number in range(1, times + 1):
        await asyncio.sleep(seconds * random.uniform(0.5, 1.5))
        await asyncio.to_thread(service.kill)
        told(number)
        await asyncio.to_thread(service.start)
