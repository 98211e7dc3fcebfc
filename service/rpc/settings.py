"""What a server is made of, and how it listens."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import grpc

from engine.errors import Malformed
from engine.kernel import AnyGame
from service.codec import Codec
from service.identity import IdentityMap, Tokens
from service.rpc.calls import Speed
from service.rpc.connections import MOST_CONNECTIONS
from service.rpc.listening import split
from service.store.postgres import Store
from service.telemetry.spans import Spans, no_spans
from service.transparency.signer import Signing
from service.vault import MasterKey
from service.world import World

__all__ = ["Parts", "Settings", "credentials_of", "is_loopback"]


class Settings(NamedTuple):
    """How a server listens.  ``listen`` is host:port, port 0 for any free one.

    ``shared``: other processes of this user listen there too, and the system leads each
    connection to one of them.  ``checkpoint_seconds``: between two checkpoints of a log that
    grows; 0: this process signs none.  ``connections``: of gRPC, that may be open.
    """

    listen: str = "127.0.0.1:50100"
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    reflection: bool = True
    lab: bool = False
    speed: Speed = Speed()
    shared: bool = False
    checkpoint_seconds: int = 5
    connections: int = MOST_CONNECTIONS


class Parts(NamedTuple):
    """What a server is made of.  Without ``signing`` it signs no checkpoints, and no exports."""

    world: World
    store: Store
    games: Mapping[str, AnyGame]
    codec: Codec
    master: MasterKey
    tokens: Tokens
    identities: IdentityMap
    spans: Spans = no_spans
    signing: Signing | None = None
    keys_at_hand: Callable[[], Iterable[MasterKey]] = tuple
    """The master keys that lie ready for this process now: see ``KeyWatch``."""


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def credentials_of(settings: Settings) -> grpc.ServerCredentials | None:
    """TLS, which everything beyond this machine must speak; raises ``Malformed``."""
    host, _ = split(settings.listen)
    paths = (settings.tls_certificate, settings.tls_key)
    if None in paths:
        if any(paths):
            raise Malformed("tls", "a certificate and its key belong together")
        if not is_loopback(host):
            raise Malformed("listen", f"{host} is not this machine alone: TLS is needed there")
        return None
    try:
        certificate, key = (path.read_bytes() for path in paths if path is not None)
    except OSError as error:
        raise Malformed("tls", f"cannot read {error.filename}: {error.strerror}") from None
    return grpc.ssl_server_credentials([(key, certificate)])
