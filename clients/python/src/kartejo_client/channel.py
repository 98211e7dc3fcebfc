"""How a client is connected: address, trust, token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import grpc

from kartejo_client.errors import KartejoError, Unauthenticated

__all__ = ["OPTIONS", "Token", "credentials", "metadata", "renews", "target"]

Token = str | Callable[[], str]
"""A token, or what gives one whenever it is asked: each attempt asks, so keep what it costs."""

OPTIONS: Final = (
    # Of its own: a new client does not inherit another's pauses before it connects again.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # A watch whose line went dead in silence is noticed, and taken up again.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
)


def target(address: str) -> tuple[str, bool]:
    """host:port, and whether TLS is spoken there; raises ``ValueError``.

    >>> target("https://cards.example:443")
    ('cards.example:443', True)
    """
    scheme, separator, rest = address.rpartition("://")
    host, _, port = rest.rpartition(":")
    if (separator and scheme not in {"http", "https"}) or not host or not port.isdecimal():
        raise ValueError(f"an address is host:port or https://host:port, not {address!r}")
    return rest, scheme == "https"


def credentials(certificate: bytes | None) -> grpc.ChannelCredentials:
    """Trust in one certificate (PEM), or in those that the system trusts."""
    return grpc.ssl_channel_credentials(certificate)


def metadata(token: Token) -> tuple[tuple[str, str], ...]:
    """What every call carries.  Raises ``ValueError``, which does not tell it, for no token.

    >>> metadata("from.a.file\\n")
    (('authorization', 'Bearer from.a.file'),)
    """
    told = (token if isinstance(token, str) else token()).strip()
    # What gRPC says of a header that cannot be has the whole header in it.
    if not (told.isascii() and told.isprintable()):
        raise ValueError("a token is printable ASCII: this one is not")
    return (("authorization", f"Bearer {told}"),) if told else ()


def renews(token: Token, error: KartejoError) -> bool:
    """Whether another token may mend what a call ended with."""
    return (
        isinstance(error, Unauthenticated) and error.reason == "TOKEN_EXPIRED" and callable(token)
    )
