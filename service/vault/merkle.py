"""Merkle trees as in RFC 6962, section 2.1: a root over a list, and the path of one of its leaves.

Leaves and nodes are hashed with different first bytes, so that neither can pass for the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

__all__ = ["leaf_hash", "merkle_path", "merkle_root", "root_along"]


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


def root_along(leaf: bytes, place: int, count: int, path: Sequence[bytes]) -> bytes | None:
    """The root that a hashed leaf has at ``place`` of ``count`` leaves, beside ``path``.

    None if the path has not as many hashes as the way up has nodes.
    """
    if count == 1:
        return leaf if not path else None
    if not path:
        return None
    half = _half(count)
    *below, beside = path
    if place < half:
        left = root_along(leaf, place, half, below)
        return None if left is None else _node(left, beside)
    right = root_along(leaf, place - half, count - half, below)
    return None if right is None else _node(beside, right)
