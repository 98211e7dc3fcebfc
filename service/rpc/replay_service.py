"""ReplayService: any hand, any state, as its viewer may see it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict
from typing import Any
from uuid import UUID

from engine.errors import Unknown
from engine.visibility import AUDITOR, MAX_SEATS, seat_viewer
from service.codec import snake_case
from service.host.host import Host
from service.host.proofs import CardProof, CardProofs
from service.host.replay import Past, Replay, Viewing
from service.identity import Principal
from service.pb import games_pb2
from service.pb import replay_service_pb2 as pb
from service.pb.access_events_pb2 import AccessEvent
from service.pb.replay_service_pb2_grpc import ReplayServiceServicer
from service.rpc.calls import Calls
from service.rpc.messages import Messages, table_id, timestamp, viewing
from service.rpc.pages import page_size, page_token, place_of, read_token
from service.store.hand_index import NEWEST, HandRow

__all__ = ["Replays"]


class Replays(ReplayServiceServicer):
    """The servicer."""

    def __init__(
        self, calls: Calls, host: Host, replay: Replay, proofs: CardProofs, messages: Messages
    ) -> None:
        self._calls = calls
        self._host = host
        self._replay = replay
        self._proofs = proofs
        self._messages = messages

    async def ListHands(self, request: pb.ListHandsRequest, context: Any) -> pb.ListHandsResponse:
        async def work(caller: Principal) -> pb.ListHandsResponse:
            size = page_size(request.page_size)
            question = f"hands {request.table_id}"
            last = read_token(question, request.page_token)
            (after,) = (0,) if last is None else place_of(last, 9)
            rows = await self._replay.hands(caller, table_id(request.table_id), after, size + 1)
            answer = pb.ListHandsResponse()
            for row in rows[:size]:
                answer.hands.append(_hand(row))
            if len(rows) > size:
                answer.next_page_token = page_token(question, str(rows[size - 1].hand))
            return answer

        return await self._calls.unary(context, work)

    async def ListPlayedHands(
        self, request: pb.ListPlayedHandsRequest, context: Any
    ) -> pb.ListPlayedHandsResponse:
        async def work(caller: Principal) -> pb.ListPlayedHandsResponse:
            size = page_size(request.page_size)
            player = _player(request.player) if request.player else caller.id
            question = f"played {player}"
            last = read_token(question, request.page_token)
            before = NEWEST if last is None else place_of(last, 18, UUID, 9, 4)
            rows = await self._replay.played(caller, player, before, size + 1)
            answer = pb.ListPlayedHandsResponse()
            for row in rows[:size]:
                answer.hands.add(table_id=str(row.stream), seat=row.seat, hand=_hand(row.hand))
            if len(rows) > size:
                end = rows[size - 1]
                place = f"{end.hand.started_at} {end.stream} {end.hand.hand} {end.seat}"
                answer.next_page_token = page_token(question, place)
            return answer

        return await self._calls.unary(context, work)

    async def ReplayHand(self, request: pb.ReplayHandRequest, context: Any) -> None:  # type: ignore[override]
        await self._calls.stream(context, lambda caller: self._steps(caller, request))

    async def _steps(
        self, caller: Principal, request: pb.ReplayHandRequest
    ) -> AsyncGenerator[pb.ReplayHandResponse, None]:
        as_ = viewing(request.viewer)
        stream = table_id(request.table_id)
        live = await self._host.find_table(caller, stream)
        async with aclosing(self._replay.hand(caller, stream, request.hand, as_)) as steps:
            async for past in steps:
                yield pb.ReplayHandResponse(
                    seat=past.recorded.commit.seat,
                    action=self._action_name(past),
                    events=self._events(caller, past, as_),
                    state=self._messages.state(live, past.table, past.viewer),
                    record_time=timestamp(past.recorded.commit.recorded_at),
                )

    async def ReplayTable(self, request: pb.ReplayTableRequest, context: Any) -> None:  # type: ignore[override]
        await self._calls.stream(context, lambda caller: self._whole(caller, request))

    async def _whole(
        self, caller: Principal, request: pb.ReplayTableRequest
    ) -> AsyncGenerator[pb.ReplayTableResponse, None]:
        as_ = viewing(request.viewer)
        stream = table_id(request.table_id)
        async with aclosing(self._replay.table(caller, stream, as_)) as steps:
            async for past in steps:
                await self._host.tables.stored.breathe()
                commit = past.recorded.commit
                yield pb.ReplayTableResponse(
                    version=commit.version,
                    hand=commit.hand,
                    seat=commit.seat,
                    action=self._action_name(past),
                    events=self._events(caller, past, as_),
                    record_time=timestamp(commit.recorded_at),
                    seats=[seat for seat in range(MAX_SEATS) if past.viewer & seat_viewer(seat)],
                    sees_all=bool(past.viewer & AUDITOR),
                )

    async def ListAccesses(
        self, request: pb.ListAccessesRequest, context: Any
    ) -> pb.ListAccessesResponse:
        async def work(caller: Principal) -> pb.ListAccessesResponse:
            size = page_size(request.page_size)
            question = f"accesses {request.table_id}"
            last = read_token(question, request.page_token)
            after = (0, 0) if last is None else place_of(last, 1, 9)
            rows = await self._replay.accesses(caller, table_id(request.table_id), after, size + 1)
            answer = pb.ListAccessesResponse()
            for _, access in rows[:size]:
                looked = AccessEvent.AuditorLooked(**asdict(access.looked))
                answer.accesses.add(looked=looked, record_time=timestamp(access.recorded_at))
            if len(rows) > size:
                part, end = rows[size - 1]
                answer.next_page_token = page_token(question, f"{part} {end.version}")
            return answer

        return await self._calls.unary(context, work)

    async def GetStateAt(
        self, request: pb.GetStateAtRequest, context: Any
    ) -> pb.GetStateAtResponse:
        async def work(caller: Principal) -> pb.GetStateAtResponse:
            stream = table_id(request.table_id)
            live = await self._host.find_table(caller, stream)
            past = await self._replay.state_at(
                caller, stream, request.version, viewing(request.viewer)
            )
            return pb.GetStateAtResponse(state=self._messages.state(live, past.table, past.viewer))

        return await self._calls.unary(context, work)

    async def GetCardProofs(
        self, request: pb.GetCardProofsRequest, context: Any
    ) -> pb.GetCardProofsResponse:
        async def work(caller: Principal) -> pb.GetCardProofsResponse:
            found = await self._proofs.of_hand(
                caller,
                table_id(request.table_id),
                request.hand,
                request.card or None,
                viewing(request.viewer),
            )
            return pb.GetCardProofsResponse(proofs=map(_proof, found))

        return await self._calls.unary(context, work)

    def _events(self, caller: Principal, past: Past, as_: Viewing) -> list[Any]:
        if as_.kind == "self":
            return self._messages.events_of(past.recorded, caller)
        return self._messages.events_as(past.recorded, past.viewer)

    def _action_name(self, past: Past) -> str:
        """The action's name, for who acted and for auditors: others see what it made."""
        seat = past.recorded.commit.seat
        seen = seat < 0 or past.viewer & (AUDITOR | (1 << seat))
        if not seen or not past.recorded.action:
            return ""
        wire = games_pb2.Action.FromString(past.recorded.action)
        return snake_case(type(self._host.codec.action_from_wire(wire)).__name__)


def _hand(row: HandRow) -> pb.Hand:
    return pb.Hand(
        hand=row.hand,
        first_version=row.first_version,
        last_version=row.last_version,
        start_time=timestamp(row.started_at),
        end_time=timestamp(row.ended_at),
        game=row.game,
        over=row.over,
        dealt_in=[
            pb.DealtIn(seat=seat, player=player)
            for seat, player in zip(row.seats, row.players, strict=True)
        ],
    )


def _proof(proof: CardProof) -> pb.CardProof:
    place = proof.place
    return pb.CardProof(
        epoch=proof.epoch,
        commitment=proof.commitment,
        entropy=proof.entropy,
        version=proof.version,
        after_version=proof.after,
        shuffle=proof.shuffle,
        purpose=proof.purpose,
        root=place.root,
        count=place.count,
        place=place.place,
        card=place.item,
        salt=place.salt,
        path=place.path,
    )


def _player(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Unknown("no such player") from None
