"""Sealed slots: private values as they lie in the database (design 4).

A slot is AES-256-GCM under a key of its commit, derived from the secret of the commit's epoch.
The nonce is the event's place in the commit and the field number; stream, event version, field
and audience are authenticated with it, so a slot moved to another place, or given another
audience, does not open.  Ciphertexts are 16 bytes longer than what they hide: equal cards or not,
values of equal length stay equal in length.

A commit's action bytes are sealed in the same way as field 0 of place 0; a snapshot is sealed
under the master key, since it outlives the epoch's secret in memory.
"""

from __future__ import annotations

from functools import lru_cache, partial
from struct import Struct
from typing import Final, NoReturn
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from engine.errors import Corrupt
from engine.visibility import SERVER
from service.vault.epochs import EpochKeys
from service.vault.framing import pack, u64
from service.vault.master_key import MasterKey

__all__ = ["SlotSealer", "open_snapshot", "seal_snapshot"]

_U32: Final = 1 << 32
_ACTION_FIELD: Final = 0
_SLOT: Final = b"kartejo/v1/sealed-slot"
_NONCE: Final = Struct(">QI")  # place in the commit, field
_PLACE: Final = Struct(">QII")  # event version, field, audience
STREAMS: Final = 4_096
"""Of so many it is kept what their slots are bound to."""
_SNAPSHOT: Final = b"kartejo/v1/snapshot"


class SlotSealer:
    """Seals and opens the private values of one commit.

    ``base`` is the version before the commit's first event (``version - count`` of a stored
    commit), ``salt`` the 16 random bytes that stand in its body.

    Sealing is deterministic.  What is sealed must follow from the history up to ``base`` and those
    four: an attempt that was rolled back and is made again must seal the same bytes.  So nothing
    freshly drawn belongs in a slot; a wrapped secret needs none.  Within one commit a sealer
    refuses to use a nonce for two contents.
    """

    __slots__ = ("_base", "_bound_to", "_key", "_opened", "_sealed", "_stream")

    def __init__(self, keys: EpochKeys, *, base: int, salt: bytes) -> None:
        self._key = partial(keys.slot_key, salt=salt)
        self._opened: AESGCM | None = None
        self._stream = keys.stream
        self._bound_to = _bound_to(keys.stream.bytes)
        self._base = base
        self._sealed: dict[bytes, tuple[int, bytes]] = {}

    def seal(self, version: int, field: int, audience: int, plaintext: bytes) -> bytes:
        """The ciphertext of private field ``field`` (≥ 1) of the event ``version``.

        ``audience`` is the 32-bit mask written beside it.  Raises ``ValueError`` when place, field
        or mask are out of range, or the place was sealed with other content.
        """
        if field == _ACTION_FIELD:
            raise ValueError("field 0 is the commit's action")
        return self._seal(version, field, audience, plaintext)

    def open(self, version: int, field: int, audience: int, ciphertext: bytes) -> bytes:
        """What ``seal`` hid.  Raises ``Corrupt`` when anything at all differs."""
        return self._open(version, field, audience, ciphertext)

    def seal_action(self, plaintext: bytes, audience: int = SERVER) -> bytes:
        """The ciphertext of the commit's action bytes."""
        return self._seal(self._base, _ACTION_FIELD, audience, plaintext)

    def open_action(self, ciphertext: bytes, audience: int = SERVER) -> bytes:
        """What ``seal_action`` hid.  Raises ``Corrupt`` when anything at all differs."""
        return self._open(self._base, _ACTION_FIELD, audience, ciphertext)

    @property
    def _cipher(self) -> AESGCM:
        """Made when something is sealed or opened: most commits that are folded hide nothing."""
        if self._opened is None:
            self._opened = AESGCM(self._key())
        return self._opened

    def _seal(self, version: int, field: int, audience: int, plaintext: bytes) -> bytes:
        if not self._is_place(version, field, audience):
            raise ValueError("event version, field or audience out of range")
        nonce, bound = self._nonce(version, field), self._bound(version, field, audience)
        ciphertext = self._cipher.encrypt(nonce, plaintext, bound)
        if self._sealed.setdefault(nonce, (audience, ciphertext)) != (audience, ciphertext):
            raise ValueError("a place in a commit is sealed once")
        return ciphertext

    def _open(self, version: int, field: int, audience: int, ciphertext: bytes) -> bytes:
        if not self._is_place(version, field, audience):
            raise Corrupt(f"{self._where(version, field)}: no such place")
        nonce, bound = self._nonce(version, field), self._bound(version, field, audience)
        try:
            return self._cipher.decrypt(nonce, ciphertext, bound)
        except InvalidTag:
            raise Corrupt(f"{self._where(version, field)} does not open") from None

    def _is_place(self, version: int, field: int, audience: int) -> bool:
        in_commit = version == self._base if field == _ACTION_FIELD else version > self._base
        return in_commit and version < 1 << 64 and 0 <= field < _U32 and 0 <= audience < _U32

    def _nonce(self, version: int, field: int) -> bytes:
        return _NONCE.pack(version - self._base, field)

    def _bound(self, version: int, field: int, audience: int) -> bytes:
        return self._bound_to + _PLACE.pack(version, field, audience)

    def _where(self, version: int, field: int) -> str:
        return f"slot {field} of event {version} of stream {self._stream}"

    def __repr__(self) -> str:
        return f"SlotSealer(stream={self._stream}, base={self._base})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a sealer holds a key: it is not pickled or copied")


@lru_cache(STREAMS)
def _bound_to(stream: bytes) -> bytes:
    return pack(_SLOT, stream)


def seal_snapshot(
    master: MasterKey,
    content: bytes,
    *,
    stream: UUID,
    version: int,
    commit_hash: bytes,
    rules: int,
) -> bytes:
    """``content``, the state of ``stream`` at ``version``, under the master key.

    Bound to stream, version, the hash of the commit that ends there, and the rules revision.
    """
    return master.wrap(content, _snapshot_context(stream, version, commit_hash, rules))


def open_snapshot(
    master: MasterKey,
    sealed: bytes,
    *,
    stream: UUID,
    version: int,
    commit_hash: bytes,
    rules: int,
) -> bytes:
    """What ``seal_snapshot`` hid.  Raises ``Corrupt`` when anything differs: fold instead."""
    return master.unwrap(sealed, _snapshot_context(stream, version, commit_hash, rules))


def _snapshot_context(stream: UUID, version: int, commit_hash: bytes, rules: int) -> bytes:
    return pack(_SNAPSHOT, stream.bytes, u64(version), commit_hash, u64(rules))
