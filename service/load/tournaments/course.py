"""The course of a tournament under load: entries, play, and what is held against what."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack
from typing import Any, Final, NamedTuple, Protocol

from service.load.fleet import Fleet, Measured, Second
from service.load.journal import Journal
from service.load.plan import Store
from service.load.tournaments.director import SETTLE_SECONDS, Director, is_over
from service.load.tournaments.plan import Field
from service.load.tournaments.reading import CheckedTables
from service.load.tournaments.verifying import Folded
from service.load.tournaments.worker import Kept, ToCheck
from service.store.connection import open_connection

__all__ = ["Course", "Outcome", "Progress"]

START_SECONDS: Final = 0.2
"""After the word to begin, so that all processes count from before the first hand."""

Kill = Callable[[Callable[[int], None]], Awaitable[None]]
"""Kills the service now and then, while it is awaited; what it is given hears how often by now."""


class Progress(Protocol):
    """Shows how it goes."""

    def counting(self, what: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
        """Something of which there are so many; what is yielded hears how many are done."""

    def playing(self, draw: Any) -> AbstractContextManager[Callable[[Second], None]]:
        """The play; what is yielded hears of each second."""


class Outcome(NamedTuple):
    """What came of it.  ``entered``: seconds that it took all to enter; ``killed``: how often."""

    kept: list[Kept]
    checked: CheckedTables
    folded: Folded
    entered: float
    killed: int
    faults: list[str]


class Course:
    """One run.  ``measured``, ``killed``: so far."""

    def __init__(
        self,
        field: Field,
        director: Director,
        fleet: Fleet,
        store: Store,
        progress: Progress,
        kill: Kill | None = None,
    ) -> None:
        self._field = field
        self._director = director
        self.fleet = fleet
        self._store = store
        self._progress = progress
        self._kill = kill
        self.measured = Measured()
        self.killed = 0

    async def run(self, draw: Callable[[Second], Any]) -> Outcome:
        """All of it; ``draw`` makes the picture of a second."""
        field, director, fleet = self._field, self._director, self.fleet
        began = time.monotonic()
        with self._progress.counting("entering", field.entries) as count:
            opened = await asyncio.to_thread(fleet.open, field.entries, count)
        entered = time.monotonic() - began
        players = dict(opened)
        balances = await director.balances([*players.values()])
        at_start = await director.version()
        await self._play(draw)
        kept: list[Kept] = await asyncio.to_thread(fleet.gather)
        faults = self._unfinished(kept)
        async with AsyncExitStack() as stack:
            db = None
            if database := self._store.find():
                db = await open_connection(database, name="kartejo-load", role=None)
                stack.push_async_callback(db.close)
            folded, wrong = await director.fold(db, at_start)
        faults += wrong
        fleet.hand_out(_to_check(kept, folded.tables, field, players))
        with self._progress.counting("verifying", len(folded.tables)) as count:
            checked = await asyncio.to_thread(
                fleet.verify, CheckedTables(), lambda found: count(found.checked.tables)
            )
        faults += folded.conserved()
        faults += folded.told_otherwise(await director.standings())
        faults += folded.paid_otherwise(balances, await director.balances([*balances]))
        faults += folded.played_otherwise(checked.ends)
        return Outcome(kept, checked, folded, entered, self.killed, faults)

    async def _play(self, draw: Callable[[Second], Any]) -> None:
        """Play to the payout, or as long as was wished for; then end it."""
        director, fleet = self._director, self.fleet
        fleet.begin()
        await asyncio.sleep(START_SECONDS)
        await director.start()
        looking = asyncio.create_task(director.look())
        killing = asyncio.create_task(self._kill_meanwhile())
        with self._progress.playing(draw) as told:
            measuring = asyncio.create_task(asyncio.to_thread(fleet.measure, self.measured, told))
            try:
                await _first_of(looking, measuring, killing, seconds=self._field.seconds)
            except asyncio.CancelledError:  # Ctrl-C ends the load early
                task = asyncio.current_task()
                if task is None or task.uncancel():
                    raise
            fleet.stop()
            await measuring
        killing.cancel()
        await asyncio.gather(killing, return_exceptions=True)
        if not is_over(director.state):
            with self._progress.counting("settling", self._field.entries):
                await director.cancel()
                await asyncio.wait({looking}, timeout=SETTLE_SECONDS)
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        fleet.stop()

    async def _kill_meanwhile(self) -> None:
        def told(number: int) -> None:
            self.killed = number

        if self._kill is not None:
            await self._kill(told)

    def _unfinished(self, kept: list[Kept]) -> list[str]:
        """What should have happened and did not."""
        faults: list[str] = []
        if not is_over(self._director.state):
            faults.append(f"it was not over {SETTLE_SECONDS:g} seconds after the play")
        lost = sum(each.lost for each in kept)
        if lost:
            faults.append(f"{lost} players were not told that it is over for them")
        wished = self._field.kills
        if self.killed < wished:
            faults.append(f"it was over after {self.killed} of {wished} kills: kill more often")
        return faults


async def _first_of(first: asyncio.Task[Any], *others: asyncio.Task[Any], seconds: float) -> None:
    """Wait until the first has ended, or any has failed, or so long; 0 seconds: without end."""
    loop = asyncio.get_running_loop()
    waiting = {first, *others}
    until = loop.time() + seconds if seconds else None
    while not first.done():
        left = None if until is None else until - loop.time()
        if left is not None and left <= 0:
            return
        done, waiting = await asyncio.wait(
            waiting, timeout=left, return_when=asyncio.FIRST_COMPLETED
        )
        for task in done:
            task.result()


def _to_check(
    kept: list[Kept], tables: list[str], field: Field, players: Mapping[int, str]
) -> list[ToCheck]:
    """The tables, dealt out to the processes, with what all of them were told."""
    journals = {table: Journal(field.game, table) for table in tables}
    for each in kept:
        for table, journal in each.journals.items():
            journals.setdefault(table, Journal(field.game, table)).join(journal)
    every, count = [*journals.values()], len(kept)
    return [ToCheck(every[first::count], {**players}) for first in range(count)]
