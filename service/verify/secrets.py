"""What derives from the secret of an epoch (docs/shuffle-vectors.md): orders, and keys of slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from engine.house import House
from service.verify.findings import Bad
from service.verify.merkle import Roots

__all__ = ["Epoch", "Slots", "commitment_of", "entropy_hash", "packs_of", "shuffled"]

_BLOCK: Final = 1024
_SALT: Final = 16


def _framed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def _hkdf(secret: bytes, salt: bytes | None, info: bytes, size: int = 32) -> bytes:
    return HKDF(algorithm=SHA256(), length=size, salt=salt, info=info).derive(secret)


def entropy_hash(entropy: Sequence[bytes]) -> bytes:
    """What the contributions to an epoch come to, in their recorded order."""
    return sha256(_framed(b"kartejo/v1/epoch-entropy", *entropy)).digest()


def commitment_of(stream: UUID, epoch: int, secret: bytes) -> bytes:
    """What was published when an epoch opened, if this is its secret."""
    label = b"kartejo/v1/epoch-commitment"
    return sha256(_framed(label, stream.bytes, epoch.to_bytes(8, "big"), secret)).digest()


def _draws(key: bytes) -> Iterator[int]:
    """ChaCha20's key stream as 16-bit little-endian numbers."""
    # 16 bytes: the block counter, from 0, and a nonce of twelve zeros.
    stream = Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None).encryptor()
    while True:
        block = stream.update(bytes(_BLOCK))
        for at in range(0, _BLOCK, 2):
            yield block[at] | block[at + 1] << 8


def shuffled(key: bytes, pile: Sequence[int]) -> tuple[int, ...]:
    """A pile in the order of a key, the top first: Fisher–Yates from the last place down."""
    items = list(pile)
    draws = _draws(key)
    for last in range(len(items) - 1, 0, -1):
        bound = last + 1
        limit = 65536 // bound * bound
        draw = next(each for each in draws if each < limit)
        items[last], items[draw % bound] = items[draw % bound], items[last]
    return tuple(items)


class Epoch:
    """The secret of one epoch."""

    def __init__(self, stream: UUID, number: int, secret: bytes) -> None:
        self._stream = stream.bytes
        self._number = number.to_bytes(8, "big")
        self._secret = secret

    def order(
        self,
        k: int,
        purpose: str,
        pile: Sequence[int],
        entropy: Sequence[bytes],
        packs: bytes = b"",
    ) -> tuple[int, ...]:
        """The order that shuffle ``k`` of the epoch gives a pile.

        ``packs`` stand for the stream where other tables deal the same.
        """
        _, *rest = self._shuffle(k, purpose)
        info = _framed(b"kartejo/v1/shuffle", packs or self._stream, *rest)
        return shuffled(_hkdf(self._secret, entropy_hash(entropy), info), pile)

    def root(self, k: int, purpose: str, order: Sequence[int], entropy: Sequence[bytes]) -> bytes:
        """The Merkle root over the salted commitments to the places of that order."""
        named = self._shuffle(k, purpose)
        info = _framed(b"kartejo/v1/place-salts", *named)
        size = max(1, _SALT * len(order))
        salts = _hkdf(self._secret, entropy_hash(entropy), info, size)
        places = Roots()
        for place, card in enumerate(order):
            salt = salts[_SALT * place : _SALT * (place + 1)]
            numbers = place.to_bytes(8, "big"), card.to_bytes(8, "big")
            places.add(_framed(b"kartejo/v1/place", *named, *numbers, salt))
        return places.root()

    def _shuffle(self, k: int, purpose: str) -> tuple[bytes, ...]:
        return self._stream, self._number, k.to_bytes(8, "big"), purpose.encode()

    def slots(self, base: int, salt: bytes) -> Slots:
        """What opens the private values of a commit that continues ``base``."""
        info = _framed(b"kartejo/v1/slot", self._stream, self._number, salt)
        return Slots(_hkdf(self._secret, None, info), self._stream, base)

    def first_of(self, packs: bytes, table: UUID) -> Epoch:
        """The first epoch of a table that deals packs which others deal too; this one is its
        tournament's.
        """
        info = _framed(b"kartejo/v1/first-packs", self._stream, packs)
        return Epoch(table, 1, _hkdf(self._secret, None, info))

    def next_of(self, packs: bytes) -> Epoch:
        """The epoch that follows where other tables deal the same packs: it is not drawn."""
        number = int.from_bytes(self._number, "big") + 1
        info = _framed(b"kartejo/v1/next-packs", packs, number.to_bytes(8, "big"))
        return Epoch(UUID(bytes=self._stream), number, _hkdf(self._secret, None, info))

    @property
    def commitment(self) -> bytes:
        """What is published of it when it opens."""
        number = int.from_bytes(self._number, "big")
        return commitment_of(UUID(bytes=self._stream), number, self._secret)


def packs_of(house: House) -> bytes:
    """What stands for the stream in the shuffles of a table; empty: its stream."""
    try:
        return UUID(house.packs).bytes if house.packs else b""
    except ValueError:
        raise Bad("packs that are no id", found=house.packs[:80]) from None


class Slots:
    """Opens the private values of one commit, and its action."""

    def __init__(self, key: bytes, stream: bytes, base: int) -> None:
        self._key = AESGCM(key)
        self._bound = _framed(b"kartejo/v1/sealed-slot", stream)
        self._base = base

    def open(self, version: int, field: int, audience: int, sealed: bytes) -> bytes:
        """A value; raises ``Bad`` where place, audience or bytes are not what was sealed."""
        nonce = (version - self._base).to_bytes(8, "big") + field.to_bytes(4, "big")
        place = version.to_bytes(8, "big") + field.to_bytes(4, "big") + audience.to_bytes(4, "big")
        try:
            return self._key.decrypt(nonce, sealed, self._bound + place)
        except InvalidTag:
            what = f"slot {field} of event {version}" if field else "the action"
            raise Bad(f"{what} does not open under the secret of its epoch") from None

    def open_action(self, sealed: bytes) -> bytes:
        """The action of the commit; raises ``Bad``."""
        return self.open(self._base, 0, 1 << 31, sealed)
