"""Those who come and stay: connections and streams that are held, and give nothing for it."""

from __future__ import annotations

import ctypes
import select
import socket
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from service.pb import table_service_pb2 as pb
from tests.faults.hostile import http2
from tests.faults.hostile.floods import WATCH
from tests.faults.hostile.target import Target, Thrift, begun, connected

__all__ = ["LODGERS", "stay", "watchers"]

MANY: Final = 3_000
AGAIN_SECONDS: Final = 0.02
"""Between two attempts to come back, for those who were shown the door."""

WATCHERS: Final = 500
CONNECTIONS: Final = 25
BYTES_SECONDS: Final = 1.0
"""Between two bytes of who is slow."""


class Lodger:
    """How one kind of lodger behaves on his connection."""

    web = False
    reads = True
    trickle = b""
    """Sent again and again, a byte at a time."""

    def come(self, target: Target) -> socket.socket:
        """Take a connection, and say what is said at first."""
        line = connected(target.web if self.web else target.grpc, 5)
        line.sendall(self.first(target))
        return line

    def first(self, target: Target) -> bytes:
        return b""

    def heard(self, line: socket.socket) -> bool:
        """Take in what is there; false once the other side has hung up."""
        return bool(line.recv(1 << 16))


class Silent(Lodger):
    """Who connects and says nothing."""


class Prefaced(Lodger):
    """Who says that he speaks HTTP/2, and nothing more."""

    def first(self, target: Target) -> bytes:
        return http2.PREFACE


class Polite(Lodger):
    """Who answers whether he is there, and never asks for anything."""

    def first(self, target: Target) -> bytes:
        return http2.PREFACE + http2.frame(http2.SETTINGS, 0, 0)

    def heard(self, line: socket.socket) -> bool:
        data = line.recv(1 << 16)
        for kind in (http2.PING, http2.SETTINGS):
            for asked in _frames(data, kind):
                line.sendall(http2.frame(kind, 1, 0, asked if kind == http2.PING else b""))
        return bool(data)


class Vanished(Polite):
    """Whose machine is gone: from now on nothing that is sent to him is answered by anybody."""

    def come(self, target: Target) -> socket.socket:
        line = super().come(target)
        line.recv(1 << 16)
        line.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, _deaf())
        return line


class SlowHead(Lodger):
    """Whose request never comes to its end."""

    web = True
    trickle = b"X-Slow: yes\r\n"

    def first(self, target: Target) -> bytes:
        return b"GET / HTTP/1.1\r\nHost: localhost\r\n"


class SlowBody(Lodger):
    """Whose body never comes to its end."""

    web = True
    trickle = b" "

    def first(self, target: Target) -> bytes:
        return _post("TableService/GetTable", target.tokens[0], "application/json", 60_000)


class KeptAlive(Lodger):
    """Who has asked for a page, got it, and stays."""

    web = True

    def first(self, target: Target) -> bytes:
        return b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Unread(Lodger):
    """Who watches a table, and reads nothing of it."""

    web = True
    reads = False

    def __init__(self) -> None:
        self._number = 0

    def first(self, target: Target) -> bytes:
        table, version = target.table(self._number)
        token = target.tokens[self._number % len(target.tokens)]
        self._number += 1
        message = pb.WatchTableRequest(table_id=table, after_version=version).SerializeToString()
        request = b"\0" + len(message).to_bytes(4, "big") + message
        kind = "application/connect+proto"
        return _post("TableService/WatchTable", token, kind, len(request)) + request

    def come(self, target: Target) -> socket.socket:
        line = super().come(target)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        return line


LODGERS: Final[dict[str, Callable[[], Lodger]]] = {
    "silent": Silent,
    "prefaced": Prefaced,
    "polite": Polite,
    "vanished": Vanished,
    "slow_heads": SlowHead,
    "slow_bodies": SlowBody,
    "kept_alive": KeptAlive,
    "unread": Unread,
}

SO_ATTACH_FILTER: Final = 26
_NOTHING: Final = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0), 8)
"""A filter of one instruction: keep nothing of any packet."""


def _deaf() -> bytes:
    return struct.pack("HxxxxxxQ", 1, ctypes.addressof(_NOTHING))


def _frames(data: bytes, kind: int) -> list[bytes]:
    """Payloads of the frames of a kind that want an answer; pieces of frames are let be."""
    found, at = [], 0
    while at + 9 <= len(data):
        size = int.from_bytes(data[at : at + 3], "big")
        if data[at + 3] == kind and not data[at + 4]:
            found.append(data[at + 9 : at + 9 + size])
        at += 9 + size
    return found


def _post(method: str, token: str, kind: str, size: int) -> bytes:
    head = (
        f"POST /kartejo.v1.{method} HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {token}\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {size}\r\n\r\n"
    )
    return head.encode("ascii")


def stay(kind: str, target: Target, many: int = MANY) -> None:
    """Hold so many connections, and take new ones for those that were closed."""
    lodger, lines = LODGERS[kind](), dict[int, socket.socket]()
    poll, thrift = select.poll(), Thrift()
    arrived, told, next_byte, at = 0, False, 0.0, 0
    while True:
        thrift.rest()
        came = _come(lodger, target, min(many - len(lines), AT_A_TIME))
        for line in came:
            lines[line.fileno()] = line
            poll.register(line, select.POLLIN if lodger.reads else select.POLLRDHUP)
        arrived += len(came)
        if not told and arrived >= many:
            begun()
            told = True
        for number, what in poll.poll(AGAIN_SECONDS * 1000):
            line = lines[number]
            if not _is_there(lodger, line, what):
                poll.unregister(number)
                del lines[number]
                line.close()
        if lodger.trickle and time.monotonic() > next_byte:
            next_byte = time.monotonic() + BYTES_SECONDS
            for line in lines.values():
                with suppress(OSError):
                    line.send(lodger.trickle[at : at + 1])
            at = (at + 1) % len(lodger.trickle)


AT_A_TIME: Final = 200


def _come(lodger: Lodger, target: Target, many: int) -> list[socket.socket]:
    """So many connections, or as many as there is room for."""
    came: list[socket.socket] = []
    with suppress(OSError):
        for _ in range(many):
            came.append(lodger.come(target))  # noqa: PERF401 what came before a refusal stays
    return came


def _is_there(lodger: Lodger, line: socket.socket, what: int) -> bool:
    """Whether the other side has not hung up; what it has said is taken in by who reads."""
    if what & (select.POLLERR | select.POLLHUP | select.POLLRDHUP):
        return False
    try:
        return lodger.heard(line)
    except OSError:
        return False


def watchers(target: Target, *, past: bool = False) -> None:
    """Open streams on every table over gRPC, of the past too if so, and never read a byte."""
    lines = []
    for number in range(CONNECTIONS):
        line = http2.spoken(target.grpc)
        for stream in range(WATCHERS // CONNECTIONS):
            table, version = target.table(stream)
            request = pb.WatchTableRequest(table_id=table, after_version=0 if past else version)
            token = target.tokens[number % len(target.tokens)]
            line.sendall(http2.call(2 * stream + 1, WATCH, token, request.SerializeToString()))
        lines.append(line)
    begun()
    time.sleep(600)
