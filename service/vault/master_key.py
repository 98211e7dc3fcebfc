"""The master key: wraps what must outlive a process and never lie open in the database.

It comes from a file of its own (64 hex digits, mode 600, made on first use) or from the
environment: ``KARTEJO_MASTER_KEY`` holds the digits, ``KARTEJO_MASTER_KEY_FILE`` names a file.
Losing it voids running epochs only: closed ones carry their secret, snapshots are disposable.

Wrapped bytes are key id (8) ‖ nonce (12) ‖ AES-256-GCM ciphertext and tag, under a key derived for
the context alone: however much one master key wraps, few nonces meet under one AES key.  The key
id in front says which key opens them.

A key may follow another (``learn``, ``use``).  The new one then wraps the old one
(``wrap_former``), so that whoever has the new one opens what the old ones wrapped (``recover``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from engine.errors import Corrupt
from service.vault.framing import pack
from service.vault.secret import Secret, extracted
from service.vault.secret_file import (
    KeyFileError,
    read_or_create_secret_file,
    read_secret_file,
    replace_secret_file,
)
from service.world import Entropy

__all__ = ["ENVIRONMENT", "ENVIRONMENT_FILE", "MasterKey"]

ENVIRONMENT: Final = "KARTEJO_MASTER_KEY"
ENVIRONMENT_FILE: Final = "KARTEJO_MASTER_KEY_FILE"

_KEY_SIZE: Final = 32
_ID_SIZE: Final = 8
_NONCE_SIZE: Final = 12
_TAG_SIZE: Final = 16
_HEAD_SIZE: Final = _ID_SIZE + _NONCE_SIZE

_ID: Final = b"kartejo/v1/master-key-id"
_WRAPPING: Final = b"kartejo/v1/master-wrap"
_DERIVING: Final = b"kartejo/v1/master-derive"
_FORMER: Final = b"kartejo/v1/former-master-key"


class _Key(NamedTuple):
    """A master key, and the half of what derives from it that never changes."""

    whole: Secret
    half: Secret

    @classmethod
    def of(cls, key: Secret) -> _Key:
        """From the key."""
        return cls(key, extracted(key))


class MasterKey:
    """32 secret bytes that wrap other bytes, each bound to a context.

    ``context`` is made by ``framing.pack`` with a label of its own; bytes wrapped in one context
    do not unwrap in another.  ``id`` (8 bytes) is public and appears in front of wrapped bytes.

    It may know keys that came before it: they open what they wrapped, and wrap nothing any more.
    ``lost``: ids of keys that the store was written with and that nobody has.
    """

    __slots__ = ("_entropy", "_keys", "changes", "id", "lost")

    def __init__(self, key: bytes, entropy: Entropy) -> None:
        """Raises ``ValueError`` unless ``key`` has 32 bytes."""
        if len(key) != _KEY_SIZE:
            raise ValueError(f"a master key has {_KEY_SIZE} bytes")
        self._entropy = entropy
        self.id: bytes = key_id(key)
        self._keys = {self.id: _Key.of(Secret(key))}
        self.lost: frozenset[bytes] = frozenset()
        self.changes = 0

    @classmethod
    def load(
        cls, path: Path, environment: Mapping[str, str], entropy: Entropy, *, make: bool = True
    ) -> MasterKey:
        """The key of the environment if it names one, else that of ``path``, made if missing.

        A file named by the environment is never made: a mistyped path must not start a new key.
        Nor is any without ``make``: what was wrapped by a lost key stays shut under a new one.

        Raises ``KeyFileError``, saying what to do, for missing and malformed keys, loose modes
        and two sources at once.
        """
        inline, named = environment.get(ENVIRONMENT), environment.get(ENVIRONMENT_FILE)
        if inline and named:
            raise KeyFileError(f"set {ENVIRONMENT} or {ENVIRONMENT_FILE}, not both")
        if inline:
            return cls(_parse(inline, ENVIRONMENT), entropy)
        if named:
            return cls(_parse(read_secret_file(Path(named)), named), entropy)
        if not make:
            return cls(_parse(read_secret_file(path, private_folder=True), str(path)), entropy)
        return cls.read(path, entropy, make=True)

    @classmethod
    def read(cls, path: Path, entropy: Entropy, *, make: bool = False) -> MasterKey:
        """The key of a file, made if it is missing with ``make``; raises ``KeyFileError``."""
        if make:
            text = read_or_create_secret_file(path, lambda: _digits(entropy))
        else:
            text = read_secret_file(path)
        return cls(_parse(text, str(path)), entropy)

    def put(self, path: Path) -> None:
        """Write the key to a file, in the place of the one that was there."""
        replace_secret_file(path, self._keys[self.id].whole.reveal().hex() + "\n")

    def wrap(self, secret: bytes, context: bytes) -> bytes:
        """``secret`` sealed for ``context``; 36 bytes longer, another result each time."""
        nonce = self._entropy.entropy(_NONCE_SIZE)
        head = self.id + nonce
        cipher = _cipher(self._keys[self.id], context)
        return head + cipher.encrypt(nonce, secret, pack(self.id, context))

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """What was wrapped for ``context``.

        Raises ``Corrupt`` for another master key, another context, or changed bytes.
        """
        if len(wrapped) < _HEAD_SIZE + _TAG_SIZE:
            raise Corrupt("wrapped bytes are too short")
        by, nonce = wrapped[:_ID_SIZE], wrapped[_ID_SIZE:_HEAD_SIZE]
        key = self._keys.get(by)
        if key is None:
            raise Corrupt(f"wrapped by master key {by.hex()}, this one is {self.id.hex()}")
        try:
            return _cipher(key, context).decrypt(nonce, wrapped[_HEAD_SIZE:], pack(by, context))
        except InvalidTag:
            raise Corrupt("wrapped bytes were changed or belong elsewhere") from None

    def derive(self, purpose: bytes) -> tuple[bytes, ...]:
        """32 bytes for another purpose than wrapping, named by a label of its own.

        One for each key that is known here, the one that wraps first.  They are others when
        ``changes`` has moved.
        """
        info = pack(_DERIVING, purpose)
        others = [key for name, key in self._keys.items() if name != self.id]
        return tuple([_derived(key, info) for key in (self._keys[self.id], *others)])

    # --- keys that follow each other ----------------------------------------------------------

    def learn(self, other: MasterKey) -> None:
        """Open what another key wraps, too."""
        if other.id not in self._keys:
            self._keys[other.id] = other._keys[other.id]
            self.changes += 1

    def use(self, key: bytes) -> bool:
        """Wrap by the key of that id from now on; whether it is known here."""
        if key not in self._keys:
            return False
        if key != self.id:
            self.id = key
            self.changes += 1
        return True

    def wrap_former(self, former: MasterKey) -> bytes:
        """The key before this one, wrapped by this one."""
        return self.wrap(former._keys[former.id].whole.reveal(), pack(_FORMER, former.id))

    def recover(self, noted: Sequence[tuple[bytes, bytes | None]]) -> None:
        """Learn the keys before this one.

        ``noted``: the keys of the store, the newest first: the id of each, and its predecessor
        wrapped by it, or None where that was lost.  What cannot be reached from here is ``lost``.
        Raises ``Corrupt`` for bytes that are not what was wrapped.
        """
        mine = next((at for at, (key, _) in enumerate(noted) if key == self.id), len(noted))
        lost: set[bytes] = set()
        for (by, wrapped), (before, _) in pairwise(noted[mine:]):
            if wrapped is None or by not in self._keys:
                lost.add(before)
                continue
            opener = MasterKey(self._keys[by].whole.reveal(), self._entropy)
            former = MasterKey(opener.unwrap(wrapped, pack(_FORMER, before)), self._entropy)
            if former.id != before:
                raise Corrupt(f"what master key {by.hex()} wraps is not key {before.hex()}")
            self.learn(former)
        self.lost = frozenset(lost - self._keys.keys())

    def knows(self, wrapped: bytes) -> bool:
        """Whether bytes say that they were wrapped by a key that is known here."""
        return wrapped[:_ID_SIZE] in self._keys

    def has_lost(self, wrapped: bytes) -> bool:
        """Whether bytes were wrapped by a key that the store has lost."""
        return wrapped[:_ID_SIZE] in self.lost

    def __repr__(self) -> str:
        return f"MasterKey(id={self.id.hex()})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a master key is not pickled or copied")


def key_id(key: bytes) -> bytes:
    """The public id of a master key: 8 bytes."""
    return sha256(pack(_ID, key)).digest()[:_ID_SIZE]


def _digits(entropy: Entropy) -> str:
    return entropy.entropy(_KEY_SIZE).hex() + "\n"


def _derived(key: _Key, info: bytes) -> bytes:
    return HKDFExpand(SHA256(), _KEY_SIZE, info).derive(key.half.reveal())


def _cipher(key: _Key, context: bytes) -> AESGCM:
    return AESGCM(_derived(key, pack(_WRAPPING, context)))


def _parse(text: str, source: str) -> bytes:
    digits = text.strip()
    # Not fromhex alone: it skips spaces inside, and its error text shows where the digits break.
    if len(digits) != 2 * _KEY_SIZE or set(digits) - set("0123456789abcdefABCDEF"):
        raise KeyFileError(
            f"{source}: a master key is {2 * _KEY_SIZE} hex digits; restore it from your backup, "
            "or, if there is none, remove it and see `kartejo serve --new-master-key`"
        )
    return bytes.fromhex(digits)
