"""Key rings and the files of an installation."""

from __future__ import annotations

import copy
import doctest
import stat
from pathlib import Path

import pytest

import service.identity.files
from service.identity import ISSUER, LAB_ISSUER, KeyRing, SecretFiles
from service.identity.key_ring import SigningKey
from service.vault import KeyFileError, MasterKey
from service.world import RealWorld, SteppedWorld


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def files(tmp_path: Path) -> SecretFiles:
    return SecretFiles.beside(tmp_path / "kartejo")


def test_the_examples_run() -> None:
    assert doctest.testmod(service.identity.files).failed == 0


def test_a_ring_is_made_once_and_read_again(files: SecretFiles) -> None:
    first = KeyRing.load(files.token_keys, RealWorld())
    assert [key.kid for key in KeyRing.load(files.token_keys, RealWorld()).keys] == [
        key.kid for key in first.keys
    ]
    assert stat.S_IMODE(files.token_keys.stat().st_mode) == 0o600
    assert stat.S_IMODE(files.folder.stat().st_mode) == 0o700


def test_rings_round_trip_with_all_their_keys() -> None:
    world = SteppedWorld()
    for issuer in (ISSUER, LAB_ISSUER):
        ring = KeyRing.draw(world, issuer).rotated(world).rotated(world)
        again = KeyRing.parse(ring.as_text(), issuer, "test")
        assert [key.kid for key in again.keys] == [key.kid for key in ring.keys]
        assert len({key.kid for key in ring.keys}) == 3
        assert all(key.kid.startswith("lab-") == (issuer == LAB_ISSUER) for key in ring.keys)


def test_a_rotated_key_stands_in_front() -> None:
    world = SteppedWorld()
    ring = KeyRing.draw(world)
    assert ring.rotated(world).keys[1:] == ring.keys


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "5",
        '{"issuer": "kartejo", "keys": []}',
        '{"issuer": "kartejo", "keys": ["5ec7e7"]}',
        '{"issuer": "kartejo", "keys": [5]}',
        '{"issuer": "kartejo", "keys": "5ec7e7"}',
        '{"issuer": "kartejo", "keys": ["' + "5ec7e7zz" * 8 + '"]}',
        '{"issuer": "kartejo", "keys": ["' + '", "'.join(["5ec7e75e" * 8] * 2) + '"]}',
        '{"issuer": "kartejo-lab", "keys": ["' + "5ec7e75e" * 8 + '"]}',
        "[" * 60_000,
    ],
)
def test_a_malformed_ring_is_refused_with_advice_that_quotes_nothing(
    files: SecretFiles, text: str
) -> None:
    KeyRing.load(files.token_keys, RealWorld())
    files.token_keys.write_text(text)
    with pytest.raises(KeyFileError, match="restore it") as caught:
        KeyRing.load(files.token_keys, RealWorld())
    assert "5ec7e7" not in str(caught.value)


def test_a_loose_ring_is_refused(files: SecretFiles) -> None:
    KeyRing.load(files.token_keys, RealWorld())
    files.token_keys.chmod(0o640)
    with pytest.raises(KeyFileError, match="chmod 600"):
        KeyRing.load(files.token_keys, RealWorld())


def test_rings_and_keys_show_names_only() -> None:
    ring = KeyRing.draw(SteppedWorld())
    key = ring.keys[0]
    assert key.kid in repr(ring)
    for text in (repr(ring), repr(key), str(key)):
        assert key.as_text() not in text
    with pytest.raises(TypeError):
        copy.copy(key)


def test_odd_rings_are_refused() -> None:
    key = SigningKey(bytes(32), ISSUER)
    with pytest.raises(ValueError, match="issuer"):
        KeyRing("somebody", [key])
    for keys in ([], [key, key]):
        with pytest.raises(ValueError, match="one key or more"):
            KeyRing(ISSUER, keys)
    with pytest.raises(ValueError, match="32"):
        SigningKey(bytes(31), ISSUER)


def test_a_seed_has_another_name_under_another_issuer() -> None:
    assert SigningKey(bytes(32), ISSUER).kid not in SigningKey(bytes(32), LAB_ISSUER).kid


def test_the_secrets_lie_beside_the_data_not_in_it(files: SecretFiles, tmp_path: Path) -> None:
    data = tmp_path / "kartejo"
    paths = {
        files.master_key,
        files.token_keys,
        files.lab_token_keys,
        files.admin_token,
        files.lab_admin_token,
    }
    assert len(paths) == 5
    assert {path.parent for path in paths} == {files.folder}
    assert files.folder.parent == data.parent
    assert not any(path.is_relative_to(data) for path in paths)


def test_an_admin_token_is_written_replaced_and_read(files: SecretFiles) -> None:
    with pytest.raises(KeyFileError, match="cannot be read"):
        files.read_token(files.admin_token)
    files.write_token(files.admin_token, "a.b.c")
    files.write_token(files.admin_token, "d.e.f")
    assert files.read_token(files.admin_token) == "d.e.f"
    assert stat.S_IMODE(files.admin_token.stat().st_mode) == 0o600
    assert names(files.folder) == ["admin.token"]
    files.admin_token.chmod(0o644)
    with pytest.raises(KeyFileError, match="chmod 600"):
        files.read_token(files.admin_token)


def test_all_secrets_share_one_private_folder(files: SecretFiles) -> None:
    MasterKey.load(files.master_key, {}, RealWorld())
    KeyRing.load(files.token_keys, RealWorld())
    KeyRing.load(files.lab_token_keys, RealWorld(), LAB_ISSUER)
    assert names(files.folder) == ["lab-tokens.json", "master.key", "tokens.json"]
