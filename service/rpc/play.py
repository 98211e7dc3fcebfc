"""The Play stream: many tables and many requests in flight on one connection.

Each request means what the unary call of its name means.  Answers leave through one bounded
queue: a client that stops reading stops being read, and its watches wait where they are.
When the service drains, nothing more is read, and what is under way is answered before the end.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import aclosing
from time import perf_counter
from typing import Any, Final

import structlog
from google.rpc.status_pb2 import Status

from engine.errors import Exhausted, KartejoError, Malformed
from service.codec.wire import part_of
from service.host.faults import report
from service.identity import Principal
from service.pb import table_service_pb2 as pb
from service.rpc.calls import DEFAULT_SECONDS, Calls
from service.rpc.patience import Within
from service.rpc.status import deadline_status, internal_status
from service.rpc.table_calls import TableCalls

__all__ = ["PlayStream"]

log = structlog.get_logger(__name__)

IN_FLIGHT: Final = 64
"""Requests of one stream that may be under way; further ones are read later."""

QUEUED: Final = 256
"""Answers of one stream that may wait to be sent."""

_fields: Final = pb.PlayResponse.DESCRIPTOR.fields_by_name
put_submitted: Final = part_of(_fields["submitted"].number)
put_started: Final = part_of(_fields["started"].number)
put_news: Final = part_of(_fields["news"].number)

WATCHES: Final = 256
"""Tables that one stream may watch."""


class PlayStream:
    """One stream of one caller."""

    def __init__(
        self, calls: Calls, tables: TableCalls, requests: AsyncIterator[pb.PlayRequest]
    ) -> None:
        self._calls = calls
        self._tables = tables
        self._requests = requests
        self._answers: asyncio.Queue[bytes | None] = asyncio.Queue(QUEUED)
        self._room = asyncio.Semaphore(IN_FLIGHT)
        self._watches: dict[str, asyncio.Task[None]] = {}
        self._places: dict[asyncio.Task[None], Callable[[], None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def answers(self, caller: Principal) -> AsyncGenerator[bytes, None]:
        """What goes back, until the caller has finished and all is answered.

        Raises ``Unavailable`` at the end if it was the service that has finished.
        """
        reading = asyncio.create_task(self._read(caller))
        try:
            while (answer := await self._answers.get()) is not None:
                yield answer
            await reading
        finally:
            tasks = {reading, *self._tasks, *self._watches.values()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, caller: Principal) -> None:
        taking = asyncio.create_task(self._take(caller))
        draining = asyncio.create_task(self._calls.draining.wait())
        try:
            await asyncio.wait((taking, draining), return_when=asyncio.FIRST_COMPLETED)
            said_all = taking.done()
            if not said_all:
                taking.cancel()
                for table in tuple(self._watches):
                    self._unwatch(table)
            # No more is asked for: answer what is under way, then end.
            while self._tasks:
                await asyncio.wait(set(self._tasks))
        finally:
            for task in (taking, draining):
                task.cancel()
            await asyncio.gather(taking, draining, return_exceptions=True)
        # Not when cancelled: nobody takes from the queue then, and it may be full.
        await self._answers.put(None)
        if not said_all:
            raise self._calls.stopping()
        taking.result()

    async def _take(self, caller: Principal) -> None:
        async for request in self._requests:
            await self._room.acquire()
            # Faster than he may, a caller's requests are read later: his connection fills up.
            await self._calls.pace.pace(caller.id)
            self._spawn(self._handle(caller, request))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _handle(self, caller: Principal, request: pb.PlayRequest) -> None:
        """Answer a request; its room is free again when the answer has found a place."""
        try:
            answer = await self._answer(caller, request)
            if answer is not None:
                await self._answers.put(answer)
        finally:
            self._room.release()

    async def _answer(self, caller: Principal, request: pb.PlayRequest) -> bytes | None:
        kind = request.WhichOneof("request") or "nothing"
        began = perf_counter()
        answer: bytes | None = None
        status: Status | None = None
        try:
            with self._calls.records.spans(f"Play {kind}"), Within(DEFAULT_SECONDS):
                self._calls.require_current(caller)
                answer = await self._done(caller, kind, request)
        except KartejoError as error:
            status = self._calls.told(error)
        except TimeoutError:
            status = deadline_status()
        except Exception as error:  # noqa: BLE001 as in Calls
            report(log.bind(call="Play"), "call_failed", error)
            status = internal_status()
        self._calls.records.answered(kind, perf_counter() - began, status)
        return answer if status is None else _failed(request, status)

    async def _done(self, caller: Principal, kind: str, request: pb.PlayRequest) -> bytes | None:
        """Do what is asked for."""
        match kind:
            case "submit":
                done = await self._tables.submit(caller, request.submit)
                return put_submitted(done)
            case "start":
                started = await self._tables.start(caller, request.start)
                return put_started(started)
            case "watch":
                self._watch(caller, request.watch)
                return None
            case "unwatch":
                self._unwatch(request.unwatch.table_id)
                return None
            case _:
                raise Malformed("request", "nothing is asked for")

    def _watch(self, caller: Principal, request: pb.PlayRequest.Watch) -> None:
        if len(self._watches) >= WATCHES and request.table_id not in self._watches:
            raise Exhausted(f"one stream watches at most {WATCHES} tables")
        self._unwatch(request.table_id)
        give_back = self._calls.watches.take(caller.id)
        task = asyncio.create_task(self._follow(caller, request))
        self._places[task] = give_back
        task.add_done_callback(self._leave)
        self._watches[request.table_id] = task

    def _unwatch(self, table: str) -> None:
        task = self._watches.pop(table, None)
        if task is not None:
            self._leave(task)  # at once: the next watch may be the one that takes its place
            task.cancel()

    def _leave(self, watching: asyncio.Task[None]) -> None:
        give_back = self._places.pop(watching, None)
        if give_back is not None:
            give_back()

    async def _follow(self, caller: Principal, request: pb.PlayRequest.Watch) -> None:
        try:
            watch = self._tables.watch(caller, request.table_id, request.after_version)
            async with aclosing(watch) as messages:
                async for news in messages:
                    await self._answers.put(put_news(news))
        except KartejoError as error:
            status = self._calls.told(error)
        except Exception as error:  # noqa: BLE001 as in Calls
            report(log.bind(call="Play"), "call_failed", error)
            status = internal_status()
        else:
            return
        self._watches.pop(request.table_id, None)
        await self._answers.put(_failed(pb.PlayRequest(watch=request), status))


def _failed(request: pb.PlayRequest, status: Status) -> bytes:
    kind = request.WhichOneof("request")
    part = getattr(request, kind) if kind else None
    return pb.PlayResponse(
        failed=pb.PlayResponse.Failed(
            request_id=getattr(part, "request_id", ""),
            table_id=getattr(part, "table_id", ""),
            status=status,
        )
    ).SerializeToString()
