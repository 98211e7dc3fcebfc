"""Files that are there whole or not at all, and never in the place of others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from service.exports.files import AlreadyThere, whole_file, whole_folder


class Cut(Exception):
    """Something ends the writing."""


def write_file(path: Path, then: Callable[[], object] = lambda: None) -> None:
    with whole_file(path) as file:
        file.write(b"one")
        then()


def write_folder(path: Path, then: Callable[[], object] = lambda: None) -> None:
    with whole_folder(path) as folder:
        (folder / "part").write_text("one")
        then()


def cut() -> None:
    raise Cut


def test_a_file_has_its_name_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    before: list[bool] = []
    write_file(path, lambda: before.append(path.exists()))
    assert before == [False]
    assert path.read_bytes() == b"one"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_has_its_name_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "export"
    before: list[bool] = []
    write_folder(path, lambda: before.append(path.exists()))
    assert before == [False]
    assert [each.name for each in path.iterdir()] == ["part"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("write", [write_file, write_folder])
def test_what_is_cut_off_leaves_nothing(tmp_path: Path, write: Callable[..., None]) -> None:
    with pytest.raises(Cut):
        write(tmp_path / "export", cut)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("write", [write_file, write_folder])
def test_nothing_is_overwritten(tmp_path: Path, write: Callable[..., None]) -> None:
    """Not what was there before, nor what comes while it is written."""
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for taken in (tmp_path, tmp_path / "link"):
        with pytest.raises(AlreadyThere):
            write(taken)
    late = tmp_path / "late"
    with pytest.raises(AlreadyThere):
        write(late, lambda: late.write_text("early"))
    assert late.read_text() == "early"
    assert {each.name for each in tmp_path.iterdir()} == {"link", "late"}
