"""The door of the server: who may take up a place here, before a byte of the request is read.

gRPC counts a call from its first header on, and waits without a limit for the message of a call
that has one.  So whoever has no token is turned away by the headers alone, and every other call
takes a place in its caller's budget.  Streams and unary calls have separate budgets, so that
neither can keep the other out.

Health and reflection are open to everybody (``OpenHandlers``): few places, and none for long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, NamedTuple

import grpc
import structlog
from google.rpc.status_pb2 import Status

from engine.errors import Exhausted, KartejoError, Unavailable
from service.host.faults import report
from service.rpc.budget import Budget, Limits
from service.rpc.calls import Calls
from service.rpc.context import GrpcContext, Metadata
from service.rpc.measured import Behaviour
from service.rpc.refusals import Held
from service.rpc.status import internal_status

__all__ = ["MOST_CALLS", "Door", "OpenHandlers", "Served", "TurnedAway"]

log = structlog.get_logger(__name__)

UNARY: Final = Limits(each=1_000, all=6_000)
STREAMS: Final = Limits(each=256, all=10_000)
CHECKS: Final = Limits(each=16, all=512)
LOOKS: Final = Limits(each=8, all=256)
"""Places of unary calls, of streams, and of the open unary calls and streams by connection."""

HTTP: Final = 2_000
"""Connections of the browser's door; each of them has one call under way at most."""

BODIES: Final = Limits(each=128, all=512)
"""Requests over HTTP whose body did not come with their head, by address.  Those that never come
end together, and to tell them so is everybody's time."""

CHECK_SECONDS: Final = 5.0
LOOK_SECONDS: Final = 300.0
"""How long an open call may last."""

MOST_CALLS: Final = UNARY.all + STREAMS.all + CHECKS.all + LOOKS.all + 2_000
"""All places, with room for those that are just being turned away."""


class Served(NamedTuple):
    """A method that is served: its work, guarded and counted, whatever carries its calls.

    ``name`` is that of the service and its own: ``kartejo.v1.TableService/GetTable``.
    ``behaviour`` takes a request (or an iterator of them) and the context; ``read`` and ``write``
    are for messages in binary.
    """

    name: str
    behaviour: Behaviour
    read: Callable[[bytes], Any]
    write: Callable[[Any], bytes]
    takes_stream: bool
    sends_stream: bool


class TurnedAway(Exception):
    """A call that is not let in: how it ends.

    If it is to be ``held`` back first, its place must be given back.
    """

    def __init__(self, status: Status, held: Held | None) -> None:
        self.status = status
        self.held = held
        super().__init__(status.message)


class _Call:
    """The handler of one call, which holds the call's place.

    gRPC tells nobody when a call ends that never came to its handler.  But it holds the handler
    it was given for exactly as long as the call lives: with it the place is given back.
    """

    __slots__ = (
        "_give_back",
        "request_deserializer",
        "request_streaming",
        "response_serializer",
        "response_streaming",
        "stream_stream",
        "stream_unary",
        "unary_stream",
        "unary_unary",
    )

    def __init__(self, handler: Any, give_back: Callable[[], None]) -> None:
        self.request_streaming = handler.request_streaming
        self.response_streaming = handler.response_streaming
        self.request_deserializer = handler.request_deserializer
        self.response_serializer = handler.response_serializer
        self.unary_unary = handler.unary_unary
        self.unary_stream = handler.unary_stream
        self.stream_unary = handler.stream_unary
        self.stream_stream = handler.stream_stream
        self._give_back = give_back

    def __del__(self) -> None:
        self._give_back()


class Door(grpc.GenericRpcHandler):
    """Finds the handler of a call, for those who are let in."""

    def __init__(self, calls: Calls, http: int = HTTP) -> None:
        """``http``: connections that the browser's door may hold."""
        self.calls = calls
        self.served: dict[str, Served] = {}
        self._handlers: dict[str, Any] = {}
        self.unary = Budget("calls", UNARY)
        self.streams = Budget("streams", STREAMS)
        self.connections = Budget("connections", Limits(each=http, all=http))
        self.bodies = Budget("requests that have not come whole", BODIES)

    def admit(self, served: Served) -> None:
        """Serve a method to callers with a token."""
        path = f"/{served.name}"
        self.served[path] = served
        self._handlers[path] = _handler(served)

    def service(self, handler_call_details: Any) -> Any:
        """The handler of a call; one that refuses it; None if there is no such method."""
        method = handler_call_details.method
        handler = self._handlers.get(method)
        if handler is None:
            self.calls.records.no_such()
            return None
        try:
            metadata = handler_call_details.invocation_metadata or ()
            return _Call(handler, self.let_in(self.served[method], metadata))
        except TurnedAway as away:
            if away.held is None:
                return _refusal(away.status)
            return _Call(_refusal(away.status, away.held.seconds), away.held.give_back)

    def let_in(self, served: Served, metadata: Metadata) -> Callable[[], None]:
        """Give a call a place, by its headers alone; what comes back gives the place back.

        For the task that goes on with the call.  Raises ``TurnedAway``.
        """
        caller: Hashable = None
        try:
            claims = self.calls.admit(metadata)
            caller = claims.issuer, claims.subject
            self.calls.rate.take(caller)
            return (self.streams if served.sends_stream else self.unary).take(caller)
        except KartejoError as error:
            status = self.calls.told(error)
            held = self.calls.refusals.hold(caller)
        except Exception as error:  # noqa: BLE001 whatever it is, the call must end with a status
            report(log.bind(call=served.name), "call_failed", error)
            status, held = internal_status(), None
        self.calls.records.turned_away(served.name, status)
        raise TurnedAway(status, held)


