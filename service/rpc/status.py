"""Errors as ``google.rpc.Status``: a code for the library, a reason for the program, a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import grpc
from google.protobuf.duration_pb2 import Duration
from google.rpc.code_pb2 import (
    ABORTED,
    ALREADY_EXISTS,
    DATA_LOSS,
    DEADLINE_EXCEEDED,
    FAILED_PRECONDITION,
    INTERNAL,
    INVALID_ARGUMENT,
    NOT_FOUND,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    UNAUTHENTICATED,
    UNAVAILABLE,
)
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

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

__all__ = ["DOMAIN", "code_of", "deadline_status", "internal_status", "status_for", "status_of"]

DOMAIN: Final = "kartejo"

_CODES: Final = (
    (Refused, FAILED_PRECONDITION),
    (Malformed, INVALID_ARGUMENT),
    (Conflict, ABORTED),
    (Reused, ALREADY_EXISTS),
    (Unknown, NOT_FOUND),
    (Denied, PERMISSION_DENIED),
    (Unauthenticated, UNAUTHENTICATED),
    (Exhausted, RESOURCE_EXHAUSTED),
    (Corrupt, DATA_LOSS),
    (Unavailable, UNAVAILABLE),
)

_LONGEST: Final = 256
"""Characters of a text in a status.  It travels in the trailers, whose size is limited: what a
caller sent must not come back at such length that the status itself gets lost."""

_GRPC_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def status_for(
    code: int, message: str, reason: str, metadata: Mapping[str, str] | None = None
) -> Status:
    """A status with a reason of ours."""
    status = Status(code=code, message=_short(message))
    status.details.add().Pack(ErrorInfo(reason=reason, domain=DOMAIN, metadata=metadata))
    return status


def _retry(status: Status, milliseconds: int) -> None:
    delay = Duration()
    delay.FromMilliseconds(milliseconds)
    status.details.add().Pack(RetryInfo(retry_delay=delay))


def status_of(error: KartejoError) -> Status:
    """The status an error becomes.

    A refusal carries its details, which its caller may see by the contract of ``Refused``;
    a corrupt record is for the operator's log and tells the caller nothing.
    """
    code = next((code for kind, code in _CODES if isinstance(error, kind)), INTERNAL)
    metadata: dict[str, str] = {}
    message = str(error)
    if isinstance(error, Refused):
        metadata = {name: _short(str(value)) for name, value in error.detail.items()}
    if isinstance(error, Corrupt):
        message = "stored data is damaged; the operator has been told"
    status = status_for(code, message, error.reason, metadata)
    if isinstance(error, Malformed):
        field = BadRequest.FieldViolation(field=_short(error.field), description=_short(error.why))
        status.details.add().Pack(BadRequest(field_violations=[field]))
    if isinstance(error, Conflict):
        _retry(status, 0)
    if isinstance(error, (Unavailable, Exhausted)) and error.retry_ms:
        _retry(status, error.retry_ms)
    return status


def deadline_status() -> Status:
    """The caller's time is over; what he asked for may still come to pass."""
    status = status_for(
        DEADLINE_EXCEEDED,
        "the deadline passed; send the same request_id again to learn the outcome",
        "DEADLINE_EXCEEDED",
    )
    _retry(status, 0)
    return status


def internal_status() -> Status:
    """A fault of ours; its story is in the log and not for the caller."""
    return status_for(INTERNAL, "an internal fault; it was logged", "INTERNAL")


def code_of(status: Status) -> grpc.StatusCode:
    """gRPC's code of a status."""
    return _GRPC_CODES[status.code]
