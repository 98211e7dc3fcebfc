"""PostgreSQL on a disk that a test fills and empties: ``python -m tests.faults.small_disk FOLDER``.

A small file system of this process' own, in a namespace of mounts (and, without root, of users);
where none may be made, or with ``--shim``, a preloaded library that refuses to write (full_disk.c).
Says how to connect when it answers; takes ``fill`` and ``free`` on standard input, each answered
by a line, and ends with it.  A server that dies of the full disk is started again, as
``kartejo serve`` does.
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from service.cli.logs import log_to_stderr
from service.store.embedded import EmbeddedServer, keep_alive, launch
from service.store.migrate import migrate

ROOT: Final = Path(__file__).parents[2]
SIZE: Final = b"size=80m,mode=711"
NEW_NAMESPACE: Final = 0x00020000
NEW_USERS: Final = 0x10000000
PRIVATE: Final = (1 << 18) | (1 << 14)
SETTINGS: Final = {"shared_buffers": "16MB", "min_wal_size": "2MB", "max_wal_size": "8MB"}


def mount_small(folder: Path) -> None:
    """Mount a small file system on ``folder``, for this process and its children alone.

    Raises ``OSError`` where the system does not allow it.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def must(result: int) -> None:
        if result:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    uid, gid = os.geteuid(), os.getegid()
    must(libc.unshare(NEW_NAMESPACE | (NEW_USERS if uid else 0)))
    if uid:
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1", encoding="ascii")
    must(libc.mount(b"none", b"/", None, PRIVATE, None))
    must(libc.mount(b"kartejo-test", os.fsencode(folder), b"tmpfs", 0, SIZE))


def fill_up(folder: Path) -> None:
    """Leave no byte free."""
    with (folder / "filler").open("ab", buffering=0) as filler:
        for size in (1 << 20, 1 << 12, 1):
            with suppress(OSError):
                while True:
                    filler.write(bytes(size))


def preload(folder: Path) -> None:
    """Let every program started from here find the disk full while ``filler`` exists."""
    library = folder / "full_disk.so"
    source = Path(__file__).with_name("full_disk.c")
    build = ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library), str(source)]
    subprocess.run([*build, "-ldl"], check=True)
    library.chmod(0o755)
    os.environ["LD_PRELOAD"] = str(library)
    os.environ["KARTEJO_FULL_DISK"] = str(folder / "filler")


def main(folder: Path, *, shim: bool) -> None:
    log_to_stderr(as_json=True)
    fill: Callable[[Path], object] = fill_up
    try:
        if shim:
            raise OSError(errno.EPERM, "not wanted")
        mount_small(folder)
    except OSError:
        preload(folder)
        fill = _mark
    home = folder / "home"
    initdb = ("-N", "--wal-segsize=1")
    with launch(home, settings=SETTINGS, initdb=initdb, allow_temporary=True) as server:
        migrate(server.conninfo)
        told = {"conninfo": server.conninfo, "service_conninfo": server.service_conninfo}
        print(json.dumps(told), flush=True)
        asyncio.run(serve(folder, server, fill))
        server.kill()


def _mark(folder: Path) -> None:
    (folder / "filler").touch()


async def serve(folder: Path, server: EmbeddedServer, fill: Callable[[Path], object]) -> None:
    keeping = asyncio.create_task(keep_alive(server))
    while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
        if line == "fill":
            fill(folder)
        else:
            (folder / "filler").unlink()
        print("done", flush=True)
    keeping.cancel()


class SmallDisk(NamedTuple):
    """A server on such a disk; see ``small_disk``."""

    conninfo: str
    service_conninfo: str
    process: asyncio.subprocess.Process

    async def fill(self) -> None:
        """Leave no space."""
        await self._say(b"fill\n")

    async def free(self) -> None:
        """Give the space back."""
        await self._say(b"free\n")

    async def _say(self, line: bytes) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line)
        assert await self.process.stdout.readline() == b"done\n"


@asynccontextmanager
async def small_disk(folder: Path, *, shim: bool) -> AsyncGenerator[SmallDisk, None]:
    """Such a server, in a process of its own, on ``folder``."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.faults.small_disk", str(folder)),
        *(["--shim"] if shim else []),
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield SmallDisk(**json.loads(await process.stdout.readline()), process=process)
    finally:
        process.stdin.close()
        await process.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]), shim="--shim" in sys.argv[2:])
