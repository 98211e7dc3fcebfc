"""Signed notes (c2sp.org/signed-note) with Ed25519, read strictly."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from service.verify.findings import Bad

__all__ = ["Checkpoint", "Key", "parse_checkpoint", "parse_key", "verified_text"]


_ED25519 = b"\x01"


class Key(NamedTuple):
    """A public key: its name, its four-byte id, and itself."""

    name: str
    id: bytes
    public: bytes

    def __str__(self) -> str:
        public = b64encode(_ED25519 + self.public).decode()
        return f"{self.name}+{self.id.hex()}+{public}"


class Checkpoint(NamedTuple):
    """What was signed of the log: its first ``size`` commits have this root."""

    size: int
    root: bytes


def parse_checkpoint(note: str, key: Key) -> Checkpoint:
    """A checkpoint (c2sp.org/tlog-checkpoint) of the log whose key that is; raises ``Bad``."""
    lines = verified_text(note, key).split("\n")
    if len(lines) != 4 or lines[0] != key.name:
        raise Bad("not a checkpoint of this log", key.name, lines[0][:80])
    size, root = lines[1], _decoded(lines[2])
    if not size.isascii() or not size.isdecimal() or len(size) > 18 or len(root) != 32:
        raise Bad("a checkpoint without a size and a root")
    return Checkpoint(int(size), root)


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Bad("not base64", found=text[:80]) from None


def parse_key(text: str) -> Key:
    """The key of ``name+id+base64``; raises ``Bad`` unless its id is what name and key give."""
    parts = text.strip().split("+", 2)
    if len(parts) != 3:
        raise Bad("not the text of a key", "name+id+base64", text[:80])
    name, told, rest = parts
    public = _decoded(rest)
    if len(public) != 33 or public[0] != 1:
        raise Bad("not an Ed25519 key", "33 bytes that begin with 1", f"{len(public)} bytes")
    found = sha256(name.encode() + b"\n" + public).digest()[:4]
    if found.hex() != told:
        raise Bad("a key does not have the id that follows from it", found.hex(), told)
    return Key(name, found, public[1:])


def verified_text(note: str, key: Key) -> str:
    """The text of a note that ``key`` signed; raises ``Bad``."""
    text, separator, signatures = note.rpartition("\n\n")
    if not separator or not signatures.endswith("\n"):
        raise Bad("not a signed note")
    text += "\n"
    for line in signatures.splitlines():
        mark, _, rest = line.partition(" ")
        name, _, told = rest.partition(" ")
        if mark != "—":
            raise Bad("not a line of a signature", "— NAME SIGNATURE", line[:80])
        if name != key.name:
            continue
        signature = _decoded(told)
        if signature[:4] != key.id:
            continue
        try:
            Ed25519PublicKey.from_public_bytes(key.public).verify(signature[4:], text.encode())
        except InvalidSignature:
            raise Bad("the signature of the note is false") from None
        return text
    raise Bad("the note is not signed by this key", key, "other signatures")
