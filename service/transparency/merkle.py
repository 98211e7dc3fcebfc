"""Merkle trees of RFC 6962: roots, and proofs of inclusion and of consistency, made and verified.

A tree of ``size`` leaves is split at the largest power of two below its size, again and again.  A
leaf hashes as SHA-256(0x00 ‖ leaf), a node as SHA-256(0x01 ‖ left ‖ right), so that neither can
pass for the other.  Hashes are 32 bytes; indices count leaves from 0.

Making a proof is split from reading hashes: the functions ``…_ranges`` say over which leaves the
hashes of a proof stand, ``complete`` which complete subtrees make up such a range, and ``fold``
puts these together.  Whoever keeps hashes of complete subtrees, wherever, can answer with that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from hashlib import sha256
from hmac import compare_digest
from typing import Final, NamedTuple

__all__ = [
    "EMPTY_ROOT",
    "HASH_SIZE",
    "MOST_LEAVES",
    "BadProof",
    "Frontier",
    "Subtree",
    "complete",
    "consistency_ranges",
    "fold",
    "inclusion_ranges",
    "leaf_hash",
    "node_hash",
    "perfect",
    "verify_consistency",
    "verify_inclusion",
]

HASH_SIZE: Final = 32
MOST_LEAVES: Final = 2**63 - 1
EMPTY_ROOT: Final = sha256(b"").digest()

_LEAF: Final = b"\x00"
_NODE: Final = b"\x01"

Range = tuple[int, int]
"""Leaves from the first (included) to the second (excluded)."""


class BadProof(Exception):
    """A proof does not show what it should; the text says where it fails."""


class Subtree(NamedTuple):
    """The complete subtree over leaves ``number << level`` up to ``(number + 1) << level``."""

    level: int
    number: int


def leaf_hash(leaf: bytes) -> bytes:
    """The hash of a leaf."""
    return sha256(_LEAF + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node above two others."""
    return sha256(_NODE + left + right).digest()


class Frontier(NamedTuple):
    """A tree in short: the roots of its complete subtrees, from the largest, which is leftmost.

    There is one for every bit set in ``size``: enough to go on from, and to know the root.
    """

    size: int = 0
    hashes: tuple[bytes, ...] = ()

    def extended(self, leaves: Iterable[bytes]) -> Frontier:
        """The tree with further leaves."""
        size, hashes = self.size, list(self.hashes)
        for leaf in leaves:
            node = leaf_hash(leaf)
            above = size
            while above & 1:
                node = node_hash(hashes.pop(), node)
                above >>= 1
            hashes.append(node)
            size += 1
        return Frontier(size, tuple(hashes))

    def root(self) -> bytes:
        """The root of the tree."""
        return fold(self.hashes) if self.hashes else EMPTY_ROOT

    def packed(self) -> bytes:
        """The hashes in a row; the size says how many there are."""
        return b"".join(self.hashes)

    @classmethod
    def unpacked(cls, size: int, packed: bytes) -> Frontier:
        """What was packed; raises ``ValueError`` unless it fits the size."""
        if size < 0 or len(packed) != HASH_SIZE * size.bit_count():
            raise ValueError(f"{len(packed)} bytes are no tree of {size} leaves in short")
        starts = range(0, len(packed), HASH_SIZE)
        return cls(size, tuple(packed[start : start + HASH_SIZE] for start in starts))


# --- making proofs --------------------------------------------------------------------------------


def inclusion_ranges(index: int, size: int) -> list[Range]:
    """The leaves under each hash of the proof that leaf ``index`` is in the tree, in its order.

    Raises ``ValueError`` unless there is such a leaf.

    >>> inclusion_ranges(2, 5)
    [(3, 4), (0, 2), (4, 5)]
    """
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    start, end = 0, size
    ranges: list[Range] = []
    while end - start > 1:
        middle = _middle(start, end)
        if index < middle:
            ranges.append((middle, end))
            end = middle
        else:
            ranges.append((start, middle))
            start = middle
    return ranges[::-1]


def consistency_ranges(old: int, size: int) -> list[Range]:
    """The leaves under each hash of the proof that the tree's first ``old`` leaves were a tree.

    Raises ``ValueError`` unless 0 < ``old`` ≤ ``size``: nothing is to be shown of an empty tree.

    >>> consistency_ranges(3, 5)
    [(2, 3), (3, 4), (0, 2), (4, 5)]
    >>> consistency_ranges(5, 5)
    []
    """
    if not 0 < old <= size:
        raise ValueError(f"a tree of {size} leaves has no beginning of {old} to be shown")
    start, end = 0, size
    ranges: list[Range] = []
    while end != old:
        middle = _middle(start, end)
        if old <= middle:
            ranges.append((middle, end))
            end = middle
        else:
            ranges.append((start, middle))
            start = middle
    if start:  # else it is the old tree itself, whose root the verifier has
        ranges.append((start, end))
    return ranges[::-1]


