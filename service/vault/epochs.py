"""Epochs: what is revealed together, and every key that comes out of one secret (design 5).

An epoch of a stream has one secret of 32 random bytes.  Its commitment is published in the commit
that opens it; the order of each shuffle and the keys of the sealed slots are derived from it; it
is revealed when no card of it can matter any more.  All bytes under a hash or a key are made by
``framing.pack``.  docs/shuffle-vectors.md gives this as formulas with published vectors.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, NoReturn
from uuid import UUID

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

from engine.errors import Corrupt
from service.vault.framing import pack, u64
from service.vault.master_key import MasterKey
from service.vault.secret import Secret, extracted
from service.world import Entropy

__all__ = [
    "SALT_SIZE",
    "SECRET_SIZE",
    "EpochKeys",
    "commitment_to",
    "place_info",
    "shuffle_info",
    "shuffle_salt",
    "slot_info",
]

SECRET_SIZE: Final = 32
SALT_SIZE: Final = 16
_KEY_SIZE: Final = 32

_COMMITMENT: Final = b"kartejo/v1/epoch-commitment"
_ENTROPY: Final = b"kartejo/v1/epoch-entropy"
_SHUFFLE: Final = b"kartejo/v1/shuffle"
_PLACES: Final = b"kartejo/v1/place-salts"
_SLOT: Final = b"kartejo/v1/slot"
_WRAP: Final = b"kartejo/v1/epoch-wrap"
_FIRST_PACKS: Final = b"kartejo/v1/first-packs"
_NEXT_PACKS: Final = b"kartejo/v1/next-packs"


def commitment_to(stream: UUID, epoch: int, secret: bytes) -> bytes:
    """SHA-256 over label, stream, epoch and secret: 32 bytes that fix the secret, telling nothing.

    Bound to its place: the same secret in another stream or epoch has another commitment.
    """
    return sha256(pack(_COMMITMENT, stream.bytes, u64(epoch), secret)).digest()


def shuffle_salt(entropy: Sequence[bytes]) -> bytes:
    """SHA-256 over the entropy contributions in the order in which the stream records them."""
    return sha256(pack(_ENTROPY, *entropy)).digest()


def shuffle_info(stream: UUID, epoch: int, k: int, purpose: str) -> bytes:
    """HKDF's context of shuffle ``k`` (from 0) of an epoch, made for ``purpose``."""
    return pack(_SHUFFLE, stream.bytes, u64(epoch), u64(k), purpose.encode())


def place_info(stream: UUID, epoch: int, k: int, purpose: str) -> bytes:
    """HKDF's context of the salts of the places of shuffle ``k``."""
    return pack(_PLACES, stream.bytes, u64(epoch), u64(k), purpose.encode())


def slot_info(stream: UUID, epoch: int, *, salt: bytes) -> bytes:
    """HKDF's context of the slot key of one commit; see ``EpochKeys.slot_key``."""
    return pack(_SLOT, stream.bytes, u64(epoch), salt)


