"""Files that hold a secret: mode 600 in a folder of mode 700, whole or absent.

A secret is written beside its place, flushed, then linked or renamed there.  A crash leaves no
half key, and of two processes that start at once one makes the key and both read it.
"""

from __future__ import annotations

import os
import secrets
import shlex
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from engine.errors import KartejoError
from service.folders import flush_folder

__all__ = [
    "KeyFileError",
    "create_secret_file",
    "read_or_create_secret_file",
    "read_secret_file",
    "replace_secret_file",
]

_FILE_MODE: Final = 0o600
_FOLDER_MODE: Final = 0o700
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_SIZE_LIMIT: Final = 65_536
_READ: Final = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)


class KeyFileError(KartejoError):
    """A key file is missing, readable by others or malformed; the text says what to do."""

    reason = "KEY_FILE"


def read_secret_file(path: Path, *, private_folder: bool = False) -> str:
    """The text of a secret file.

    Raises ``KeyFileError`` when it cannot be read, belongs to another user, others may read or
    write it, or it is no ordinary small text; with ``private_folder`` also when others may enter
    its folder.
    """
    try:
        if private_folder:
            _check_owner_and_mode(path.parent, path.parent.stat(), _FOLDER_MODE)
        # The open file is checked, not its name: the name could change in between.
        # O_NONBLOCK: opening a pipe put in its place must not hang.
        descriptor = os.open(path, _READ)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise KeyFileError(f"{path} is not an ordinary file")
            _check_owner_and_mode(path, status, _FILE_MODE)
            content = file.read(_SIZE_LIMIT + 1)
    except OSError as error:
        raise KeyFileError(f"{path} cannot be read: {error.strerror}") from error
    if len(content) > _SIZE_LIMIT:
        raise KeyFileError(f"{path} is too large for a key file")
    try:
        return content.decode("ascii")
    except UnicodeDecodeError:
        raise KeyFileError(f"{path} is not a text file") from None


def read_or_create_secret_file(path: Path, make: Callable[[], str]) -> str:
    """The text of ``path``, which is made with the text of ``make`` when it does not exist.

    Its folder must be private.  Raises ``KeyFileError`` as reading and creating do.
    """
    try:
        is_missing = not path.exists()
    except OSError as error:
        raise KeyFileError(f"{path} cannot be read: {error.strerror}") from error
    if is_missing:
        create_secret_file(path, make())
    return read_secret_file(path, private_folder=True)


def create_secret_file(path: Path, text: str) -> bool:
    """Make ``path`` with ``text`` unless it exists; whether it was made here.

    Its folder is made, mode 700.  Raises ``KeyFileError`` when that is not possible.
    """
    with _written_beside(path, text) as written:
        try:
            path.hardlink_to(written)
        except FileExistsError:
            return False
        return True


def replace_secret_file(path: Path, text: str) -> None:
    """Put ``text`` in ``path``, new or not; readers see the old text or the new one.

    Its folder is made, mode 700.  Raises ``KeyFileError`` when that is not possible.
    """
    with _written_beside(path, text) as written:
        written.replace(path)


@contextmanager
def _written_beside(path: Path, text: str) -> Iterator[Path]:
    written = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            yield written
        finally:
            written.unlink(missing_ok=True)
        flush_folder(path.parent)
    except OSError as error:
        raise KeyFileError(f"{path} cannot be written: {error.strerror}") from error


def _check_owner_and_mode(path: Path, status: os.stat_result, wanted: int) -> None:
    if not hasattr(os, "geteuid"):
        return  # Windows, where neither of them says who may read it
    if status.st_uid not in {os.geteuid(), 0}:
        raise KeyFileError(f"{path} belongs to another user; chown it to the one that serves")
    if status.st_mode & _OTHERS:
        loose = stat.S_IMODE(status.st_mode)
        mend = f"chmod {wanted:o} {shlex.quote(str(path))}"
        raise KeyFileError(f"{path} has mode {loose:o}; others may use it: {mend}")
