"""Merkle trees of RFC 6962: shape, paths, and what a wrong path leads to."""

from __future__ import annotations

from hashlib import sha256

import pytest

from service.vault.merkle import leaf_hash, merkle_path, merkle_root


def joined(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def test_the_tree_has_the_shape_of_the_standard() -> None:
    """Its example of seven leaves, and the root of none."""
    a, b, c, d, e, f, g = leaves = [leaf_hash(bytes([i])) for i in range(7)]
    left = joined(joined(a, b), joined(c, d))
    assert merkle_root(leaves) == joined(left, joined(joined(e, f), g))
    assert merkle_path(leaves, 0) == (b, joined(c, d), joined(joined(e, f), g))
    assert merkle_path(leaves, 6) == (joined(e, f), left)
    assert merkle_root([a]) == a
    assert merkle_root([]) == sha256(b"").digest()
    assert leaf_hash(b"") == sha256(b"\0").digest()


@pytest.mark.parametrize("count", range(1, 66))
def test_every_path_leads_to_the_root(count: int) -> None:
    """Level by level: the last of an odd number of nodes goes up as it is."""
    leaves = [leaf_hash(bytes([i])) for i in range(count)]
    for place in range(count):
        here, at, last = leaves[place], place, count - 1
        path = list(merkle_path(leaves, place))
        while last:
            if at % 2:
                here = joined(path.pop(0), here)
            elif at < last:
                here = joined(here, path.pop(0))
            at, last = at // 2, last // 2
        assert (here, path) == (merkle_root(leaves), [])


def test_there_is_no_path_of_a_leaf_that_is_not_there() -> None:
    for place in (-1, 2):
        with pytest.raises(ValueError, match=f"no leaf {place} among 2"):
            merkle_path([bytes(32), bytes(32)], place)
