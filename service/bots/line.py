"""How a runner hears of its table and acts at it: by a watch and unary calls, or one Play stream.

Either way news come once and in order, and a request is sent again, with its id, until an answer
comes: it takes effect once.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import aclosing
from types import TracebackType
from typing import Final, Self

import grpc

from engine.errors import Exhausted, KartejoError, Unavailable
from service.client import Client
from service.client.errors import error_of_status
from service.client.records import get_table
from service.client.sitting import follow
from service.pb import table_service_pb2 as pb

__all__ = ["Line", "PlayLine", "UnaryLine"]

AGAIN_SECONDS: Final = 0.1
"""Pause before a stream is opened, or a request sent, again."""


class Line(ABC):
    """A table from one client; an async context manager.  Keeps the newest state only."""

    def __init__(self, client: Client, table_id: str) -> None:
        self.client = client
        self.table_id = table_id
        self._newest: pb.TableState | None = None
        self._moved = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._reader = asyncio.create_task(self._read())
        self._reader.add_done_callback(lambda _: self._moved.set())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)

    async def news(self, after_version: int) -> pb.TableState:
        """The newest state, once there is one after a version; raises what the line ended with."""
        while self._newest is None or self._newest.version <= after_version:
            if self._reader is not None and self._reader.done():
                self._reader.result()
                raise Unavailable("the table's news have ended")
            self._moved.clear()
            await self._moved.wait()
        return self._newest

    def _heard(self, state: pb.TableState) -> None:
        self._newest = state
        self._moved.set()

    @abstractmethod
    async def _read(self) -> None:
        """Hear every state until cancelled."""

    @abstractmethod
    async def submit(self, request: pb.SubmitActionRequest) -> pb.TableState:
        """The state after an action; raises what the call may."""


class UnaryLine(Line):
    """WatchTable and SubmitAction."""

    async def _read(self) -> None:
        state = (await get_table(self.client, self.table_id)).state
        self._heard(state)
        news = follow(self.client, self.table_id, state.version)
        async with aclosing(news) as messages:
            async for message in messages:
                if message.live and message.HasField("state"):
                    self._heard(message.state)

    async def submit(self, request: pb.SubmitActionRequest) -> pb.TableState:
        return (await self.client.call(self.client.tables.SubmitAction, request)).state


class PlayLine(Line):
    """One Play stream, opened again where it ended if the service goes away for a while."""

    def __init__(self, client: Client, table_id: str) -> None:
        super().__init__(client, table_id)
        self._waiting: dict[str, asyncio.Future[pb.SubmitActionResponse]] = {}
        self._asked: dict[str, pb.SubmitActionRequest] = {}
        self._outbox: asyncio.Queue[pb.PlayRequest] = asyncio.Queue()

    async def submit(self, request: pb.SubmitActionRequest) -> pb.TableState:
        loop = asyncio.get_running_loop()
        until = loop.time() + self.client.patience
        self._asked[request.request_id] = request
        try:
            while True:
                answer: asyncio.Future[pb.SubmitActionResponse] = loop.create_future()
                self._waiting[request.request_id] = answer
                self._outbox.put_nowait(pb.PlayRequest(submit=request))
                try:
                    return (await answer).state
                except (Unavailable, Exhausted):
                    if loop.time() > until:
                        raise
                await asyncio.sleep(AGAIN_SECONDS)
        finally:
            del self._waiting[request.request_id], self._asked[request.request_id]

    async def _read(self) -> None:
        loop = asyncio.get_running_loop()
        away_since: float | None = None  # a table may be quiet for long before that
        try:
            state = (await get_table(self.client, self.table_id)).state
            version = state.version
            self._heard(state)
            while True:
                try:
                    async with aclosing(self._responses(version)) as responses:
                        async for response in responses:
                            version = max(version, self._take(response))
                            away_since = None
                except Unavailable:
                    now = loop.time()
                    away_since = now if away_since is None else away_since
                    if now - away_since > self.client.patience:
                        raise
                await asyncio.sleep(AGAIN_SECONDS)
        except KartejoError as error:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(error)
            raise

    async def _responses(self, version: int) -> AsyncGenerator[pb.PlayResponse, None]:
        """What one stream says until it ends; raises the error it ended with."""
        call = self.client.open_play()
        writer = asyncio.create_task(self._write(call, version))
        try:
            async for response in call:
                yield response
        except grpc.aio.AioRpcError as failure:
            raise self.client.error(failure) from None
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            call.cancel()

    async def _write(
        self,
        call: grpc.aio.StreamStreamCall[pb.PlayRequest, pb.PlayResponse],
        version: int,
    ) -> None:
        """The watch, what a stream before this one left unanswered, then what comes."""
        watch = pb.PlayRequest.Watch(table_id=self.table_id, after_version=version)
        await call.write(pb.PlayRequest(watch=watch))
        while not self._outbox.empty():
            self._outbox.get_nowait()
        for request in tuple(self._asked.values()):
            await call.write(pb.PlayRequest(submit=request))
        while True:
            await call.write(await self._outbox.get())

    def _take(self, response: pb.PlayResponse) -> int:
        """The version heard of, 0 for none; raises what a watch failed with."""
        match response.WhichOneof("response"):
            case "submitted":
                answer = self._waiting.get(response.submitted.request_id)
                if answer is not None and not answer.done():
                    answer.set_result(response.submitted)
            case "failed":
                error = error_of_status(response.failed.status)
                if not response.failed.request_id:
                    raise error
                answer = self._waiting.get(response.failed.request_id)
                if answer is not None and not answer.done():
                    answer.set_exception(error)
            case "news":
                if response.news.live and response.news.HasField("state"):
                    self._heard(response.news.state)
                return response.news.version
        return 0
