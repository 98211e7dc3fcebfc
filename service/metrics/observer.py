"""Watches a serving process: its event loop, its garbage, its limits; shows it all on request."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Final, Self

import structlog

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


class Refusals:
    """Says which limits were reached since it was last asked: one line for each, none for each
    caller.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._before = {name: limit.refused for name, limit in limits_of(server).items()}

    def tell(self) -> None:
        """Log what was refused meanwhile."""
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
        if self._endpoint is not None:
            page = Page(server, self._loop, self._garbage, self._lines)
            registry = registry_of(page)

            async def show(accept: str) -> Answer:
                await page.look()
                return await text_of(registry, accept)

            self._endpoint.show = show

    async def _tell(self, server: Server) -> None:
        refusals = Refusals(server)
        while True:
            await self._world.sleep(TELL_SECONDS)
            refusals.tell()
