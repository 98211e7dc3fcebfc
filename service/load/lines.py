"""How a process speaks to the service: one principal's Play stream, or its unary calls.

Either way a request is answered once, to whoever asked, and a watch goes on where it stood when
its stream has ended.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from typing import Any, Final

import grpc

from engine.errors import Exhausted, KartejoError, Unavailable
from service.client.errors import error_of, error_of_status
from service.load.tally import Tally
from service.pb import table_service_pb2 as pb
from service.pb.table_service_pb2_grpc import TableServiceStub

__all__ = ["Answer", "Line", "PlayLine", "UnaryLine"]

AGAIN_SECONDS: Final = 0.1
"""Pause before a stream or a watch is opened again."""

TRIES: Final = 20

DEADLINE_SECONDS: Final = 10.0

Request = pb.SubmitActionRequest | pb.StartHandRequest
Answer = pb.SubmitActionResponse | pb.StartHandResponse
Told = Callable[[Answer | KartejoError], None]
Listener = Callable[[pb.WatchTableResponse], None]


class _Watch:
    """A table that is followed, and how far."""

    __slots__ = ("listener", "version")

    def __init__(self, version: int, listener: Listener) -> None:
        self.version = version
        self.listener = listener


class Line(ABC):
    """One principal on one connection."""

    def __init__(self, channel: grpc.aio.Channel, token: str, tally: Tally) -> None:
        self._stub = TableServiceStub(channel)
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._tally = tally
        self._watches: dict[str, _Watch] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def watch(self, table: str, listener: Listener, after_version: int = 0) -> None:
        """Follow a table; ``listener`` gets every message, each once."""
        self._watches[table] = _Watch(after_version, listener)
        self._follow(table)

    def leave(self, table: str) -> None:
        """Follow a table no more."""
        if self._watches.pop(table, None) is not None:
            self._forsake(table)

    async def call(self, method: str, request: Any) -> Any:
        """A unary call that is not part of the load; raises ``KartejoError``."""
        try:
            return await getattr(self._stub, method)(
                request, timeout=DEADLINE_SECONDS, metadata=self._metadata
            )
        except grpc.aio.AioRpcError as failure:
            raise error_of(failure) from None

    async def insist(self, method: str, request: Any) -> Any:
        """The same, sent again for a while where the service takes no more at the moment."""
        for _ in range(TRIES):
            try:
                return await self.call(method, request)
            except Exhausted as error:
                await asyncio.sleep(error.retry_ms / 1_000)
        return await self.call(method, request)

    @abstractmethod
    def ask(self, request: Request, told: Told) -> None:
        """Send a request; ``told`` gets its answer, or the error that it ended with."""

    @abstractmethod
    def _follow(self, table: str) -> None:
        """Begin to follow, or go on."""

    @abstractmethod
    def _forsake(self, table: str) -> None:
        """Have no more news sent of a table that is not followed any more."""

    async def close(self) -> None:
        """End everything."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.result()  # what goes wrong here goes to the loop's exception handler

    def _news(self, news: pb.WatchTableResponse) -> None:
        watch = self._watches.get(news.table_id)
        if watch is not None:
            watch.version = max(watch.version, news.version)
            self._tally.pushed += len(news.events)
            watch.listener(news)


