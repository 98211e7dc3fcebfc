"""A party under faults: services in processes of their own, one PostgreSQL, proxies in between."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import pairwise
from typing import LiteralString, Protocol

import psycopg

from service.store.embedded import EmbeddedServer, keep_alive
from tests.faults.checker import check
from tests.faults.conftest import Plan
from tests.faults.party import Party, party
from tests.faults.process import Process
from tests.faults.proxy import Proxy, before_grpc, before_postgres

__all__ = ["Stage", "stage"]

WARM = 30
"""Requests that are acknowledged before a fault, and again after it."""


class Postgres(Protocol):
    """A server by its connection strings: for its superuser, and for the service."""

    @property
    def conninfo(self) -> str: ...
    @property
    def service_conninfo(self) -> str: ...


class Stage:
    """``line`` is before PostgreSQL, ``doors`` are before the services, ``people`` play."""

    def __init__(self, postgres: Postgres, plan: Plan, line: Proxy) -> None:
        self.postgres = postgres
        self.plan = plan
        self.line = line
        self.services: list[Process] = []
        self.doors: list[Proxy] = []
        self.people: Party

    async def healing(self, fault: str, heals: Awaitable[object] | None = None) -> None:
        """Let ``heals`` happen, wait until the next request is acknowledged, and report it.

        What heals by itself is measured from the fault on.
        """
        pulse = self.people.pulse
        count, began = pulse.count, time.monotonic()
        last = pulse.times[-1]
        if heals is not None:
            await heals
        await self.people.acknowledged(max(1, count + 1 - pulse.count))
        back = pulse.times[count]
        if heals is None:
            # Answers under way may still come: the longest silence is what people noticed.
            await self.people.acknowledged(WARM)
            back = began + _silence(pulse.times[count - 1 :])
        silence = max(back - last, _silence(pulse.times[count - 1 :]))
        self.plan.told(fault, f"back in {back - began:4.1f} s; nobody served for {silence:4.1f} s")
        await self.people.acknowledged(WARM)

    def postmaster(self) -> int:
        """Process id of PostgreSQL, which must be this process' own."""
        assert isinstance(self.postgres, EmbeddedServer)
        return self.postgres.pid

    async def query(self, query: LiteralString) -> list[int]:
        """The numbers that PostgreSQL answers with, as soon as it does and there are any."""
        while True:
            try:
                with psycopg.connect(self.postgres.conninfo) as db:
                    if found := db.execute(query).fetchall():
                        return [number for (number,) in found]
            except psycopg.OperationalError:
                found = []  # it is one of those who are down
            await asyncio.sleep(0.05)

    async def backends(self) -> list[int]:
        """Process ids of everything that serves connections."""
        return await self.query("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")

    async def writer(self) -> int:
        """Process id of the backend of a service's writer."""
        return (
            await self.query(
                "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'kartejo-writer%'"
            )
        )[0]


def _silence(times: Sequence[float]) -> float:
    return max((b - a for a, b in pairwise(times)), default=0.0)


def signal_all(processes: Sequence[int], number: int) -> None:
    """Signal those of ``processes`` that still run."""
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


@asynccontextmanager
async def stage(postgres: Postgres, plan: Plan, services: int = 1) -> AsyncGenerator[Stage, None]:
    """Everything runs and plays; afterwards everything is checked.

    A server of this process is started again when it dies, as ``kartejo serve`` does.
    """
    async with AsyncExitStack() as stack:
        line = await stack.enter_async_context(before_postgres(postgres.service_conninfo))
        found = Stage(postgres, plan, line)
        for _ in range(services):
            service = await stack.enter_async_context(Process(line.address))
            door = before_grpc(f"127.0.0.1:{service.port}")
            found.services.append(service)
            found.doors.append(await stack.enter_async_context(door))
        if isinstance(postgres, EmbeddedServer):
            keeping = asyncio.create_task(keep_alive(postgres))
            stack.callback(keeping.cancel)
        addresses = [door.address for door in found.doors]
        found.people = await stack.enter_async_context(party(addresses))
        await found.people.acknowledged(WARM)
        yield found
        await check(found.people, postgres.service_conninfo)
