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
from contextlib import suppress
from typing import Any, Final

import grpc
import structlog

from engine.errors import Exhausted, KartejoError, Unavailable
from service.host.faults import report
from service.rpc.budget import Budget, Limits
from service.rpc.calls import Calls
from service.rpc.status import internal_status

__all__ = ["MOST_CALLS", "Door", "OpenHandlers"]

log = structlog.get_logger(__name__)

UNARY: Final = Limits(each=1_000, all=6_000)
STREAMS: Final = Limits(each=256, all=10_000)
CHECKS: Final = Limits(each=16, all=512)
LOOKS: Final = Limits(each=8, all=256)
"""Places of unary calls, of streams, and of the open unary calls and streams by connection."""

SLOW: Final = Limits(each=300, all=1_500)
SLOW_SECONDS: Final = 1.0
"""How many refusals of one who goes on are held back, and for how long.  They keep their places on
their connection meanwhile, of which it has few (``server``): nobody can have the service refuse
all the time."""

CHECK_SECONDS: Final = 5.0
LOOK_SECONDS: Final = 300.0
"""How long an open call may last."""

MOST_CALLS: Final = UNARY.all + STREAMS.all + CHECKS.all + LOOKS.all + 2_000
"""All places, with room for those that are just being turned away."""


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

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self._handlers: dict[str, Any] = {}
        self._open: dict[str, Any] = {}
        self.unary = Budget("calls", UNARY)
        self.streams = Budget("streams", STREAMS)
        self.slow = Budget("refusals", SLOW)

    def admit(self, service: str, handlers: Mapping[str, Any]) -> None:
        """Handlers for callers with a token."""
        self._handlers.update({f"/{service}/{name}": each for name, each in handlers.items()})

    def open(self, service: str, handlers: Mapping[str, Any]) -> None:
        """Handlers for everybody, which bound themselves."""
        self._open.update({f"/{service}/{name}": each for name, each in handlers.items()})

    def service(self, handler_call_details: Any) -> Any:
        """The handler of a call; one that refuses it; None if there is no such method."""
        method = handler_call_details.method
        handler = self._handlers.get(method)
        if handler is None:
            found = self._open.get(method)
            if found is None:
                self.calls.records.no_such()
            return found
        caller: Hashable = None
        hold: Callable[[], None] | None = None
        try:
            claims = self.calls.admit(handler_call_details.invocation_metadata)
            caller = claims.issuer, claims.subject
            self.calls.rate.take(caller)
            budget = self.streams if handler.response_streaming else self.unary
            return _Call(handler, budget.take(caller))
        except KartejoError as error:
            status = self.calls.told(error)
            hold = self._hold(caller)
        except Exception as error:  # noqa: BLE001 whatever it is, the call must end with a status
            report(log.bind(call=method), "call_failed", error)
            status = internal_status()
        self.calls.records.turned_away(method.removeprefix("/"), status)
        return _refusal(status) if hold is None else _Call(_refusal(status, SLOW_SECONDS), hold)

    def _hold(self, caller: Hashable) -> Callable[[], None] | None:
        """A place in which a refusal is held back; None: its caller hears of it at once.

        That is so too where all places are taken: enough is held back already.
        """
        try:
            self.calls.refusals.take(caller)
        except Exhausted:
            with suppress(Exhausted):
                return self.slow.take(caller)
        return None


def _refusal(status: Any, seconds: float = 0.0) -> Any:
    """A handler that refuses: as a stream, for a stream's first message is not awaited."""

    async def refuse(_: Any, context: Any) -> None:
        if seconds:
            await asyncio.sleep(seconds)
        await Calls.fail(context, status)

    return grpc.stream_stream_rpc_method_handler(refuse)


class OpenHandlers:
    """Takes the handlers of an open service in a server's place, and bounds them.

    All of them become streams on this side, where the wait for the request is ours to bound; the
    caller sees no difference.
    """

    def __init__(self, door: Door, methods: frozenset[str]) -> None:
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
        self._door.open(service, bounded)

    def _bounded(self, method: str, handler: Any) -> Any:
        work = _as_stream(handler)
        long = handler.response_streaming

        async def bounded(requests: Any, context: Any) -> None:
            budget = self.looks if long else self.checks
            try:
                self._rate.take(context.peer())
                with budget.place(context.peer()):
                    async with asyncio.timeout(LOOK_SECONDS if long else CHECK_SECONDS):
                        await work(requests, context)
                        return
            except Exhausted as error:
                why: KartejoError = error
            except TimeoutError:
                why = Unavailable("an open call ends after a while; come back", retry_ms=100)
            await Calls.fail(context, Calls.told(why))

        return grpc.stream_stream_rpc_method_handler(
            self._door.calls.records.stream(method, bounded),
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
