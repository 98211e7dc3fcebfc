"""Signed notes of C2SP (c2sp.org/signed-note), cosignatures of witnesses, and the keys for both.

A note is a text that ends with a newline, an empty line, and lines of signatures::

    — NAME base64(key id (4) ‖ signature)

An Ed25519 signature (type 1) is over the text.  A cosignature (type 4, c2sp.org/tlog-cosignature)
carries its time in front, and is over that and the text.  The key id, the first 4 bytes of
SHA-256(name ‖ newline ‖ type ‖ public key), tells signatures apart and proves nothing.
"""

from __future__ import annotations

import base64
import binascii
from hashlib import sha256
from typing import Final, NamedTuple, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from engine.errors import KartejoError
from service.world import Entropy

__all__ = ["COSIGNATURE", "ED25519", "BadNote", "Note", "Signature", "SignerKey", "VerifierKey"]

ED25519: Final = 1
COSIGNATURE: Final = 4

MOST_BYTES: Final = 65_536
MOST_SIGNATURES: Final = 64
"""A note with more is none that we read: its reader's time is its own."""

_DASH: Final = "\N{EM DASH} "
_SECRET: Final = "PRIVATE+KEY+"  # noqa: S105 what a text begins with that holds one
_KEY_SIZE: Final = 32
_SIGNATURE_SIZE: Final = 64
_ID_SIZE: Final = 4
_TIME_SIZE: Final = 8


class BadNote(KartejoError):
    """A text is no note, no key, or is not signed as it should be."""

    reason = "BAD_NOTE"


class Signature(NamedTuple):
    """A signature line: who, and key id and signature in one."""

    name: str
    content: bytes

    def line(self) -> str:
        """As it stands in a note."""
        return f"{_DASH}{self.name} {_encoded(self.content)}\n"


class Note(NamedTuple):
    """A text and its signatures."""

    text: str
    signatures: tuple[Signature, ...]

    @classmethod
    def parse(cls, told: str) -> Note:
        """Read a note; raises ``BadNote``."""
        if len(told.encode()) > MOST_BYTES:
            raise BadNote(f"a note of more than {MOST_BYTES} bytes is not read")
        if any(sign < " " and sign != "\n" for sign in told):
            raise BadNote("a note holds no control characters but newlines")
        text, found, lines = told.rpartition("\n\n")
        if not found or not lines.endswith("\n"):
            raise BadNote("a note is a text, an empty line and lines of signatures")
        signatures = tuple(_signature(line) for line in lines[:-1].split("\n"))
        if len(signatures) > MOST_SIGNATURES:
            raise BadNote(f"a note with more than {MOST_SIGNATURES} signatures is not read")
        return cls(text + "\n", signatures)

    def told(self) -> str:
        """The whole note."""
        return self.text + "\n" + "".join(each.line() for each in self.signatures)

    def signed(self, *signatures: Signature) -> Note:
        """The note with further signatures."""
        return self._replace(signatures=(*self.signatures, *signatures))


class VerifierKey(NamedTuple):
    """A public key, by the name of whoever signs with it."""

    name: str
    type: int
    public: bytes

    @classmethod
    def parse(cls, text: str) -> VerifierKey:
        """Read ``NAME+ID+KEY`` (C2SP's "vkey"); raises ``BadNote``.

        >>> key = VerifierKey.parse(
        ...     "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
        ... )
        >>> key.name, key.type, key.id.hex()
        ('example.com/foo', 1, '530d903a')
        """
        name, told, content = _key_of(text.strip(), "a verifier key is NAME+ID+KEY")
        key = cls(name, content[0], content[1:])
        if told != key.id.hex():
            raise BadNote(f"this key has the id {key.id.hex()}, not {told}: it was mistyped")
        return key

    @property
    def id(self) -> bytes:
        """Its 4 bytes in signatures."""
        material = bytes([self.type]) + self.public
        return sha256(self.name.encode() + b"\n" + material).digest()[:_ID_SIZE]

    def told(self) -> str:
        """As :meth:`parse` reads it."""
        content = bytes([self.type]) + self.public
        return f"{self.name}+{self.id.hex()}+{_encoded(content)}"

    def verify(self, note: Note) -> int:
        """Raise ``BadNote`` unless the note is signed by this key, and every such line is right.

        Returns the time of a cosignature, the newest where there are several, in seconds since
        the epoch; 0 for signatures, which have none.
        """
        mine = [each for each in note.signatures if self._is_mine(each)]
        if not mine:
            raise BadNote(f"the note is not signed by {self.name} with the key {self.id.hex()}")
        return max(self._verify(note.text, each.content[_ID_SIZE:]) for each in mine)

    def _is_mine(self, signature: Signature) -> bool:
        return (signature.name, signature.content[:_ID_SIZE]) == (self.name, self.id)

    def _verify(self, text: str, signature: bytes) -> int:
        at = 0
        if self.type == COSIGNATURE:
            at = int.from_bytes(signature[:_TIME_SIZE], "big")
            text, signature = _cosigned(text, at), signature[_TIME_SIZE:]
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text.encode())
        except (InvalidSignature, ValueError):
            raise BadNote(f"the signature by {self.name} is false") from None
        return at


