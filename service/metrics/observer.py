"""Watches a serving process: its event loop, its garbage, its limits; shows it all on request."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Final, Self

import structlog

from engine.errors import Unavailable
from service.metrics.endpoint import Answer, MetricsEndpoint, text_of
from service.metrics.limits import limits_of
from service.metrics.page import Page, registry_of
from service.rpc.server import Server
from service.telemetry import Tally
from service.telemetry.garbage import GarbagePauses
from service.telemetry.loop import LoopMonitor
from service.world import World

__all__ = ["Observer", "Refusals"]

log = structlog.get_logger(__name__)

TELL_SECONDS: Final = 10.0
CROWDED: Final = 0.9
ROOMY: Final = 0.7
"""Of the connections that there may be: where it is told that they are many, and no more."""


class Refusals:
    """Says which limits were reached since it was last asked: one line for each, none for each
    caller.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._before = {name: limit.refused for name, limit in limits_of(server).items()}
        self._is_crowded = False

    def tell(self) -> None:
        """Log what was refused meanwhile, and how full of connections it is: gRPC does not say."""
        crowd, most = self._server.connections, self._server.places.grpc
        if not self._is_crowded and crowd >= CROWDED * most:
            self._is_crowded = True
            log.warning("connections_crowded", open=crowd, most=most)
        elif self._is_crowded and crowd < ROOMY * most:
            self._is_crowded = False
            log.info("connections_roomy", open=crowd, most=most)
        for name, limit in limits_of(self._server).items():
            more = limit.refused - self._before[name]
            if more:
                log.warning("limit_reached", limit=name, refused=more)
                self._before[name] = limit.refused


class Observer:
    """An async context manager for the life of a process.

    ``endpoint`` is where it is shown, ``lines`` counts the log's.

    Entering raises ``Unavailable`` if the endpoint's address cannot be had.
    """

    def __init__(self, world: World, endpoint: MetricsEndpoint | None, lines: Tally) -> None:
        self._world = world
        self._lines = lines
        self._endpoint = endpoint
        self._stack = AsyncExitStack()
        self._loop = LoopMonitor(world)
        self._garbage = GarbagePauses()
        self._tasks: list[asyncio.Task[None]] = []
        self._page: Page | None = None

    async def __aenter__(self) -> Self:
        if self._endpoint is not None:
            await self._stack.enter_async_context(self._endpoint)
        self._stack.enter_context(self._garbage)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stack.aclose()

    def look_at(self, server: Server) -> None:
        """Watch and show a server that has begun to listen."""
        self._tasks = [
            asyncio.create_task(self._loop.run(), name="loop-monitor"),
            asyncio.create_task(self._tell(server), name="tell-refusals"),
        ]
        self._page = Page(server, self._loop, self._garbage, self._lines)
        self._registry = registry_of(self._page)
        if self._endpoint is not None:
            self._endpoint.show = self.show

    async def show(self, accept: str) -> Answer:
        """The page of metrics; raises ``Unavailable`` while no server is looked at."""
        if self._page is None:
            raise Unavailable("the service is starting")
        await self._page.look()
        return await text_of(self._registry, accept)

    async def _tell(self, server: Server) -> None:
        refusals = Refusals(server)
        while True:
            await self._world.sleep(TELL_SECONDS)
            refusals.tell()
