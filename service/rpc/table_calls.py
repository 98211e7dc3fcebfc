"""The calls on one table, for the unary methods and the Play stream alike."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from service.host.embargo import release_embargo
from service.host.executor import Outcome
from service.host.host import Host
from service.host.live import Live
from service.host.own_plays import own_plays
from service.identity import Principal
from service.pb import table_service_pb2 as pb
from service.rpc.messages import Messages, table_id, timestamp

__all__ = ["TableCalls"]


class TableCalls:
    """The calls on one table, for the unary methods and the Play stream alike."""

    def __init__(self, host: Host, messages: Messages) -> None:
        self.host = host
        self.messages = messages

    def _state(self, caller: Principal, live: Live, outcome: Outcome) -> pb.TableState:
        viewer = self.host.viewer(caller, outcome.table)
        return self.messages.state(live, outcome.table, viewer)

    async def submit(
        self, caller: Principal, request: pb.SubmitActionRequest
    ) -> pb.SubmitActionResponse:
        """SubmitAction."""
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
        return pb.SubmitActionResponse(
            request_id=request.request_id,
            events=self.messages.events(live, outcome.recorded, caller),
            state=self._state(caller, live, outcome),
        )

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

    async def start(self, caller: Principal, request: pb.StartHandRequest) -> pb.StartHandResponse:
        """StartHand."""
        live, outcome = await self.host.start_hand(
            caller, request.request_id, table_id(request.table_id)
        )
        return pb.StartHandResponse(
            request_id=request.request_id,
            events=self.messages.events(live, outcome.recorded, caller),
            state=self._state(caller, live, outcome),
        )

    async def close(
        self, caller: Principal, request: pb.CloseTableRequest
    ) -> pb.CloseTableResponse:
        """CloseTable."""
        live, outcome = await self.host.close_table(
            caller, request.request_id, table_id(request.table_id)
        )
        return pb.CloseTableResponse(
            request_id=request.request_id,
            events=self.messages.events(live, outcome.recorded, caller),
            state=self._state(caller, live, outcome),
        )

    async def release(
        self, caller: Principal, request: pb.ReleaseEmbargoRequest
    ) -> pb.ReleaseEmbargoResponse:
        """ReleaseEmbargo."""
        live, outcome = await release_embargo(
            self.host, caller, request.request_id, table_id(request.table_id)
        )
        return pb.ReleaseEmbargoResponse(
            request_id=request.request_id,
            events=self.messages.events(live, outcome.recorded, caller),
            state=self._state(caller, live, outcome),
        )

    async def watch(
        self, caller: Principal, text_id: str, after_version: int
    ) -> AsyncGenerator[pb.WatchTableResponse, None]:
        """The messages of a watch, without end."""
        live = await self.host.find_table(caller, table_id(text_id))
        async with aclosing(self.host.watch(live, after_version)) as steps:
            async for step in steps:
                # However many catch up at once, those who play wait for one message of one of them.
                if not step.live:
                    await self.host.tables.stored.breathe()
                message = pb.WatchTableResponse(table_id=text_id, live=step.live)
                newest = live.table
                message.version = newest.version
                if step.recorded is not None:
                    commit = step.recorded.commit
                    message.version = commit.version
                    message.events.extend(self.messages.events(live, step.recorded, caller))
                    message.record_time.CopyFrom(timestamp(commit.recorded_at))
                # A state goes with the newest commit only: behind an older one, more is coming.
                if step.live and message.version == newest.version:
                    viewer = self.host.viewer(caller, newest)
                    message.state.CopyFrom(self.messages.state(live, newest, viewer))
                yield message
