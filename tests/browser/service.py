"""A service in a thread of its own, for tests that click in the main one: it has an HTTP port,
counts what it does, and signs its log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, TypeVar

from service.identity import Role
from service.metrics import Observer
from service.telemetry import Tally
from service.web.door import WebDoor
from service.web.settings import WebSettings
from tests.service.harness import Running
from tests.transparency.serving import signing

__all__ = ["Service", "serving"]

T = TypeVar("T")


class Service:
    """What runs on ``loop``, asked from another thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, running: Running) -> None:
        assert running.web is not None
        self._loop = loop
        self._running = running
        self.url = running.web.url

    def do(self, work: Callable[[Running], Awaitable[T]], seconds: float = 180) -> T:
        """What ``work`` answers, done beside the service."""

        async def working() -> T:
            return await work(self._running)

        return asyncio.run_coroutine_threadsafe(working(), self._loop).result(seconds)

    def send_bots_home(self) -> None:
        """End all bots, so that none plays on beside the next test."""

        async def sent(running: Running) -> None:
            assert running.web is not None
            assert running.web._company is not None
            await running.web._company.close()

        self.do(sent)

    def link(self, subject: str, seconds: int = 900) -> str:
        """A link that lets somebody in."""
        return f"{self.url}#code={self._running.tokens.links.make(subject, seconds)}"

    def token(self, subject: str, *roles: Role, **limits: Any) -> str:
        """A token such as an operator hands out; ``limits``: to a table, and a seat of it."""
        return self._running.token(subject, *roles, **limits)


@asynccontextmanager
async def _watched(dsn: str) -> AsyncGenerator[Running, None]:
    lines = Tally("event", "level")
    with TemporaryDirectory() as folder:
        async with signing(dsn, Path(folder)) as found, Observer(found.world, None, lines) as looks:
            looks.look_at(found.server)
            door = WebDoor(found.server, WebSettings("127.0.0.1:0"), looks.show)
            found.web = await found.server.beside.enter_async_context(door)
            yield found


@contextmanager
def serving(dsn: str) -> Iterator[Service]:
    """Serve over a database for as long as the context lasts."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, name="service")
    thread.start()
    context = _watched(dsn)
    try:
        found = asyncio.run_coroutine_threadsafe(context.__aenter__(), loop).result(60)
        try:
            yield Service(loop, found)
        finally:
            leaving = asyncio.run_coroutine_threadsafe(context.__aexit__(None, None, None), loop)
            leaving.result(60)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loop.close()
