"""What is attacked, and how an attack says that it has begun."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Sequence
from typing import Final, NamedTuple, Self

__all__ = ["Target", "Thrift", "begun", "connected"]

SHARE: Final = 0.2
"""Of one processor.  Real attacks come from other machines: what one takes of this one's time by
being here is no harm that it does."""


class Target(NamedTuple):
    """``grpc`` and ``web`` are host:port; ``tokens`` are of players; ``tables``: id=version."""

    grpc: str
    web: str
    tokens: Sequence[str]
    tables: Sequence[str]

    @classmethod
    def of(cls, text: str) -> Self:
        """Of JSON, as ``text`` writes it."""
        return cls(*json.loads(text))

    def text(self) -> str:
        """For the command line."""
        return json.dumps(self)

    def table(self, number: int) -> tuple[str, int]:
        """Id and version of one of the tables."""
        table, _, version = self.tables[number % len(self.tables)].partition("=")
        return table, int(version)


def connected(address: str, seconds: float | None = None) -> socket.socket:
    """A TCP connection."""
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)), seconds)


def begun() -> None:
    """Tell whoever started this process that it is at work."""
    print("begun", flush=True)


class Thrift:
    """Keeps this process to its ``SHARE`` of a processor."""

    def __init__(self) -> None:
        self._free_at = time.monotonic()
        self._used = time.process_time()

    def rest(self) -> None:
        """Pause for as long as what was used since the last time is too much."""
        used = time.process_time()
        now = time.monotonic()
        self._free_at = max(now - 0.1, self._free_at) + (used - self._used) / SHARE
        self._used = used
        if self._free_at > now:
            time.sleep(self._free_at - now)
