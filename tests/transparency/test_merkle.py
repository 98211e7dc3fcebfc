"""Trees and proofs of RFC 6962, against its recursive definition and published vectors."""

from __future__ import annotations

import random
from collections.abc import Callable
from hashlib import sha256

import pytest

from service.transparency.merkle import (
    EMPTY_ROOT,
    BadProof,
    Frontier,
    complete,
    consistency_ranges,
    fold,
    inclusion_ranges,
    leaf_hash,
    node_hash,
    verify_consistency,
    verify_inclusion,
)
from tests.transparency.naive import mth, path, subproof

LEAVES = [sha256(bytes([number])).digest() for number in range(131)]
SIZES = range(len(LEAVES))

# The inputs and roots of the reference implementation of RFC 6962.
PUBLISHED = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
# (index, size): the proof's hashes.
INCLUSIONS: dict[tuple[int, int], tuple[str, ...]] = {
    (0, 1): (),
    (0, 8): (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (5, 8): (
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 3): ("fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",),
}
# (old, size): the proof's hashes.
CONSISTENCIES: dict[tuple[int, int], tuple[str, ...]] = {
    (1, 1): (),
    (1, 8): (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (6, 8): (
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 5): (
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ),
}


def made(leaves: list[bytes], ranges: list[tuple[int, int]]) -> list[bytes]:
    """A proof, from hashes of complete subtrees alone."""
    return [
        fold(
            [
                mth(leaves[each.number << each.level : (each.number + 1) << each.level])
                for each in complete(*one)
            ]
        )
        for one in ranges
    ]


def accepted(verify: Callable[..., None], *claim: object) -> bool:
    try:
        verify(*claim)
    except BadProof:
        return False
    return True


def test_published_roots_and_proofs() -> None:
    for size, root in enumerate(ROOTS):
        assert Frontier().extended(PUBLISHED[:size]).root().hex() == root
    for (index, size), hashes in INCLUSIONS.items():
        proof = made(PUBLISHED[:size], inclusion_ranges(index, size))
        assert tuple(each.hex() for each in proof) == hashes
        verify_inclusion(PUBLISHED[index], index, size, proof, bytes.fromhex(ROOTS[size]))
    for (old, size), hashes in CONSISTENCIES.items():
        proof = made(PUBLISHED[:size], consistency_ranges(old, size))
        assert tuple(each.hex() for each in proof) == hashes
        roots = [bytes.fromhex(ROOTS[each]) for each in (old, size)]
        verify_consistency(old, size, proof, *roots)


@pytest.mark.parametrize("portion", [1, 7, 131])
def test_a_frontier_grows_in_any_portions_to_the_defined_root(portion: int) -> None:
    for size in SIZES:
        frontier = Frontier()
        for start in range(0, size, portion):
            frontier = frontier.extended(LEAVES[start : min(size, start + portion)])
        assert (frontier.size, frontier.root()) == (size, mth(LEAVES[:size]))
        assert Frontier.unpacked(size, frontier.packed()) == frontier


@pytest.mark.parametrize(("size", "packed"), [(3, bytes(32)), (0, bytes(32)), (1, b""), (-1, b"")])
def test_what_is_no_frontier_is_none(size: int, packed: bytes) -> None:
    with pytest.raises(ValueError, match="no tree"):
        Frontier.unpacked(size, packed)


def test_every_proof_up_to_130_leaves_is_the_defined_one_and_verifies() -> None:
    for size in SIZES[1:]:
        leaves, root = LEAVES[:size], mth(LEAVES[:size])
        for index in {0, 1, size // 2, size - 2, size - 1} & set(range(size)):
            proof = made(leaves, inclusion_ranges(index, size))
            assert proof == path(index, leaves)
            verify_inclusion(leaves[index], index, size, proof, root)
    for size in (*range(1, 34), 64, 65, 127, 128, 129, 130):
        for old in range(1, size + 1):
            proof = made(LEAVES[:size], consistency_ranges(old, size))
            assert proof == subproof(old, LEAVES[:size])
            verify_consistency(old, size, proof, mth(LEAVES[:old]), mth(LEAVES[:size]))


def test_every_leaf_of_every_small_tree_is_proved_at_its_own_place_only() -> None:
    for size in range(1, 18):
        root = mth(LEAVES[:size])
        for index in range(size):
            proof = path(index, LEAVES[:size])
            for claimed in range(-1, size + 2):
                is_right = claimed == index
                claim = (LEAVES[index], claimed, size, proof, root)
                assert accepted(verify_inclusion, *claim) == is_right


def test_proofs_for_sizes_that_are_not_theirs_are_refused() -> None:
    for size in range(1, 18):
        for old in range(1, size + 1):
            proof = subproof(old, LEAVES[:size])
            roots = mth(LEAVES[:old]), mth(LEAVES[:size])
            for other in range(19):
                # Where the number of hashes and their places agree no verifier sees the size;
                # the root that was signed for it does.
                if other != old:
                    claim = (other, size, proof, mth(LEAVES[:other]), roots[1])
                    assert not accepted(verify_consistency, *claim)
                if other != size:
                    claim = (old, other, proof, roots[0], mth(LEAVES[:other]))
                    assert not accepted(verify_consistency, *claim)


@pytest.mark.parametrize(
    ("old", "size"), [(0, 0), (0, 1), (-1, 1), (2, 1), (1, 2**63), (2**63, 2**63)]
)
def test_sizes_that_nothing_can_be_shown_of(old: int, size: int) -> None:
    for proof in ([], [EMPTY_ROOT]):
        with pytest.raises(BadProof, match="nothing leads"):
            verify_consistency(old, size, proof, EMPTY_ROOT, EMPTY_ROOT)
    if size < 2**63:
        with pytest.raises(ValueError, match="no beginning"):
            consistency_ranges(old, size)


@pytest.mark.parametrize(("index", "size"), [(0, 0), (1, 1), (-1, 5), (5, 5), (0, 2**63)])
def test_leaves_that_there_are_not(index: int, size: int) -> None:
    with pytest.raises(BadProof, match="no leaf"):
        verify_inclusion(b"", index, size, [], EMPTY_ROOT)
    if size < 2**63:
        with pytest.raises(ValueError, match="no leaf"):
            inclusion_ranges(index, size)


def test_equal_trees_need_equal_roots_and_no_hash() -> None:
    root = mth(LEAVES[:5])
    verify_consistency(5, 5, [], root, root)
    for proof, old_root in (([root], root), ([], EMPTY_ROOT), ([bytes(32)], EMPTY_ROOT)):
        with pytest.raises(BadProof):
            verify_consistency(5, 5, proof, old_root, root)


def test_a_node_does_not_pass_for_a_leaf() -> None:
    """Why the prefixes differ: a leaf made of two hashes is not the node above them."""
    two = [leaf_hash(each) for each in LEAVES[:2]]
    root = node_hash(*two)
    with pytest.raises(BadProof):
        verify_inclusion(two[0] + two[1], 0, 1, [], root)


def flipped(value: bytes, random_: random.Random) -> bytes:
    """A value with one bit changed."""
    bit = random_.randrange(8 * len(value))
    changed = bytearray(value)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def mutated(proof: list[bytes], random_: random.Random) -> list[bytes]:
    """A proof that is another one: a bit, a hash, their order or their number has changed."""
    changed = list(proof)
    place = random_.randrange(len(proof) + 1)
    kinds = ["insert", *(["flip", "drop", "cut", "lengthen", "twice", "swap"] if proof else [])]
    kind = random_.choice(kinds)
    place = min(place, max(len(proof) - 1, 0)) if kind != "insert" else place
    if kind == "insert":
        changed.insert(place, random_.randbytes(32))
    elif kind == "flip":
        changed[place] = flipped(changed[place], random_)
    elif kind == "drop":
        del changed[place]
    elif kind == "cut":
        changed[place] = changed[place][:-1]
    elif kind == "lengthen":
        changed[place] += b"\x00"
    elif kind == "twice":
        changed.insert(place, changed[place])
    else:
        random_.shuffle(changed)
    return changed


def test_of_ten_thousand_mutated_inclusion_proofs_none_is_accepted() -> None:
    random_ = random.Random(6962)
    tried = 0
    while tried < 10_000:
        size = random_.randrange(1, 131)
        index = random_.randrange(size)
        proof, root = path(index, LEAVES[:size]), mth(LEAVES[:size])
        verify_inclusion(LEAVES[index], index, size, proof, root)
        for _ in range(20):
            claim = [LEAVES[index], index, size, proof, root]
            match random_.randrange(6):
                case 0:
                    claim[0] = flipped(LEAVES[index], random_)
                case 1:
                    claim[1] = random_.choice([index - 1, index + 1, random_.randrange(-3, 300)])
                case 2:
                    claim[4] = flipped(root, random_)
                case 3:  # another tree's size, with the root that belongs to it
                    other = random_.randrange(131)
                    claim[2], claim[4] = other, mth(LEAVES[:other])
                case _:
                    claim[3] = mutated(proof, random_)
            if claim == [LEAVES[index], index, size, proof, root]:
                continue
            tried += 1
            assert not accepted(verify_inclusion, *claim), claim


def test_of_ten_thousand_mutated_consistency_proofs_none_is_accepted() -> None:
    random_ = random.Random(9162)
    tried = 0
    while tried < 10_000:
        size = random_.randrange(1, 131)
        old = random_.randrange(1, size + 1)
        right = [old, size, subproof(old, LEAVES[:size]), mth(LEAVES[:old]), mth(LEAVES[:size])]
        verify_consistency(*right)
        for _ in range(20):
            claim = list(right)
            match random_.randrange(6):
                case 0:
                    claim[3] = flipped(right[3], random_)
                case 1:
                    claim[4] = flipped(right[4], random_)
                case 2:
                    other = random_.randrange(131)
                    claim[0], claim[3] = other, mth(LEAVES[:other])
                case 3:
                    other = random_.randrange(131)
                    claim[1], claim[4] = other, mth(LEAVES[:other])
                case _:
                    claim[2] = mutated(right[2], random_)
            if claim == right:
                continue
            tried += 1
            assert not accepted(verify_consistency, *claim), claim
