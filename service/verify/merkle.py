"""RFC 6962 trees: the root of a growing list of leaves, and proofs that a leaf is in one."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from service.verify.findings import Bad

__all__ = ["Roots", "leaf_hash", "root_from_path"]


def leaf_hash(leaf: bytes) -> bytes:
    """The hash of a leaf."""
    return sha256(b"\x00" + leaf).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


class Roots:
    """The root of the leaves so far; of the tree it keeps one hash a level."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[tuple[int, bytes]] = []

    def add(self, leaf: bytes) -> None:
        """One more leaf."""
        self.size += 1
        height, node = 0, leaf_hash(leaf)
        while self._peaks and self._peaks[-1][0] == height:
            node = _node(self._peaks.pop()[1], node)
            height += 1
        self._peaks.append((height, node))

    def root(self) -> bytes:
        """The root now."""
        if not self._peaks:
            return sha256(b"").digest()
        node = self._peaks[-1][1]
        for _, left in reversed(self._peaks[:-1]):
            node = _node(left, node)
        return node


def root_from_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """The root of ``size`` leaves that ``path`` leads to from leaf ``index``; raises ``Bad``.

    RFC 9162, 2.1.3.2.  A path of another length than the place asks for is refused.
    """
    if not 0 <= index < size:
        raise Bad("a proof for a leaf that is not in the tree", f"less than {size}", index)
    if any(len(each) != 32 for each in path):
        raise Bad("a proof with hashes of another length than 32 bytes")
    node, place, last = leaf_hash(leaf), index, size - 1
    for sibling in path:
        if not last:
            raise Bad("a proof is too long", found=len(path))
        if place & 1 or place == last:
            node = _node(sibling, node)
            while not place & 1 and place:
                place >>= 1
                last >>= 1
        else:
            node = _node(node, sibling)
        place >>= 1
        last >>= 1
    if last:
        raise Bad("a proof is too short", found=len(path))
    return node
