"""Becomes PostgreSQL's server: gives up root, asks to die with its parent, then executes it.

Run as a file of its own, ``python -I -S trampoline.py PARENT UID GID PROGRAM ARGUMENT…``, because
code between fork and exec is not safe in a process with threads.  UID -1 keeps the user.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

__all__ = ["end_with"]

_PR_SET_PDEATHSIG: Final = 1


def main(parent: int, uid: int, gid: int, command: list[str]) -> None:
    """Never returns; ends with status 1 when the parent is gone already."""
    if uid >= 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    # After the change of user, which undoes the request.  SIGINT is a fast shutdown.
    end_with(parent, signal.SIGINT)
    os.umask(0o077)
    os.execv(command[0], command)  # noqa: S606 – no shell is wanted


def end_with(parent: int, number: signal.Signals) -> None:
    """Let the kernel send this process a signal when its parent dies, where it can do that.

    Ends this process when the parent is gone already.
    """
    if sys.platform.startswith("linux"):
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")
        if os.getppid() != parent:
            sys.exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
