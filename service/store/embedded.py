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

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import psycopg
import structlog
from psycopg.conninfo import make_conninfo

from service.store.account import Account, server_account
from service.store.binaries import find_binaries, reachable_binaries
from service.store.cluster import ADMIN, DATABASE, SERVICE, cannot, furnish, make_data
from service.store.errors import LaunchError
from service.store.leftovers import clear_leftovers
from service.store.outage import Outage
from service.store.places import (
    cache_home,
    default_home,
    private_socket_folder,
    refuse_temporary,
)

__all__ = ["DURABLE", "EmbeddedServer", "keep_alive", "launch", "running"]

START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 60.0
LOCK_SECONDS: Final = 0.3
REVIVE_SECONDS: Final = 0.25
# A dying server's last process may hang in a slow flush and keep the next one out.
GIVE_UP_SECONDS: Final = 120.0
STEADY_SECONDS: Final = 5.0
LEAST_SPACE: Final = 32 * 2**20
"""Free bytes below which PostgreSQL may not be able to start: its log comes in pieces of 16 MB."""

# Everything else as PostgreSQL ships it: fsync, full pages, synchronous commit.
DURABLE: Final[Mapping[str, str]] = {
    "shared_buffers": "128MB",
    "max_wal_size": "2GB",
    "idle_in_transaction_session_timeout": "60s",
}
_log = structlog.get_logger("kartejo.store")


