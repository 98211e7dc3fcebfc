"""Merkle trees as in RFC 6962, section 2.1: a root over a list, and the path of one of its leaves.

Leaves and nodes are hashed with different first bytes, so that neither can pass for the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

__all__ = ["leaf_hash", "merkle_path", "merkle_root"]


def leaf_hash(content: bytes) -> bytes:
    """The hash of a leaf: SHA-256(0x00 ‖ content)."""
    return sha256(b"\0" + content).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def _half(count: int) -> int:
    """The greatest power of two below ``count`` (≥ 2): how many leaves go to the left."""
    return 1 << (count - 1).bit_length() - 1


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """The root over hashed leaves; of none: SHA-256 of nothing."""
    if not leaves:
        return sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    half = _half(len(leaves))
    return _node(merkle_root(leaves[:half]), merkle_root(leaves[half:]))


def merkle_path(leaves: Sequence[bytes], place: int) -> tuple[bytes, ...]:
    """The hashes beside the way from leaf ``place`` up to the root, the lowest first."""
    if not 0 <= place < len(leaves):
        raise ValueError(f"there is no leaf {place} among {len(leaves)}")
    if len(leaves) == 1:
        return ()
    half = _half(len(leaves))
    if place < half:
        return (*merkle_path(leaves[:half], place), merkle_root(leaves[half:]))
    return (*merkle_path(leaves[half:], place - half), merkle_root(leaves[:half]))
