"""Trees and proofs word by word as RFC 6962, 2.1 defines them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256


def split(size: int) -> int:
    """The largest power of two below ``size``."""
    power = 1
    while power * 2 < size:
        power *= 2
    return power


@lru_cache(maxsize=100_000)
def _mth(leaves: tuple[bytes, ...]) -> bytes:
    if not leaves:
        return sha256().digest()
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    k = split(len(leaves))
    return sha256(b"\x01" + _mth(leaves[:k]) + _mth(leaves[k:])).digest()


def mth(leaves: Sequence[bytes]) -> bytes:
    """The root of a tree."""
    return _mth(tuple(leaves))


def path(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """The proof of inclusion."""
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if index < k:
        return [*path(index, leaves[:k]), mth(leaves[k:])]
    return [*path(index - k, leaves[k:]), mth(leaves[:k])]


def subproof(old: int, leaves: Sequence[bytes], whole: bool = True) -> list[bytes]:
    """The proof of consistency."""
    if old == len(leaves):
        return [] if whole else [mth(leaves)]
    k = split(len(leaves))
    if old <= k:
        return [*subproof(old, leaves[:k], whole), mth(leaves[k:])]
    return [*subproof(old - k, leaves[k:], False), mth(leaves[:k])]
