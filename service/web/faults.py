"""What is said of a request that fails: a status as Connect has it, with all its details."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from typing import Any, Final

from connectrpc.code import Code
from connectrpc.errors import ConnectError, ErrorDetail
from google.protobuf import json_format
from google.protobuf.any_pb2 import Any as Packed
from google.rpc.code_pb2 import (
    DEADLINE_EXCEEDED,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    UNAUTHENTICATED,
    UNAVAILABLE,
)
from google.rpc.code_pb2 import Code as Codes
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from protobuf import wkt

__all__ = ["as_connect_error", "as_json", "http_status"]

_KINDS: Final = (ErrorInfo, BadRequest, RetryInfo)


class _Detail(ErrorDetail):
    """A detail that a person can read too: ``debug`` beside the bytes, as Connect allows."""

    def __init__(self, packed: Packed) -> None:
        self.read = _as_json(packed)
        super().__init__(wkt.Any(type_url=packed.type_url, value=packed.value))

    def value(self, *_: Any) -> Any:
        """What the library shows as ``debug``."""
        return wkt.Struct.from_json(json.dumps(self.read)) if self.read else None


_HTTP: Final = {
    UNAUTHENTICATED: 401,
    PERMISSION_DENIED: 403,
    DEADLINE_EXCEEDED: 408,
    RESOURCE_EXHAUSTED: 429,
    UNAVAILABLE: 503,
}


def http_status(status: Status) -> int:
    """HTTP's number for a request that is no call; those of calls are Connect's own."""
    return _HTTP.get(status.code, 400)


def as_connect_error(status: Status) -> ConnectError:
    """The error by which Connect's application ends a call with a status."""
    return ConnectError(Code(_word(status.code)), status.message, _details(status.details))


def as_json(status: Status) -> bytes:
    """The body of an answer to what is no call: the same, in the form of a unary call's."""
    details = [
        {
            "type": detail.type_name,
            "value": b64encode(detail.message_bytes).decode().rstrip("="),
            "debug": detail.read,
        }
        for detail in _details(status.details)
    ]
    told = {"code": _word(status.code), "message": status.message, "details": details}
    return json.dumps(told, ensure_ascii=False).encode() + b"\n"


def _word(code: int) -> str:
    """What Connect calls a code."""
    word = Codes.Name(code).lower()
    return "canceled" if word == "cancelled" else word


def _details(packed: Iterable[Packed]) -> list[_Detail]:
    return [_Detail(each) for each in packed]


def _as_json(packed: Packed) -> dict[str, Any]:
    for kind in _KINDS:
        if packed.Is(kind.DESCRIPTOR):
            found: dict[str, Any] = json_format.MessageToDict(kind.FromString(packed.value))
            return found
    return {}
