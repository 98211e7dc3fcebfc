"""From the status of a call back to the errors of Kartejo: service.rpc.status in reverse."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import grpc
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from engine.errors import (
    Conflict,
    Corrupt,
    Denied,
    Exhausted,
    KartejoError,
    Malformed,
    Refused,
    Reused,
    Unauthenticated,
    Unavailable,
    Unknown,
)

__all__ = ["error_of", "error_of_status"]


class _Told(NamedTuple):
    """What a status says: its text, ``ErrorInfo``, field violations, and when to try again."""

    text: str
    reason: str = ""
    metadata: Mapping[str, str] = {}
    field: str = ""
    why: str = ""
    retry_ms: int = 1_000


def _refused(told: _Told) -> KartejoError:
    # A map has no order on the wire; the text names the details in that of the rules.
    names = sorted(told.metadata, key=lambda name: told.text.find(f"{name}="))
    return Refused(told.reason or "REFUSED", **{name: told.metadata[name] for name in names})


def _malformed(told: _Told) -> KartejoError:
    return Malformed(told.field or "request", told.why or told.text)


_MAKERS: Final[Mapping[int, Callable[[_Told], KartejoError]]] = {
    code.value[0]: maker
    for code, maker in (
        (grpc.StatusCode.FAILED_PRECONDITION, _refused),
        (grpc.StatusCode.INVALID_ARGUMENT, _malformed),
        (grpc.StatusCode.ABORTED, lambda told: Conflict(told.text)),
        (grpc.StatusCode.ALREADY_EXISTS, lambda told: Reused(told.text)),
        (grpc.StatusCode.NOT_FOUND, lambda told: Unknown(told.text)),
        (grpc.StatusCode.PERMISSION_DENIED, lambda told: Denied(told.text)),
        (grpc.StatusCode.UNAUTHENTICATED, lambda told: Unauthenticated(told.text)),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, lambda told: Exhausted(told.text, told.retry_ms)),
        (grpc.StatusCode.DATA_LOSS, lambda told: Corrupt(told.text)),
        (grpc.StatusCode.UNAVAILABLE, lambda told: Unavailable(told.text, told.retry_ms)),
        (grpc.StatusCode.DEADLINE_EXCEEDED, lambda told: Unavailable(told.text, told.retry_ms)),
    )
}


def error_of(failure: grpc.aio.AioRpcError) -> KartejoError:
    """The error a call ended with; ``reason`` is that of its ``ErrorInfo``."""
    # from_call is typed for the synchronous library; it reads the same three methods of both.
    call: Any = failure
    status = rpc_status.from_call(call)
    if status is None:  # no service spoke: the library itself gave up
        text = failure.details() or failure.code().name
        status = Status(code=failure.code().value[0], message=text)
    return error_of_status(status)


def error_of_status(status: Status) -> KartejoError:
    """The error that a status stands for, such as one that came in a Play stream."""
    told = _Told(status.message)
    for detail in status.details:
        info, retry, fields = ErrorInfo(), RetryInfo(), BadRequest()
        if detail.Unpack(info):
            told = told._replace(reason=info.reason, metadata=dict(info.metadata))
        elif detail.Unpack(retry):
            told = told._replace(retry_ms=retry.retry_delay.ToMilliseconds())
        elif detail.Unpack(fields) and fields.field_violations:
            first = fields.field_violations[0]
            told = told._replace(field=first.field, why=first.description)
    maker = _MAKERS.get(status.code)
    error = KartejoError(told.text) if maker is None else maker(told)
    if told.reason:
        error.reason = told.reason
    return error
