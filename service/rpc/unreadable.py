"""Bytes that are no message: refused as malformed, where gRPC would report a fault of ours.

The handlers are wrapped once, when a servicer is registered; a readable call pays nothing.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError

from engine.errors import Malformed
from service.identity import Principal
from service.rpc.calls import Calls
from service.rpc.door import Door

__all__ = ["Registrar"]

_UNREADABLE: Final = object()


class Registrar:
    """Takes a servicer's handlers in a server's place and leaves them, made safe, at the door."""

    def __init__(self, door: Door, calls: Calls) -> None:
        self._door = door
        self._calls = calls

    def add_generic_rpc_handlers(self, handlers: object) -> None:
        """Generated code names the handlers a second time, by method: those are taken."""

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Any]) -> None:
        """Register a service's handlers."""
        safe = {
            name: self._safe(f"{service}/{name}", handler) for name, handler in handlers.items()
        }
        self._door.admit(service, safe)

    def _safe(self, method: str, handler: Any) -> Any:
        records = self._calls.records
        read = _reader(handler.request_deserializer)
        write = _writer(handler.response_serializer)
        if handler.stream_stream is not None:
            behaviour = records.stream(method, _readable_stream(handler.stream_stream))
            return grpc.stream_stream_rpc_method_handler(behaviour, read, write)
        if handler.unary_stream is not None:
            work = self._readable_request(handler.unary_stream, self._refuse_stream)
            behaviour = records.stream(method, work)
            return grpc.unary_stream_rpc_method_handler(behaviour, read, write)
        work = self._readable_request(handler.unary_unary, self._refuse)
        behaviour = records.unary(method, work)
        return grpc.unary_unary_rpc_method_handler(behaviour, read, write)

    @staticmethod
    def _readable_request(work: Any, refuse: Any) -> Any:
        async def readable(request: Any, context: Any) -> Any:
            return await (refuse(context) if request is _UNREADABLE else work(request, context))

        return readable

    # Through the guard of every call, so that a caller without a token learns nothing of it.
    async def _refuse(self, context: Any) -> None:
        async def work(_: Principal) -> None:
            raise _malformed()

        await self._calls.unary(context, work)

    async def _refuse_stream(self, context: Any) -> None:
        async def work(_: Principal) -> AsyncGenerator[Any, None]:
            for error in (_malformed(),):  # a generator that raises before it yields
                raise error
            yield None

        await self._calls.stream(context, work)


def _malformed() -> Malformed:
    return Malformed("request", "these bytes are no message of this call")


def _reader(parse: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    def read(data: bytes) -> Any:
        try:
            return parse(data)
        except DecodeError:
            return _UNREADABLE

    return read


def _writer(serialize: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """Answers that are bytes already go as they are."""

    def write(message: Any) -> bytes:
        return message if type(message) is bytes else serialize(message)

    return write


def _readable_stream(work: Any) -> Any:
    async def readable(requests: AsyncIterator[Any], context: Any) -> None:
        async def read() -> AsyncGenerator[Any, None]:
            async for request in requests:
                if request is _UNREADABLE:
                    raise _malformed()
                yield request

        await work(read(), context)

    return readable
