"""The master key: wraps what must outlive a process and never lie open in the database.

It comes from a file of its own (64 hex digits, mode 600, made on first use) or from the
environment: ``KARTEJO_MASTER_KEY`` holds the digits, ``KARTEJO_MASTER_KEY_FILE`` names a file.
Losing it voids running epochs only: closed ones carry their secret, snapshots are disposable.

Wrapped bytes are key id (8) ‖ nonce (12) ‖ AES-256-GCM ciphertext and tag, under a key derived for
the context alone: however much one master key wraps, few nonces meet under one AES key.  The key
id stands in front so that a second master key can be introduced later.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, NoReturn

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from engine.errors import Corrupt
from service.vault.framing import pack
from service.vault.secret import Secret, extracted
from service.vault.secret_file import KeyFileError, read_or_create_secret_file, read_secret_file
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


class MasterKey:
    """32 secret bytes that wrap other bytes, each bound to a context.

    ``context`` is made by ``framing.pack`` with a label of its own; bytes wrapped in one context
    do not unwrap in another.  ``id`` (8 bytes) is public and appears in front of wrapped bytes.
    """

    __slots__ = ("_entropy", "_extracted", "id")

    def __init__(self, key: bytes, entropy: Entropy) -> None:
        """Raises ``ValueError`` unless ``key`` has 32 bytes."""
        if len(key) != _KEY_SIZE:
            raise ValueError(f"a master key has {_KEY_SIZE} bytes")
        self._extracted = extracted(Secret(key))
        self._entropy = entropy
        self.id: bytes = sha256(pack(_ID, key)).digest()[:_ID_SIZE]

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
        text = read_or_create_secret_file(path, lambda: entropy.entropy(_KEY_SIZE).hex() + "\n")
        return cls(_parse(text, str(path)), entropy)

    def wrap(self, secret: bytes, context: bytes) -> bytes:
        """``secret`` sealed for ``context``; 36 bytes longer, another result each time."""
        nonce = self._entropy.entropy(_NONCE_SIZE)
        head = self.id + nonce
        return head + self._cipher(context).encrypt(nonce, secret, pack(self.id, context))

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """What was wrapped for ``context``.

        Raises ``Corrupt`` for another master key, another context, or changed bytes.
        """
        if len(wrapped) < _HEAD_SIZE + _TAG_SIZE:
            raise Corrupt("wrapped bytes are too short")
        key_id, nonce = wrapped[:_ID_SIZE], wrapped[_ID_SIZE:_HEAD_SIZE]
        if key_id != self.id:
            raise Corrupt(f"wrapped by master key {key_id.hex()}, this one is {self.id.hex()}")
        try:
            return self._cipher(context).decrypt(
                nonce, wrapped[_HEAD_SIZE:], pack(self.id, context)
            )
        except InvalidTag:
            raise Corrupt("wrapped bytes were changed or belong elsewhere") from None

    def derive(self, purpose: bytes) -> bytes:
        """32 bytes for another purpose than wrapping, named by a label of its own."""
        info = pack(_DERIVING, purpose)
        return HKDFExpand(SHA256(), _KEY_SIZE, info).derive(self._extracted.reveal())

    def _cipher(self, context: bytes) -> AESGCM:
        hkdf = HKDFExpand(SHA256(), _KEY_SIZE, pack(_WRAPPING, context))
        return AESGCM(hkdf.derive(self._extracted.reveal()))

    def __repr__(self) -> str:
        return f"MasterKey(id={self.id.hex()})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a master key is not pickled or copied")


def _parse(text: str, source: str) -> bytes:
    digits = text.strip()
    # Not fromhex alone: it skips spaces inside, and its error text shows where the digits break.
    if len(digits) != 2 * _KEY_SIZE or set(digits) - set("0123456789abcdefABCDEF"):
        raise KeyFileError(
            f"{source}: a master key is {2 * _KEY_SIZE} hex digits; restore it from your backup, "
            "or, if there is none, remove it and see `kartejo serve --new-master-key`"
        )
    return bytes.fromhex(digits)
