"""Secret files: modes, owners, whole or absent."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from service.vault import KeyFileError
from service.vault.secret_file import (
    create_secret_file,
    read_or_create_secret_file,
    read_secret_file,
    replace_secret_file,
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "secrets" / "deep" / "master.key"


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_files_are_600_in_a_folder_of_700_whatever_the_umask(path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        assert create_secret_file(path, "one\n")
    finally:
        os.umask(before)
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    assert read_secret_file(path, private_folder=True) == "one\n"
    assert names(path.parent) == [path.name]


def test_a_file_that_exists_is_never_overwritten_by_creation(path: Path) -> None:
    assert create_secret_file(path, "one")
    assert not create_secret_file(path, "two")
    assert read_secret_file(path) == "one"
    assert names(path.parent) == [path.name]


def test_replacing_swaps_the_whole_text_and_keeps_the_mode(path: Path) -> None:
    replace_secret_file(path, "one")
    replace_secret_file(path, "two, longer")
    assert read_secret_file(path) == "two, longer"
    assert mode(path) == 0o600
    assert names(path.parent) == [path.name]


def test_of_many_creators_one_wins_and_all_read_the_same(path: Path) -> None:
    """Two services that start at once must not each keep a key of their own."""
    start, made, read = threading.Barrier(8), list[bool](), list[str]()

    def create(number: int) -> None:
        start.wait()
        made.append(create_secret_file(path, f"{number}" * 64))
        read.append(read_secret_file(path))

    threads = [threading.Thread(target=create, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made.count(True) == 1
    assert len(set(read)) == 1
    assert len(read) == 8


@pytest.mark.parametrize("loose", [0o640, 0o604, 0o620, 0o602, 0o610, 0o666, 0o777])
def test_a_file_that_others_may_use_is_refused_with_advice(path: Path, loose: int) -> None:
    create_secret_file(path, "hidden")
    path.chmod(loose)
    with pytest.raises(KeyFileError, match=r"chmod 600 .*master\.key") as caught:
        read_secret_file(path)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("loose", [0o755, 0o710, 0o701])
def test_a_folder_that_others_may_enter_is_refused_with_advice(path: Path, loose: int) -> None:
    create_secret_file(path, "hidden")
    path.parent.chmod(loose)
    with pytest.raises(KeyFileError, match="chmod 700"):
        read_secret_file(path, private_folder=True)
    assert read_secret_file(path) == "hidden"


def test_a_read_only_file_is_fine(path: Path) -> None:
    create_secret_file(path, "hidden")
    path.chmod(0o400)
    assert read_secret_file(path) == "hidden"


def test_a_stranger_owns_no_key_of_ours(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create_secret_file(path, "hidden")
    if os.geteuid() == 0:
        os.chown(path, 65_534, 65_534)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4_000_000)
    with pytest.raises(KeyFileError, match="another user"):
        read_secret_file(path)


def test_missing_odd_and_binary_files_are_refused(path: Path) -> None:
    with pytest.raises(KeyFileError, match="cannot be read"):
        read_secret_file(path, private_folder=True)
    create_secret_file(path, "x" * 65_537)
    with pytest.raises(KeyFileError, match="too large"):
        read_secret_file(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(KeyFileError, match="not a text file"):
        read_secret_file(path)
    pipe = path.with_name("pipe")
    os.mkfifo(pipe, 0o600)
    for odd in (path.parent, pipe):
        with pytest.raises(KeyFileError):
            read_secret_file(odd)


def test_a_place_that_cannot_even_be_looked_at_is_told(tmp_path: Path) -> None:
    """No bare OSError: the text names the file."""
    with pytest.raises(KeyFileError, match="cannot be read"):
        read_or_create_secret_file(tmp_path / ("k" * 300), lambda: "x")


def test_an_unwritable_place_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for write in (create_secret_file, replace_secret_file):
        with pytest.raises(KeyFileError, match="cannot be written"):
            write(tmp_path / "file" / "master.key", "x")
    (tmp_path / "taken").mkdir()
    with pytest.raises(KeyFileError, match="cannot be written"):
        replace_secret_file(tmp_path / "taken", "x")
    assert names(tmp_path) == ["file", "taken"]
