"""A request and its answer, in small change: headers, and what goes out around every answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, Self

from google.rpc.status_pb2 import Status

from service.web.asgi import Message, Receive, Scope, Send
from service.web.faults import as_json
from service.web.terms import TERMS

__all__ = ["Request", "api", "call_headers", "open_to", "refuse", "respond"]

Pairs = list[tuple[bytes, bytes]]

_TERMS: Final = frozenset(name.encode() for name in TERMS)
_JSON: Final = (b"content-type", b"application/json")
_NOT_KEPT: Final = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))

_EXPOSED: Final = (
    b"access-control-expose-headers",
    b"grpc-status, grpc-message, grpc-status-details-bin",
)


class Request(NamedTuple):
    """A request as ASGI has it; ``cut`` breaks its connection."""

    scope: Scope
    receive: Receive
    send: Send
    cut: Callable[[], None]
    headers: list[tuple[str, str]]

    @classmethod
    def of(cls, scope: Scope, receive: Receive, send: Send, cut: Callable[[], None]) -> Self | None:
        """None if its headers are not ASCII."""
        try:
            headers = [
                (name.decode("ascii"), value.decode("ascii")) for name, value in scope["headers"]
            ]
        except UnicodeDecodeError:
            return None
        return cls(scope, receive, send, cut, headers)

    @property
    def size(self) -> int:
        """Bytes of its headers."""
        return sum(len(name) + len(value) for name, value in self.headers)

    def header(self, wanted: str) -> str:
        """The one header of that name; empty if there is none, or more than one."""
        found = [value for name, value in self.headers if name == wanted]
        return found[0] if len(found) == 1 else ""

    def has(self, wanted: str) -> bool:
        """Whether there is such a header."""
        return any(name == wanted for name, _ in self.headers)

    @property
    def host(self) -> str:
        """Under which name and port the service was reached."""
        return self.header("host")

    @property
    def origin(self) -> str:
        """Whose page asks."""
        return self.header("origin")

    @property
    def length(self) -> int:
        """Bytes of its body, as far as they were told before."""
        return int(self.header("content-length") or 0)

    @property
    def is_ambiguous(self) -> bool:
        """Whether it says in two ways where it ends: a proxy in front may have read the other."""
        return self.has("content-length") and self.has("transfer-encoding")

    @property
    def kind(self) -> str:
        """The content type, without its parameters."""
        return self.header("content-type").partition(";")[0].strip().lower()

    @property
    def address(self) -> str:
        """From where it came."""
        host, _ = self.scope.get("client") or ("", 0)
        return str(host)

    @property
    def peer(self) -> str:
        """The other end of the connection, as gRPC writes it."""
        host, port = self.scope.get("client") or ("", 0)
        return f"ipv6:[{host}]:{port}" if ":" in host else f"ipv4:{host}:{port}"


def call_headers(request: Request, kind: str) -> Pairs:
    """The headers that the library sees; ``kind``: another content type, if not empty."""
    left = [pair for pair in request.scope["headers"] if pair[0] not in _TERMS]
    if kind:
        left = [pair for pair in left if pair[0] != b"content-type"]
        left.append((b"content-type", kind.encode()))
    return left


async def respond(
    send: Send, status: int, headers: Iterable[tuple[bytes, bytes]], body: bytes
) -> None:
    """Send a whole answer."""
    length = [] if status in {204, 304} else [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *length]})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def refuse(
    send: Send, number: int, status: Status, headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    """Say why a request is not served; ``number`` is HTTP's status."""
    await respond(send, number, (_JSON, *_NOT_KEPT, *headers), as_json(status))


def _adding(send: Send, *more: tuple[bytes, bytes]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sending


def api(send: Send) -> Send:
    """Sends answers that nobody keeps or takes for anything else."""
    return _adding(send, *_NOT_KEPT)


def open_to(origin: str, send: Send) -> Send:
    """Sends answers that pages of another origin may read."""
    return _adding(
        send,
        (b"access-control-allow-origin", origin.encode()),
        (b"vary", b"Origin"),
        _EXPOSED,
    )
