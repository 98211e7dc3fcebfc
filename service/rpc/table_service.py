"""TableService: tables, actions, watching, and the Play stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final
from uuid import UUID

import structlog

from engine.errors import Unavailable
from service.host.faults import report
from service.host.lobby import Lobby
from service.host.supervision import each
from service.identity import Principal
from service.pb import table_service_pb2 as pb
from service.pb.table_service_pb2_grpc import TableServiceServicer
from service.rpc.calls import Calls
from service.rpc.messages import table_id
from service.rpc.pages import page_size, page_token, place_of, read_token
from service.rpc.play import PlayStream
from service.rpc.table_calls import TableCalls
from service.store.table_index import NEWEST

__all__ = ["Tables"]

log = structlog.get_logger(__name__)

AT_ONCE: Final = 8
"""Tables of a list that are loaded at a time."""

LISTING: Final = 2
"""Lists that are made at a time: whatever else is read finds its lines to the database free."""


class Tables(TableServiceServicer):
    """The servicer."""

    def __init__(self, calls: Calls, table_calls: TableCalls, lobby: Lobby) -> None:
        self._calls = calls
        self._tables = table_calls
        self._host = table_calls.host
        self._messages = table_calls.messages
        self._lobby = lobby
        self._listing = asyncio.Semaphore(LISTING)

    async def CreateTable(
        self, request: pb.CreateTableRequest, context: Any
    ) -> pb.CreateTableResponse:
        async def work(caller: Principal) -> pb.CreateTableResponse:
            live, outcome = await self._host.create_table(
                caller,
                request.request_id,
                request.game,
                request.options,
                request.house_options,
                request.start,
            )
            viewer = self._host.viewer(caller, outcome.table)
            return pb.CreateTableResponse(
                table=self._messages.table(live, outcome.table),
                state=self._messages.state(live, outcome.table, viewer),
            )

        return await self._calls.unary(context, work)

    async def ListTables(
        self, request: pb.ListTablesRequest, context: Any
    ) -> pb.ListTablesResponse:
        async def work(caller: Principal) -> pb.ListTablesResponse:
            caller.require_unlimited()
            with self._calls.lists.place(caller.id):
                async with self._listing:
                    return await self._list(caller, request)

        return await self._calls.unary(context, work)

    async def _list(
        self, caller: Principal, request: pb.ListTablesRequest
    ) -> pb.ListTablesResponse:
        size = page_size(request.page_size)
        if request.game:
            self._host.game(request.game)
        question = f"tables {request.game} {request.include_closed} {caller.lab}"
        if request.with_free_seat:
            question += " free"
        last = read_token(question, request.page_token)
        rows = await self._lobby.index.page(
            before=NEWEST if last is None else place_of(last, 18, UUID),
            limit=size + 1,
            game=request.game or None,
            closed=request.include_closed,
            lab=caller.lab,
            free=request.with_free_seat,
        )
        answer = pb.ListTablesResponse()
        found: dict[UUID, pb.Table] = {}

        async def show(stream: UUID) -> None:
            live = await self._host.tables.get(stream)
            # However many lists are asked for at once, those who play wait for one table.
            await self._host.tables.stored.breathe()
            found[stream] = self._messages.table(live)

        failed = await each((row.stream for row in rows[:size]), show, AT_ONCE)
        for stream, error in failed.items():
            if isinstance(error, Unavailable):
                raise error
            # A table that cannot be read is no reason to show none.
            report(log.bind(stream=str(stream)), "table_not_shown", error)
        answer.tables.extend(found[row.stream] for row in rows[:size] if row.stream in found)
        if len(rows) > size:
            last_row = rows[size - 1]
            answer.next_page_token = page_token(
                question, f"{last_row.created_at} {last_row.stream}"
            )
        return answer

    async def GetTable(self, request: pb.GetTableRequest, context: Any) -> pb.GetTableResponse:
        async def work(caller: Principal) -> pb.GetTableResponse:
            live = await self._host.find_table(caller, table_id(request.table_id))
            viewer = self._host.viewer(caller, live.table)
            return pb.GetTableResponse(
                table=self._messages.table(live),
                state=self._messages.state(live, live.table, viewer),
            )

        return await self._calls.unary(context, work)

    async def SubmitAction(self, request: pb.SubmitActionRequest, context: Any) -> bytes:  # type: ignore[override]
        return await self._calls.unary(context, lambda caller: self._tables.submit(caller, request))

    async def ListPlays(self, request: pb.ListPlaysRequest, context: Any) -> pb.ListPlaysResponse:
        return await self._calls.unary(
            context, lambda caller: self._tables.list_plays(caller, request)
        )

    async def StartHand(self, request: pb.StartHandRequest, context: Any) -> bytes:  # type: ignore[override]
        return await self._calls.unary(context, lambda caller: self._tables.start(caller, request))

    async def CloseTable(self, request: pb.CloseTableRequest, context: Any) -> bytes:  # type: ignore[override]
        return await self._calls.unary(context, lambda caller: self._tables.close(caller, request))

    async def ReleaseEmbargo(self, request: pb.ReleaseEmbargoRequest, context: Any) -> bytes:  # type: ignore[override]
        return await self._calls.unary(
            context, lambda caller: self._tables.release(caller, request)
        )

    async def WatchTable(self, request: pb.WatchTableRequest, context: Any) -> None:  # type: ignore[override]
        await self._calls.stream(
            context,
            lambda caller: self._tables.watch(caller, request.table_id, request.after_version),
        )

    async def Play(self, request_iterator: AsyncIterator[pb.PlayRequest], context: Any) -> None:  # type: ignore[override]
        stream = PlayStream(self._calls, self._tables, request_iterator)
        await self._calls.stream(context, stream.answers, ends_itself=True)