def _handler(served: Served) -> Any:
    """gRPC's handler of a method."""
    behaviour, method = served.behaviour, served.name

    async def handle(request: Any, context: Any) -> Any:
        return await behaviour(request, GrpcContext(context, method))

    kind = grpc.unary_unary_rpc_method_handler
    if served.takes_stream:
        kind = grpc.stream_stream_rpc_method_handler
    elif served.sends_stream:
        kind = grpc.unary_stream_rpc_method_handler
    return kind(handle, served.read, served.write)


def _refusal(status: Status, seconds: float = 0.0) -> Any:
    """A handler that refuses: as a stream, for a stream's first message is not awaited."""

    async def refuse(_: Any, context: Any) -> None:
        if seconds:
            await asyncio.sleep(seconds)
        await GrpcContext(context, "").abort(status)

    return grpc.stream_stream_rpc_method_handler(refuse)


class OpenHandlers:
    """Takes the handlers of an open service in a server's place, and bounds them.

    All of them become streams on this side, where the wait for the request is ours to bound; the
    caller sees no difference.  They are registered with gRPC by name, which keeps those that have
    come apart from the calls of the others: neither stands in line behind the other.
    """

    def __init__(self, server: grpc.aio.Server, door: Door, methods: frozenset[str]) -> None:
        self._server = server
        self._door = door
        self._rate = door.calls.connection
        self._methods = methods
        self.checks = Budget("health checks", CHECKS)
        self.looks = Budget("open streams", LOOKS)

    def add_generic_rpc_handlers(self, handlers: object) -> None:
        """Generated code names the handlers a second time, by method: those are taken."""

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Any]) -> None:
        """Register a service's handlers: those of the methods that are served here."""
        served = {name: each for name, each in handlers.items() if name in self._methods}
        bounded = {name: self._bounded(f"{service}/{name}", each) for name, each in served.items()}
        self._server.add_registered_method_handlers(service, bounded)

    def _bounded(self, method: str, handler: Any) -> Any:
        work = _as_stream(handler)
        long = handler.response_streaming

        async def bounded(requests: Any, context: GrpcContext) -> None:
            budget = self.looks if long else self.checks
            try:
                self._rate.take(context.peer())
                with budget.place(context.peer()):
                    async with asyncio.timeout(LOOK_SECONDS if long else CHECK_SECONDS):
                        await work(requests, context.raw)
                        return
            except Exhausted as error:
                await self._door.calls.refusals.pause(context.peer())
                why: KartejoError = error
            except TimeoutError:
                why = Unavailable("an open call ends after a while; come back", retry_ms=100)
            await context.abort(Calls.told(why))

        measured = self._door.calls.records.stream(method, bounded)

        async def handle(requests: Any, context: Any) -> None:
            await measured(requests, GrpcContext(context, method))

        return grpc.stream_stream_rpc_method_handler(
            handle,
            handler.request_deserializer,
            handler.response_serializer,
        )


def _as_stream(handler: Any) -> Callable[[Any, Any], Any]:
    """A handler's work in the form of a stream: reads its requests, writes its answers."""

    async def one_to_one(requests: Any, context: Any) -> None:
        async for request in requests:
            await context.write(await handler.unary_unary(request, context))
            return

    async def one_to_many(requests: Any, context: Any) -> None:
        async for request in requests:
            await handler.unary_stream(request, context)
            return

    async def many_to_many(requests: Any, context: Any) -> None:
        async for response in handler.stream_stream(requests, context):
            await context.write(response)

    if handler.unary_unary is not None:
        return one_to_one
    return one_to_many if handler.unary_stream is not None else many_to_many
