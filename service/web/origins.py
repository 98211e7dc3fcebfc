"""Who may ask from a browser: pages of this service, and of origins that the operator names.

A browser sends what any page in it wants sent.  Calls carry their token in a header, which no
page can add for another site without being asked first, so a hostile page cannot act in anybody's
name; but it need not even be answered.  ``Origin`` says whose page it is.  ``Host`` says under
which name this machine was reached: a name that a hostile site has let point here (DNS rebinding)
is none of ours.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from engine.errors import Malformed

__all__ = ["ANSWERED", "Origins", "checked_origin"]

ANSWERED: Final = (
    (b"access-control-allow-methods", b"POST"),
    (
        b"access-control-allow-headers",
        (
            b"authorization, content-type, connect-protocol-version, connect-timeout-ms, "
            b"grpc-timeout, x-grpc-web, x-user-agent"
        ),
    ),
    (b"access-control-max-age", b"7200"),
)
"""What a browser that asks whether it may call is told, beside the origin."""


class Origins:
    """The origins whose pages may call.

    ``is_near``: the service is reached on this machine only, by names that mean it.
    """

    def __init__(self, named: Iterable[str], *, is_near: bool) -> None:
        """Raises ``Malformed`` for what is no origin."""
        self._named = frozenset(checked_origin(each) for each in named)
        self._hosts = frozenset(urlsplit(each).netloc for each in self._named)
        self._is_near = is_near

    def knows_host(self, host: str) -> bool:
        """Whether a request's ``Host`` is one of ours; with TLS the certificate says so."""
        if not self._is_near or host.lower() in self._hosts:
            return True
        return _means_this_machine(host)

    def allows(self, origin: str, scheme: str, host: str) -> bool:
        """Whether a page of that origin may call what was reached as ``scheme://host``."""
        return origin in self._named or origin == f"{scheme}://{host.lower()}"

    def is_named(self, origin: str) -> bool:
        """Whether it is another site's, which the operator named."""
        return origin in self._named


def checked_origin(text: str) -> str:
    """An origin as browsers send it; raises ``Malformed``.

    >>> checked_origin("https://Cards.Example")
    'https://cards.example'
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    is_whole = parts.scheme in {"http", "https"} and parts.hostname and "@" not in parts.netloc
    if not is_whole or parts.path or parts.query or parts.fragment or "*" in text:
        raise Malformed(
            "web-origin", f"expected an origin such as https://cards.example, not {text!r}"
        )
    usual = {"http": 80, "https": 443}[parts.scheme]
    name = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
    return f"{parts.scheme}://{name}" + (f":{port}" if port not in {None, usual} else "")


def _means_this_machine(host: str) -> bool:
    """Whether a host, with its port or without, is an address or ``localhost``: no other name can
    be made to point here by somebody else."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        if name == "localhost":
            return True
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
