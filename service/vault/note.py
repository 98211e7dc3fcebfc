"""Signed notes (c2sp.org/signed-note): text that anybody verifies who knows a public key.

    text, one line or more
    (an empty line)
    — name base64(key id ‖ signature)

The signature is Ed25519 over the text with its last newline.  The key id is the first four bytes of
SHA-256(name ‖ 0x0a ‖ 0x01 ‖ public key); as text a key is ``name+hex(key id)+base64(0x01 ‖ key)``.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Final, NoReturn

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.vault.secret_file import KeyFileError, read_or_create_secret_file
from service.world import Entropy

__all__ = ["NoteSigner"]

_SEED_SIZE: Final = 32
_ED25519: Final = b"\x01"


class NoteSigner:
    """Signs notes under one name.  ``key`` is what a reader verifies them with, as text."""

    __slots__ = ("_id", "_private", "key", "name")

    def __init__(self, name: str, seed: bytes) -> None:
        """Raises ``ValueError`` for another seed than 32 bytes, or a name that no note can hold."""
        if not name or any(sign.isspace() or sign == "+" for sign in name):
            raise ValueError("the name of a key holds no blank and no +")
        self.name = name
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        public = _ED25519 + self._private.public_key().public_bytes_raw()
        self._id = sha256(name.encode() + b"\n" + public).digest()[:4]
        self.key = f"{name}+{self._id.hex()}+{b64encode(public).decode()}"

    @classmethod
    def load(cls, name: str, path: Path, world: Entropy) -> NoteSigner:
        """The key of ``path``, 64 hex digits, made if missing; raises ``KeyFileError``."""
        text = read_or_create_secret_file(path, lambda: world.entropy(_SEED_SIZE).hex() + "\n")
        try:
            return cls(name, bytes.fromhex(text.strip()))
        except ValueError:
            raise KeyFileError(f"{path} does not hold 64 hex digits") from None

    def sign(self, text: str) -> str:
        """The note with that text; raises ``ValueError`` unless it ends with a newline."""
        if not text.endswith("\n"):
            raise ValueError("the text of a note ends with a newline")
        signature = self._private.sign(text.encode())
        return f"{text}\n— {self.name} {b64encode(self._id + signature).decode()}\n"

    def __repr__(self) -> str:
        return f"NoteSigner({self.key})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a signing key is not pickled or copied")
