"""How tests start ``kartejo``: as a user does, or without reading all of it anew."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["KARTEJO", "ROOT", "environment", "quick"]

ROOT: Final = Path(__file__).parents[1]

KARTEJO: Final = (sys.executable, "-m", "service.cli")
"""As a user does: the process is the command itself."""

_INHERITED: Final = {
    name: value for name, value in os.environ.items() if not name.startswith("KARTEJO_")
}


def environment(data: Path | None) -> dict[str, str]:
    """What commands of tests find in their environment, and no settings of whoever runs them."""
    told = {**_INHERITED, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    return told if data is None else {**told, "KARTEJO_DATA": str(data)}


def quick(module: str = "service.cli.app") -> tuple[str, ...]:
    """The same in a fraction of the time: what is started stands for a forked child.

    Streams, environment, folder and exit code are the child's, and signals reach it that can be
    caught.  Its process id is another: who stops it, or relies on it being dead, needs that one.
    ``module``: the one whose ``main()`` is run; of those that tests/quick/server.py imports.
    """
    client = ROOT / "tests" / "quick" / "client.py"
    return (sys.executable, "-I", "-S", str(client), str(_server()), module)


@cache
def _server() -> Path:
    """The socket of a server that lasts as long as this process."""
    folder = Path(tempfile.mkdtemp(prefix="kartejo-quick-"))
    path = folder / "socket"
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.quick.server", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # What a command sets before it imports gRPC.
        env={**environment(None), "GRPC_VERBOSITY": "NONE"},
        cwd=ROOT,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"

    def end() -> None:
        assert server.stdin is not None
        server.stdin.close()
        server.wait()
        shutil.rmtree(folder)

    atexit.register(end)
    return path
