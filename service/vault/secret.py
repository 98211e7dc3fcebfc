"""Bytes that must not be printed, logged, pickled or compared in variable time."""

from __future__ import annotations

import hmac
from typing import NoReturn

__all__ = ["Secret", "extracted"]


class Secret:
    """Holds bytes; shows them only to a caller who says ``reveal()``.

    >>> Secret(b"queen of diamonds")
    Secret(hidden)
    """

    __slots__ = ("_value",)
    __hash__ = None  # type: ignore[assignment]  # a hash table compares in variable time

    def __init__(self, value: bytes) -> None:
        self._value = bytes(value)

    def reveal(self) -> bytes:
        """The bytes themselves."""
        return self._value

    def __len__(self) -> int:
        return len(self._value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._value, other._value)

    def __repr__(self) -> str:
        return "Secret(hidden)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not pickled or copied")


def extracted(secret: Secret) -> Secret:
    """The first half of HKDF-SHA-256 without a salt, for keys that many others derive from.

    ``HKDFExpand`` is the other half, and costs a third of both (RFC 5869, 2.2 and 2.3).
    """
    return Secret(hmac.digest(bytes(32), secret.reveal(), "sha256"))
