"""Login codes: what a link carries that lets somebody in for a few minutes.

A code is short enough for a line of a terminal: when it ends, for whom it is, and a tag by a key
that derives from that which signs tokens.  It is no token and opens no call.  Who comes by it is a
player; one made for a host may hold tournaments too.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from engine.errors import Unauthenticated
from service.identity.claims import is_subject
from service.identity.roles import Role
from service.world import Clock

__all__ = ["LINK_SECONDS", "BadLink", "Links", "Visitor"]

LINK_SECONDS: Final = 15 * 60
_TIME_BYTES: Final = 5
_TAG_BYTES: Final = 16
_LONGEST: Final = 256
_MICROSECONDS: Final = 1_000_000
_HOST: Final = b"\x01"
"""Before a host's subject; no subject begins so, since all its characters can be printed."""


class BadLink(Unauthenticated):
    """A code that lets nobody in."""

    def __init__(self, reason: str, why: str) -> None:
        self.reason = reason
        super().__init__(why)


class Visitor(NamedTuple):
    """Whom a code lets in, and as what."""

    subject: str
    roles: tuple[Role, ...]


class Links:
    """Makes and reads login codes; the first key makes, all of them read."""

    def __init__(self, keys: Sequence[bytes], clock: Clock) -> None:
        self._keys = tuple(keys)
        self._clock = clock

    def make(self, subject: str, seconds: int = LINK_SECONDS, *, host: bool = False) -> str:
        """A code for ``subject``, who may hold tournaments too if he is a ``host``.

        Raises ``ValueError`` for what no token may name.
        """
        if not is_subject(subject):
            raise ValueError("a subject is 1 to 128 printable ASCII characters")
        ends = self._clock.now() // _MICROSECONDS + seconds
        said = ends.to_bytes(_TIME_BYTES, "big") + (_HOST if host else b"") + subject.encode()
        return _text(said + _tag(self._keys[0], said))

    def read(self, code: str) -> Visitor:
        """For whom a code is; raises ``BadLink``."""
        said = self._signed(code)
        if self._clock.now() >= int.from_bytes(said[:_TIME_BYTES], "big") * _MICROSECONDS:
            raise BadLink("LINK_EXPIRED", "this link has expired; `kartejo link` makes a new one")
        whom = said[_TIME_BYTES:]
        roles = (Role.PLAYER, Role.HOST) if whom.startswith(_HOST) else (Role.PLAYER,)
        return Visitor(whom.removeprefix(_HOST).decode(), roles)

    def _signed(self, code: str) -> bytes:
        """What a code of ours says."""
        try:
            if len(code) > _LONGEST:
                raise ValueError
            data = urlsafe_b64decode(code.encode("ascii") + b"=" * (-len(code) % 4))
            if _text(data) != code:  # one text for one meaning
                raise ValueError
        except (Base64Error, ValueError):
            data = b""
        said, tag = data[:-_TAG_BYTES], data[-_TAG_BYTES:]
        if not any(hmac.compare_digest(_tag(key, said), tag) for key in self._keys):
            raise BadLink(
                "LINK_UNKNOWN",
                "this link is not of this service, or not whole; `kartejo link` makes a new one",
            )
        return said


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _tag(key: bytes, said: bytes) -> bytes:
    return hmac.digest(key, said, sha256)[:_TAG_BYTES]
