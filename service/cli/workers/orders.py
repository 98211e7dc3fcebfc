"""What the process that keeps the workers and a worker tell each other, over two pipes.

The worker reads one line, its order, from standard input: it may hold a password, which would be
seen among the arguments of a process.  It answers with signs, a word a line, on standard output.
"""

from __future__ import annotations

import json
import os
from typing import Final, NamedTuple

from service.cli.failures import CommandError

__all__ = ["ALIVE", "FAILED", "READY", "Order", "Signs"]

ALIVE: Final = "alive"
READY: Final = "ready"
FAILED: Final = "failed"


class Order(NamedTuple):
    """How a worker is to serve; ``number`` from 1, ``parent`` the process that keeps it.

    ``listen`` names the port that is kept for all workers.  Paths are absolute; empty for none.
    """

    number: int
    parent: int
    database: str
    home: str
    listen: str
    certificate: str
    key: str
    lab: bool
    reflection: bool
    log_json: bool

    def as_line(self) -> str:
        """One line for :meth:`parse`."""
        return json.dumps(self._asdict()) + "\n"

    @classmethod
    def parse(cls, line: str) -> Order:
        """The order of a line."""
        return cls(**json.loads(line))


class Signs:
    """A worker's end of the pipe on which it gives signs; ``handle`` is a file descriptor."""

    def __init__(self, handle: int) -> None:
        os.set_blocking(handle, False)
        self._handle = handle

    def alive(self) -> None:
        """Say that the event loop runs."""
        try:
            self._say(ALIVE)
        except BlockingIOError:
            # The pipe is full of earlier signs, which say the same.
            return

    def ready(self) -> None:
        """Say that the worker serves."""
        self._say(READY)

    def failed(self, error: CommandError) -> None:
        """Say why the worker cannot serve."""
        told = {"reason": error.reason, "what": str(error), "hint": error.hint}
        self._say(f"{FAILED} {json.dumps(told)}")

    def _say(self, line: str) -> None:
        os.write(self._handle, f"{line}\n".encode())
