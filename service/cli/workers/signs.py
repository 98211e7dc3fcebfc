"""The signs that a worker gives to the process that keeps it: a word a line, over a pipe."""

from __future__ import annotations

import json
import os
from typing import Final

from service.cli.failures import CommandError

__all__ = ["ALIVE", "FAILED", "READY", "Signs"]

ALIVE: Final = "alive"
READY: Final = "ready"
FAILED: Final = "failed"


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
