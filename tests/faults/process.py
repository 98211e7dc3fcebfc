"""A service in a process of its own, which a test may kill and start again."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
from contextlib import nullcontext
from pathlib import Path
from types import TracebackType
from typing import Self

import grpc

from service.identity import Role
from service.world import RealWorld
from tests.commands import environment, quick
from tests.faults.server import tokens
from tests.service.harness import Client

PORTS = range(20_000, 32_000)
"""Below those that the system hands out: between a kill and the next start nobody gets the port,
neither a server that asks for any, nor a caller's own end of a connection."""


def _free_port() -> int:
    """A port of ``PORTS`` that nobody uses now."""
    for port in random.sample(PORTS, 50):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")


class EndedEarly(Exception):
    """A service that ended before it listened; what it said stands on standard error."""


class Process:
    """``tests.faults.server`` over a database; an async context manager.

    ``web``: it answers HTTP too, at ``url``; ``log``: where its log goes, else with the tests' own.
    """

    def __init__(self, dsn: str, *, web: bool = False, log: Path | None = None) -> None:
        self._dsn = dsn
        self._log = log
        self._web = [f"127.0.0.1:{_free_port()}"] if web else []
        self.url = "".join(f"http://{place}" for place in self._web)
        self._process: asyncio.subprocess.Process | None = None
        self._channels: list[grpc.aio.Channel] = []
        self.port = _free_port()
        self.pid = 0
        """Its process id, once it runs."""

    async def start(self) -> None:
        """Start it, on the port it had before, and wait until it listens and its clients know.

        A channel that was refused meanwhile sits out its back-off, and fails every call until
        then: all clients of a process share the one connection to an address, so that all of them
        would go.  Raises ``EndedEarly`` if the process ends before it listens.
        """
        self.pid = 0
        with nullcontext() if self._log is None else self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(*quick("tests.faults.server"), self._dsn, f"127.0.0.1:{self.port}", *self._web),
                env=environment(None),
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        assert self._process.stdout is not None
        async with asyncio.timeout(60):
            told = await self._process.stdout.readline()
            if not told:
                raise EndedEarly(f"exit code {await self._process.wait()}")
            self.pid = int(told.split()[1])
            for channel in self._channels:
                await channel.channel_ready()

    def signal(self, number: int) -> None:
        """Send a signal, and wait for nothing."""
        assert self.pid, "it is not running"
        os.kill(self.pid, number)

    async def kill(self) -> None:
        """End it at once."""
        await self.end(signal.SIGKILL)

    async def end(self, number: int) -> int:
        """Send a signal and wait for the end; the exit code."""
        assert self._process is not None
        self.signal(number)
        async with asyncio.timeout(40):
            return await self._process.wait()

    def client(self, subject: str, *roles: Role) -> Client:
        """A caller, over a connection that tries again soon."""
        token = tokens(RealWorld()).issue(subject, roles or (Role.PLAYER,), 3600)
        channel = grpc.aio.insecure_channel(
            f"127.0.0.1:{self.port}",
            options=(
                ("grpc.initial_reconnect_backoff_ms", 50),
                ("grpc.max_reconnect_backoff_ms", 200),
            ),
        )
        self._channels.append(channel)
        return Client(channel, token)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for channel in self._channels:
            await channel.close()
        if self._process is not None and self._process.returncode is None:
            self._process.kill()  # the process goes with what stands for it
            await self._process.wait()
