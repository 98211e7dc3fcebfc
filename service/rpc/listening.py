"""Where a server listens: addresses, a port kept for several processes, why one cannot be had."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from engine.errors import Malformed, Unavailable

__all__ = ["addresses", "reserved", "split", "why_not"]

HIGHEST_PORT: Final = 65_535
EVERYWHERE: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not bound


def split(listen: str, option: str = "listen") -> tuple[str, int]:
    """Host and port of ``host:port``; raises ``Malformed``, which names the option.

    >>> split("[::1]:443")
    ('::1', 443)
    """
    host, colon, port = listen.rpartition(":")
    if not colon or not port.isdecimal() or not host:
        raise Malformed(option, f"expected host:port, not {listen!r}")
    if int(port) > HIGHEST_PORT:
        raise Malformed(option, f"expected a port from 0 to {HIGHEST_PORT}, not {port}")
    return host.strip("[]"), int(port)


def why_not(host: str, port: int) -> str:
    """What the system says of a socket there; empty if it lets one listen now.

    gRPC only says that it cannot.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            probe.listen()
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""


@contextmanager
def reserved(listen: str) -> Iterator[int]:
    """The port of ``listen`` (a free one for 0), kept for the processes of this user alone.

    It is bound and never listens, so that the system leads no connection to it.  Raises
    ``Malformed``, and ``Unavailable`` if somebody listens there already.
    """
    host, port = split(listen)
    with ExitStack() as stack:
        try:
            for family, address in addresses(host):
                kept = stack.enter_context(socket.socket(family))
                _bind_alone(kept, address, port)
                port = kept.getsockname()[1]
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise Unavailable(f"cannot listen on {listen}: {why}", retry_ms=0) from None
        yield port


def addresses(host: str) -> list[tuple[int, str]]:
    """What a host stands for, as gRPC takes it: everywhere is everywhere in both families."""
    if host in EVERYWHERE:
        return [(socket.AF_INET6, "::") if socket.has_dualstack_ipv6() else (socket.AF_INET, host)]
    found: list[tuple[int, str]] = []
    for family, _, _, _, address in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM):
        found.append((int(family), str(address[0])))
    return found


def _bind_alone(kept: socket.socket, address: str, port: int) -> None:
    """Bind where nobody is, not even another service that shares its port; then share it.

    Connections that have ended and are remembered for a while do not count.
    """

    def allow(option: int, value: Any) -> None:
        kept.setsockopt(socket.SOL_SOCKET, option, value)

    if kept.family == socket.AF_INET6:
        everywhere = address == "::"
        kept.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, not everywhere)
    allow(socket.SO_REUSEADDR, True)
    kept.bind((address, port))
    allow(socket.SO_REUSEADDR, False)
    allow(socket.SO_REUSEPORT, True)
