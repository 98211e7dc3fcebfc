"""What a killed process leaves behind on a home folder, and how it is cleared away.

Called only by the holder of server.lock, so whatever is found has no living owner.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import Final

import structlog

from service.store.errors import LaunchError

__all__ = ["clear_leftovers", "postmaster_of"]

FAST_SECONDS: Final = 30.0
HARD_SECONDS: Final = 10.0
_log = structlog.get_logger("kartejo.store")


def clear_leftovers(home: Path) -> None:
    """End a server without an owner and remove its socket folder.

    The data directory itself needs nothing: PostgreSQL recovers it on the next start.
    """
    pid = postmaster_of(home / "postgres")
    if pid:
        _log.warning("embedded_leftover_server", pid=pid)
        _end(pid, home / "postgres")
    described = home / "server.json"
    try:
        folder = Path(json.loads(described.read_text(encoding="utf-8"))["socket_folder"])
    except FileNotFoundError:
        return
    except (ValueError, KeyError, TypeError):
        described.unlink()
        return
    # The file is only a hint: remove nothing that is not a socket folder of our own making.
    if folder.name.startswith("kartejo-") and folder.parent in {
        Path(tempfile.gettempdir()),
        Path("/tmp"),  # noqa: S108
    }:
        shutil.rmtree(folder, ignore_errors=True)
    described.unlink()


def postmaster_of(data: Path) -> int:
    """Process id of a living postmaster on ``data``, 0 when there is none.

    A recycled process id is told apart by its working directory, which for a postmaster is
    its data directory.
    """
    try:
        pid = int((data / "postmaster.pid").read_text(encoding="ascii").split("\n", 1)[0])
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return 0
    try:
        os.kill(pid, 0)
        where = Path(f"/proc/{pid}/cwd").readlink()
    except (ProcessLookupError, FileNotFoundError):
        return 0
    except PermissionError:
        # A process of somebody else: our server would be ours to signal.
        return 0
    return pid if where == data.resolve() else 0


def _end(pid: int, data: Path) -> None:
    for number, seconds in ((signal.SIGINT, FAST_SECONDS), (signal.SIGQUIT, HARD_SECONDS)):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if postmaster_of(data) != pid:
                return
            time.sleep(0.02)
    raise LaunchError("START_FAILED", f"a left-over PostgreSQL (process {pid}) does not end")
