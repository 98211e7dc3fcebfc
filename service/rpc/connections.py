"""What gRPC itself allows a connection, before any of it comes to us."""

from __future__ import annotations

from typing import Final

from service.rpc.door import UNARY

__all__ = ["MOST_METADATA_BYTES", "MOST_PENDING", "MOST_STREAMS_OF_CONNECTION", "OPTIONS"]

MOST_REQUEST_BYTES: Final = 64 * 1024
MOST_METADATA_BYTES: Final = 16 * 1024
MOST_STREAMS_OF_CONNECTION: Final = 300
"""Calls of one connection that may be open: all streams of one caller, and some room.  gRPC turns
further ones away by itself; each that comes to us takes our time, even to be refused."""

MOST_PENDING: Final = UNARY.all
"""Calls that have come and that we have not looked at yet, one in each turn of the loop.  Of 1,000
on gRPC ends some of them by itself, whoever's they are: CANCELLED, without a reason."""

PING_MS: Final = 60_000
PING_ANSWER_MS: Final = 20_000
IDLE_MS: Final = 30 * 60_000
"""A connection that answers no ping is closed, and one that no call uses for long."""

OPTIONS: Final = (
    ("grpc.max_receive_message_length", MOST_REQUEST_BYTES),
    ("grpc.max_metadata_size", MOST_METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", MOST_METADATA_BYTES),  # else some that are larger get in
    ("grpc.server.max_pending_requests", MOST_PENDING),
    ("grpc.server.max_pending_requests_hard_limit", MOST_PENDING),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    ("grpc.max_concurrent_streams", MOST_STREAMS_OF_CONNECTION),
    ("grpc.keepalive_time_ms", PING_MS),
    ("grpc.keepalive_timeout_ms", PING_ANSWER_MS),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_connection_idle_ms", IDLE_MS),
)