class PlayLine(Line):
    """One Play stream for everything, opened again where it ended.

    ``waits``: while the service is away it waits with its connection, and nobody asks in vain.
    """

    def __init__(
        self, channel: grpc.aio.Channel, token: str, tally: Tally, *, waits: bool = False
    ) -> None:
        super().__init__(channel, token, tally)
        self._waits = waits
        self._asked: dict[str, Told] = {}
        self._outbox: asyncio.Queue[pb.PlayRequest] = asyncio.Queue()
        self._spawn(self._run())

    def ask(self, request: Request, told: Told) -> None:
        """See :class:`Line`."""
        self._asked[request.request_id] = told
        if isinstance(request, pb.SubmitActionRequest):
            self._outbox.put_nowait(pb.PlayRequest(submit=request))
        else:
            self._outbox.put_nowait(pb.PlayRequest(start=request))

    def _follow(self, table: str) -> None:
        watch = pb.PlayRequest.Watch(table_id=table, after_version=self._watches[table].version)
        self._outbox.put_nowait(pb.PlayRequest(watch=watch))

    def _forsake(self, table: str) -> None:
        self._outbox.put_nowait(pb.PlayRequest(unwatch=pb.PlayRequest.Unwatch(table_id=table)))

    def _again(self, table: str) -> None:
        if table in self._watches:
            self._follow(table)

    async def _run(self) -> None:
        while True:
            call = self._stub.Play(metadata=self._metadata, wait_for_ready=self._waits)
            writer = asyncio.create_task(self._write(call))
            ended: KartejoError = Unavailable("the stream has ended")
            try:
                async for response in call:
                    self._take(response)
            except grpc.aio.AioRpcError as failure:
                ended = error_of(failure)
            finally:
                writer.cancel()
                await asyncio.gather(writer, return_exceptions=True)
                call.cancel()
            self._begin_anew(ended)
            await asyncio.sleep(AGAIN_SECONDS)

    async def _write(
        self, call: grpc.aio.StreamStreamCall[pb.PlayRequest, pb.PlayResponse]
    ) -> None:
        while True:
            await call.write(await self._outbox.get())

    def _begin_anew(self, ended: KartejoError) -> None:
        """Whoever waits for an answer sends his request again; watches go on where they stood."""
        while not self._outbox.empty():
            self._outbox.get_nowait()
        for table in self._watches:
            self._follow(table)
        if not self._asked:
            self._tally.errors[ended.reason] += 1
        asked, self._asked = self._asked, {}
        for told in asked.values():
            told(ended)

    def _take(self, response: pb.PlayResponse) -> None:
        match response.WhichOneof("response"):
            case "submitted":
                self._tell(response.submitted.request_id, response.submitted)
            case "started":
                self._tell(response.started.request_id, response.started)
            case "news":
                self._news(response.news)
            case "failed":
                error = error_of_status(response.failed.status)
                if response.failed.request_id:
                    self._tell(response.failed.request_id, error)
                else:
                    self._tally.errors[error.reason] += 1
                    loop = asyncio.get_running_loop()
                    loop.call_later(AGAIN_SECONDS, self._again, response.failed.table_id)

    def _tell(self, request_id: str, answer: Answer | KartejoError) -> None:
        told = self._asked.pop(request_id, None)
        if told is not None:
            told(answer)
        else:  # a stream answers a request once
            self._tally.errors["ANSWERED_TWICE"] += 1


class UnaryLine(Line):
    """A call for every action, a WatchTable for every table."""

    def __init__(self, channel: grpc.aio.Channel, token: str, tally: Tally) -> None:
        super().__init__(channel, token, tally)
        self._listening: dict[str, asyncio.Task[None]] = {}

    def ask(self, request: Request, told: Told) -> None:
        """See :class:`Line`."""
        self._spawn(self._call(request, told))

    async def _call(self, request: Request, told: Told) -> None:
        started = isinstance(request, pb.StartHandRequest)
        answer: Answer | KartejoError
        try:
            answer = await self.call("StartHand" if started else "SubmitAction", request)
        except KartejoError as error:
            answer = error
        told(answer)

    def _follow(self, table: str) -> None:
        self._listening[table] = self._spawn(self._listen(table))

    def _forsake(self, table: str) -> None:
        self._listening.pop(table).cancel()

    async def _listen(self, table: str) -> None:
        watch = self._watches[table]
        while True:
            request = pb.WatchTableRequest(table_id=table, after_version=watch.version)
            call = self._stub.WatchTable(request, metadata=self._metadata)
            try:
                async for news in call:
                    self._news(news)
            except grpc.aio.AioRpcError as failure:
                self._tally.errors[error_of(failure).reason] += 1
            finally:
                call.cancel()
            await asyncio.sleep(AGAIN_SECONDS)
