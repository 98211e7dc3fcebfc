"""``python -m tests.cli.other_system ARGUMENTS``: ``kartejo`` on a system that is not POSIX.

What Windows lacks is taken away before anything of ours is read.
"""

from __future__ import annotations

import asyncio
import concurrent.futures.process
import multiprocessing.connection
import os
import signal
import socket
import sys

import grpc.aio
import platformdirs
import psycopg

ALREADY_READ = (
    asyncio,
    concurrent.futures.process,
    multiprocessing.connection,
    grpc.aio,
    platformdirs,
    psycopg,
)
"""They have other ways on Windows."""

MODULES = ("fcntl", "grp", "pwd", "resource", "termios", "tty", "uvloop")
OF_OS = (
    "fork",
    "getegid",
    "geteuid",
    "getgid",
    "getuid",
    "killpg",
    "setsid",
    "O_CLOEXEC",
    "O_DIRECTORY",
    "O_NONBLOCK",
)


def no_handlers(*_: object) -> None:
    raise NotImplementedError


def main() -> None:
    """Run the command."""
    for module in MODULES:
        sys.modules[module] = None  # type: ignore[assignment]
    for name in OF_OS:
        delattr(os, name)
    for name in ("SIGCHLD", "SIGHUP", "SIGKILL", "SIGSTOP"):
        delattr(signal, name)
    del socket.SO_REUSEPORT
    asyncio.SelectorEventLoop.add_signal_handler = no_handlers  # type: ignore[method-assign]
    asyncio.SelectorEventLoop.remove_signal_handler = no_handlers  # type: ignore[assignment,method-assign]
    from service.cli import main as kartejo

    kartejo()


if __name__ == "__main__":
    main()
