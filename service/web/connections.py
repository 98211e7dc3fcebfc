"""The connections of the HTTP port: how many there are, and how long one may do nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from engine.errors import Exhausted
from service.host.rates import Rates
from service.rpc.budget import Budget
from service.rpc.connections import MOST_METADATA_BYTES
from service.web.asgi import Receive, Scope, Send
from service.web.site import Site

__all__ = ["Connections"]

IDLE_SECONDS: Final = 30.0
"""How long a connection may be without a request under way: until a whole head has come, and until
the answer has been read.  Bytes that trickle in do not count."""


def _last_words(line: str, code: str, message: str, more: str = "") -> bytes:
    """An answer to no request, after which the connection is closed."""
    body = json.dumps({"code": code, "message": message})
    head = (
        f"HTTP/1.1 {line}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        f"X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n{more}Connection: close"
    )
    return f"{head}\r\n\r\n{body}".encode()


_FULL: Final = _last_words(
    "503 Service Unavailable",
    "unavailable",
    "too many connections; come back soon",
    "Retry-After: 1\r\n",
)
_NO_HTTP: Final = _last_words("400 Bad Request", "invalid_argument", "expected HTTP/1.1")


class Connections:
    """All connections of one port.

    One that comes when there are too many takes the place of the one that has been idle for the
    longest; where none is idle it is turned away, and so is one of too many in a short time from
    one address, before anything of it is read.
    """

    def __init__(self, site: Site, places: Budget, arrivals: Rates) -> None:
        self.site = site
        self._places = places
        self._arrivals = arrivals
        self._idle: dict[_Connection, asyncio.TimerHandle] = {}
        self._open: dict[_Connection, Callable[[], None]] = {}
        self._loop = asyncio.get_running_loop()
        self._is_closing = False
        self._state = ServerState()
        self._config = Config(
            _unused,
            http=_Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=round(4 * IDLE_SECONDS),  # ours comes first
            h11_max_incomplete_event_size=2 * MOST_METADATA_BYTES,
            reset_contextvars=True,
        )
        self._config.load()

    def __len__(self) -> int:
        """Connections that are open."""
        return len(self._open)

    def __iter__(self) -> Iterator[H11Protocol]:
        return iter(self._open)

    def new(self) -> asyncio.Protocol:
        """The protocol of a connection that has come."""
        return _Connection(self, self._config, self._state)

    def admit(self, connection: _Connection) -> bool:
        """Take it in, if there is room or room can be made."""
        address, _ = connection.client or ("", 0)
        try:
            self._arrivals.take(address)
        except Exhausted:
            return False
        oldest = next(iter(self._idle), None)
        if oldest is not None and self._places.taken >= self._places.limits.all:
            self.leave(oldest)
            oldest.transport.abort()
        try:
            self._open[connection] = self._places.take(None)
        except Exhausted:
            return False
        self.rest(connection)
        return True

    def rest(self, connection: _Connection) -> None:
        """No request is under way there, from now on."""
        if self._is_closing:
            connection.transport.close()
        if connection in self._open:
            end = connection.transport.abort
            self._idle[connection] = self._loop.call_later(IDLE_SECONDS, end)

    def wake(self, connection: _Connection) -> None:
        """A request has come there."""
        timer = self._idle.pop(connection, None)
        if timer is not None:
            timer.cancel()

    def leave(self, connection: _Connection) -> None:
        """It is gone."""
        self.wake(connection)
        give_back = self._open.pop(connection, None)
        if give_back is not None:
            give_back()

    async def close(self, seconds: float) -> None:
        """Let requests under way come to their end, for so long at most, and hang up."""
        self._is_closing = True
        for connection in tuple(self._idle):
            connection.transport.close()
        if self._state.tasks:
            await asyncio.wait(tuple(self._state.tasks), timeout=seconds)
        for connection in tuple(self._open):
            connection.transport.abort()
        if self._state.tasks:
            await asyncio.wait(tuple(self._state.tasks), timeout=seconds)


class _Connection(H11Protocol):
    """One connection, of which the crowd it is in knows when it rests and when it works."""

    def __init__(self, crowd: Connections, config: Config, state: ServerState) -> None:
        super().__init__(config, state, {})
        self._crowd = crowd
        self._under_way = 0
        self.app: Any = self._answer

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if not self._crowd.admit(self):
            transport.write(_FULL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._crowd.leave(self)
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 uvicorn's words
        """Say that what came is no HTTP: only where no answer has begun, which it would follow as
        if it were that to another request."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.write(_NO_HTTP)
        self.transport.close()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A caller who has his answer may ask again before the last one has wound up here.
        self._under_way += 1
        self._crowd.wake(self)
        try:
            await self._crowd.site(scope, receive, send, self.transport.abort)
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._crowd.rest(self)


async def _unused(scope: Scope, receive: Receive, send: Send) -> None:
    """Each connection has an application of its own."""
    raise NotImplementedError
