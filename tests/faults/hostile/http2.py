"""Just enough of HTTP/2 to misuse it: frames and headers, written by hand."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Final

from tests.faults.hostile.target import connected

__all__ = [
    "CANCEL",
    "CONTINUATION",
    "DATA",
    "END_HEADERS",
    "END_STREAM",
    "HEADERS",
    "PING",
    "PREFACE",
    "RESET",
    "SETTINGS",
    "block",
    "body",
    "call",
    "frame",
    "headers",
    "spoken",
    "swallow",
]

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, PING, CONTINUATION = 0, 1, 3, 4, 6, 9
END_STREAM, END_HEADERS = 1, 4
CANCEL: Final = (8).to_bytes(4, "big")


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """A frame of HTTP/2."""
    head = len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big")
    return head + payload


def block(path: str, token: str, more: Mapping[str, str] | None = None) -> bytes:
    """The header block of a call: every header in full, none indexed."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "flood",
        "te": "trailers",
        "content-type": "application/grpc",
        **({"authorization": f"Bearer {token}"} if token else {}),
        **(more or {}),
    }
    return b"".join(
        b"\0" + _text(name.encode()) + _text(value.encode()) for name, value in fields.items()
    )


def headers(stream: int, path: str, token: str, more: Mapping[str, str] | None = None) -> bytes:
    """The beginning of a call."""
    return frame(HEADERS, END_HEADERS, stream, block(path, token, more))


def _text(text: bytes) -> bytes:
    """A string of HPACK, not compressed: its length has a prefix of 7 bits."""
    if len(text) < 127:
        return bytes((len(text),)) + text
    rest, more = len(text) - 127, b"\x7f"
    while rest >= 128:
        more += bytes((rest % 128 + 128,))
        rest //= 128
    return more + bytes((rest,)) + text


def body(stream: int, message: bytes) -> bytes:
    """A request, and the end of what the client says."""
    return frame(DATA, END_STREAM, stream, b"\0" + len(message).to_bytes(4, "big") + message)


def call(stream: int, path: str, token: str, message: bytes) -> bytes:
    """A whole call."""
    return headers(stream, path, token) + body(stream, message)


def spoken(address: str) -> socket.socket:
    """A connection whose preface is said."""
    line = connected(address)
    line.sendall(PREFACE + frame(SETTINGS, 0, 0))
    return line


def swallow(line: socket.socket) -> None:
    """Read what is there: a full buffer would hold a flood up.  Raises ``ConnectionError``."""
    line.setblocking(False)
    try:
        while line.recv(1 << 16):
            pass
        raise ConnectionResetError("closed by the other side")
    except BlockingIOError:
        pass
    finally:
        line.setblocking(True)
