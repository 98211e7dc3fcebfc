"""A process of the load generator: opens its tables, plays them, verifies them.

It talks to the fleet over a pipe: ``Opened`` for each table, then it waits for ``Begin``; a
``Sample`` a second while it plays; ``Stopped``; ``Checked`` for each table; ``Ended``.  What goes
wrong is told as ``Failed`` and ends it.
"""

from __future__ import annotations

import asyncio
import math
import signal
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from multiprocessing.connection import Connection
from random import Random
from typing import Any, Final, NamedTuple

import uvloop

from engine.errors import KartejoError
from engine.games import GAMES
from service.client import Client
from service.codec import Codec
from service.load.opening import Group
from service.load.pace import FixedRate, FullSpeed, Pace, Thinking
from service.load.plan import Share, groups
from service.load.reading import check, request_name
from service.load.tables import Table
from service.load.tally import Tally
from service.store.connection import open_connection, told_apart

__all__ = ["Begin", "Ended", "Failed", "Opened", "Stopped", "main"]

HEARTBEAT_SECONDS: Final = 0.01
SAMPLE_SECONDS: Final = 1.0
WATCHERS_SECONDS: Final = 10.0
"""How long watchers may take at the end to hear of what was acknowledged."""

PATIENCE: Final = 10.0
"""Seconds for which the readings of the verification are tried again."""


class Opened(NamedTuple):
    """One more table is open."""


class Begin(NamedTuple):
    """Play from this moment on (``time.monotonic``, which all processes of a machine share)."""

    start: float


class Stopped(NamedTuple):
    """Nothing is played any more.  ``missed``: actions that were never begun."""

    missed: int
    gone: dict[str, int]


class Ended(NamedTuple):
    """Everything is done."""


class Failed(NamedTuple):
    """Why this process has ended too early."""

    reason: str
    what: str


class Worker:
    """The crew of some tables."""

    def __init__(self, share: Share, pipe: Connection) -> None:
        self._share = share
        self._pipe = pipe
        self._told: asyncio.Queue[Any] = asyncio.Queue()
        self._groups: list[Group] = []
        self._home: dict[Table, Group] = {}
        self._tables: list[Table] = []
        self._pace: Pace[Table] | None = None
        self._early: list[Table] = []
        self._timer: asyncio.TimerHandle | None = None
        self._wakes = float("inf")
        self._numbers = 0
        self._seconds = 0
        self._cpu = 0.0
        self._playing = False
        self._end = 0.0
        self._gone: dict[str, int] = {}
        self._opening: set[asyncio.Task[None]] = set()
        self.codec = Codec(GAMES)
        self.tally = Tally()
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

    async def run(self) -> None:
        """Everything, in order."""
        loop = asyncio.get_running_loop()
        main, before = asyncio.current_task(), loop.get_exception_handler()
        broken: list[BaseException] = []

        def end(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            """A fault in a callback or a line ends everything: half a load measures nothing."""
            broken.append(context.get("exception") or RuntimeError(context["message"]))
            if main is not None:
                main.cancel()

        loop.set_exception_handler(end)
        loop.add_reader(self._pipe.fileno(), self._hear)
        try:
            await self._open()
            begin: Begin = await self._told.get()
            await self._play(begin.start)
            await self._stop()
            await self._verify()
        except asyncio.CancelledError:
            if broken:
                raise broken[0] from None
            raise
        finally:
            loop.set_exception_handler(before)
            loop.remove_reader(self._pipe.fileno())
            for group in self._groups:
                await group.close()

    def _hear(self) -> None:
        try:
            self._told.put_nowait(self._pipe.recv())
        except (EOFError, OSError):  # the fleet is no more: nobody wants to know
            raise SystemExit(1) from None

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
        await asyncio.sleep(max(0.0, start - time.monotonic()))
        self._cpu = time.process_time()
        sampling = asyncio.create_task(self._samples(start))
        feeling = asyncio.create_task(self._heartbeat())
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
        await _until(lambda: not any(table.waits for table in self._tables), self.patience)
        for table in self._tables:
            table.stop()
        for task in (sampling, feeling):
            task.cancel()
        await asyncio.gather(sampling, feeling, *self._opening, return_exceptions=True)
        self._send_sample(start)
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

    async def _samples(self, start: float) -> None:
        while True:
            moment = start + (self._seconds + 1) * SAMPLE_SECONDS
            await asyncio.sleep(max(0.0, moment - time.monotonic()))
            self._send_sample(start)

    def _send_sample(self, start: float) -> None:
        until = time.monotonic() - start
        self._pipe.send(self.tally.sample(self._seconds, until, time.process_time() - self._cpu))
        self._seconds += 1

    async def _heartbeat(self) -> None:
        """Measures how late this loop is: what the generator itself adds to a latency."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(HEARTBEAT_SECONDS)
            self.tally.lags.record(max(0.0, time.monotonic() - before - HEARTBEAT_SECONDS))

    # --- afterwards ---------------------------------------------------------------------------

    async def _stop(self) -> None:
        """Let the watchers hear of everything, then end all connections."""
        await _until(lambda: not self._watchers_lag(), WATCHERS_SECONDS)
        for group in self._groups:
            await group.close()

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


async def _until(done: Callable[[], bool], seconds: float) -> None:
    """Wait for something, for so long at most."""
    for _ in range(math.ceil(seconds / HEARTBEAT_SECONDS)):
        if done():
            return
        await asyncio.sleep(HEARTBEAT_SECONDS)


def main(share: Share, pipe: Connection) -> None:
    """The process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the fleet's to hear
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        try:
            runner.run(Worker(share, pipe).run())
        except KartejoError as error:
            pipe.send(Failed(error.reason, str(error)))
