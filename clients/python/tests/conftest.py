"""The service that the tests play at: any, such as one of ``kartejo serve``.

KARTEJO_ADDRESS: host:port.  KARTEJO_TOKENS: tokens of four players, with commas between them.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from kartejo_client import Client


@pytest.fixture(scope="session")
def address() -> str:
    """Where the service is."""
    return _setting("KARTEJO_ADDRESS")


@pytest.fixture(scope="session")
def tokens() -> list[str]:
    """Tokens of four players."""
    return _setting("KARTEJO_TOKENS").split(",")


def _setting(name: str) -> str:
    if not os.getenv(name):
        pytest.fail(f"these tests play at a running service: say {name}")
    return os.environ[name]


@pytest.fixture
def ann(address: str, tokens: list[str]) -> Iterator[Client]:
    """A player, at the service itself."""
    with Client(address, tokens[0]) as client:
        yield client


class Line:
    """A way to the service that a test interrupts."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._there = (host, int(port))
        self._door = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._door.getsockname()[1]}"
        self.is_dumb = False
        """Whether answers are lost."""
        self._ends: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End all connections; new ones may be made at once."""
        with self._lock:
            ends, self._ends = self._ends, set()
        for end in ends:
            with suppress(OSError):  # the other side was faster
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let nobody through any more."""
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:
                return  # closed
            far = socket.create_connection(self._there)
            with self._lock:
                self._ends |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(
                    target=self._carry, args=(one, other, one is far), daemon=True
                ).start()

    def _carry(self, one: socket.socket, other: socket.socket, back: bool) -> None:
        with suppress(OSError), one:
            while data := one.recv(65_536):
                if not (back and self.is_dumb):
                    other.sendall(data)
        with suppress(OSError):  # wakes who reads there
            other.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def line(address: str) -> Iterator[Line]:
    """A way to the service that may be cut."""
    made = Line(address)
    yield made
    made.close()


@pytest.fixture
def nowhere() -> str:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        return f"127.0.0.1:{door.getsockname()[1]}"


@pytest.fixture
def silent() -> Iterator[str]:
    """An address at which somebody listens who says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        yield f"127.0.0.1:{door.getsockname()[1]}"
