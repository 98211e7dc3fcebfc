"""Where metrics are read: HTTP, one page, whoever comes.

It says nothing that is secret and has no token; but whoever reaches it learns how busy the house
is, so it belongs on an address that only the operator's network reaches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

import structlog
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from engine.errors import Unavailable
from service.host.faults import report

__all__ = ["Answer", "MetricsEndpoint", "Show", "text_of"]

log = structlog.get_logger(__name__)

PATH: Final = "/metrics"
MOST_REQUEST_BYTES: Final = 16 * 1024
MOST_AT_ONCE: Final = 16
SECONDS: Final = 5.0
"""How long one who asks may take, to ask and to read."""


class Answer(NamedTuple):
    """A page and its content type."""

    body: bytes
    kind: str


Show = Callable[[str], Awaitable[Answer]]
"""The page for an ``Accept`` header; raises ``Unavailable`` while there is none."""


async def text_of(registry: CollectorRegistry, accept: str) -> Answer:
    """What a registry holds, in the form that is asked for: Prometheus' own or OpenMetrics."""
    write, kind = choose_encoder(accept)
    return Answer(write(registry), kind)


async def _not_yet(_accept: str) -> Answer:
    raise Unavailable("the service is starting")


class MetricsEndpoint:
    """Listens on host and port (0: any free one), or at the path of a socket of this machine.

    ``show`` is set once there is something to show.  An async context manager; entering raises
    ``Unavailable`` if the address cannot be had.
    """

    def __init__(self, where: tuple[str, int] | Path) -> None:
        self._where = where
        self.url = ""
        self.show: Show = _not_yet
        self._open = 0

    async def __aenter__(self) -> Self:
        where = self._where
        try:
            if isinstance(where, Path):
                self._server = await asyncio.start_unix_server(
                    self._serve, where, limit=MOST_REQUEST_BYTES
                )
            else:
                self._server = await asyncio.start_server(
                    self._serve, *where, limit=MOST_REQUEST_BYTES
                )
                port = self._server.sockets[0].getsockname()[1]
                self.url = f"http://{_address(where[0], port)}{PATH}"
        except OSError as error:
            why = error.strerror or type(error).__name__
            at = where if isinstance(where, Path) else _address(*where)
            raise Unavailable(f"cannot show metrics on {at}: {why}", retry_ms=0) from None
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and hang up."""
        self._open += 1
        try:
            if self._open > MOST_AT_ONCE:
                return
            async with asyncio.timeout(SECONDS):
                writer.write(await self._answer(await reader.readuntil(b"\r\n\r\n")))
                await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return  # no request, or nobody who reads the answer: theirs to notice
        finally:
            self._open -= 1
            writer.close()

    async def _answer(self, request: bytes) -> bytes:
        first, *lines = request.decode("latin-1").split("\r\n")
        method, _, rest = first.partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        if method not in {"GET", "HEAD"}:
            return _response(HTTPStatus.METHOD_NOT_ALLOWED, b"only GET and HEAD\n")
        if path != PATH:
            return _response(HTTPStatus.NOT_FOUND, f"metrics are at {PATH}\n".encode())
        try:
            answer = await self.show(_header(lines, "accept"))
        except Unavailable as error:
            return _response(HTTPStatus.SERVICE_UNAVAILABLE, f"{error}\n".encode())
        except Exception as error:  # noqa: BLE001 a page that fails ends nothing else
            report(log, "metrics_failed", error)
            return _response(HTTPStatus.INTERNAL_SERVER_ERROR, b"it was logged\n")
        whole = _response(HTTPStatus.OK, answer.body, answer.kind)
        return whole if method == "GET" else whole[: len(whole) - len(answer.body)]


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _header(lines: list[str], wanted: str) -> str:
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip().lower() == wanted:
            return value.strip()
    return ""


def _response(status: HTTPStatus, body: bytes, kind: str = "text/plain; charset=utf-8") -> bytes:
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        f"Content-Type: {kind}\r\n"
        f"Content-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + body
