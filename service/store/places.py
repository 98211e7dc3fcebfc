"""Where the embedded database lies: never in a temporary area."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

import platformdirs

from service.store.account import Account, is_root
from service.store.errors import LaunchError

__all__ = ["cache_home", "default_home", "private_socket_folder", "refuse_temporary"]

_TEMPORARY: Final = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/var/run")  # noqa: S108
_MEMORY_SYSTEMS: Final = frozenset({"tmpfs", "ramfs", "devtmpfs"})
_LONGEST_SOCKET_FOLDER: Final = 80


def default_home() -> Path:
    """Where Kartejo keeps its data: /var/lib/kartejo for root, else the user's data directory."""
    if is_root():
        return Path("/var/lib/kartejo")
    return Path(platformdirs.user_data_dir("kartejo", appauthor=False))


def cache_home() -> Path:
    """Where copies of the programs lie that can be made again at any time."""
    if is_root():
        return Path("/var/cache/kartejo")
    return Path(platformdirs.user_cache_dir("kartejo", appauthor=False))


def refuse_temporary(home: Path) -> None:
    """Raise ``LaunchError(TEMPORARY_DATA)`` when the machine may empty ``home`` by itself."""
    place = home.resolve()
    areas = [Path(area).resolve() for area in (*_TEMPORARY, tempfile.gettempdir())]
    if any(place.is_relative_to(area) for area in areas) or _in_memory(place):
        raise LaunchError(
            "TEMPORARY_DATA",
            f"{place} is a temporary area, and acknowledged events must outlive it: choose "
            "another folder by --data, or name a server by --database",
        )


def _in_memory(place: Path) -> bool:
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        return False
    best: tuple[int, str] = (0, "")
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        _, point, system, *_ = line.split(" ")
        where = Path(point.replace("\\040", " "))
        if place.is_relative_to(where):
            best = max(best, (len(where.parts), system))
    return best[1] in _MEMORY_SYSTEMS


def private_socket_folder(account: Account | None) -> Path:
    """A fresh folder of mode 700 of the server's user, short enough for a socket (107 bytes)."""
    for parent in (tempfile.gettempdir(), "/tmp"):  # noqa: S108
        if len(parent) < _LONGEST_SOCKET_FOLDER:
            folder = Path(tempfile.mkdtemp(prefix="kartejo-", dir=parent))
            if account is not None:
                os.chown(folder, account.uid, account.gid)
            return folder
    raise LaunchError("START_FAILED", "no temporary folder is short enough for a socket")
