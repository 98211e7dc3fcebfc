"""The packages: the same bytes twice, complete, and at work where nothing else of ours is."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
from pathlib import Path

import pytest

from tests.commands import ROOT
from tests.tools import tool

TOOL = ROOT / "tools" / "build_packages.py"


def archive(path: Path, names: list[str], mode: int, owner: str) -> Path:
    """A .tar.gz of empty files, as a machine with ways of its own makes it."""
    with tarfile.open(path, "w:gz") as made:
        for number, name in enumerate(names):
            member = tarfile.TarInfo(name)
            member.mode, member.uname, member.uid, member.mtime = mode, owner, number, number
            made.addfile(member)
    return path


def test_an_archive_keeps_nothing_of_its_builder(tmp_path: Path) -> None:
    """Other order, modes, owners and times: the same bytes, and what may be run still may be."""
    pack = tool("build_packages").packed_anew
    one = archive(tmp_path / "one.tar.gz", ["a", "b"], 0o644, "ann")
    two = archive(tmp_path / "two.tar.gz", ["b", "a"], 0o664, "bob")
    run = archive(tmp_path / "run.tar.gz", ["a", "b"], 0o775, "bob")
    for each in (one, two, run):
        pack(each, tmp_path / f"new-{each.name}", 1_700_000_000)
    assert (tmp_path / "new-one.tar.gz").read_bytes() == (tmp_path / "new-two.tar.gz").read_bytes()
    assert gzip.decompress(one.read_bytes()) != gzip.decompress(two.read_bytes())
    with tarfile.open(tmp_path / "new-run.tar.gz") as made:
        members = made.getmembers()
    assert [(each.name, each.mode, each.mtime, each.uid, each.uname) for each in members] == [
        (name, 0o755, 1_700_000_000, 0, "") for name in ("a", "b")
    ]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two folders of packages, built at another time under another umask."""
    made = []
    for umask in (0o002, 0o077):
        folder = tmp_path_factory.mktemp("dist")
        command = [sys.executable, str(TOOL), str(folder)]
        env = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
        subprocess.run(command, check=True, env=env, umask=umask, capture_output=True, cwd="/")
        made.append(folder)
    return made


@pytest.mark.long
@pytest.mark.timeout(900)
def test_two_builds_give_the_same_bytes(packages: list[Path]) -> None:
    one, two = ({file.name: file.read_bytes() for file in folder.iterdir()} for folder in packages)
    assert sorted(one) == sorted(two)
    assert one == two
    (wheel,) = (name for name in one if name.endswith(".whl"))
    assert "-cp311-abi3-" in wheel


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_archive_has_what_a_clone_has(packages: list[Path]) -> None:
    """But for what says how we work on it: so `make serve` and `make test` work in it too."""
    (path,) = packages[0].glob("*.tar.gz")
    with tarfile.open(path) as made:
        names = {name.partition("/")[2] for name in made.getnames()}
    for wanted in ("Makefile", "csrc/build_ffi.py", "csrc/kartejo.h", "requirements/serve.txt"):
        assert wanted in names
    sources = [path for name in ("engine", "service", "tests") for path in (ROOT / name).rglob("*")]
    for path in sources:
        if path.suffix in {".py", ".hand", ".proto", ".sql", ".pyi"}:
            assert path.relative_to(ROOT).as_posix() in names
    assert not [name for name in names if name.endswith((".so", ".pyc")) or "node_modules" in name]


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_wheel_plays_in_a_new_environment(packages: list[Path], tmp_path: Path) -> None:
    """Its own engine, C core and command; what it depends on is that of this environment."""
    (wheel,) = packages[0].glob("*.whl")
    place = tmp_path / "new"
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([python, *install], check=True)
    (site,) = place.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def kartejo(*arguments: str) -> str:
        command = [place / "bin" / "kartejo", *arguments]
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=tmp_path, env=env
        ).stdout

    assert str(place) in kartejo("--version")
    hands = str(ROOT / "tests" / "hands" / "royal_flush")
    assert kartejo("script", "run", hands).endswith("every line holds\n")
