"""What the headers of a call say of how it is made: how long its caller waits, in which form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from google.rpc.code_pb2 import UNIMPLEMENTED

from engine.errors import Malformed
from service.rpc.status import status_for
from service.web.call import Ended

__all__ = ["TERMS", "require_plain", "require_version", "seconds_of"]

Headers = Sequence[tuple[str, str]]

_VERSION: Final = "connect-protocol-version"
_WAITS: Final = ("connect-timeout-ms", "grpc-timeout")
_ENCODINGS: Final = ("content-encoding", "connect-content-encoding", "grpc-encoding")
_UNITS: Final = {"H": 3_600.0, "M": 60.0, "S": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}

TERMS: Final = frozenset({_VERSION, *_WAITS, *_ENCODINGS})
"""Looked at here, and kept from the library: it would end a call without a reason."""


def seconds_of(headers: Headers) -> float | None:
    """How long a caller waits, by ``connect-timeout-ms`` or ``grpc-timeout``; None: as we like.

    Raises ``Malformed``.

    >>> seconds_of([("grpc-timeout", "1500m")])
    1.5
    """
    found = [(name, value) for name, value in headers if name in _WAITS]
    if not found:
        return None
    name, value = found[0]
    if len(found) > 1:
        raise Malformed(name, "expected one deadline")
    if name == "connect-timeout-ms":
        if not re.fullmatch(r"[0-9]{1,10}", value):
            raise Malformed(name, "expected milliseconds: 1 to 10 digits")
        return int(value) / 1_000
    parts = re.fullmatch(r"([0-9]{1,8})([HMSmun])", value)
    if parts is None:
        raise Malformed(name, "expected 1 to 8 digits and one of H, M, S, m, u, n")
    return int(parts[1]) * _UNITS[parts[2]]


def require_version(headers: Headers) -> None:
    """Raises ``Malformed`` for another version of Connect than the one there is."""
    for name, value in headers:
        if name == _VERSION and value != "1":
            raise Malformed(name, "expected 1")


def require_plain(headers: Headers) -> None:
    """Raises ``Ended`` for a request that is compressed."""
    for name, value in headers:
        if name in _ENCODINGS and value not in {"", "identity"}:
            why = f"{name}: nothing may be compressed here; send it as it is"
            raise Ended(status_for(UNIMPLEMENTED, why, "COMPRESSED"))
