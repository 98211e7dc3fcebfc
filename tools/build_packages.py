"""Makes source archive and wheel: ``python tools/build_packages.py [FOLDER]``, dist/ without one.

The same source gives the same bytes, whoever builds it where and when with the same compiler: files
in the order of their names, with fixed modes and owners, and the time of SOURCE_DATE_EPOCH (that of
the newest commit if it is not set).  The wheel is built from the archive, so the archive builds.
Nothing is fetched: setuptools and cffi are those of this interpreter.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
NOT_SOURCE: Final = shutil.ignore_patterns(
    ".*_cache", ".git", ".hypothesis", ".venv*", "*.egg-info", "__pycache__", "build", "dist",
    "node_modules",
)  # fmt: skip


def epoch() -> int:
    """The time of everything in the packages, seconds since 1970."""
    told = os.environ.get("SOURCE_DATE_EPOCH")
    if told is None:
        command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
        told = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return int(told)


def built(kind: str, source: Path, target: Path, when: int) -> Path:
    """What setuptools makes of a folder: ``kind`` is ``sdist`` or ``wheel``."""
    command = f"from setuptools import build_meta; build_meta.build_{kind}({str(target)!r})"
    env = {**os.environ, "SOURCE_DATE_EPOCH": str(when)}
    subprocess.run(
        [sys.executable, "-c", command], cwd=source, env=env, check=True, stdout=subprocess.DEVNULL
    )
    (made,) = target.iterdir()
    return made


def packed_anew(archive: Path, target: Path, when: int) -> None:
    """Write a .tar.gz again, with nothing in it that its builder's machine decides."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        runs = member.isdir() or member.mode & 0o100
        member.mode = 0o755 if runs else 0o644
        member.mtime, member.uid, member.gid, member.uname, member.gname = when, 0, 0, "", ""
        member.pax_headers = {}
        return member

    with (
        tarfile.open(archive) as old,
        target.open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, when) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            new.addfile(plain(member), old.extractfile(member) if member.isfile() else None)


def main(arguments: list[str]) -> int:
    """0 if both are made; their names and hashes are printed."""
    target = Path(arguments[0] if arguments else ROOT / "dist").resolve()
    target.mkdir(parents=True, exist_ok=True)
    when = epoch()
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for name in ("sdist", "unpacked", "wheel"):
            (work / name).mkdir()
        # A copy: setuptools would take over what lists of earlier builds name.
        shutil.copytree(ROOT, work / "source", ignore=NOT_SOURCE)
        rough = built("sdist", work / "source", work / "sdist", when)
        archive = target / rough.name
        packed_anew(rough, archive, when)
        with tarfile.open(archive) as source:
            source.extractall(work / "unpacked", filter="data")
        (unpacked,) = (work / "unpacked").iterdir()
        wheel = built("wheel", unpacked, work / "wheel", when)
        shutil.copyfile(wheel, target / wheel.name)
    for made in (archive, target / wheel.name):
        print(f"{hashlib.sha256(made.read_bytes()).hexdigest()}  {made}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
