"""The methods that are served, for Connect's application: one endpoint each, the same work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import nullcontext
from typing import Any, Final

import structlog
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf.descriptor_pool import Default
from google.protobuf.message_factory import GetMessageClass
from google.rpc.code_pb2 import UNIMPLEMENTED
from google.rpc.status_pb2 import Status

from engine.errors import Malformed
from service.host.faults import report
from service.rpc.connections import MOST_REQUEST_BYTES
from service.rpc.door import Door, Served, TurnedAway
from service.rpc.patience import Within
from service.rpc.status import deadline_status, internal_status, status_for, status_of
from service.web.call import CALL, Call, Ended
from service.web.codecs import Reply, codecs_for
from service.web.faults import as_connect_error
from service.web.json_form import Kinds
from service.web.terms import require_plain, require_version, seconds_of

__all__ = ["Application"]

log = structlog.get_logger(__name__)

_ONE_WAY: Final = status_for(
    UNIMPLEMENTED,
    "HTTP carries no stream of requests: use WatchTable and SubmitAction, or gRPC",
    "NO_REQUEST_STREAMS",
)


class Application(ConnectASGIApplication[Door]):
    """Answers Connect and gRPC-Web, unary calls and streams of answers, in binary and JSON.

    It speaks the protocols and no more: each call comes with its ``CALL``, a body of known size,
    and headers that were looked at.
    """

    path = "/"

    def __init__(self, door: Door, kinds: Kinds) -> None:
        super().__init__(
            service=door,
            endpoints=_endpoints,
            interceptors=(_Entrance(door),),
            read_max_bytes=MOST_REQUEST_BYTES,
            compressions=(),  # what was hidden must not show in how well the rest compresses
            codecs=codecs_for(kinds),
        )


class _Entrance:
    """Where a call is let in or turned away: before its body is read."""

    def __init__(self, door: Door) -> None:
        self._door = door

    async def on_start(self, _: object) -> None:
        call = CALL.get()
        try:
            call.give_back = self._door.let_in(call.served, call.metadata())
        except TurnedAway as away:
            if away.held is not None:
                call.give_back = away.held.give_back
                await asyncio.sleep(away.held.seconds)
            raise as_connect_error(away.status) from None
        if call.served.takes_stream:
            raise self._not_here(call, _ONE_WAY)
        try:
            require_version(call.headers)
            require_plain(call.headers)
            call.give_up_after(seconds_of(call.headers))
        except Malformed as error:
            raise self._not_here(call, status_of(error)) from None
        except Ended as ended:
            raise self._not_here(call, ended.status) from None

    def _not_here(self, call: Call, status: Status) -> ConnectError:
        self._door.calls.records.turned_away(call.method, status)
        return as_connect_error(status)

    async def on_end(self, token: None, ctx: object, error: Exception | None) -> None:
        """Nothing is left to do."""


def _endpoints(door: Door) -> Mapping[str, Any]:
    return {path: _endpoint(served) for path, served in door.served.items()}


def _endpoint(served: Served) -> Any:
    service, _, name = served.name.rpartition("/")
    found = Default().FindServiceByName(service).methods_by_name[name]
    answer = GetMessageClass(found.output_type)
    method: MethodInfo[Any, Any] = MethodInfo(
        name=name,
        service_name=service,
        input=GetMessageClass(found.input_type),
        output=answer,
        idempotency_level=IdempotencyLevel.UNKNOWN,
        stream_type=StreamType.SERVER_STREAM if served.sends_stream else StreamType.UNARY,
    )

    async def unary(request: Any, _: object) -> Reply:
        try:
            return Reply(await served.behaviour(request, CALL.get()), answer, served.write)
        except Exception as error:  # noqa: BLE001 whatever it is, a call ends with a status
            raise _ended(served, error) from None

    async def stream(request: Any, _: object) -> AsyncGenerator[Reply, None]:
        call = CALL.get()
        work = asyncio.create_task(_within_time(served, request, call))
        work.add_done_callback(lambda _: call.handover.end())
        try:
            while (message := await call.handover.take()) is not None:
                yield Reply(message, answer, served.write)
                call.handover.sent()
            await work
        except Exception as error:  # noqa: BLE001 whatever it is, a call ends with a status
            raise _ended(served, error) from None
        finally:
            call.handover.sent()
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    if served.sends_stream:
        return Endpoint.server_stream(method, stream)
    return Endpoint.unary(method, unary)


async def _within_time(served: Served, request: Any, call: Call) -> None:
    left = call.time_remaining()
    with nullcontext() if left is None else Within(left):
        await served.behaviour(request, call)


def _ended(served: Served, error: Exception) -> ConnectError:
    """What a call's caller is told of its end."""
    if isinstance(error, Ended):
        return as_connect_error(error.status)
    if isinstance(error, TimeoutError):
        return as_connect_error(deadline_status())
    report(log.bind(call=served.name), "call_failed", error)
    return as_connect_error(internal_status())
