"""LabService: lab tables for scripts and teaching."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

from engine.visibility import AUDITOR
from service.host.executor import Outcome
from service.host.host import Host
from service.host.lab import Lab
from service.host.replay import Replay
from service.identity import Principal
from service.pb import lab_service_pb2 as pb
from service.pb.lab_service_pb2_grpc import LabServiceServicer
from service.rpc.calls import Calls
from service.rpc.messages import Messages, table_id, viewing

__all__ = ["Labs"]


class Labs(LabServiceServicer):
    """The servicer."""

    def __init__(
        self, calls: Calls, host: Host, lab: Lab, replay: Replay, messages: Messages
    ) -> None:
        self._calls = calls
        self._host = host
        self._lab = lab
        self._replay = replay
        self._messages = messages

    async def OpenLabTable(
        self, request: pb.OpenLabTableRequest, context: Any
    ) -> pb.OpenLabTableResponse:
        async def work(caller: Principal) -> pb.OpenLabTableResponse:
            live, outcome = await self._lab.open_table(
                caller,
                request.request_id,
                request.game,
                request.options,
                request.house_options,
                request.start,
            )
            return pb.OpenLabTableResponse(table_id=str(live.stream), version=outcome.table.version)

        return await self._calls.unary(context, work)

    async def StackDeck(self, request: pb.StackDeckRequest, context: Any) -> pb.StackDeckResponse:
        async def work(caller: Principal) -> pb.StackDeckResponse:
            outcome = await self._lab.stack_deck(
                caller, request.request_id, table_id(request.table_id), tuple(request.cards)
            )
            return pb.StackDeckResponse(version=outcome.table.version)

        return await self._calls.unary(context, work)

    async def SetPosition(
        self, request: pb.SetPositionRequest, context: Any
    ) -> pb.SetPositionResponse:
        async def work(caller: Principal) -> pb.SetPositionResponse:
            outcome = await self._lab.set_position(
                caller, request.request_id, table_id(request.table_id), request.position
            )
            return pb.SetPositionResponse(version=outcome.table.version)

        return await self._calls.unary(context, work)

    async def Act(self, request: pb.ActRequest, context: Any) -> pb.ActResponse:
        async def work(caller: Principal) -> pb.ActResponse:
            outcome: Outcome = await self._lab.act(
                caller,
                request.request_id,
                table_id(request.table_id),
                request.seat,
                self._host.codec.action_from_wire(request.action),
            )
            return pb.ActResponse(
                version=outcome.table.version,
                events=self._messages.events_as(outcome.recorded, AUDITOR),
            )

        return await self._calls.unary(context, work)

    async def LookPlays(self, request: pb.LookPlaysRequest, context: Any) -> pb.LookPlaysResponse:
        async def work(caller: Principal) -> pb.LookPlaysResponse:
            plays = await self._lab.list_plays(
                caller,
                table_id(request.table_id),
                request.seat,
                request.limit,
                self._messages.plays,
            )
            return pb.LookPlaysResponse(plays=plays)

        return await self._calls.unary(context, work)

    async def Look(self, request: pb.LookRequest, context: Any) -> pb.LookResponse:
        async def work(caller: Principal) -> pb.LookResponse:
            live = await self._lab.table(caller, table_id(request.table_id))
            as_ = viewing(request.viewer)
            house = live.table.house
            mask = self._replay.mask(caller, live, house.epoch, live.table, as_)
            answer = pb.LookResponse(state=self._messages.state(live, live.table, mask))
            async with aclosing(self._host.watch(live, request.after_version)) as steps:
                async for step in steps:
                    if step.recorded is None:
                        break
                    answer.events.extend(self._messages.events_as(step.recorded, mask))
            return answer

        return await self._calls.unary(context, work)
