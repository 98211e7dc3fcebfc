"""Workers beside a real service, in the test's own process: their journals can be looked at."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

from service.client import Client, Endpoint
from service.identity import Role
from service.load.fleet import Measured
from service.load.plan import Load, Share, Store, groups, players_of, shares
from service.load.process import Begin, Ended, Opened, Stopped
from service.load.reading import Checked, check
from service.load.worker import Worker
from service.store.connection import open_connection
from tests.service.harness import Running

RUN = "test"


def share_of(service: Running, load: Load, database: str = "") -> Share:
    """All of a load, for one worker."""
    (games,) = shares(load)
    tokens = tuple(
        tuple(
            service.token(f"load {group} {who}")
            for who in range(players_of(load, some) + load.watchers)
        )
        for group, some in enumerate(groups(games))
    )
    return Share(
        load,
        RUN,
        0,
        Endpoint.parse(service.address),
        games,
        load.rate,
        tokens,
        service.token("auditor", Role.AUDITOR),
        Store(database),
    )


class Played:
    """A run that is over: what was measured, and the worker with its journals."""

    def __init__(self, service: Running, worker: Worker) -> None:
        self.service = service
        self.worker = worker
        self.measured = Measured()
        self.checked = Checked()

    @property
    def journals(self) -> list[Any]:
        return [table.journal for table in self.worker._tables]

    async def check_again(self, number: int, database: str = "") -> tuple[str, ...]:
        """The differences of one table's journal, as it is now."""
        endpoint = Endpoint.parse(self.service.address)
        async with Client(endpoint, self.service.token("auditor", Role.AUDITOR)) as client:
            if not database:
                return (await check(self.journals[number], client, None, RUN, 0)).faults
            async with await open_connection(database, name="test", role=None) as db:
                return (await check(self.journals[number], client, db, RUN, 0)).faults


@asynccontextmanager
async def played(
    service: Running,
    load: Load,
    database: str = "",
    meanwhile: Callable[[], Any] | None = None,
) -> AsyncGenerator[Played, None]:
    """Play a load; ``meanwhile`` is awaited once it has begun."""
    ours, theirs = multiprocessing.Pipe()
    worker = Worker(share_of(service, load, database), theirs)
    found = Played(service, worker)

    running = asyncio.create_task(worker.run())

    async def heard() -> Any:
        while not ours.poll():
            if running.done():
                running.result()
            await asyncio.sleep(0.01)
        return ours.recv()

    try:
        for _ in range(load.tables):
            assert isinstance(await heard(), Opened)
        ours.send(Begin(time.monotonic()))
        if meanwhile is not None:
            await meanwhile()
        while not isinstance(told := await heard(), Stopped):
            found.measured.take(told)
        list(found.measured.close_all())
        found.measured.missed = told.missed
        while not isinstance(told := await heard(), Ended):
            found.checked += told
        await running
        yield found
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        ours.close()
        theirs.close()
