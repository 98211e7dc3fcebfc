"""How the HTTP port listens."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Final, NamedTuple

from engine.errors import Malformed

__all__ = ["STANDARD", "WebSettings", "tls_of", "url_of"]

STANDARD: Final = "127.0.0.1:50180"


class WebSettings(NamedTuple):
    """``listen`` is host:port, port 0 for any free one; ``or_any``: and where it is taken too.

    ``origins`` are those whose pages may call; ``shared``: other processes listen there too.
    """

    listen: str = STANDARD
    or_any: bool = False
    origins: tuple[str, ...] = ()
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    shared: bool = False


def url_of(settings: WebSettings, port: int) -> str:
    """Where browsers find it: what listens everywhere, on this machine by its own name."""
    host = settings.listen.rpartition(":")[0]
    near = "127.0.0.1" if host in {"0.0.0.0", "[::]"} else host  # noqa: S104 - compared, not bound
    return f"http{'s' if settings.tls_certificate else ''}://{near}:{port}/"


def tls_of(settings: WebSettings) -> ssl.SSLContext | None:
    """TLS, if there is a certificate; raises ``Malformed`` for one that cannot be used."""
    if settings.tls_certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(settings.tls_certificate, settings.tls_key)
    except (OSError, ssl.SSLError) as error:
        raise Malformed("tls", f"cannot use the certificate: {error.strerror or error}") from None
    return context
