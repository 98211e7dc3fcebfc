"""The process manager of one tournament: which orders are outstanding, and what each waits for.

Orders follow from the tournament's state.  Whatever dies in between, the next one to look finds
the same orders, and carries out under the same command ids what was not done yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from uuid import UUID

import structlog

from engine.errors import Conflict, Exhausted, Unavailable
from engine.events import Event
from engine.tournament.events import TableDone
from engine.tournament.housed import is_over
from engine.tournament.orders import Order, RunClock, orders, orders_about, orders_at
from engine.tournament.state import TableStatus
from service.host.faults import report
from service.host.host import Host
from service.tournaments.errands import Errands, Progress, TellPacks, stream_of_table
from service.tournaments.joint import Joint
from service.tournaments.live import LiveTournament
from service.world import Handle

__all__ = ["Manager"]

log = structlog.get_logger(__name__)

AT_ONCE: Final = 32
"""Orders of one tournament that are carried out at a time."""

AGAIN_SECONDS: Final = 0.5
"""After how long an order is tried again that the store, or a race, stood against."""

FAULT_SECONDS: Final = 5.0
"""After how long it is tried again where nothing that time heals stood against it."""


class Manager:
    """Looks after one tournament until it is cancelled, or everything is done."""

    def __init__(self, host: Host, joint: Joint, live: LiveTournament) -> None:
        self.live = live
        self._host = host
        self._errands = Errands(host, joint, live)
        self._ready: dict[Order, None] = {}
        self._running: dict[Order, asyncio.Task[None]] = {}
        self._parked: set[Order] = set()
        self._told: set[int] = set()
        self._waiting: dict[UUID, set[Order]] = {}
        self._versions: dict[UUID, int] = {}
        self._timers: dict[Order, Handle] = {}
        self._again: set[Order] = set()
        self._wake = asyncio.Event()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do, now and for ever."""
        state = self.live.now.state
        over = is_over(state) and not state.standing and not state.owed
        return over and not any(self._untold())

    def _untold(self) -> Iterator[Order]:
        """Tables whose packs nobody plays any more, and may be told."""
        tables = self.live.now.state.tables
        for numbers in self.live.packs.values():
            if all(tables[number].status is TableStatus.DONE for number in numbers):
                for number in numbers:
                    if number not in self._told:
                        yield TellPacks(tables[number].since, number)

    async def run(self) -> None:
        """Carry out what is outstanding, and what comes, until nothing is left."""
        self.live.heard.append(self._heard)
        try:
            self._add(orders(self.live.now.state))
            self._add(self._untold())
            while not self.is_done:
                self._go_on()
                await self._wake.wait()
                self._wake.clear()
        finally:
            self.live.heard.remove(self._heard)
            for timer in self._timers.values():
                timer.cancel()
            tasks = [*self._running.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def table_moved(self, stream: UUID, version: int) -> None:
        """A hand has ended at a table: whatever waits for that goes on."""
        self._versions[stream] = version
        for order in self._waiting.pop(stream, set()):
            self._is_due(order)
        for order in self._running:
            if stream in self._tables_of(order):
                self._again.add(order)
        self._wake.set()

    def _heard(self, events: Sequence[Event]) -> None:
        self._add(orders_about(self.live.now.state, events))
        if any(isinstance(event, TableDone) for event in events):
            self._add(self._untold())
        self._wake.set()

    def _add(self, found: Iterable[Order]) -> None:
        for order in found:
            if order not in self._running and order not in self._parked:
                self._ready[order] = None

    def _is_due(self, order: Order) -> None:
        if order in self._parked:
            self._parked.discard(order)
            self._ready[order] = None

    def _go_on(self) -> None:
        while self._ready and len(self._running) < AT_ONCE:
            order = next(iter(self._ready))
            del self._ready[order]
            if order not in self._running:
                task = asyncio.create_task(self._carry_out(order))
                self._running[order] = task

    def _tables_of(self, order: Order) -> tuple[UUID, ...]:
        return stream_of_table(self.live, order)

    async def _carry_out(self, order: Order) -> None:
        self._again.discard(order)
        told = log.bind(stream=str(self.live.stream), order=type(order).__name__)
        pause = 0.0
        progress = Progress.WAITS
        try:
            await self._freshen(order)
            progress = await self._errands.run(order)
        except (Unavailable, Exhausted, Conflict) as error:
            told.info("order_waits", reason=error.reason)
            pause = AGAIN_SECONDS
        except Exception as error:  # noqa: BLE001 one order's fault is not the others'
            report(told, "order_not_carried_out", error)
            pause = FAULT_SECONDS
        finally:
            del self._running[order]
        if pause:
            self._later(order, pause)
        elif progress is Progress.WAITS:
            self._wait(order)
        elif isinstance(order, TellPacks):
            self._told.add(order.table)
        else:
            # Whatever it left behind at its table, such as one that is empty now, is due next.
            at = [table for table in (getattr(order, "table", None),) if table is not None]
            self._add(one for one in orders_at(self.live.now.state, at) if one != order)
        self._wake.set()

    async def _freshen(self, order: Order) -> None:
        """See that tables are not older than what was heard of them, or is stored, at first."""
        for stream in self._tables_of(order):
            known = self._versions.get(stream)
            live = self._host.tables.peek(stream)
            if live is not None and (known is None or live.table.version < known):
                await self._host.refresh(live)
            self._versions.setdefault(stream, 0)

    def _wait(self, order: Order) -> None:
        if isinstance(order, RunClock):
            left = self._errands.clock_left_ms(order.version)
            self._later(order, left / 1000)
        elif order in self._again:  # a hand ended while it was looked at
            self._ready[order] = None
        else:
            self._parked.add(order)
            for stream in self._tables_of(order):
                self._waiting.setdefault(stream, set()).add(order)

    def _later(self, order: Order, seconds: float) -> None:
        def due() -> None:
            del self._timers[order]
            self._is_due(order)
            self._wake.set()

        self._parked.add(order)
        self._timers[order] = self._host.world.call_later(seconds, due)
