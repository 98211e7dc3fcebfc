"""A call as those see it who answer it, whatever carried it here: gRPC, or the browser's door."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn, Protocol

import grpc
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

__all__ = ["Context", "GrpcContext", "Metadata", "reason_in"]

Metadata = Iterable[tuple[str, str | bytes]]

DETAILS = "grpc-status-details-bin"


class Context(Protocol):
    """What a call's guard needs of it."""

    @property
    def method(self) -> str:
        """Which one is called: ``kartejo.v1.TableService/GetTable``."""

    @property
    def reason(self) -> str:
        """The reason that its caller was told, once the call has failed."""

    def metadata(self) -> Metadata:
        """The headers of the call, by names in lower case."""

    def peer(self) -> str:
        """The connection that it came by."""

    def time_remaining(self) -> float | None:
        """Seconds until its caller gives up; None if he has not said."""

    async def write(self, message: object) -> bool:
        """Send a message of a stream, when there is room; false if the connection is gone."""

    async def abort(self, status: Status) -> NoReturn:
        """End the call with a status and its details; raises what must not be caught."""


class GrpcContext:
    """A call that came by gRPC."""

    __slots__ = ("method", "raw")

    def __init__(self, context: Any, method: str) -> None:
        self.raw = context
        self.method = method

    @property
    def reason(self) -> str:
        """As what was really sent says; the name of the code where it has no reason of ours."""
        for key, value in self.raw.trailing_metadata() or ():
            if key == DETAILS:
                return reason_in(Status.FromString(value))
        code = self.raw.code()
        return code.name if code is not None else "INTERNAL"

    def metadata(self) -> Metadata:
        """The headers."""
        found: Metadata = self.raw.invocation_metadata() or ()
        return found

    def peer(self) -> str:
        """Address and port of the caller."""
        return str(self.raw.peer())

    def time_remaining(self) -> float | None:
        """Until the deadline that came with the call."""
        left: float | None = self.raw.time_remaining()
        return left

    async def write(self, message: object) -> bool:
        """Returns when gRPC has taken the message, which is when there is room."""
        try:
            await self.raw.write(message)
        except grpc.aio.InternalError:  # its connection is gone; the end is on its way
            return False
        return True

    async def abort(self, status: Status) -> NoReturn:
        """By gRPC's own exception."""
        await self.raw.abort_with_status(rpc_status.to_status(status))
        raise AssertionError("an aborted call goes on")


def reason_in(status: Status) -> str:
    """The reason of a status of ours."""
    info = ErrorInfo()
    if status.details and status.details[0].Unpack(info):
        return str(info.reason)
    return "INTERNAL"
