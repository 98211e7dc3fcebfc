"""Why a server cannot listen: gRPC only says that it cannot."""

from __future__ import annotations

import socket

__all__ = ["why_not"]


def why_not(host: str, port: int) -> str:
    """What the system says of a socket there; empty if it lets one listen now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            probe.listen()
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""
