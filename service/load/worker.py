"""A process of the load generator at tables of its own: opens them, plays them, verifies them."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from multiprocessing.connection import Connection
from random import Random
from typing import Final

from engine.errors import KartejoError
from service.client import Client
from service.load.opening import Group
from service.load.pace import FixedRate, FullSpeed, Pace, Thinking
from service.load.plan import Share, groups
from service.load.process import Begin, Ended, Opened, Process, Stopped, until, work
from service.load.reading import check, request_name
from service.load.tables import Table
from service.store.connection import open_connection, told_apart

__all__ = ["Worker", "main"]

WATCHERS_SECONDS: Final = 10.0
"""How long watchers may take at the end to hear of what was acknowledged."""

PATIENCE: Final = 10.0
"""Seconds for which the readings of the verification are tried again."""


class Worker(Process):
    """The crew of some tables."""

    def __init__(self, share: Share, pipe: Connection) -> None:
        super().__init__(pipe)
        self._share = share
        self._groups: list[Group] = []
        self._home: dict[Table, Group] = {}
        self._tables: list[Table] = []
        self._pace: Pace[Table] | None = None
        self._early: list[Table] = []
        self._timer: asyncio.TimerHandle | None = None
        self._wakes = float("inf")
        self._numbers = 0
        self._playing = False
        self._end = 0.0
        self._gone: dict[str, int] = {}
        self._opening: set[asyncio.Task[None]] = set()
        self.patience = share.load.patience

    # --- what tables ask for ------------------------------------------------------------------

    def next_request(self) -> tuple[int, str]:
        """See ``Crew``."""
        self._numbers += 1
        return self._numbers, request_name(self._share.run, self._share.number, self._numbers)

    def ready(self, table: Table) -> None:
        """See ``Crew``."""
        if self._pace is None:
            self._early.append(table)
        elif self._playing:
            self._pace.ready(table, time.monotonic())
            self._turn()

    def gone(self, table: Table, why: str) -> None:
        """Another table takes the place of one that is closed, or at which nobody can go on."""
        self._gone[why] = self._gone.get(why, 0) + 1
        if self._pace is not None:
            self._pace.drop(table)
        if self._playing:
            task = asyncio.create_task(self._replace(table))
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)

    async def _replace(self, table: Table) -> None:
        try:
            self._keep(self._home[table], await self._home[table].open_one(table.journal.game))
        except KartejoError as error:
            self.tally.errors[error.reason] += 1

    def _keep(self, group: Group, table: Table) -> None:
        self._home[table] = group
        self._tables.append(table)

    # --- playing ------------------------------------------------------------------------------

    async def _work(self) -> None:
        await self._open()
        begin: Begin = await self._told.get()
        await self._play(begin.start)
        await self._stop()
        await self._verify()

    async def _close(self) -> None:
        for group in self._groups:
            await group.close()

    async def _open(self) -> None:
        share = self._share
        for number, games in enumerate(groups(share.games)):
            group = Group(
                self,
                share.load,
                share.endpoint,
                share.tokens[number],
                f"{share.load.seed} {share.number} {number}",
            )
            self._groups.append(group)
            async for table in group.open(games):
                self._keep(group, table)
                self._pipe.send(Opened())
        self.tally.forget()  # what it took to open them is no part of the load

    async def _play(self, start: float) -> None:
        load = self._share.load
        random = Random(f"{load.seed} {self._share.number}")
        if self._share.rate:
            # Processes take turns: their moments do not fall together.
            self._pace = FixedRate(self._share.rate, start + self._share.number / load.rate)
        elif load.is_open:
            self._pace = Thinking(load.think.sampler(random), start)
        else:
            self._pace = FullSpeed()
        self._playing = True
        self._end = start + load.seconds
        await self._measure_from(start)
        for table in self._early:
            self._pace.ready(table, time.monotonic())
        self._turn()
        try:
            async with asyncio.timeout(max(0.0, self._end - time.monotonic())):
                await self._told.get()  # to stop early
        except TimeoutError:
            pass
        self._playing = False
        if self._timer is not None:
            self._timer.cancel()
        now = time.monotonic()
        missed = 0
        for moment in self._pace.missed(min(now, self._end)):
            # It would have taken at least until now: left out, it would flatter the service.
            self.tally.latencies.record(now - moment)
            missed += 1
        await until(lambda: not any(table.waits for table in self._tables), self.patience)
        for table in self._tables:
            table.stop()
        await asyncio.gather(*self._opening, return_exceptions=True)
        await self._measure_no_more()
        self._pipe.send(Stopped(missed, self._gone))

    def _turn(self) -> None:
        """Let act who is to act now, and come back when the next one is.

        However late this is: a run has the moments of its seconds and no others.
        """
        pace = self._pace
        if pace is None or not self._playing:
            return
        for table, intended in pace.due(min(time.monotonic(), self._end)):
            table.act(intended)
        wakes = pace.wakes()
        if wakes is None or wakes > self._end or (self._timer is not None and self._wakes <= wakes):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._wakes = wakes
        delay = max(0.0, wakes - time.monotonic())
        self._timer = asyncio.get_running_loop().call_later(delay, self._woken)

    def _woken(self) -> None:
        self._timer = None
        self._turn()

    # --- afterwards ---------------------------------------------------------------------------

    async def _stop(self) -> None:
        """Let the watchers hear of everything, then end all connections."""
        await until(lambda: not self._watchers_lag(), WATCHERS_SECONDS)
        await self._close()

    def _watchers_lag(self) -> bool:
        return any(
            sequence.last_version < table.version
            for table in self._tables
            for sequence in table.journal.watchers
        )

    async def _verify(self) -> None:
        share = self._share
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(
                Client(share.endpoint, share.reader, patience=PATIENCE)
            )
            db = None
            stack.enter_context(told_apart())
            if database := share.store.find():
                db = await open_connection(database, name="kartejo-load", role=None)
                stack.push_async_callback(db.close)
            for table in self._tables:
                self._pipe.send(await check(table.journal, client, db, share.run, share.number))
        self._pipe.send(Ended())


def main(share: Share, pipe: Connection) -> None:
    """The process."""
    work(lambda: Worker(share, pipe), pipe)
