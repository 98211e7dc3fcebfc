"""The HTTP port of ``kartejo serve``: whether there is one, where, and the link to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from engine.errors import Malformed, Unavailable
from service.cli.failures import CommandError
from service.identity import ISSUER, KeyRing, SecretFiles, Tokens
from service.rpc.listening import reserved, split
from service.rpc.settings import Settings, is_loopback
from service.web.settings import STANDARD, WebSettings
from service.world import RealWorld

__all__ = ["LOCAL", "link_to", "shared_port", "web_settings"]

LOCAL: Final = "you"
"""Who comes by the link that is printed: the person at this machine, player and host."""


def web_settings(
    settings: Settings, web: str | None, origins: tuple[str, ...], *, off: bool
) -> WebSettings | None:
    """How HTTP is to be served beside gRPC; None: not at all.

    Raises ``Malformed``, and ``CommandError`` where it is wanted and its packages are missing.
    """
    is_wanted = web is not None or bool(origins)
    if off:
        if is_wanted:
            raise Malformed("no-web", "takes neither --web nor --web-origin beside it")
        return None
    if web is None and not is_loopback(split(settings.listen)[0]):
        if origins:
            raise Malformed("web-origin", "beyond this machine it needs --web HOST:PORT")
        return None
    found = WebSettings(
        web or STANDARD,
        or_any=web is None,
        origins=origins,
        tls_certificate=settings.tls_certificate,
        tls_key=settings.tls_key,
    )
    try:
        from service.web.door import checked
    except ModuleNotFoundError as error:
        if not is_wanted:
            return None
        hint = "pip install 'kartejo[web]'"
        raise CommandError("NO_WEB", f"HTTP needs {error.name}", hint) from None
    checked(found)
    return found


@contextmanager
def shared_port(settings: WebSettings) -> Iterator[WebSettings]:
    """The same for several processes: at one port, which is kept for them."""
    host, _ = split(settings.listen, "web")
    name = f"[{host}]" if ":" in host else host
    with ExitStack() as stack:
        try:
            port = stack.enter_context(reserved(settings.listen))
        except Unavailable:
            if not settings.or_any:
                raise
            port = stack.enter_context(reserved(f"{name}:0"))
        yield settings._replace(
            listen=f"{name}:{port}",
            or_any=False,
            shared=True,
            tls_certificate=settings.tls_certificate and settings.tls_certificate.absolute(),
            tls_key=settings.tls_key and settings.tls_key.absolute(),
        )


def link_to(url: str, home: Path, subject: str = LOCAL, *, host: bool = False) -> str:
    """A link that lets ``subject`` in, as a player, and if he is to be one as a ``host``.

    Raises ``ValueError`` for what no token may name.
    """
    world = RealWorld()
    ring = KeyRing.load(SecretFiles.beside(home).token_keys, world, ISSUER)
    # Behind the #, a browser keeps it to itself: no log and no proxy sees it.
    return f"{url}#code={Tokens(ring, world).links.make(subject, host=host)}"