def complete(start: int, end: int) -> list[Subtree]:
    """The complete subtrees that make up a range of a tree, from the left.

    >>> complete(4, 7)
    [Subtree(level=1, number=2), Subtree(level=0, number=6)]
    """
    found: list[Subtree] = []
    while start < end:
        level = (end - start).bit_length() - 1
        found.append(Subtree(level, start >> level))
        start += 1 << level
    return found


def fold(hashes: Sequence[bytes]) -> bytes:
    """The hash over neighbouring subtrees, given from the left, each larger than the next.

    Raises ``ValueError`` for none.
    """
    if not hashes:
        raise ValueError("nothing has no hash")
    return reduce(lambda right, left: node_hash(left, right), reversed(hashes))


def perfect(hashes: Sequence[bytes]) -> bytes:
    """The hash over neighbouring subtrees of one size, a power of two of them.

    Raises ``ValueError`` for another number.
    """
    if not hashes or len(hashes) & (len(hashes) - 1):
        raise ValueError(f"{len(hashes)} hashes make no complete subtree")
    while len(hashes) > 1:
        hashes = [node_hash(*pair) for pair in zip(hashes[::2], hashes[1::2], strict=True)]
    return hashes[0]


def _middle(start: int, end: int) -> int:
    """Where a range of two leaves or more is split."""
    return start + (1 << (end - start - 1).bit_length() - 1)


# --- verifying them -------------------------------------------------------------------------------


def verify_inclusion(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> None:
    """Raise ``BadProof`` unless ``proof`` shows that ``leaf`` is the one at ``index``.

    ``leaf`` is the leaf itself, not its hash; ``root`` is that of the tree with ``size`` leaves.
    """
    if not 0 <= index < size <= MOST_LEAVES:
        raise BadProof(f"a tree of {size} leaves has no leaf {index}")
    _require_hashes(*proof, root)
    # Steps below the point where the paths of this leaf and of the last one meet: up to there the
    # tree is complete on the leaf's side, and each step has a neighbour.
    beside = (index ^ (size - 1)).bit_length()
    wanted = beside + (index >> beside).bit_count()
    if len(proof) != wanted:
        raise BadProof(f"expected {wanted} hashes, found {len(proof)}")
    node = leaf_hash(leaf)
    for step, other in enumerate(proof):
        if step >= beside or index >> step & 1:
            node = node_hash(other, node)
        else:
            node = node_hash(node, other)
    if not compare_digest(node, root):
        raise BadProof(f"the proof leads to root {node.hex()}, not to {root.hex()}")


def verify_consistency(
    old: int, size: int, proof: Sequence[bytes], old_root: bytes, root: bytes
) -> None:
    """Raise ``BadProof`` unless ``proof`` shows that the tree of ``old`` leaves begins this one.

    Raises it too for sizes that nothing can be shown of: 0, and a tree that has become smaller.
    """
    if not 0 < old <= size <= MOST_LEAVES:
        raise BadProof(f"nothing leads from a tree of {old} leaves to one of {size}")
    _require_hashes(*proof, old_root, root)
    wanted = len(consistency_ranges(old, size))
    if len(proof) != wanted:
        raise BadProof(f"expected {wanted} hashes, found {len(proof)}")
    # A tree that is one node of the larger one (itself, or a power of two) begins the proof.
    is_node = old == size or not old & (old - 1)
    path = [old_root, *proof] if is_node else list(proof)
    first, *others = path
    here, last = old - 1, size - 1
    while here & 1:
        here, last = here >> 1, last >> 1
    was = now = first
    for other in others:
        if here & 1 or here == last:
            was, now = node_hash(other, was), node_hash(other, now)
            while here and not here & 1:
                here, last = here >> 1, last >> 1
        else:
            now = node_hash(now, other)
        here, last = here >> 1, last >> 1
    if not compare_digest(was, old_root):
        raise BadProof(f"the proof leads to old root {was.hex()}, not to {old_root.hex()}")
    if not compare_digest(now, root):
        raise BadProof(f"the proof leads to root {now.hex()}, not to {root.hex()}")


def _require_hashes(*hashes: bytes) -> None:
    for each in hashes:
        if len(each) != HASH_SIZE:
            raise BadProof(f"a hash has {HASH_SIZE} bytes, not {len(each)}")
