"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp, mkstemp
from typing import BinaryIO

from engine.errors import KartejoError
from service.folders import flush_folder

__all__ = ["AlreadyThere", "whole_file", "whole_folder"]


class AlreadyThere(KartejoError):
    """What is to be written is there already, and is not overwritten."""

    reason = "ALREADY_THERE"


def refuse_existing(path: Path) -> None:
    """Raises ``AlreadyThere`` if something has that name: asked before the work is done."""
    if path.exists() or path.is_symlink():
        raise AlreadyThere(f"{path} is there already: remove it, or name another file")


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A new file, readable by its owner alone; it has its name once it is complete and on disk.

    Raises ``AlreadyThere`` and ``OSError``; then nothing is left of it.
    """
    refuse_existing(path)
    descriptor, name = mkstemp(prefix=f".{path.name}.", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "wb", buffering=1 << 20) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(beside)  # unlike a rename, this never replaces anything
        except FileExistsError:
            refuse_existing(path)
        flush_folder(path.parent)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A new folder, which has its name once everything in it is written.

    Raises ``AlreadyThere`` and ``OSError``; then nothing is left of it.
    """
    refuse_existing(path)
    beside = Path(mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        yield beside
        for file in beside.iterdir():
            with file.open("rb") as written:
                os.fsync(written.fileno())
        try:
            beside.rename(path)
        except OSError:
            refuse_existing(path)
            raise
        flush_folder(path.parent)
    finally:
        if beside.exists():
            for file in beside.iterdir():
                file.unlink()
            beside.rmdir()
