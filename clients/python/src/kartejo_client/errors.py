"""What calls end with when they fail.

Programs compare classes and ``reason``; the text is for people::

    KartejoError
    ├── Refused           the rules say no; nothing has changed: choose another action
    ├── InvalidRequest    ``field`` is wrong, ``expected`` says what was expected
    ├── Conflict          STALE_DECISION, or somebody was faster: look, decide again
    ├── RequestIdReused   the request id stands for another request
    ├── NotFound          no such thing, or none that you may know of
    ├── Denied            not your seat, not your role
    ├── Unauthenticated   no valid token; TOKEN_EXPIRED
    ├── Exhausted         a limit; ``retry_seconds`` says when to try again, None: not by waiting
    └── Unavailable       nobody answered in time: nothing is known to be done
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

import grpc
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

__all__ = [
    "Conflict",
    "Denied",
    "Exhausted",
    "InvalidRequest",
    "KartejoError",
    "NotFound",
    "Refused",
    "RequestIdReused",
    "Unauthenticated",
    "Unavailable",
    "closed",
    "error_of",
    "error_of_status",
]

_DETAILS: Final = "grpc-status-details-bin"


class KartejoError(Exception):
    """A call failed.

    ``code``: gRPC's name of the status, such as "FAILED_PRECONDITION".  ``reason``: the word to
    compare, "" where no service spoke.  ``metadata``: what the reason is about.  ``field`` and
    ``expected``: which field of the request is wrong, and what it should be; else "".
    ``retry_seconds``: after which time the service says that a repetition makes sense.
    """

    def __init__(self, code: str, status: Status) -> None:
        super().__init__(status.message)
        self.code = code
        self.reason = ""
        self.metadata: Mapping[str, str] = {}
        self.field = ""
        self.expected = ""
        self.retry_seconds: float | None = None
        for detail in status.details:
            info, retry, fields = ErrorInfo(), RetryInfo(), BadRequest()
            if detail.Unpack(info):
                self.reason, self.metadata = info.reason, dict(info.metadata)
            elif detail.Unpack(retry):
                self.retry_seconds = retry.retry_delay.ToMilliseconds() / 1_000
            elif detail.Unpack(fields) and fields.field_violations:
                self.field = fields.field_violations[0].field
                self.expected = fields.field_violations[0].description


class Refused(KartejoError):
    """The rules say no; ``reason`` is their word for it."""


class InvalidRequest(KartejoError):
    """The request makes no sense by itself."""


class Conflict(KartejoError):
    """The decision is over, or somebody was faster; nothing has happened."""


class RequestIdReused(KartejoError):
    """The request id stands for another request."""


class NotFound(KartejoError):
    """There is no such thing, or none that the caller may know of."""


class Denied(KartejoError):
    """Not the caller's seat, or not his role."""


class Unauthenticated(KartejoError):
    """No token, or none that is valid."""


class Exhausted(KartejoError):
    """A limit was reached."""


class Unavailable(KartejoError):
    """No answer: the request may have taken effect or not.  Sending the same again is safe."""


_CLASSES: Final[Mapping[grpc.StatusCode, type[KartejoError]]] = {
    grpc.StatusCode.FAILED_PRECONDITION: Refused,
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequest,
    grpc.StatusCode.ABORTED: Conflict,
    grpc.StatusCode.ALREADY_EXISTS: RequestIdReused,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.PERMISSION_DENIED: Denied,
    grpc.StatusCode.UNAUTHENTICATED: Unauthenticated,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Exhausted,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
    grpc.StatusCode.DEADLINE_EXCEEDED: Unavailable,
    grpc.StatusCode.CANCELLED: Unavailable,  # not by us, who would not hear of it
}
_BY_NUMBER: Final = {code.value[0]: code for code in grpc.StatusCode}


class Failure(Protocol):
    """What the errors of grpc and grpc.aio have in common."""

    def code(self) -> grpc.StatusCode: ...
    def details(self) -> str | None: ...
    def trailing_metadata(self) -> Iterable[Any] | None: ...


def error_of(failure: Failure) -> KartejoError:
    """The error that a call ended with."""
    trailers = dict(failure.trailing_metadata() or ())
    told = trailers.get(_DETAILS)
    if isinstance(told, bytes):
        return error_of_status(Status.FromString(told))
    code = failure.code()
    return error_of_status(Status(code=code.value[0], message=failure.details() or code.name))


def closed() -> KartejoError:
    """What calls of a closed client end with, those too that were under way."""
    code = grpc.StatusCode.CANCELLED.value[0]
    return error_of_status(Status(code=code, message="the client is closed"))


def error_of_status(status: Status) -> KartejoError:
    """The error that a status stands for, such as one that came in a Play stream."""
    code = _BY_NUMBER.get(status.code, grpc.StatusCode.UNKNOWN)
    return _CLASSES.get(code, KartejoError)(code.name, status)
