"""Key rings: the Ed25519 keys that sign the tokens of one issuer.

A ring is a JSON text in a secret file: the issuer and its keys, newest first.  The first key
signs, all of them verify, so a key can be replaced before the tokens of the old one have run out.
The laboratory has an issuer and a ring of its own: no lab token can pass for an ordinary one.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final, NoReturn

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service.vault.secret_file import KeyFileError, read_or_create_secret_file
from service.world import Entropy

__all__ = ["ISSUER", "LAB_ISSUER", "LAB_PREFIX", "KeyRing", "SigningKey"]

ISSUER: Final = "kartejo"
LAB_ISSUER: Final = "kartejo-lab"
LAB_PREFIX: Final = "lab-"
"""Key ids of the laboratory begin so: a refusal can say what kind of token it was."""

_SEED_SIZE: Final = 32
_KEY_ID: Final = b"kartejo/v1/token-key-id:"


class SigningKey:
    """One Ed25519 key.  ``kid``, its public name, is derived from issuer and public key."""

    __slots__ = ("_seed", "kid", "private", "public")

    def __init__(self, seed: bytes, issuer: str) -> None:
        """Raises ``ValueError`` unless ``seed`` has 32 bytes."""
        self._seed = bytes(seed)
        self.private: Ed25519PrivateKey = Ed25519PrivateKey.from_private_bytes(seed)
        self.public: Ed25519PublicKey = self.private.public_key()
        name = sha256(_KEY_ID + issuer.encode() + b":" + self.public.public_bytes_raw()).hexdigest()
        self.kid: str = (LAB_PREFIX if issuer == LAB_ISSUER else "") + name[:16]

    def derived(self, purpose: bytes) -> bytes:
        """A secret of 32 bytes for another purpose, from which nobody finds the key."""
        return hmac.digest(self._seed, b"kartejo/v1/derived:" + purpose, sha256)

    def as_text(self) -> str:
        """The seed in hex, for the key file."""
        return self._seed.hex()

    def __repr__(self) -> str:
        return f"SigningKey(kid={self.kid})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a signing key is not pickled or copied")


class KeyRing:
    """The keys of one issuer, newest first; never empty."""

    __slots__ = ("issuer", "keys")

    def __init__(self, issuer: str, keys: Sequence[SigningKey]) -> None:
        """Raises ``ValueError`` for an unknown issuer, no keys, or a key twice."""
        if issuer not in {ISSUER, LAB_ISSUER}:
            raise ValueError("an issuer is kartejo or kartejo-lab")
        if not keys or len({key.kid for key in keys}) != len(keys):
            raise ValueError("a key ring holds one key or more, each once")
        self.issuer = issuer
        self.keys = tuple(keys)

    @classmethod
    def draw(cls, world: Entropy, issuer: str = ISSUER) -> KeyRing:
        """A ring with one new key."""
        return cls(issuer, (SigningKey(world.entropy(_SEED_SIZE), issuer),))

    @classmethod
    def load(cls, path: Path, world: Entropy, issuer: str = ISSUER) -> KeyRing:
        """The ring of ``path``, made (mode 600) when the file is missing.

        Raises ``KeyFileError``, saying what to do, for loose modes or malformed content.
        """
        text = read_or_create_secret_file(path, lambda: cls.draw(world, issuer).as_text())
        return cls.parse(text, issuer, str(path))

    @classmethod
    def parse(cls, text: str, issuer: str, source: str) -> KeyRing:
        """The ring that ``text`` describes; ``source`` names it in the error.

        Raises ``KeyFileError``.
        """
        try:
            match json.loads(text):
                case {"issuer": str(named), "keys": [*seeds]} if named == issuer:
                    return cls(issuer, [SigningKey(bytes.fromhex(seed), issuer) for seed in seeds])
                case _:
                    pass
        except (ValueError, TypeError, RecursionError):
            pass  # the cause's text may quote key material: told below without it
        raise KeyFileError(
            f"{source} is not a key ring of {issuer}; restore it from your backup, or remove it: "
            "`serve` makes a new one, and every token issued so far ends"
        )

    def rotated(self, world: Entropy) -> KeyRing:
        """The ring with a new key in front; tokens of the old keys stay valid."""
        return KeyRing(
            self.issuer, (SigningKey(world.entropy(_SEED_SIZE), self.issuer), *self.keys)
        )

    def as_text(self) -> str:
        """The content of the key file."""
        keys = [key.as_text() for key in self.keys]
        return json.dumps({"issuer": self.issuer, "keys": keys}, indent=1) + "\n"

    def __repr__(self) -> str:
        return f"KeyRing(issuer={self.issuer}, kids={[key.kid for key in self.keys]})"
