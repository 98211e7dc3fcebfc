"""Notes on accounts, which hosts write in their own words: sealed under a key of the owner.

Events last for ever, so the words must not stand in them.  Erasing the owner erases the key, and
what is left of his notes cannot be read by anybody.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from engine.errors import Unknown
from service.store.people import KEY_BYTES, People
from service.vault.framing import pack
from service.world import World

__all__ = ["Notes"]

_SEALED: Final = "sealed:"
_LABEL: Final = b"kartejo/v1/note"
_NONCE_BYTES: Final = 12


class Notes:
    """Seals notes and opens them.  Raises ``Unavailable``."""

    def __init__(self, world: World, people: People) -> None:
        self._world = world
        self._people = people

    async def seal(self, owner: UUID, note: str) -> str:
        """A note as it is stored; raises ``Unknown`` for an owner who stands for nobody."""
        if not note:
            return ""
        key = await self._people.key(owner, self._world.entropy(KEY_BYTES))
        if key is None:
            raise Unknown("no such player")
        nonce = self._world.entropy(_NONCE_BYTES)
        sealed = AESGCM(key).encrypt(nonce, note.encode(), pack(_LABEL, owner.bytes))
        return _SEALED + urlsafe_b64encode(nonce + sealed).decode()

    async def open(self, owner: UUID, stored: Iterable[str]) -> list[str]:
        """Notes as they were written; empty where nobody can read one any more."""
        texts = list(stored)
        key = await self._people.key(owner) if any(texts) else None
        return [_opened(key, owner, text) for text in texts]


def _opened(key: bytes | None, owner: UUID, stored: str) -> str:
    if not stored.startswith(_SEALED):  # of a time when notes were stored as they are
        return stored
    if key is None:
        return ""
    try:
        sealed = urlsafe_b64decode(stored.removeprefix(_SEALED))
        bound = pack(_LABEL, owner.bytes)
        return AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], bound).decode()
    except (InvalidTag, ValueError):  # of a key that was erased, and of a row made anew
        return ""
