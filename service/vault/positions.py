"""Commitments to the places of a shuffled pile: which item lies where, salted, one by one.

Their Merkle root is published with the shuffle.  The path of one place then proves that item, and
tells nothing of the others: every leaf has a salt of its own, derived from the epoch's secret.
docs/shuffle-vectors.md gives the bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from struct import Struct
from typing import Final, NamedTuple

from service.vault.epochs import SALT_SIZE, EpochKeys
from service.vault.framing import pack, u64
from service.vault.merkle import leaf_hash, merkle_path, merkle_root

__all__ = ["PlaceProof", "prove_places", "root_of_places"]

_PLACE: Final = b"kartejo/v1/place"
_LEAF: Final = Struct(f">IQIQI{SALT_SIZE}s")  # place, item, salt, each behind its length


class PlaceProof(NamedTuple):
    """What shows that ``item`` lies at ``place`` (0: the top) of a shuffled pile of ``count``."""

    place: int
    count: int  # type: ignore[assignment]  # the word for it; tuple.count is not used
    item: int
    salt: bytes
    path: tuple[bytes, ...]
    root: bytes


class _Places:
    """The salts and hashed leaves of one shuffle."""

    def __init__(
        self,
        keys: EpochKeys,
        shuffle: int,
        purpose: str,
        entropy: Sequence[bytes],
        order: Sequence[int],
    ) -> None:
        self.salts = keys.place_salts(shuffle, purpose, entropy, len(order))
        head = pack(_PLACE, keys.stream.bytes, u64(keys.epoch), u64(shuffle), purpose.encode())
        self.leaves = [
            leaf_hash(head + _LEAF.pack(8, place, 8, item, SALT_SIZE, salt))
            for place, (item, salt) in enumerate(zip(order, self.salts, strict=True))
        ]


def root_of_places(
    keys: EpochKeys, shuffle: int, purpose: str, entropy: Sequence[bytes], order: Sequence[int]
) -> bytes:
    """The root over the commitments to every place of ``order``, the result of a shuffle."""
    return merkle_root(_Places(keys, shuffle, purpose, entropy, order).leaves)


def prove_places(
    keys: EpochKeys,
    shuffle: int,
    purpose: str,
    entropy: Sequence[bytes],
    order: Sequence[int],
    wanted: Iterable[int],
) -> list[PlaceProof]:
    """The proofs of some places; raises ``ValueError`` if one of them is none."""
    places = _Places(keys, shuffle, purpose, entropy, order)
    root, count = merkle_root(places.leaves), len(order)
    return [
        PlaceProof(at, count, order[at], places.salts[at], merkle_path(places.leaves, at), root)
        for at in wanted
    ]