class EmbeddedServer:
    """A server of this process; made by ``launch``.  ``stop`` it, or use it as a context manager.

    ``conninfo`` connects as the superuser, for migrations; ``service_conninfo`` as the login of
    the service.  Both hold for the life of the object, also when PostgreSQL is revived.
    """

    def __init__(
        self, home: Path, command: Sequence[str], account: Account | None, lock: int
    ) -> None:
        self.home = home
        self.socket_folder = private_socket_folder(account)
        self.conninfo = _conninfo(self.socket_folder, ADMIN)
        self.service_conninfo = _conninfo(self.socket_folder, SERVICE)
        self._account = account
        self._command = [*command, "-k", str(self.socket_folder)]
        self._lock = lock
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Process id of PostgreSQL's postmaster, 0 before its start."""
        return self._process.pid if self._process else 0

    def alive(self) -> bool:
        """Whether the postmaster runs."""
        return self._process is not None and self._process.poll() is None

    def revive(self) -> None:
        """Start PostgreSQL unless it runs; returns before it answers.

        Raises ``LaunchError(NOT_MAIN_THREAD)``: the kernel ends the server with the *thread*
        that started it.
        """
        if threading.current_thread() is not threading.main_thread():
            raise LaunchError("NOT_MAIN_THREAD", "the embedded database starts in the main thread")
        if self.alive():
            return
        user = (self._account.uid, self._account.gid) if self._account else (-1, -1)
        trampoline = [sys.executable, "-I", "-S", str(Path(__file__).with_name("trampoline.py"))]
        handle = os.open(self.home / "server.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "ab") as log:
            self._process = subprocess.Popen(
                [*trampoline, str(os.getpid()), str(user[0]), str(user[1]), *self._command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                # A terminal's Ctrl-C is for the service, which stops the server when drained.
                start_new_session=True,
            )
        self._announce()

    def kill(self) -> None:
        """End the postmaster at once, as a crash would; the next start recovers."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """Fast shutdown: clients are cut, everything is flushed.  A second call does nothing."""
        if self._lock < 0:
            return
        if self._process is not None and self._process.poll() is None:
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

    def _announce(self) -> None:
        """Write server.json in one step, so that nobody reads half of it."""
        told = {
            "pid": os.getpid(),
            "postmaster": self.pid,
            "socket_folder": str(self.socket_folder),
            "conninfo": self.conninfo,
            "service_conninfo": self.service_conninfo,
        }
        fresh = self.home / "server.json.new"
        fresh.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
        fresh.chmod(0o600)
        fresh.replace(self.home / "server.json")


def launch(
    home: Path | None = None,
    *,
    settings: Mapping[str, str] = DURABLE,
    initdb: tuple[str, ...] = (),
    allow_temporary: bool = False,
) -> EmbeddedServer:
    """Start PostgreSQL on ``home`` (default: ``default_home()``), made on first use.

    Call it from the main thread.  ``settings`` are server settings, ``initdb`` more arguments
    for the first start; ``allow_temporary`` is for tests.  Returns when the server answers and
    has its database and its login; the schema is ``migrate``'s.

    Raises ``LaunchError``.
    """
    home = (home or default_home()).absolute()
    if not allow_temporary:
        refuse_temporary(home)
    with _usable(home):
        account = server_account(home / "postgres")
        binaries = reachable_binaries(find_binaries(), account, cache_home())
        if not home.exists():
            home.mkdir(parents=True)
            # Root's may be passed through, not listed: the server's user has to reach its data.
            home.chmod(0o700 if account is None else 0o711)
        lock = _lock(home)
        try:
            clear_leftovers(home)
            make_data(home, binaries, account, initdb)
        except BaseException:
            os.close(lock)
            raise
    command = [str(binaries / "postgres"), "-D", str(home / "postgres"), "-h", "", "-p", "5432"]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    server = EmbeddedServer(home, command, account, lock)
    try:
        _start(server, account)
    except BaseException:
        server.kill()
        server.stop()
        raise
    return server


@contextmanager
def _usable(home: Path) -> Iterator[None]:
    """What the system refuses while a home folder is prepared, as ``LaunchError``."""
    try:
        yield
    except OSError as error:
        place = error.filename or home
        raise LaunchError(
            "UNREACHABLE_DATA",
            f"{place}: {error.strerror}; choose another folder by --data, or let the user who "
            "serves write there",
        ) from None


async def keep_alive(server: EmbeddedServer) -> None:
    """Revive ``server`` whenever it has died; runs until cancelled, in the main thread.

    Raises ``LaunchError(START_FAILED)`` when it does not stay alive for two minutes, unless its
    disk is full: space heals that, and whoever makes it need not start us again.
    """
    clock = asyncio.get_running_loop().time
    outage = Outage()
    first_death = revived = 0.0
    while True:
        await asyncio.sleep(REVIVE_SECONDS)
        if server.alive():
            if clock() - revived > STEADY_SECONDS:
                first_death = 0.0
                if (seconds := outage.over()) is not None:
                    _log.warning("embedded_server_back", away_seconds=seconds)
            continue
        first_death = first_death or clock()
        full = shutil.disk_usage(server.home).free < LEAST_SPACE
        if clock() - first_death > GIVE_UP_SECONDS and not full:
            why = f"PostgreSQL keeps dying: see {server.home}/server.log"
            raise LaunchError("START_FAILED", why)
        if outage.met():
            why = "disk full" if full else "see server.log"
            _log.error("embedded_server_died", home=str(server.home), why=why)
        server.revive()
        revived = clock()


def running(home: Path | None = None) -> tuple[str, str] | None:
    """(admin, service) connection strings of the server on ``home``, if the caller may connect."""
    told = _told((home or default_home()).absolute())
    try:
        strings = str(told["conninfo"]), str(told["service_conninfo"])
        with psycopg.connect(strings[0], connect_timeout=2):
            return strings
    except (KeyError, psycopg.OperationalError):
        return None


def _told(home: Path) -> dict[str, object]:
    """What server.json says; nothing when it is missing, another's, or half written."""
    try:
        told = json.loads((home / "server.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, PermissionError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _lock(home: Path) -> int:
    import fcntl

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


def _start(server: EmbeddedServer, account: Account | None) -> None:
    log = server.home / "server.log"
    deadline = time.monotonic() + START_SECONDS
    while True:
        began = log.stat().st_size if log.exists() else 0
        server.revive()
        if _ready(server, deadline):
            return
        said = log.read_bytes()[began:].decode(errors="replace").strip()
        # Backends of a killed server may need a moment to notice.
        if "shared memory block" not in said or time.monotonic() > deadline:
            why = f"PostgreSQL does not start: {said}"
            raise LaunchError(*cannot(server.home, account, why))
        time.sleep(0.1)


def _ready(server: EmbeddedServer, deadline: float) -> bool:
    """Wait until the server answers and has our database and login; ``False``: it has ended."""
    while server.alive():
        try:
            furnish(server.conninfo)
            return True
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                why = f"PostgreSQL does not answer: {error}"
                raise LaunchError("START_FAILED", why) from None
            time.sleep(0.01)
    return False


def _conninfo(folder: Path, user: str) -> str:
    return make_conninfo(host=str(folder), port=5432, user=user, dbname=DATABASE)
