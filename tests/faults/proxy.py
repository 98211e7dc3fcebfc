"""A proxy that understands where messages end, and cuts a connection at any of them.

It stands between the service and PostgreSQL (a Unix socket), or between a client and the service
(TCP, frames of HTTP/2).  A ``Fault`` names the k-th message of one direction, counted from when it
was armed, and what becomes of it.  ``silent``: nothing is closed, but nothing comes through any
more, in either direction, as if a cable had been pulled.
"""

from __future__ import annotations

import asyncio
import socket
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final

from psycopg.conninfo import conninfo_to_dict, make_conninfo

__all__ = ["Fault", "Part", "Proxy", "Way", "before_grpc", "before_postgres"]

PORT: Final = 5432
PREFACE: Final = 24
"""Bytes with which an HTTP/2 client begins."""

READ_BYTES: Final = 1 << 16

Splitter = Callable[[bytes, bool], int]
"""Length of the message that some bytes begin with, 0 while it is not known.  The second argument
says whether it is the first one that a client sends."""


class Way(Enum):
    """A direction."""

    THERE = "to the server"
    BACK = "from the server"


class Part(Enum):
    """How much of the message still comes through."""

    NONE = "before it"
    HALF = "in the middle of it"
    ALL = "after it"


@dataclass
class Fault:
    """Cut at message ``number`` (from 1) of a direction.

    ``of``: what the connection began with; ``holding``: what the messages hold that are counted.
    """

    way: Way
    number: int
    part: Part = Part.NONE
    silent: bool = False
    of: bytes = b""
    holding: bytes = b""
    seen: int = 0
    fired: asyncio.Event = field(default_factory=asyncio.Event)

    def __str__(self) -> str:
        kind = "silence" if self.silent else "cut"
        return f"{kind} {self.part.value}, message {self.number} {self.way.value}"


def of_postgres(data: bytes, first: bool) -> int:
    """The wire protocol of PostgreSQL: type and length; the first message has no type."""
    start = 0 if first else 1
    if len(data) < start + 4:
        return 0
    return start + int.from_bytes(data[start : start + 4], "big")


def of_http2(data: bytes, first: bool) -> int:
    """Frames of HTTP/2; what a client begins with belongs to its first one."""
    start = PREFACE if first and data.startswith(b"PRI") else 0
    if len(data) < start + 9:
        return 0
    return start + 9 + int.from_bytes(data[start : start + 3], "big")


class _Line:
    """One connection through the proxy."""

    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        self.began = b""
        self.silent = False
        self.cut = False
        self.ended = asyncio.Event()
        self.writers: list[asyncio.StreamWriter] = []

    async def carry(
        self, way: Way, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Pass messages on in one direction until the connection ends."""
        data = b""
        first = True
        try:
            while not self.cut and (got := await reader.read(READ_BYTES)):
                data += got
                while (size := self.proxy.split(data, first and way is Way.THERE)) and len(
                    data
                ) >= size:
                    message, data = data[:size], data[size:]
                    if first and way is Way.THERE:
                        self.began = message
                    first = False
                    self._pass_on(way, message, writer)
                await writer.drain()
        except ConnectionError:
            return
        finally:
            if not self.silent:
                self.end()

    def _pass_on(self, way: Way, message: bytes, writer: asyncio.StreamWriter) -> None:
        if self.silent or self.cut:
            return
        fault = self.proxy.strikes(way, self.began, message)
        if fault is None:
            writer.write(message)
            return
        size = {Part.NONE: 0, Part.HALF: len(message) // 2, Part.ALL: len(message)}[fault.part]
        writer.write(message[:size])
        self.silent, self.cut = fault.silent, not fault.silent
        fault.fired.set()

    def end(self) -> None:
        """Close both sides; what was passed on before still arrives."""
        for writer in self.writers:
            writer.close()


class Proxy:
    """Made by ``before_postgres`` and ``before_grpc``; ``address`` is where it is reached."""

    def __init__(self, split: Splitter) -> None:
        self.split = split
        self.address = ""
        self.fault: Fault | None = None
        self.down = False
        self.connect: Callable[
            [], asyncio._CoroutineLike[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
        ]
        self.lines: set[_Line] = set()

    def strikes(self, way: Way, began: bytes, message: bytes) -> Fault | None:
        """The armed fault if this message is the one that it means; it strikes once."""
        fault = self.fault
        if fault is None or fault.way is not way:
            return None
        if fault.of not in began or fault.holding not in message:
            return None
        fault.seen += 1
        if fault.seen != fault.number:
            return None
        self.fault = None
        return fault

    def hang_up(self) -> None:
        """End the connections that there are."""
        for line in tuple(self.lines):
            line.end()

    def silence(self) -> None:
        """Let nothing through any more on the connections that there are."""
        for line in self.lines:
            line.silent = True

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection."""
        line = _Line(self)
        line.writers.append(writer)
        try:
            if self.down:
                return
            back, there = await self.connect()
        except OSError:
            return
        else:
            line.writers.append(there)
            self.lines.add(line)
            await asyncio.gather(
                line.carry(Way.THERE, reader, there), line.carry(Way.BACK, back, writer)
            )
        finally:
            self.lines.discard(line)
            line.end()
            line.ended.set()


@asynccontextmanager
async def before_postgres(dsn: str) -> AsyncGenerator[Proxy, None]:
    """A proxy before the server of ``dsn``; its address is a connection string."""
    proxy = Proxy(of_postgres)
    target = Path(str(conninfo_to_dict(dsn)["host"])) / f".s.PGSQL.{PORT}"
    proxy.connect = lambda: asyncio.open_unix_connection(target)
    with tempfile.TemporaryDirectory(prefix="kartejo-proxy-") as folder:
        path = Path(folder) / target.name
        server = await asyncio.start_unix_server(proxy.serve, path)
        proxy.address = make_conninfo(dsn, host=folder)
        async with _running(server, proxy):
            yield proxy


@asynccontextmanager
async def before_grpc(address: str) -> AsyncGenerator[Proxy, None]:
    """A proxy before the service at ``address``; its own address is host:port too."""
    proxy = Proxy(of_http2)
    host, _, port = address.rpartition(":")
    proxy.connect = lambda: asyncio.open_connection(host, int(port))
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0, family=socket.AF_INET)
    proxy.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with _running(server, proxy):
        yield proxy


@asynccontextmanager
async def _running(server: asyncio.Server, proxy: Proxy) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        server.close()
        lines = tuple(proxy.lines)
        proxy.hang_up()
        await server.wait_closed()
        for line in lines:
            await line.ended.wait()
