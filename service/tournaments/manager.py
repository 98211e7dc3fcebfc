"""The process manager of one tournament: which orders are outstanding, and what each waits for.

Orders follow from the tournament's state.  Whatever dies in between, the next one to look finds
the same orders, and carries out under the same command ids what was not done yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final
from uuid import UUID

import structlog
from structlog.typing import FilteringBoundLogger

from engine.errors import Conflict, Exhausted, Unavailable
from engine.events import Event
from engine.tournament.events import (
    TableBroken,
    TableDone,
    TournamentCancelled,
    TournamentFinished,
)
from engine.tournament.formats import format_of
from engine.tournament.housed import is_over
from engine.tournament.orders import (
    CloseTable,
    OpenTable,
    Order,
    RunClock,
    StartAt,
    StartHand,
    orders,
    orders_about,
    orders_at,
)
from engine.tournament.state import TableStatus
from service.host.faults import report
from service.host.host import Host
from service.tournaments.errands import CloseUnseen, Errands, TellPacks, stream_of_table
from service.tournaments.hands import EndHand, Progress, has_ended
from service.tournaments.joint import Joint
from service.tournaments.live import LiveTournament
from service.world import Handle

__all__ = ["Manager"]

log = structlog.get_logger(__name__)

AT_ONCE: Final = 32
"""Orders of one tournament that are carried out at a time."""

TOGETHER: Final = (OpenTable, CloseTable, EndHand)
"""What is done for several tables in one commit of their tournament: those that come meanwhile."""

MOST_TOGETHER: Final = 16

GATHER_SECONDS: Final = 0.005
"""For how long an end of a hand waits for others to share its commit with, which costs the same."""

AGAIN_SECONDS: Final = 0.5
"""After how long an order is tried again that the store, or a race, stood against."""

LOOK_SECONDS: Final = 60.0
"""How often the time is looked at that an order waits for: this machine's clock may be set."""

FAULT_SECONDS: Final = 5.0
"""After how long it is tried again where nothing that time heals stood against it."""