class EpochKeys:
    """The secret of one epoch of one stream, and what derives from it.

    Prints as stream, epoch and commitment only.
    """

    __slots__ = ("_extracted", "_secret", "commitment", "epoch", "stream")

    def __init__(self, stream: UUID, epoch: int, secret: bytes | Secret) -> None:
        """Raises ``ValueError`` unless the secret has 32 bytes and the epoch 64 bits."""
        self._secret = secret if isinstance(secret, Secret) else Secret(secret)
        if len(self._secret) != SECRET_SIZE:
            raise ValueError(f"an epoch secret has {SECRET_SIZE} bytes")
        if not 0 <= epoch < 1 << 64:
            raise ValueError("an epoch is numbered in 64 bits")
        self.stream = stream
        self.epoch = epoch
        self.commitment = commitment_to(stream, epoch, self._secret.reveal())
        # The first half of HKDF is the same for every commit.
        self._extracted = extracted(self._secret)

    @classmethod
    def draw(cls, stream: UUID, epoch: int, world: Entropy) -> EpochKeys:
        """A new epoch, its secret from ``world``."""
        return cls(stream, epoch, world.entropy(SECRET_SIZE))

    @classmethod
    def unwrap(
        cls, master: MasterKey, stream: UUID, epoch: int, wrapped: bytes, commitment: bytes
    ) -> EpochKeys:
        """The epoch whose secret ``wrapped`` holds, as ``EpochOpened`` records them.

        Raises ``Corrupt`` when the master key, the place or the commitment do not match.
        """
        secret = master.unwrap(wrapped, _wrap_context(stream, epoch))
        return cls.revealed(stream, epoch, secret, commitment)

    @classmethod
    def revealed(
        cls, stream: UUID, epoch: int, secret: bytes | Secret, commitment: bytes
    ) -> EpochKeys:
        """The epoch that ``EpochClosed`` reveals, checked against what was committed to.

        Raises ``Corrupt`` when the secret is not the one committed to.
        """
        where = f"epoch {epoch} of stream {stream}"
        if len(secret) != SECRET_SIZE:
            raise Corrupt(f"{where}: the secret has a wrong length")
        keys = cls(stream, epoch, secret)
        if not keys.verify(commitment):
            raise Corrupt(f"{where}: the secret is not the one committed to")
        return keys

    def verify(self, commitment: bytes) -> bool:
        """Whether ``commitment`` is this epoch's; in constant time."""
        return hmac.compare_digest(self.commitment, commitment)

    def wrap(self, master: MasterKey) -> bytes:
        """The secret under the master key, bound to stream and epoch."""
        return master.wrap(self._secret.reveal(), _wrap_context(self.stream, self.epoch))

    def reveal(self) -> bytes:
        """The secret itself, for ``EpochClosed``.  Opens every slot and shuffle of the epoch."""
        return self._secret.reveal()

    def first_of(self, packs: UUID, stream: UUID) -> EpochKeys:
        """The first epoch of a table whose packs others deal too; this one is its tournament's."""
        info = pack(_FIRST_PACKS, self.stream.bytes, packs.bytes)
        return EpochKeys(stream, 1, self._expanded(info))

    def next_of(self, packs: UUID) -> EpochKeys:
        """The epoch that follows at such a table."""
        info = pack(_NEXT_PACKS, packs.bytes, u64(self.epoch + 1))
        return EpochKeys(self.stream, self.epoch + 1, self._expanded(info))

    def shuffle_key(
        self, k: int, purpose: str, entropy: Sequence[bytes] = (), packs: UUID | None = None
    ) -> bytes:
        """The 32-byte key of shuffle ``k`` (from 0, counted through the epoch).

        HKDF-SHA-256 of the secret, salted with the recorded ``entropy``.  Asked again, the same
        key: a decision taken anew after a conflict or a crash redraws nothing.  ``packs`` stands
        for the stream where other tables deal the same.
        """
        info = shuffle_info(packs or self.stream, self.epoch, k, purpose)
        return self._derive(shuffle_salt(entropy), info)

    def place_salts(
        self, k: int, purpose: str, entropy: Sequence[bytes], count: int
    ) -> tuple[bytes, ...]:
        """The 16-byte salts of the commitments to the places of shuffle ``k``, top first."""
        info = place_info(self.stream, self.epoch, k, purpose)
        salts = self._derive(shuffle_salt(entropy), info, max(1, SALT_SIZE * count))
        return tuple([salts[SALT_SIZE * i : SALT_SIZE * (i + 1)] for i in range(count)])

    def slot_key(self, *, salt: bytes) -> bytes:
        """The 32-byte key of the private values of one commit.

        ``salt``: 16 random bytes that stand in the commit, drawn for every attempt to make it.  An
        attempt that was rolled back and made again, by whatever command, never seals anything
        under the key of the one before.  Raises ``ValueError`` for another length.
        """
        if len(salt) != SALT_SIZE:
            raise ValueError(f"the salt of a commit has {SALT_SIZE} bytes")
        return self._expanded(slot_info(self.stream, self.epoch, salt=salt))

    def _expanded(self, info: bytes) -> bytes:
        return HKDFExpand(SHA256(), _KEY_SIZE, info).derive(self._extracted.reveal())

    def _derive(self, salt: bytes, info: bytes, length: int = _KEY_SIZE) -> bytes:
        hkdf = HKDF(algorithm=SHA256(), length=length, salt=salt, info=info)
        return hkdf.derive(self._secret.reveal())

    def __repr__(self) -> str:
        shown = self.commitment.hex()[:16]
        return f"EpochKeys(stream={self.stream}, epoch={self.epoch}, commitment={shown}…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("the keys of an epoch are not pickled or copied")


def _wrap_context(stream: UUID, epoch: int) -> bytes:
    return pack(_WRAP, stream.bytes, u64(epoch))