class SignerKey:
    """A secret key for signatures, or for cosignatures, under a name."""

    __slots__ = ("_private", "verifier")

    def __init__(self, name: str, seed: bytes, type_: int = ED25519) -> None:
        """Raises ``BadNote`` for what cannot be a name, ``ValueError`` unless 32 bytes of seed."""
        _require_name(name)
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.verifier = VerifierKey(name, type_, self._private.public_key().public_bytes_raw())

    @classmethod
    def draw(cls, world: Entropy, name: str, type_: int = ED25519) -> SignerKey:
        """A new key."""
        return cls(name, world.entropy(_KEY_SIZE), type_)

    @classmethod
    def parse(cls, text: str) -> SignerKey:
        """Read what :meth:`secret` wrote; raises ``BadNote``, which repeats nothing of it."""
        begins, _, rest = text.strip().partition(_SECRET)
        if begins or not rest:
            raise BadNote(f"a secret key begins with {_SECRET}")
        name, told, content = _key_of(rest, f"a secret key is {_SECRET}NAME+ID+KEY")
        key = cls(name, content[1:], content[0])
        if told != key.verifier.id.hex():
            raise BadNote("name, id and key of this secret key do not belong together")
        return key

    def secret(self) -> str:
        """The key for its file, as other tools for signed notes read it."""
        content = bytes([self.verifier.type]) + self._private.private_bytes_raw()
        return f"{_SECRET}{self.verifier.name}+{self.verifier.id.hex()}+{_encoded(content)}\n"

    def sign(self, text: str, at: int = 0) -> Signature:
        """A signature of a note's text; of a cosigner, at a time in seconds since the epoch."""
        front = b""
        if self.verifier.type == COSIGNATURE:
            front, text = at.to_bytes(_TIME_SIZE, "big"), _cosigned(text, at)
        content = self.verifier.id + front + self._private.sign(text.encode())
        return Signature(self.verifier.name, content)

    def __repr__(self) -> str:
        return f"SignerKey({self.verifier.told()})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a signing key is not pickled or copied")


def _cosigned(text: str, at: int) -> str:
    return f"cosignature/v1\ntime {at}\n{text}"


def _signature(line: str) -> Signature:
    dash, name, content = line[: len(_DASH)], *line[len(_DASH) :].rpartition(" ")[::2]
    if dash != _DASH or not content:
        raise BadNote("a signature line is — NAME BASE64")
    _require_name(name)
    decoded = _decoded(content)
    if len(decoded) <= _ID_SIZE:
        raise BadNote("a signature is longer than the id of its key")
    return Signature(name, decoded)


def _key_of(text: str, expected: str) -> tuple[str, str, bytes]:
    """Name, id in hex, and type byte with the key after it."""
    parts = text.split("+", 2)
    if len(parts) != 3:
        raise BadNote(expected)
    name, told, encoded = parts
    _require_name(name)
    content = _decoded(encoded)
    if len(content) != 1 + _KEY_SIZE or content[0] not in {ED25519, COSIGNATURE}:
        raise BadNote(f"{expected}, of an Ed25519 key (type 1) or cosigner (type 4)")
    return name, told, content


def _require_name(name: str) -> None:
    if not name or "+" in name or any(sign.isspace() or sign < " " for sign in name):
        raise BadNote(f"a key's name has no spaces and no plus sign: {name!r}")


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _decoded(text: str) -> bytes:
    """Standard base64 and no other form of it: one content has one text."""
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise BadNote("expected base64") from None
    if _encoded(content) != text:
        raise BadNote("expected base64 in its standard form")
    return content