class Manager:
    """Looks after one tournament until it is cancelled, or everything is done."""

    def __init__(self, host: Host, joint: Joint, live: LiveTournament) -> None:
        self.live = live
        self._host = host
        self._errands = Errands(host, joint, live)
        self._ready: dict[Order, None] = {}
        self._gathered: dict[type[Order], dict[Order, None]] = {kind: {} for kind in TOGETHER}
        self._running: dict[Order, asyncio.Task[None]] = {}
        self._parked: set[Order] = set()
        self._alone: set[Order] = set()
        self._told: set[int] = set()
        self._seen: set[int] = set()
        self._waiting: dict[UUID, set[Order]] = {}
        self._versions: dict[UUID, int] = {}
        self._timers: dict[Order, Handle] = {}
        self._again: set[Order] = set()
        self._gathering: Handle | None = None
        self._gathered_enough = False
        self._wake = asyncio.Event()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do, now and for ever."""
        state = self.live.now.state
        over = is_over(state) and not state.standing and not state.owed
        return over and not any(self._untold()) and not any(self._unseen())

    def _untold(self) -> Iterator[Order]:
        """Tables whose packs nobody plays any more, and may be told."""
        state = self.live.now.state
        tables, kind = state.tables, format_of(state.structure)
        for packs, numbers in self.live.packs.items():
            done = all(tables[number].status is TableStatus.DONE for number in numbers)
            if done and not kind.deals_later(state, packs):
                for number in numbers:
                    if number not in self._told:
                        yield TellPacks(tables[number].since, number)

    def _unseen(self) -> Iterator[Order]:
        """Tables that never stood, of a tournament that is over: were they opened by somebody?"""
        state = self.live.now.state
        if is_over(state):
            for number, table in enumerate(state.tables):
                unseen = table.status is TableStatus.DONE and not table.hand
                if unseen and number not in self._seen:
                    yield CloseUnseen(table.since, number)

    async def run(self) -> None:
        """Carry out what is outstanding, and what comes, until nothing is left."""
        self.live.heard.append(self._heard)
        try:
            self._add(orders(self.live.now.state))
            self._add(self._untold())
            self._add(self._unseen())
            while not self.is_done:
                self._go_on()
                await self._wake.wait()
                self._wake.clear()
        finally:
            self.live.heard.remove(self._heard)
            for timer in self._timers.values():
                timer.cancel()
            self._gather_no_more()
            tasks = [*self._running.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def table_moved(self, stream: UUID, version: int) -> None:
        """A hand has ended at a table: whatever waits for that goes on."""
        self._versions[stream] = version
        live = self._host.tables.peek(stream)
        table = live.table if live is not None and live.table.version >= version else None
        for order in self._waiting.pop(stream, set()):
            ended = isinstance(order, StartHand) and table and has_ended(table, order)
            if ended and order in self._parked:  # it need not be looked at once more
                self._parked.discard(order)
                self._goes_on(order, Progress.ENDED)
            else:
                self._is_due(order)
        for order in self._running:
            if stream in self._tables_of(order):
                self._again.add(order)
        self._wake.set()

    def _heard(self, events: Sequence[Event]) -> None:
        self._add(orders_about(self.live.now.state, events))
        if any(isinstance(event, TableBroken | TableDone) for event in events):
            self._add(self._untold())
        if any(isinstance(event, TournamentCancelled | TournamentFinished) for event in events):
            self._add(self._unseen())
        self._wake.set()

    def _add(self, found: Iterable[Order]) -> None:
        for order in found:
            if order not in self._running and order not in self._parked:
                self._ready_for(order)[order] = None

    def _ready_for(self, order: Order) -> dict[Order, None]:
        return self._gathered.get(type(order), self._ready)

    def _is_due(self, order: Order) -> None:
        if order in self._parked:
            self._parked.discard(order)
            self._ready_for(order)[order] = None

    def _go_on(self) -> None:
        for kind, ready in self._gathered.items():
            if not ready or any(isinstance(order, kind) for order in self._running):
                continue
            if kind is EndHand and self._gathers(len(ready)):
                continue
            self._begin(self._together(ready), ready)
        while self._ready and len(self._running) < AT_ONCE:
            self._begin([next(iter(self._ready))], self._ready)

    def _gathers(self, ends: int) -> bool:
        """Whether ends of hands wait for more of them, where other tables still play."""
        others = self.live.now.state.dealing.bit_count() - ends
        if self._gathered_enough or ends >= MOST_TOGETHER or others <= 0:
            self._gather_no_more()
            return False
        if self._gathering is None:
            self._gathering = self._host.world.call_later(GATHER_SECONDS, self._enough)
        return True

    def _enough(self) -> None:
        self._gathering, self._gathered_enough = None, True
        self._wake.set()

    def _gather_no_more(self) -> None:
        if self._gathering is not None:
            self._gathering.cancel()
        self._gathering, self._gathered_enough = None, False

    def _together(self, ready: Iterable[Order]) -> list[Order]:
        first = next(iter(ready))
        if first in self._alone:
            return [first]
        return [*islice((order for order in ready if order not in self._alone), MOST_TOGETHER)]

    def _begin(self, orders: Sequence[Order], ready: dict[Order, None]) -> None:
        for order in orders:
            del ready[order]
        task = asyncio.create_task(self._carry_out(orders))
        self._running.update(dict.fromkeys(orders, task))

    def _tables_of(self, order: Order) -> tuple[UUID, ...]:
        return stream_of_table(self.live, order)

    async def _carry_out(self, orders: Sequence[Order]) -> None:
        self._again.difference_update(orders)
        pause = 0.0
        came_of_it = [Progress.WAITS] * len(orders)
        try:
            for order in orders:
                await self._freshen(order)
            came_of_it = await self._errands.run_together(orders)
        except (Unavailable, Exhausted, Conflict) as error:
            self._log(orders).info("order_waits", reason=error.reason)
            pause = AGAIN_SECONDS
        except Exception as error:  # noqa: BLE001 one order's fault is not the others'
            if len(orders) > 1:
                self._alone.update(orders)
            else:
                report(self._log(orders), "order_not_carried_out", error)
                pause = FAULT_SECONDS
        finally:
            for order in orders:
                del self._running[order]
        for order, progress in zip(orders, came_of_it, strict=True):
            if pause:
                self._later(order, pause)
            elif len(orders) > 1 and order in self._alone:
                self._ready_for(order)[order] = None
            else:
                self._goes_on(order, progress)
        self._wake.set()

    def _log(self, orders: Sequence[Order]) -> FilteringBoundLogger:
        about: FilteringBoundLogger = log.bind(
            stream=str(self.live.stream), order=type(orders[0]).__name__
        )
        return about

    def _goes_on(self, order: Order, progress: Progress) -> None:
        """What follows from an order that was carried out, or could not be yet."""
        self._alone.discard(order)
        if progress is Progress.WAITS:
            self._wait(order)
            return
        self._again.discard(order)
        if progress is Progress.ENDED and isinstance(order, StartHand):
            self._add([EndHand(order.version, order.table, order.hand)])
        elif isinstance(order, TellPacks):
            self._told.add(order.table)
        elif isinstance(order, CloseUnseen):
            self._seen.add(order.table)
        else:
            # Whatever it left behind at its table, such as one that is empty now, is due next.
            at = [table for table in (getattr(order, "table", None),) if table is not None]
            self._add(one for one in orders_at(self.live.now.state, at) if one != order)

    async def _freshen(self, order: Order) -> None:
        """See that tables are not older than what was heard of them, or is stored, at first."""
        for stream in self._tables_of(order):
            known = self._versions.get(stream)
            live = self._host.tables.peek(stream)
            if live is not None and (known is None or live.table.version < known):
                await self._host.refresh(live)
            self._versions.setdefault(stream, 0)

    def _wait(self, order: Order) -> None:
        if isinstance(order, RunClock | StartAt):
            left = self._errands.left_ms(order) / 1000
            self._later(order, min(left, LOOK_SECONDS))
        elif order in self._again:  # a hand ended while it was looked at
            self._ready_for(order)[order] = None
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
