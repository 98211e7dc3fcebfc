"""The master key: where it comes from, and what it wraps."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from engine.errors import Corrupt
from service.vault import KeyFileError, MasterKey, open_snapshot, seal_snapshot
from service.vault.framing import pack
from service.world import RealWorld, SteppedWorld, uuid7
from tests.vault import twin
from tests.vault.twin_gcm import gcm_seal

KEY = bytes(range(32))
HERE, THERE = pack(b"here", b"1"), pack(b"here", b"2")


@pytest.fixture
def master() -> MasterKey:
    return MasterKey(KEY, SteppedWorld())


def test_a_missing_key_file_is_made_once_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "secrets" / "master.key"
    first = MasterKey.load(path, {}, RealWorld())
    text = path.read_text()
    assert len(text) == 65
    assert bytes.fromhex(text)
    assert MasterKey.load(path, {}, RealWorld()).id == first.id
    assert path.read_text() == text


def test_the_environment_gives_the_key_or_its_file_and_makes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "secrets" / "master.key"
    given = tmp_path / "given"
    given.write_text(KEY.hex())
    given.chmod(0o400)
    for environment in (
        {"KARTEJO_MASTER_KEY": KEY.hex() + "\n"},
        {"KARTEJO_MASTER_KEY": KEY.hex().upper()},
        {"KARTEJO_MASTER_KEY_FILE": str(given)},
    ):
        assert MasterKey.load(path, environment, RealWorld()).id == MasterKey(KEY, RealWorld()).id
    assert not path.parent.exists()


def test_a_mistyped_file_name_in_the_environment_makes_no_new_key(tmp_path: Path) -> None:
    missing = tmp_path / "mistyped"
    with pytest.raises(KeyFileError, match="cannot be read"):
        MasterKey.load(tmp_path / "k", {"KARTEJO_MASTER_KEY_FILE": str(missing)}, RealWorld())
    assert not missing.exists()


def test_two_sources_at_once_are_refused(tmp_path: Path) -> None:
    both = {"KARTEJO_MASTER_KEY": KEY.hex(), "KARTEJO_MASTER_KEY_FILE": "x"}
    with pytest.raises(KeyFileError, match="not both"):
        MasterKey.load(tmp_path / "k", both, RealWorld())


@pytest.mark.parametrize(
    "text", ["", KEY.hex()[:-1], KEY.hex() + "0", "zz" * 32, "a b" * 21 + "a", "\u0661" * 64]
)
def test_a_malformed_key_is_refused_with_advice_that_does_not_quote_it(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "secrets" / "master.key"
    MasterKey.load(path, {}, RealWorld())
    path.write_bytes(text.encode())
    with pytest.raises(KeyFileError) as caught:
        MasterKey.load(path, {}, RealWorld())
    assert "hex digits; restore" in str(caught.value) or "not a text file" in str(caught.value)
    assert not text or text not in str(caught.value)


def test_a_loose_key_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "secrets" / "master.key"
    MasterKey.load(path, {}, RealWorld())
    path.chmod(0o644)
    with pytest.raises(KeyFileError, match="chmod 600"):
        MasterKey.load(path, {}, RealWorld())
    path.chmod(0o600)
    path.parent.chmod(0o755)
    with pytest.raises(KeyFileError, match="chmod 700"):
        MasterKey.load(path, {}, RealWorld())


@pytest.mark.parametrize("size", [0, 1, 32, 5_000])
def test_wrapped_bytes_come_back_in_their_context_alone(master: MasterKey, size: int) -> None:
    secret = b"s" * size
    wrapped = master.wrap(secret, HERE)
    assert len(wrapped) == size + 36
    assert wrapped[:8] == master.id
    assert master.unwrap(wrapped, HERE) == secret
    with pytest.raises(Corrupt):
        master.unwrap(wrapped, THERE)


def test_wrapping_twice_gives_other_bytes(master: MasterKey) -> None:
    assert len({master.wrap(b"same", HERE) for _ in range(1_000)}) == 1_000


def test_wrapped_bytes_are_those_of_the_twin() -> None:
    """The stored form is final: key id, nonce, AES-256-GCM under a key of the context."""
    entropy = SteppedWorld(seed=b"nonces")
    nonce = SteppedWorld(seed=b"nonces").entropy(12)
    key_id = sha256(twin.framed(b"kartejo/v1/master-key-id", KEY)).digest()[:8]
    key = twin.hkdf(KEY, b"", twin.framed(b"kartejo/v1/master-wrap", HERE))
    sealed = gcm_seal(key, nonce, b"queen of diamonds", twin.framed(key_id, HERE))
    assert MasterKey(KEY, entropy).wrap(b"queen of diamonds", HERE) == key_id + nonce + sealed


def test_every_changed_or_missing_byte_is_refused(master: MasterKey) -> None:
    """Key id, nonce, ciphertext and tag alike."""
    wrapped = master.wrap(b"queen of diamonds", HERE)
    for i in range(len(wrapped)):
        for bit in range(8):
            changed = bytearray(wrapped)
            changed[i] ^= 1 << bit
            with pytest.raises(Corrupt) as caught:
                master.unwrap(bytes(changed), HERE)
            assert "queen" not in repr(caught.value)
        with pytest.raises(Corrupt):
            master.unwrap(wrapped[:i], HERE)
    with pytest.raises(Corrupt):
        master.unwrap(wrapped + b"\0", HERE)


def test_another_master_key_is_named_not_guessed(master: MasterKey) -> None:
    other = MasterKey(bytes(32), SteppedWorld())
    with pytest.raises(Corrupt, match=f"{master.id.hex()}.*{other.id.hex()}"):
        other.unwrap(master.wrap(b"x", HERE), HERE)


def test_a_key_of_another_length_is_refused() -> None:
    for size in (0, 16, 31, 33):
        with pytest.raises(ValueError, match="32 bytes"):
            MasterKey(bytes(size), SteppedWorld())


def test_a_snapshot_opens_at_its_place_alone(master: MasterKey) -> None:
    """Stream, version, hash and rules revision are all bound."""
    world = SteppedWorld()
    stream, other = uuid7(world), uuid7(world)
    sealed = seal_snapshot(
        master, b"state", stream=stream, version=500, commit_hash=b"h" * 32, rules=3
    )
    assert b"state" not in sealed
    opened = open_snapshot(
        master, sealed, stream=stream, version=500, commit_hash=b"h" * 32, rules=3
    )
    assert opened == b"state"
    for place in [
        (other, 500, b"h" * 32, 3),
        (stream, 501, b"h" * 32, 3),
        (stream, 500, b"i" + b"h" * 31, 3),
        (stream, 500, b"h" * 32, 4),
    ]:
        with pytest.raises(Corrupt):
            open_snapshot(
                master,
                sealed,
                stream=place[0],
                version=place[1],
                commit_hash=place[2],
                rules=place[3],
            )


def test_a_missing_key_is_not_made_where_one_must_be(tmp_path):
    """``make=False``: the store has been written with a key before."""
    path = tmp_path / "secrets" / "master.key"
    with pytest.raises(KeyFileError):
        MasterKey.load(path, {}, RealWorld(), make=False)
    assert not path.parent.exists()
    first = MasterKey.load(path, {}, RealWorld())
    assert MasterKey.load(path, {}, RealWorld(), make=False).id == first.id
