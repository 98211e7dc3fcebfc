"""Sealed slots: what opens, what does not, and that no nonce serves twice."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given, settings
from hypothesis import strategies as st

import service.vault.seal
from engine.errors import Corrupt
from engine.visibility import SERVER
from service.vault import EpochKeys, SlotSealer
from service.vault.framing import pack
from service.world import SteppedWorld, uuid7
from tests.vault import twin

STREAM = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
KEYS = EpochKeys(STREAM, 7, bytes(range(32)))
COMMIT: dict[str, Any] = {"base": 41, "salt": b"s" * 16}
PLAIN = b"queen of diamonds"


def sealer(keys: EpochKeys = KEYS, **changed: object) -> SlotSealer:
    return SlotSealer(keys, **{**COMMIT, **changed})


@pytest.fixture
def sealed() -> bytes:
    return sealer().seal(42, 5, 0x80000002, PLAIN)


def test_a_slot_opens_at_its_place_in_its_commit(sealed: bytes) -> None:
    assert sealer().open(42, 5, 0x80000002, sealed) == PLAIN
    assert len(sealed) == len(PLAIN) + 16
    assert PLAIN not in sealed


def test_a_slot_opens_nowhere_else(sealed: bytes) -> None:
    """Another version, field, audience, commit, epoch, stream or secret: Corrupt, and no hint."""
    same = (42, 5, 0x80000002)
    strangers = [
        (sealer(), (43, 5, 0x80000002)),
        (sealer(), (42, 6, 0x80000002)),
        (sealer(), (42, 5, 0x80000003)),
        (sealer(), (42, 0, 0x80000002)),
        (sealer(), (41, 5, 0x80000002)),
        (sealer(), (1 << 64, 5, 0x80000002)),
        (sealer(), (42, 1 << 32, 0x80000002)),
        (sealer(), (42, -5, 0x80000002)),
        (sealer(), (42, 5, 1 << 32)),
        (sealer(base=40), (41, 5, 0x80000002)),
        (sealer(base=40), same),
        (sealer(salt=b"S" + b"s" * 15), same),
        (sealer(EpochKeys(STREAM, 8, KEYS.reveal())), same),
        (sealer(EpochKeys(UUID(int=1), 7, KEYS.reveal())), same),
        (sealer(EpochKeys(STREAM, 7, bytes(32))), same),
    ]
    for other, place in strangers:
        with pytest.raises(Corrupt) as caught:
            other.open(*place, sealed)
        assert "queen" not in repr(caught.value)


def test_every_changed_or_missing_byte_is_refused(sealed: bytes) -> None:
    for i in range(len(sealed)):
        for bit in range(8):
            changed = bytearray(sealed)
            changed[i] ^= 1 << bit
            with pytest.raises(Corrupt):
                sealer().open(42, 5, 0x80000002, bytes(changed))
        with pytest.raises(Corrupt):
            sealer().open(42, 5, 0x80000002, sealed[:i])
    with pytest.raises(Corrupt):
        sealer().open(42, 5, 0x80000002, sealed + b"\0")


def test_every_byte_of_nonce_and_bound_data_counts() -> None:
    """Flipping any byte of either, with the right key, does not open the slot."""
    cipher = AESGCM(KEYS.slot_key(salt=COMMIT["salt"]))
    nonce = (1).to_bytes(8, "big") + (5).to_bytes(4, "big")
    place = (42).to_bytes(8, "big") + (5).to_bytes(4, "big") + (0x80000002).to_bytes(4, "big")
    bound = pack(b"kartejo/v1/sealed-slot", STREAM.bytes) + place
    slot = sealer().seal(42, 5, 0x80000002, PLAIN)
    assert cipher.decrypt(nonce, slot, bound) == PLAIN
    for i in range(len(nonce) + len(bound)):
        mixed = bytearray(nonce + bound)
        mixed[i] ^= 0x40
        with pytest.raises(InvalidTag):
            cipher.decrypt(bytes(mixed[:12]), slot, bytes(mixed[12:]))


def test_equal_lengths_stay_equal_whatever_the_card() -> None:
    """A size tells nothing: all 52 cards, and the face not shown."""
    lengths = {len(sealer().seal(42, 5, SERVER, bytes([card]))) for card in range(53)}
    assert lengths == {17}


def test_equal_cards_at_different_places_look_different() -> None:
    one = sealer()
    slots = {one.seal(42 + i, f, SERVER, b"\x05") for i in range(20) for f in range(1, 20)}
    assert len(slots) == 380


def test_a_place_is_sealed_once() -> None:
    """The same again is the same; other content or audience under that nonce is refused."""
    one = sealer()
    slot = one.seal(42, 5, SERVER, b"\x05")
    assert one.seal(42, 5, SERVER, b"\x05") == slot
    with pytest.raises(ValueError, match="once"):
        one.seal(42, 5, SERVER, b"\x06")
    with pytest.raises(ValueError, match="once"):
        one.seal(42, 5, SERVER | 1, b"\x05")


@pytest.mark.parametrize(
    ("version", "field", "audience"),
    [
        (41, 5, 1),
        (40, 5, 1),
        (1 << 64, 5, 1),
        (42, 0, 1),
        (42, -1, 1),
        (42, 1 << 32, 1),
        (42, 5, -1),
    ],
)
def test_no_slot_outside_its_commit(version: int, field: int, audience: int) -> None:
    with pytest.raises(ValueError, match=r"out of range|action") as caught:
        sealer().seal(version, field, audience, PLAIN)
    assert "queen" not in str(caught.value)


def test_an_action_is_sealed_beside_the_slots(sealed: bytes) -> None:
    action = sealer().seal_action(PLAIN)
    assert sealer().open_action(action) == PLAIN
    assert action[: len(PLAIN)] != sealed[: len(PLAIN)]
    with pytest.raises(Corrupt):
        sealer().open_action(sealed)
    with pytest.raises(Corrupt):
        sealer().open_action(action, SERVER | 4)
    with pytest.raises(Corrupt):
        sealer().open(42, 5, SERVER, action)
    assert sealer().open(41, 0, SERVER, action) == PLAIN


@settings(max_examples=15)
@given(
    st.binary(max_size=40),
    st.integers(0, 1 << 40),
    st.integers(1, 500),
    st.integers(1, (1 << 32) - 1),
    st.integers(0, (1 << 32) - 1),
)
def test_the_twin_seals_the_same(
    plain: bytes, base: int, offset: int, field: int, audience: int
) -> None:
    """AES-256-GCM written a second time, from the standards."""
    key = twin.slot_key(twin.Epoch(STREAM, 7, KEYS.reveal()), COMMIT["salt"])
    expected = twin.seal(key, STREAM, base, (base + offset, field, audience), plain)
    assert sealer(base=base).seal(base + offset, field, audience, plain) == expected


class Recorder:
    """Stands for AES-GCM and remembers which content met which key and nonce."""

    used: dict[tuple[bytes, bytes], tuple[bytes, bytes]]

    def __init__(self, key: bytes) -> None:
        self.key = key

    def encrypt(self, nonce: bytes, plain: bytes, bound: bytes) -> bytes:
        before = self.used.setdefault((self.key, nonce), (plain, bound))
        assert before == (plain, bound), "a nonce was used again with other content"
        return AESGCM(self.key).encrypt(nonce, plain, bound)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Recorder]]:
    Recorder.used = {}
    monkeypatch.setattr(service.vault.seal, "AESGCM", Recorder)
    yield Recorder
    Recorder.used = {}


def seal_commit(keys: EpochKeys, base: int, draw: random.Random, world: SteppedWorld) -> int:
    """As the host does: a fresh salt for every attempt, whatever it seals."""
    made = SlotSealer(keys, base=base, salt=world.entropy(16))
    count = draw.randint(1, 5)
    made.seal_action(draw.randbytes(5))
    for version in range(base + 1, base + count + 1):
        for field in range(1, draw.randint(1, 4)):
            made.seal(version, field, SERVER | draw.randint(0, 15), draw.randbytes(8))
    return count


@pytest.mark.parametrize("seed", range(20))
def test_no_nonce_meets_two_contents_in_any_history(seed: int, recorder: type[Recorder]) -> None:
    """Attempts that are rolled back and made again, with equal or other content; new epochs."""
    draw = random.Random(seed)
    world = SteppedWorld(seed=bytes([seed]))
    streams = [uuid7(world) for _ in range(3)]
    epochs = {stream: EpochKeys.draw(stream, 1, world) for stream in streams}
    versions = dict.fromkeys(streams, 0)
    for _ in range(300):
        stream = draw.choice(streams)
        keys, base = epochs[stream], versions[stream]
        for _ in range(draw.choice([0, 0, 1, 3])):  # attempts that were rolled back
            seal_commit(keys, base, draw, world)
        versions[stream] += seal_commit(keys, base, draw, world)
        if draw.random() < 0.05:
            epochs[stream] = EpochKeys.draw(stream, keys.epoch + 1, world)
    assert len(recorder.used) > 600


def test_the_recorder_would_notice(recorder: type[Recorder]) -> None:
    """Two sealers that forget what tells their commits apart are caught."""
    sealer().seal(42, 1, SERVER, b"one")
    with pytest.raises(AssertionError, match="again"):
        sealer().seal(42, 1, SERVER, b"two")
