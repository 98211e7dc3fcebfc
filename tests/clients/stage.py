"""What the client libraries are tried at: a service in a process of its own, and its players."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Sequence
from pathlib import Path

from service.identity import Role
from service.world import RealWorld
from tests.commands import environment
from tests.faults.process import Process
from tests.faults.server import tokens

__all__ = ["PLAYERS", "own_tests", "settings", "token"]

PLAYERS = ("ann", "ben", "cyd")


def token(name: str) -> str:
    """A player's token, before and after the service was killed."""
    return tokens(RealWorld()).issue(name, (Role.PLAYER,), 3600)


def settings(service: Process) -> dict[str, str]:
    """What a library's own tests and its bot find in their environment."""
    return {
        **environment(None),
        "KARTEJO_ADDRESS": f"127.0.0.1:{service.port}",
        "KARTEJO_WEB": service.url,
        "KARTEJO_TOKENS": ",".join(map(token, PLAYERS)),
    }


async def own_tests(service: Process, folder: Path, command: Sequence[str]) -> None:
    """Run a library's tests as its authors do; they must succeed."""
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=settings(service), stdin=DEVNULL, stdout=PIPE, stderr=STDOUT
    )
    try:
        told, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    sys.stdout.write(told.decode())
    assert process.returncode == 0
