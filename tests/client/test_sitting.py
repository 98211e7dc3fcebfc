"""News of a table over a service that goes away and comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any

import pytest

from engine.errors import Unavailable
from service.bots import PlayLine
from service.client.sitting import follow
from service.pb import table_service_pb2 as pb

PATIENCE = 15.0


class Away:
    """A client whose streams say one thing each, if any, then fail as when nobody answers."""

    patience = PATIENCE
    tables = SimpleNamespace(WatchTable=None, GetTable=None)

    def __init__(self, versions: list[int | None], hours: list[float]) -> None:
        self._versions = iter(versions)
        self._hours = iter(hours)
        self._shift = 0.0
        self.streams = 0
        loop = asyncio.get_running_loop()
        real = loop.time
        loop.time = lambda: real() + self._shift  # type: ignore[method-assign]

    async def call(self, method: Any, request: Any) -> Any:
        return pb.GetTableResponse(state=pb.TableState(version=0))

    async def stream(self, method: Any, request: Any) -> AsyncGenerator[Any, None]:
        self.streams += 1
        version = next(self._versions)
        if version is not None:
            state = pb.TableState(version=version)
            yield pb.WatchTableResponse(version=version, live=True, state=state)
        self._shift += next(self._hours)
        raise Unavailable("nobody answers")


class AwayLine(PlayLine):
    """The same over Play streams."""

    async def _responses(self, version: int) -> AsyncGenerator[pb.PlayResponse, None]:
        client: Any = self.client
        async with aclosing(client.stream(None, None)) as news:
            async for each in news:
                yield pb.PlayResponse(news=each)


async def heard(client: Any) -> AsyncGenerator[int, None]:
    async with aclosing(follow(client, "table")) as messages:
        async for news in messages:
            yield news.version


async def heard_by_a_bot(client: Any) -> AsyncGenerator[int, None]:
    async with AwayLine(client, "table") as line:
        version = 0
        while True:
            version = (await line.news(version)).version
            yield version


@pytest.mark.parametrize("listen", [heard, heard_by_a_bot])
def test_a_table_that_was_quiet_for_long_is_waited_for_all_the_same(listen: Any) -> None:
    """Patience counts from when the service went away, not from the last news: people think."""

    async def scenario() -> None:
        client = Away([1, None, 2, None, None], [80.0, 5.0, 80.0, 5.0, PATIENCE + 1])
        versions = listen(client)
        assert await anext(versions) == 1
        assert await anext(versions) == 2
        with pytest.raises(Unavailable):
            await anext(versions)
        assert client.streams == 5

    asyncio.run(scenario())
