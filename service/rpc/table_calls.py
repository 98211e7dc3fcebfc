"""The calls on one table, for the unary methods and the Play stream alike."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from service.host.embargo import release_embargo
from service.host.host import Host
from service.host.own_plays import own_plays
from service.identity import Principal
from service.pb import table_service_pb2 as pb
from service.rpc.messages import Messages, table_id
from service.rpc.told import Telling, Viewer

__all__ = ["TableCalls"]


class TableCalls:
    """The calls on one table, for the unary methods and the Play stream alike."""

    def __init__(self, host: Host, messages: Messages) -> None:
        self.host = host
        self.messages = messages
        self._telling = Telling(host, messages)

    async def submit(self, caller: Principal, request: pb.SubmitActionRequest) -> bytes:
        """SubmitAction; its answer in bytes, like those of the others that change a table."""
        action = self.host.codec.action_from_wire(request.action)
        live, outcome = await self.host.submit(
            caller,
            request.request_id,
            table_id(request.table_id),
            request.seat,
            action,
            request.hand if request.HasField("hand") else None,
            request.decision if request.HasField("decision") else None,
        )
        return self._telling.answer(request.request_id, Viewer.of(caller), live, outcome)

    async def list_plays(
        self, caller: Principal, request: pb.ListPlaysRequest
    ) -> pb.ListPlaysResponse:
        """ListPlays."""
        plays = await own_plays(
            self.host,
            caller,
            table_id(request.table_id),
            request.seat,
            request.limit,
            self.messages.plays,
        )
        return pb.ListPlaysResponse(plays=plays)

    async def start(self, caller: Principal, request: pb.StartHandRequest) -> bytes:
        """StartHand."""
        live, outcome = await self.host.start_hand(
            caller, request.request_id, table_id(request.table_id)
        )
        return self._telling.answer(request.request_id, Viewer.of(caller), live, outcome)

    async def close(self, caller: Principal, request: pb.CloseTableRequest) -> bytes:
        """CloseTable."""
        live, outcome = await self.host.close_table(
            caller, request.request_id, table_id(request.table_id)
        )
        return self._telling.answer(request.request_id, Viewer.of(caller), live, outcome)

    async def release(self, caller: Principal, request: pb.ReleaseEmbargoRequest) -> bytes:
        """ReleaseEmbargo."""
        live, outcome = await release_embargo(
            self.host, caller, request.request_id, table_id(request.table_id)
        )
        return self._telling.answer(request.request_id, Viewer.of(caller), live, outcome)

    async def watch(
        self, caller: Principal, text_id: str, after_version: int
    ) -> AsyncGenerator[bytes, None]:
        """The messages of a watch, without end, in bytes."""
        live = await self.host.find_table(caller, table_id(text_id))
        viewer = Viewer.of(caller)
        async with aclosing(self.host.watch(live, after_version)) as steps:
            async for step in steps:
                # However many catch up at once, those who play wait for one message of one of them.
                if not step.live:
                    await self.host.tables.stored.breathe()
                yield self._telling.news(viewer, live, step)
