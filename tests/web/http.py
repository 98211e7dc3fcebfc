"""A small HTTP client that says exactly what is sent, and the framing of streams."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import struct
from base64 import b64decode
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from typing import Any, NamedTuple, Self
from urllib.parse import unquote

from google.protobuf.message import Message
from google.rpc.status_pb2 import Status
from structlog.testing import capture_logs

from service.web.settings import WebSettings
from tests.service.harness import Running, explain, retry_of, run, running
from tests.service.test_clocks import until

__all__ = [
    "Answer",
    "Line",
    "Told",
    "enveloped",
    "frames",
    "grpc_web_end",
    "nobody_is_left",
    "plain",
    "post",
    "request",
    "scene",
    "told",
]


class Answer(NamedTuple):
    """An answer that was read whole."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Told(NamedTuple):
    """A failure: Connect's code, our reason, the field, what a person reads."""

    code: str
    reason: str
    field: str
    message: str
    retry_ms: int = 0


class Line:
    """A connection to the HTTP port."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.port: int = writer.get_extra_info("peername")[1]

    @classmethod
    @asynccontextmanager
    async def to(cls, service: Running, held_bytes: int = 1 << 16) -> AsyncGenerator[Self, None]:
        assert service.web is not None
        port = int(service.web.url.rstrip("/").rpartition(":")[2])
        made = socket.socket()
        made.setblocking(False)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, held_bytes)
        await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", port))
        reader, writer = await asyncio.open_connection(sock=made, limit=held_bytes)
        try:
            yield cls(reader, writer)
        finally:
            writer.transport.abort()

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> None:
        """Send a request; ``content_type`` and the like name headers."""
        self.send(request(method, path, body, self.port, **headers))

    async def head(self) -> tuple[int, dict[str, str]]:
        first, *lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        pairs = (line.partition(":") for line in lines if line)
        return int(first.split()[1]), {name.lower(): value.strip() for name, _, value in pairs}

    async def pieces(self, headers: dict[str, str]) -> AsyncGenerator[bytes, None]:
        """The body, as it comes."""
        if "content-length" in headers:
            yield await self.reader.readexactly(int(headers["content-length"]))
            return
        if headers.get("transfer-encoding") != "chunked":
            return
        while size := int(await self.reader.readline(), 16):
            yield await self.reader.readexactly(size)
            await self.reader.readexactly(2)
        await self.reader.readexactly(2)

    async def answer(self) -> Answer:
        status, headers = await self.head()
        async with aclosing(self.pieces(headers)) as pieces:
            return Answer(status, headers, b"".join([piece async for piece in pieces]))

    async def ended(self) -> bytes:
        """What else comes until the other side hangs up."""
        try:
            return await self.reader.read()
        except ConnectionResetError:
            return b""


def request(method: str, path: str, body: bytes = b"", port: int = 0, **headers: str) -> bytes:
    """The bytes of a request."""
    all_headers = {"host": f"127.0.0.1:{port}", "content_length": str(len(body)), **headers}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in all_headers.items() if value]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode("latin-1") + body


async def post(
    service: Running, method: str, body: Any = None, token: str | None = None, **headers: str
) -> Answer:
    """Call a method (``TableService/GetTable``) on a connection of its own, by JSON unless said."""
    headers.setdefault("content_type", "application/json")
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    data = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
    path = method if method.startswith("/") else f"/kartejo.v1.{method}"
    async with Line.to(service) as line:
        line.ask("POST", path, data, **headers)
        return await line.answer()


def enveloped(message: Message | bytes) -> bytes:
    """A message as it stands in a stream."""
    data = message if isinstance(message, bytes) else message.SerializeToString()
    return struct.pack(">BI", 0, len(data)) + data


async def frames(pieces: AsyncIterator[bytes]) -> AsyncGenerator[tuple[int, bytes], None]:
    """Flags and data of each message of a stream, as it comes."""
    buffer = b""
    async for piece in pieces:
        buffer += piece
        while len(buffer) >= 5 and len(buffer) >= 5 + int.from_bytes(buffer[1:5], "big"):
            size = 5 + int.from_bytes(buffer[1:5], "big")
            yield buffer[0], buffer[5:size]
            buffer = buffer[size:]
    assert not buffer


async def _once(data: bytes) -> AsyncGenerator[bytes, None]:
    yield data


async def framed(body: bytes) -> list[tuple[int, bytes]]:
    """The messages of a body that is whole."""
    return [each async for each in frames(_once(body))]


async def grpc_web_end(answer: Answer) -> dict[str, str]:
    """How a gRPC-Web call ended: in the headers, or in the last frame."""
    found = dict(answer.headers)
    if "grpc-status" not in found:
        flags, data = (await framed(answer.body))[-1]
        assert flags == 0x80
        found = dict(line.split(": ", 1) for line in data.decode().splitlines())
    return {**found, "grpc-message": unquote(found.get("grpc-message", ""))}


def plain(text: bytes) -> bytes:
    """What gRPC-Web in text says: base64 whose pieces may each end with padding."""
    return b"".join(b64decode(text[at : at + 4], validate=True) for at in range(0, len(text), 4))


def unpadded(text: str) -> bytes:
    """Base64 without its padding."""
    return b64decode(text + "=" * (-len(text) % 4))


def told(error: dict[str, Any]) -> Told:
    """What Connect's JSON says of a failure; its bytes and what a person reads say the same."""
    status = Status()
    for detail in error.get("details", ()):
        status.details.add(
            type_url=f"type.googleapis.com/{detail['type']}", value=unpadded(detail["value"])
        )
    reason, field, _ = explain(status)
    debug = [detail["debug"] for detail in error.get("details", ())]
    assert not reason or debug[0]["reason"] == reason
    return Told(error["code"], reason, field, error["message"], retry_of(status))


async def nobody_is_left(service: Running) -> None:
    """Wait until all places are given back, and nobody watches."""
    door, tables = service.server.door, service.server.host.tables

    async def empty() -> bool:
        watchers = sum(live.watchers for live in tables.hot())
        return (
            door.unary.taken
            == door.streams.taken
            == door.calls.refusals.held.taken
            == watchers
            == 0
        )

    await until(empty)


def scene(dsn: str, play: Any, *, web: WebSettings | None = None, **settings: Any) -> None:
    """Play against a service with an HTTP port."""

    async def scenario() -> None:
        async with running(dsn, web=web or WebSettings("127.0.0.1:0"), **settings) as service:
            await play(service)

    made: Coroutine[Any, Any, None] = scenario()
    with capture_logs() as lines, quiet("uvicorn.error"), quiet("asyncio"):
        run(made)
    assert "call_failed" not in {line["event"] for line in lines}


@contextmanager
def quiet(name: str) -> Iterator[None]:
    """A logger that says nothing meanwhile."""
    said: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger(name).addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger(name).removeHandler(handler)
    assert not said, said
