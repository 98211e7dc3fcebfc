"""Files that are there whole or not at all, and never in the place of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.exports.files import AlreadyThere, whole_file, whole_folder


class Cut(Exception):
    """Something ends the writing."""


def test_a_file_has_its_name_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    with whole_file(path) as file:
        file.write(b"one")
        assert not path.exists()
    assert path.read_bytes() == b"one"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_cut_off_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Cut), whole_file(tmp_path / "file") as file:
        file.write(b"one")
        raise Cut
    with pytest.raises(Cut), whole_folder(tmp_path / "folder") as folder:
        (folder / "part").write_text("one")
        raise Cut
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """Not what was there before, nor what comes while the file is written."""
    path = tmp_path / "file"
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for taken in (tmp_path, tmp_path / "link"):
        with pytest.raises(AlreadyThere), whole_file(taken):
            pytest.fail("it is there already")
    with pytest.raises(AlreadyThere), whole_file(path) as file:
        file.write(b"late")
        path.write_text("early")
    assert path.read_text() == "early"


def test_a_folder_has_its_name_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "export"
    with whole_folder(path) as folder:
        (folder / "part").write_text("one")
        assert not path.exists()
    assert [each.name for each in path.iterdir()] == ["part"]
    with pytest.raises(AlreadyThere), whole_folder(path):
        pytest.fail("it is there already")
    late = tmp_path / "late"
    with pytest.raises(AlreadyThere), whole_folder(late) as folder:
        (folder / "part").write_text("one")
        late.mkdir()
        (late / "other").write_text("early")
    assert (late / "other").read_text() == "early"
    assert {each.name for each in tmp_path.iterdir()} == {"export", "late"}
