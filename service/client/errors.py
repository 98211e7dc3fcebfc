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

__all__ = ["Misaddressed", "error_of", "error_of_silence", "error_of_status"]


class Misaddressed(KartejoError):
    """Somebody is there and is not what the address says; trying again does not help.

    ``reason`` is CERTIFICATE_NOT_TRUSTED, NO_TLS or NO_GRPC.
    """

    def __init__(self, reason: str, what: str) -> None:
        self.reason = reason
        super().__init__(what)


_SILENCES: Final = (
    ("CERTIFICATE_VERIFY_FAILED", "CERTIFICATE_NOT_TRUSTED", "its certificate is not trusted"),
    ("Hostname Verification", "CERTIFICATE_NOT_TRUSTED", "its certificate is of another name"),
    ("WRONG_VERSION_NUMBER", "NO_TLS", "it does not speak TLS"),
    ("Failed parsing HTTP/2", "NO_GRPC", "it does not speak gRPC"),
)
"""What the library says of a connection that fails for good, our reason, and our words."""


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
        # Not by us, who would not hear of it: the other side was overwhelmed, or ended.
        (grpc.StatusCode.CANCELLED, lambda told: Unavailable(told.text, told.retry_ms)),
    )
}


_CUT_OFF: Final = (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN)
"""What the library may say of a call in the middle of which the other side has died."""


def error_of(failure: grpc.aio.AioRpcError) -> KartejoError:
    """The error a call ended with; ``reason`` is that of its ``ErrorInfo``."""
    # from_call is typed for the synchronous library; it reads the same three methods of both.
    call: Any = failure
    status = rpc_status.from_call(call)
    if status is None:  # no service spoke: the library itself gave up
        code = failure.code()
        text = failure.details() or code.name
        if code in _CUT_OFF:
            code = grpc.StatusCode.UNAVAILABLE
        status = Status(code=code.value[0], message=text)
    return error_of_status(status)


def error_of_silence(address: str, details: str) -> KartejoError:
    """Why no service answered, by what the library says of the connection.

    That is about sockets and names every address it tried; of it, only what somebody at the
    command line can use is passed on.
    """
    for sign, reason, words in _SILENCES:
        if sign in details:
            return Misaddressed(reason, f"{address}: {words}")
    if "failed to connect" in details and "Socket closed" in details:
        # Also a service that is ending: worth another try.
        return Unavailable(f"{address} hangs up on a caller without TLS; it may speak TLS only")
    return Unavailable(f"nobody answers at {address}")


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
