"""The browser's door: HTTP beside gRPC, in the same process, over the same servicers."""

from __future__ import annotations

import asyncio
import logging
import socket
from types import TracebackType
from typing import Final, Self

from engine.errors import Malformed, Unavailable
from service.rpc.listening import addresses, split
from service.rpc.server import Server
from service.rpc.settings import is_loopback
from service.web.company import Company
from service.web.connections import Connections
from service.web.figures import Figures, Shown
from service.web.json_form import Kinds
from service.web.login import Login
from service.web.origins import Origins
from service.web.pages import stored_pages
from service.web.settings import WebSettings, tls_of, url_of
from service.web.site import Site

__all__ = ["WebDoor", "checked"]

DRAIN_SECONDS: Final = 5.0
HANDSHAKE_SECONDS: Final = 10.0
BACKLOG: Final = 256
SILENT_SECONDS: Final = 60
ASKED_TIMES: Final = 3
"""A machine that was put to sleep says no farewell.  After so much silence the system asks it so
often, with a third of the time between, and then the connection is gone."""

HELD_BYTES: Final = 256 * 1024
"""What the system holds for a caller who does not read, of its own some megabytes."""


def checked(settings: WebSettings) -> None:
    """Raises ``Malformed`` for settings that cannot be."""
    host, _ = split(settings.listen, "web")
    Origins(settings.origins, is_near=True)
    if tls_of(settings) is None and not is_loopback(host):
        raise Malformed("web", f"{host} is not this machine alone: TLS is needed there")


class WebDoor:
    """Listens as ``settings`` say, for a server that runs; an async context manager.

    ``url`` is where it is reached, ``figures`` what administrators are shown of the service.
    Entering raises ``Unavailable`` if the address cannot be had.
    Leaving lets calls under way come to their end: their server must be draining.
    """

    def __init__(self, server: Server, settings: WebSettings, figures: Shown | None = None) -> None:
        host, _ = split(settings.listen, "web")
        self._settings = settings
        self.url = ""
        self._company = _company(server, settings)
        self._site = Site(
            server.door,
            Login(server.door.calls, server.tokens),
            self._company,
            Figures(server.door.calls, figures),
            stored_pages(),
            Origins(settings.origins, is_near=is_loopback(host)),
            server.port,
            Kinds(server.codec.extended()),
        )
        self._places = server.door.connections
        self._arrivals = server.door.calls.arrivals

    async def __aenter__(self) -> Self:
        # Whoever sends what is no HTTP is answered so; the log need not hear of each.
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
        tls = tls_of(self._settings)
        self.connections = Connections(self._site, self._places, self._arrivals)
        sockets = self._listen()
        loop = asyncio.get_running_loop()
        self._servers = [
            await loop.create_server(
                self.connections.new,
                sock=each,
                ssl=tls,
                backlog=BACKLOG,
                ssl_handshake_timeout=HANDSHAKE_SECONDS if tls else None,
            )
            for each in sockets
        ]
        self.url = url_of(self._settings, sockets[0].getsockname()[1])
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for server in self._servers:
            server.close()
        if self._company is not None:
            await self._company.close()
        await self.connections.close(DRAIN_SECONDS)

    def _listen(self) -> list[socket.socket]:
        """Sockets at the address, all at one port; raises ``Unavailable``."""
        host, port = split(self._settings.listen, "web")
        try:
            return self._bound(host, port)
        except OSError as error:
            if self._settings.or_any and port:
                return self._bound(host, 0)
            why = error.strerror or type(error).__name__
            raise Unavailable(
                f"cannot show pages on {self._settings.listen}: {why}", retry_ms=0
            ) from None

    def _bound(self, host: str, port: int) -> list[socket.socket]:
        found: list[socket.socket] = []
        try:
            for family, address in addresses(host):
                # Named as TCP: else the loop leaves Nagle's delay on, 40 ms an answer.
                made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
                found.append(made)
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if self._settings.shared:
                    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
                if family == socket.AF_INET6:
                    made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, address != "::")
                made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, HELD_BYTES)
                _ask_whether_they_live(made)
                made.bind((address, port))
                made.listen(BACKLOG)
                port = made.getsockname()[1]
        except OSError:
            for each in found:
                each.close()
            raise
        return found


def _ask_whether_they_live(listening: socket.socket) -> None:
    """For the connections that come there, which are asked as it is set up."""
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    settings = {
        "TCP_KEEPIDLE": SILENT_SECONDS,
        "TCP_KEEPINTVL": SILENT_SECONDS // 3,
        "TCP_KEEPCNT": ASKED_TIMES,
    }
    for name, value in settings.items():
        if hasattr(socket, name):  # not on every system
            listening.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _company(server: Server, settings: WebSettings) -> Company | None:
    """Bots for the person at this machine; none where others come too, or other processes serve."""
    is_near = server.near and settings.tls_certificate is None and not settings.shared
    return Company(server.near, server.tokens) if is_near else None
