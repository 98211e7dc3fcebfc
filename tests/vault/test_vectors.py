"""The published vectors, in two implementations, and the official ones beneath them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from engine.cards import card_name
from service.vault import (
    EpochKeys,
    EpochShuffler,
    SlotSealer,
    prove_places,
    root_of_places,
    shuffle_salt,
)
from tests.vault import twin
from tests.vault.twin_gcm import gcm_seal

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text())
DOCUMENT = Path(__file__).parents[2] / "docs" / "shuffle-vectors.md"

# RFC 5869, A.1 to A.3: ikm, salt, info, okm.
RFC_5869 = [
    (
        "0b" * 22,
        "000102030405060708090a0b0c",
        "f0f1f2f3f4f5f6f7f8f9",
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
    ),
    (
        bytes(range(0x50)).hex(),
        bytes(range(0x60, 0xB0)).hex(),
        bytes(range(0xB0, 0x100)).hex(),
        (
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
            "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
            "cc30c58179ec3e87c14c01d5c1f3434f1d87"
        ),
    ),
    (
        "0b" * 22,
        "",
        "",
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
    ),
]


@pytest.fixture
def keys() -> EpochKeys:
    return EpochKeys(*twin.EPOCH)


@pytest.mark.parametrize(("ikm", "salt", "info", "okm"), RFC_5869)
def test_both_hkdfs_give_the_vectors_of_rfc_5869(ikm: str, salt: str, info: str, okm: str) -> None:
    """The twin's and the library's, called as the vault calls it."""
    a, b, c, expected = (bytes.fromhex(part) for part in (ikm, salt, info, okm))
    assert twin.hkdf(a, b, c, len(expected)) == expected
    library = HKDF(algorithm=SHA256(), length=len(expected), salt=b or None, info=c)
    assert library.derive(a) == expected


def test_the_twins_chacha20_gives_the_block_of_rfc_8439() -> None:
    """RFC 8439, 2.3.2."""
    nonce = bytes.fromhex("000000090000004a00000000")
    assert twin.chacha20_block(bytes(range(32)), 1, nonce).hex() == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )


def test_the_twins_gcm_gives_the_published_test_case() -> None:
    """McGrew and Viega, test case 16: AES-256, text not a multiple of the block, bound data."""
    plain = (
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    )
    sealed = gcm_seal(
        bytes.fromhex("feffe9928665731c6d6a8f9467308308" * 2),
        bytes.fromhex("cafebabefacedbaddecaf888"),
        bytes.fromhex(plain),
        bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
    )
    assert sealed.hex() == (
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
        "76fc6ece0f4e1768cddf8853bb2d551b"
    )


def test_the_committed_vectors_are_the_twins() -> None:
    assert twin.vectors() == VECTORS


def test_the_vault_gives_the_committed_commitment_and_shuffles(keys: EpochKeys) -> None:
    """A fixed secret gives the same commitment, keys and decks in every release."""
    assert keys.commitment.hex() == VECTORS["commitment"]
    seen = 0
    for k, purpose, entropy in [
        (0, "deal", ()),
        (1, "deal", ()),
        (0, "seats", ()),
        (0, "deal", twin.ENTROPY),
        (1, "deal", twin.ENTROPY),
    ]:
        name = f"{k} {purpose}{' with entropy' if entropy else ''}"
        assert keys.shuffle_key(k, purpose, entropy).hex() == VECTORS[f"key {name}"]
        deck = EpochShuffler(keys, entropy, start=k).shuffle(purpose, twin.PACK)
        assert " ".join(map(card_name, deck)) == VECTORS[f"deck {name}"]
        seen += 1
    deck = EpochShuffler(keys, start=2).shuffle("draw", twin.PILE)
    assert " ".join(map(card_name, deck)) == VECTORS["deck 2 draw"]
    assert seen + 1 == sum(name.startswith("deck") for name in VECTORS)


def test_the_vault_gives_the_committed_places(keys: EpochKeys) -> None:
    """Roots, salts and paths never move: players keep them."""
    assert shuffle_salt(twin.ENTROPY).hex() == VECTORS["entropy hash"]
    seen = 0
    for entropy in ((), twin.ENTROPY):
        label = "0 deal with entropy" if entropy else "0 deal"
        deck = EpochShuffler(keys, entropy).shuffle("deal", twin.PACK)
        assert root_of_places(keys, 0, "deal", entropy, deck).hex() == VECTORS[f"root {label}"]
        for proof in prove_places(keys, 0, "deal", entropy, deck, (0, 51)):
            place = proof.place
            assert proof.salt.hex() == VECTORS[f"salt of place {place}, {label}"]
            path = " ".join(node.hex() for node in proof.path)
            assert path == VECTORS[f"path of place {place}, {label}"]
            seen += 1
    deck = EpochShuffler(keys, start=2).shuffle("draw", twin.PILE)
    assert root_of_places(keys, 2, "draw", (), deck).hex() == VECTORS["root 2 draw"]
    assert seen == sum(name.startswith("path") for name in VECTORS)


def test_the_vault_gives_the_committed_slots(keys: EpochKeys) -> None:
    """A stored slot of this release opens in every later one."""
    assert keys.slot_key(salt=twin.SALT).hex() == VECTORS["slot key"]
    sealer = SlotSealer(keys, base=41, salt=twin.SALT)
    slot = bytes.fromhex(VECTORS["slot of version 43, field 5, audience 80000002"])
    assert sealer.seal(43, 5, 0x80000002, bytes([37])) == slot
    assert sealer.open(43, 5, 0x80000002, slot) == bytes([37])
    action = bytes.fromhex(VECTORS["action, audience 80000000"])
    assert sealer.seal_action(b"attack") == action
    assert sealer.open_action(action) == b"attack"


def test_the_document_prints_every_vector() -> None:
    """docs/shuffle-vectors.md is what a third party implements from."""
    lines = {line.strip() for line in DOCUMENT.read_text().splitlines()}
    assert [
        f"{name}: {value}" for name, value in VECTORS.items() if f"{name}: {value}" not in lines
    ] == []
