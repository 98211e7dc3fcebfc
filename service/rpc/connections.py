"""What gRPC itself allows a connection, before any of it comes to us."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Final

from service.rpc.door import HTTP, UNARY

__all__ = [
    "MOST_CONNECTIONS",
    "MOST_METADATA_BYTES",
    "MOST_PENDING",
    "MOST_STREAMS_OF_CONNECTION",
    "Places",
    "open_files",
    "options",
]

MOST_CONNECTIONS: Final = 10_000
"""gRPC hangs up on further ones at once.  Each takes 20 kB before it has asked for anything."""

MOST_REQUEST_BYTES: Final = 64 * 1024
MOST_METADATA_BYTES: Final = 16 * 1024
MOST_STREAMS_OF_CONNECTION: Final = 128
"""Calls of one connection that may be open.  gRPC turns further ones away by itself; each that
comes to us takes our time, even to be refused, and so many may lie before the first call of
somebody else.  HTTP/2 wants 100 at least."""

MOST_PENDING: Final = UNARY.all
"""Calls that have come and that we have not looked at yet, one in each turn of the loop.  Of 1,000
on gRPC ends some of them by itself, whoever's they are: CANCELLED, without a reason."""

SPEAK_MS: Final = 10_000
"""A connection that has not said by then that it speaks HTTP/2 is closed, and one that does not
acknowledge what we said of ourselves."""

PING_MS: Final = 60_000
PING_ANSWER_MS: Final = 20_000
IDLE_MS: Final = 5 * 60_000
"""A connection that answers no ping is closed, and one that no call uses for long: gRPC libraries
connect again when they are next asked."""

WANTED_FILES: Final = 32_768


class Places:
    """How many connections this process can hold, each of which is an open file.

    ``grpc`` and ``http`` leave room for the database and for whatever else is opened.
    """

    def __init__(self, most: int) -> None:
        files = _most_files()
        self.grpc = min(most, files // 2)
        self.http = min(HTTP, files // 4)


def _most_files() -> int:
    """How many files this process may open, after it has asked for enough.

    What a login gives, often 1,024, is less than what the system allows.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, WANTED_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def open_files() -> int:
    """How many files this process has open, to within one."""
    return sum(1 for _ in Path("/dev/fd").iterdir())


def options(connections: int) -> tuple[tuple[str, int], ...]:
    """What a server of gRPC is made with that holds so many connections."""
    return (
        ("grpc.max_receive_message_length", MOST_REQUEST_BYTES),
        ("grpc.max_metadata_size", MOST_METADATA_BYTES),
        ("grpc.absolute_max_metadata_size", MOST_METADATA_BYTES),  # else some larger ones get in
        ("grpc.server.max_pending_requests", MOST_PENDING),
        ("grpc.server.max_pending_requests_hard_limit", MOST_PENDING),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
        ("grpc.max_allowed_incoming_connections", connections),
        ("grpc.server_handshake_timeout_ms", SPEAK_MS),
        ("grpc.http2.settings_timeout", SPEAK_MS),
        ("grpc.max_concurrent_streams", MOST_STREAMS_OF_CONNECTION),
        ("grpc.keepalive_time_ms", PING_MS),
        ("grpc.keepalive_timeout_ms", PING_ANSWER_MS),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.max_connection_idle_ms", IDLE_MS),
    )
