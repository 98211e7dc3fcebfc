"""A client that means no good, in a process of its own: ``python -m tests.faults.flood KIND …``.

KIND is ``calls`` (unary calls without a pause), ``pings``, ``resets`` (calls that are taken back
at once), or ``watchers`` (streams that are never read); then the service's address, and a token.
All of it is raw HTTP/2 over a socket, so that the service has the harder work.  Prints a line when
it has begun, and goes on until it is killed.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from service.pb import table_service_pb2 as pb

__all__ = ["KINDS"]

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, PING = 0, 1, 3, 4, 6
END_STREAM, END_HEADERS = 1, 4
CANCEL: Final = (8).to_bytes(4, "big")
AT_ONCE: Final = 50
"""Frames of one write."""

LAST_STREAM: Final = 100_000
WATCHERS: Final = 500
CONNECTIONS: Final = 25


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """A frame of HTTP/2."""
    head = len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big")
    return head + payload


def headers(stream: int, path: str, token: str) -> bytes:
    """The beginning of a call: every header in full, none indexed."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "flood",
        "te": "trailers",
        "content-type": "application/grpc",
        "authorization": f"Bearer {token}",
    }
    block = b"".join(
        b"\0" + _text(name.encode()) + _text(value.encode()) for name, value in fields.items()
    )
    return frame(HEADERS, END_HEADERS, stream, block)


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


def calls(token: str) -> Iterator[bytes]:
    message = pb.GetTableRequest(table_id="no such table").SerializeToString()
    for stream in range(1, LAST_STREAM, 2):
        path = "/kartejo.v1.TableService/GetTable"
        yield headers(stream, path, token) + body(stream, message)


def pings(token: str) -> Iterator[bytes]:
    while True:
        yield frame(PING, 0, 0, bytes(8))


def resets(token: str) -> Iterator[bytes]:
    for stream in range(1, LAST_STREAM, 2):
        path = "/kartejo.v1.TableService/SubmitAction"
        yield headers(stream, path, token) + frame(RESET, 0, stream, CANCEL)


KINDS: Final[dict[str, Callable[[str], Iterator[bytes]]]] = {
    "calls": calls,
    "pings": pings,
    "resets": resets,
}


def connected(address: str) -> socket.socket:
    """A connection whose preface is said."""
    host, _, port = address.rpartition(":")
    line = socket.create_connection((host, int(port)))
    line.sendall(PREFACE + frame(SETTINGS, 0, 0))
    return line


def flood(kind: str, address: str, token: str) -> None:
    """Send for ever, over a new connection whenever the last one was closed."""
    told = False
    while True:
        try:
            with connected(address) as line:
                line.setblocking(True)
                frames = KINDS[kind](token)
                while batch := b"".join(islice(frames, AT_ONCE)):
                    line.sendall(batch)
                    _swallow(line)
                    if not told:
                        print("begun", flush=True)
                        told = True
        except ConnectionError:
            continue


def _swallow(line: socket.socket) -> None:
    """Read what is there: a full buffer would hold the flood up."""
    line.setblocking(False)
    try:
        while line.recv(1 << 16):
            pass
    except BlockingIOError:
        pass
    finally:
        line.setblocking(True)


def watchers(address: str, tokens: list[str], tables: list[str]) -> None:
    """Open streams on every table (id=version), and never read a byte."""
    lines = []
    for number in range(CONNECTIONS):
        line = connected(address)
        for stream in range(WATCHERS // CONNECTIONS):
            table, _, version = tables[stream % len(tables)].partition("=")
            request = pb.WatchTableRequest(table_id=table, after_version=int(version))
            token = tokens[number % len(tokens)]
            place = 2 * stream + 1
            line.sendall(headers(place, "/kartejo.v1.TableService/WatchTable", token))
            line.sendall(body(place, request.SerializeToString()))
        lines.append(line)
    print("begun", flush=True)
    time.sleep(600)


if __name__ == "__main__":
    os.nice(19)  # a flood comes from other machines: it must not take this one's time
    what, where, *rest = sys.argv[1:]
    if what == "watchers":
        watchers(where, rest[0].split(","), rest[1:])
    else:
        flood(what, where, rest[0])
