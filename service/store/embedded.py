"""The embedded PostgreSQL: one server, child of one process, on one home folder.

Layout of a home folder::

    postgres/      the data directory of PostgreSQL, mode 700, owned by the server's user
    server.lock    held by the process that runs the server; the kernel lets go when it dies
    server.json    who that is and how to connect; believed only after connecting
    server.log     what PostgreSQL says

The server listens on a Unix socket in a private folder and lets in only the system user who
launched it (peer authentication), as the superuser ``kartejo`` for migrations or as
``kartejo_service``, who may do what the schema grants.  It dies with the process that launched
it, even when that one is killed: the kernel then sends it SIGINT, a fast shutdown.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import psycopg
import structlog
from psycopg.conninfo import make_conninfo

from service.store.account import Account, running_as, server_account
from service.store.binaries import find_binaries, reachable_binaries
from service.store.cluster import ADMIN, SERVICE, cannot, make_data
from service.store.errors import LaunchError
from service.store.leftovers import clear_leftovers
from service.store.places import (
    cache_home,
    default_home,
    private_socket_folder,
    refuse_temporary,
)

__all__ = ["DURABLE", "EmbeddedServer", "launch", "running"]

DATABASE: Final = "kartejo"
START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 60.0
LOCK_SECONDS: Final = 1.0

# Everything else as PostgreSQL ships it: fsync, full pages, synchronous commit.
DURABLE: Final[Mapping[str, str]] = {
    "shared_buffers": "128MB",
    "max_wal_size": "2GB",
    "idle_in_transaction_session_timeout": "60s",
}

_PR_SET_PDEATHSIG: Final = 1
_log = structlog.get_logger("kartejo.store")


class EmbeddedServer:
    """A running server; ``stop`` it, or use it as a context manager."""

    def __init__(
        self,
        home: Path,
        process: subprocess.Popen[bytes],
        socket_folder: Path,
        lock: int,
    ) -> None:
        self.home = home
        self._process = process
        self.socket_folder = socket_folder
        self._lock = lock
        self.conninfo = _conninfo(socket_folder, ADMIN)
        self.service_conninfo = _conninfo(socket_folder, SERVICE)

    @property
    def pid(self) -> int:
        """Process id of PostgreSQL's postmaster."""
        return self._process.pid

    def alive(self) -> bool:
        """Whether the postmaster still runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End the postmaster at once, as a crash would; the next start recovers."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Fast shutdown: clients are cut, everything is flushed.  A second call does nothing."""
        if self._lock < 0:
            return
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                _log.warning("embedded_slow_stop", pid=self.pid)
                self._process.send_signal(signal.SIGQUIT)
                self._process.wait(STOP_SECONDS)
        (self.home / "server.json").unlink(missing_ok=True)
        shutil.rmtree(self.socket_folder, ignore_errors=True)
        os.close(self._lock)
        self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def launch(
    home: Path | None = None,
    *,
    settings: Mapping[str, str] = DURABLE,
    initdb: tuple[str, ...] = (),
    allow_temporary: bool = False,
) -> EmbeddedServer:
    """Start PostgreSQL on ``home`` (default: ``default_home()``), made on first use.

    Call it from the main thread, before other threads run: the kernel ends the server with the
    thread that forked it.  ``settings`` are server settings, ``initdb`` more arguments for the
    first start; ``allow_temporary`` is for tests.

    Raises ``LaunchError``.
    """
    if threading.current_thread() is not threading.main_thread():
        raise LaunchError("NOT_MAIN_THREAD", "the embedded database starts from the main thread")
    home = (home or default_home()).absolute()
    if not allow_temporary:
        refuse_temporary(home)
    account = server_account(home / "postgres")
    binaries = reachable_binaries(find_binaries(), account, cache_home())
    # Root's folder may be passed through, not listed: the server's user has to reach its data.
    home.mkdir(parents=True, exist_ok=True, mode=0o700 if account is None else 0o711)
    lock = _lock(home)
    try:
        clear_leftovers(home)
        make_data(home, binaries, account, initdb)
        return _start(home, binaries, account, settings, lock)
    except BaseException:
        os.close(lock)
        raise


