"""The one way in which the vault turns several values into the bytes under a hash or a key.

Each part is preceded by its length (four bytes, big-endian), the first part is a label that names
the purpose and its version.  So no two different lists of parts give the same bytes, and no bytes
made for one purpose serve for another.
"""

from __future__ import annotations

__all__ = ["pack", "u64"]


def pack(label: bytes, *parts: bytes) -> bytes:
    """``label`` and ``parts``, each with its length before it.

    >>> pack(b"ab", b"", b"c").hex()
    '000000026162000000000000000163'

    Raises ``OverflowError`` for a part of 4 GiB or more.
    """
    return b"".join([len(part).to_bytes(4, "big") + part for part in (label, *parts)])


def u64(number: int) -> bytes:
    """``number`` as eight bytes, big-endian; ``OverflowError`` when it does not fit."""
    return number.to_bytes(8, "big")
