"""The pages: files of ``service/web/pages``, read once, served as they are.

``pages/index.html`` is ``/``; ``pages/app.js`` is ``/app.js``; ``pages/lobby/index.html`` is
``/lobby/``.  Nothing is made at run time and nothing comes from elsewhere, which the headers tell
the browser to hold every page to.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

__all__ = ["SAFE", "Page", "pages_of", "stored_pages"]

KINDS: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "webmanifest": "application/manifest+json",
    "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8",
}
"""Files of another kind are not served."""

SAFE: Final = (
    (
        b"content-security-policy",
        (
            b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
            b"object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        ),
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
)
"""Headers of every page.  A browser asks each time whether a page is still the same (ETag)."""


class Page(NamedTuple):
    """A page, or what one is made of."""

    body: bytes
    kind: str
    tag: str

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """Its headers."""
        return [(b"content-type", self.kind.encode()), (b"etag", self.tag.encode()), *SAFE]


def stored_pages() -> dict[str, Page]:
    """The pages of the package, by path."""
    return pages_of(files("service.web") / "pages")


def pages_of(folder: Traversable) -> dict[str, Page]:
    """The pages of a folder, by path."""
    found: dict[str, Page] = {}
    for path, file in _walk(folder, "/"):
        kind = KINDS.get(path.rpartition(".")[2])
        if kind is not None:
            body = file.read_bytes()
            page = Page(body, kind, f'"{sha256(body).hexdigest()[:32]}"')
            found[path.removesuffix("index.html")] = page
    return found


def _walk(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _walk(each, f"{path}{each.name}/")
        else:
            yield path + each.name, each