def running(home: Path | None = None) -> tuple[str, str] | None:
    """(admin, service) connection strings of the server that runs on ``home``, if one does."""
    told = _told((home or default_home()).absolute())
    try:
        strings = str(told["conninfo"]), str(told["service_conninfo"])
        with psycopg.connect(strings[0], connect_timeout=2):
            return strings
    except (KeyError, psycopg.OperationalError):
        return None


def _told(home: Path) -> dict[str, object]:
    """What server.json says; nothing when it is missing or half written by a dying machine."""
    try:
        told = json.loads((home / "server.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _lock(home: Path) -> int:
    handle = os.open(home / "server.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < deadline:
                time.sleep(0.02)
                continue
            os.close(handle)
            told = _told(home)
            raise LaunchError(
                "ALREADY_RUNNING",
                f"Kartejo already runs on {home} (process {told.get('pid', 'unknown')}): stop it, "
                f"or connect to it: {told.get('conninfo', 'it is still starting')}",
            ) from None
        else:
            return handle


def _start(
    home: Path,
    binaries: Path,
    account: Account | None,
    settings: Mapping[str, str],
    lock: int,
) -> EmbeddedServer:
    folder = private_socket_folder()
    if account is not None:
        os.chown(folder, account.uid, account.gid)
    command = [str(binaries / "postgres"), "-D", str(home / "postgres"), "-k", str(folder)]
    command += ["-h", "", "-p", "5432"]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    deadline = time.monotonic() + START_SECONDS
    try:
        while True:
            process, began = _spawn(home, command, account)
            server = EmbeddedServer(home, process, folder, lock)
            if _ready(server, deadline):
                _announce(server)
                return server
            said = (home / "server.log").read_bytes()[began:].decode(errors="replace").strip()
            # Backends of a killed server may need a moment to notice.
            if "shared memory block" not in said or time.monotonic() > deadline:
                break
            time.sleep(0.1)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    raise LaunchError(*cannot(home, account, f"PostgreSQL does not start: {said}"))


def _spawn(
    home: Path, command: list[str], account: Account | None
) -> tuple[subprocess.Popen[bytes], int]:
    """The server's process, and where in server.log its words begin."""
    handle = os.open(home / "server.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "ab") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            # A terminal's Ctrl-C is for the service, which stops the server when drained.
            start_new_session=True,
            preexec_fn=_die_with_parent(),  # noqa: PLW1509 – before other threads run
            **running_as(account),
        )
        return process, log.tell()


def _die_with_parent() -> Callable[[], None] | None:
    """What the child does before it becomes the server: ask the kernel to end it with us.

    It runs after the change of user, which would undo the request.
    """
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getpid()

    def ask_kernel() -> None:
        if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0) or os.getppid() != parent:
            os._exit(1)

    return ask_kernel


def _ready(server: EmbeddedServer, deadline: float) -> bool:
    """Wait until the server answers and has our database and login; ``False``: it has ended."""
    maintenance = make_conninfo(server.conninfo, dbname="postgres", connect_timeout=5)
    try:
        while server.alive():
            try:
                _furnish(maintenance)
                return True
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline:
                    why = f"PostgreSQL does not answer: {error}"
                    raise LaunchError("START_FAILED", why) from None
                time.sleep(0.01)
    except BaseException:
        server.kill()
        raise
    return False


def _furnish(maintenance: str) -> None:
    with psycopg.connect(maintenance, autocommit=True) as db:
        if not db.execute("SELECT FROM pg_database WHERE datname = 'kartejo'").rowcount:
            db.execute("CREATE DATABASE kartejo")
        if not db.execute("SELECT FROM pg_roles WHERE rolname = 'kartejo_service'").rowcount:
            db.execute("CREATE ROLE kartejo_service LOGIN")


def _announce(server: EmbeddedServer) -> None:
    """Write server.json in one step, so that nobody reads half of it."""
    told = {
        "pid": os.getpid(),
        "postmaster": server.pid,
        "socket_folder": str(server.socket_folder),
        "conninfo": server.conninfo,
        "service_conninfo": server.service_conninfo,
    }
    fresh = server.home / "server.json.new"
    fresh.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    fresh.chmod(0o600)
    fresh.replace(server.home / "server.json")


def _conninfo(folder: Path, user: str) -> str:
    return make_conninfo(host=str(folder), port=5432, user=user, dbname=DATABASE)
