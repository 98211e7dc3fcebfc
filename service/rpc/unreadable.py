"""What a servicer's handlers become: counted, and safe from bytes that are no message.

Those are refused as malformed, where gRPC would report a fault of ours.  The handlers are wrapped
once, when a servicer is registered; a readable call pays nothing.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import Any, Final

from google.protobuf.message import DecodeError

from engine.errors import Malformed
from service.identity import Principal
from service.rpc.calls import Calls
from service.rpc.context import Context
from service.rpc.door import Door, Served

__all__ = ["NO_MESSAGE", "Registrar", "Unreadable"]


class Unreadable:
    """Stands for a request that cannot be read; ``error`` says why."""

    def __init__(self, error: Malformed) -> None:
        self.error = error


NO_MESSAGE: Final = Unreadable(Malformed("request", "these bytes are no message of this call"))


class Registrar:
    """Takes a servicer's handlers in a server's place and leaves them, made safe, at the door."""

    def __init__(self, door: Door, calls: Calls) -> None:
        self._door = door
        self._calls = calls

    def add_generic_rpc_handlers(self, handlers: object) -> None:
        """Generated code names the handlers a second time, by method: those are taken."""

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Any]) -> None:
        """Register a service's handlers."""
        for name, handler in handlers.items():
            self._door.admit(self._safe(f"{service}/{name}", handler))

    def _safe(self, method: str, handler: Any) -> Served:
        records = self._calls.records
        if handler.stream_stream is not None:
            behaviour = records.stream(method, _readable_stream(handler.stream_stream))
        elif handler.unary_stream is not None:
            work = self._readable_request(handler.unary_stream, self._refuse_stream)
            behaviour = records.stream(method, work)
        else:
            work = self._readable_request(handler.unary_unary, self._refuse)
            behaviour = records.unary(method, work)
        return Served(
            method,
            behaviour,
            _reader(handler.request_deserializer),
            _writer(handler.response_serializer),
            takes_stream=handler.request_streaming,
            sends_stream=handler.response_streaming,
        )

    @staticmethod
    def _readable_request(work: Any, refuse: Any) -> Any:
        async def readable(request: Any, context: Context) -> Any:
            if type(request) is Unreadable:
                return await refuse(context, request.error)
            return await work(request, context)

        return readable

    # Through the guard of every call, so that a caller without a token learns nothing of it.
    async def _refuse(self, context: Context, error: Malformed) -> None:
        async def work(_: Principal) -> None:
            raise error

        await self._calls.unary(context, work)

    async def _refuse_stream(self, context: Context, error: Malformed) -> None:
        async def work(_: Principal) -> AsyncGenerator[Any, None]:
            for each in (error,):  # a generator that raises before it yields
                raise each
            yield None

        await self._calls.stream(context, work)


def _reader(parse: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    def read(data: bytes) -> Any:
        try:
            return parse(data)
        except DecodeError:
            return NO_MESSAGE

    return read


def _writer(serialize: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """Answers that are bytes already go as they are."""

    def write(message: Any) -> bytes:
        return message if type(message) is bytes else serialize(message)

    return write


def _readable_stream(work: Any) -> Any:
    async def readable(requests: AsyncIterator[Any], context: Context) -> None:
        async def read() -> AsyncGenerator[Any, None]:
            async for request in requests:
                if type(request) is Unreadable:
                    raise request.error
                yield request

        await work(read(), context)

    return readable
