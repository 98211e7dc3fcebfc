"""Who keeps clocks where: every running decision has a clock in some process (design 8).

Leases say which process arms the timers of a table.  Correctness never depends on them, since a
time-out names its decision and its command id: two processes that arm one timer time out once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final
from uuid import UUID

import structlog

from engine.errors import KartejoError, Unavailable
from service.host.faults import report
from service.host.host import Host
from service.host.live import Live
from service.host.supervision import each
from service.host.upkeep import is_due
from service.store.leases import SIGNER, Leases
from service.store.postgres import Store
from service.store.table_index import TableIndex

__all__ = ["Watchman"]

log = structlog.get_logger(__name__)

MOVE_SECONDS: Final = 2.0
"""Within this time the tables of a process that has died are watched by another one.

It sees that at latest ``LEASE_SECONDS`` after the last sign of life, and a look of its own.
"""

BEAT_SECONDS: Final = 0.3
"""Between two signs of life of a process, each of which also looks who lives."""

LEASE_SECONDS: Final = 1.4
"""How long a sign of life lasts: some may come late, on a machine that is busy."""

TEND_SECONDS: Final = 1.0
"""Between two looks at the tables in memory."""

ROUND_SECONDS: Final = 60.0
"""Between two looks at all tables: whatever was missed is found then."""

WARY_SECONDS: Final = 10.0
"""How long all tables are looked at often, after somebody has left, who still ends what he had
begun, and after the start, when the list may lag."""

LEAVE_SECONDS: Final = 1.0
"""How long a process that ends waits to say so."""

AT_ONCE: Final = 8
"""Tables that are loaded at a time."""


class Watchman:
    """Keeps the clocks of its share of the tables; ``owner`` is the id of this process.

    When another process has gone it looks at all tables that may wait for something, and takes
    over those that nobody watches: what the list of tables names, and what was moved since that
    was written.  Leases alone would not do, as a table has none in its first moment.  ``held`` is
    how many tables it watches.
    """

    def __init__(self, host: Host, store: Store, index: TableIndex, owner: UUID) -> None:
        self._host = host
        self._store = store
        self._index = index
        self._leases = Leases(store.pool, owner)
        self._living: set[UUID] = set()
        self._known: set[UUID] = set()
        self._looked = asyncio.Event()
        self._may_hold = True
        self._listed: set[UUID] = set()
        self._owed: set[UUID] = set()
        self.held = 0
        self.others: Callable[[], AbstractSet[UUID]] = frozenset
        """Streams whose leases are this process's for something else than clocks."""

    @property
    def processes(self) -> int:
        """Processes that live, this one among them, as of the last look."""
        return len(self._living | {self._leases.owner})

    async def live(self) -> None:
        """Give signs of life, and look who else does, without end."""
        while True:
            living, head = await self._leases.beat_and_look(LEASE_SECONDS)
            self._store.hints.looked(head)
            self._living = living
            self._looked.set()
            await self._host.world.sleep(BEAT_SECONDS)

    async def run(self) -> None:
        """Watch the tables, without end."""
        world = self._host.world
        await self._leases.beat(LEASE_SECONDS)  # a lease of nobody's is buried
        next_round = next_look = world.monotonic()
        wary_until = next_round + WARY_SECONDS
        self._listed = await self._running()
        while True:
            await self._looked.wait()
            self._looked.clear()
            living = self._living
            self._store.hints.be_alone(living <= {self._leases.owner})
            now = world.monotonic()
            gone = self._known - living - {self._leases.owner}
            if gone:
                wary_until = now + WARY_SECONDS
            if gone or now >= next_round:
                await self._go_round(urgent=bool(gone))
                next_round = now + (TEND_SECONDS if now < wary_until else ROUND_SECONDS)
                next_look = now + TEND_SECONDS
            elif now >= next_look:
                await self._tend(set())
                next_look = now + TEND_SECONDS
            self._known = living

    async def leave(self) -> None:
        """Say that this process ends, as far as the store hears it: the others take over."""
        try:
            async with asyncio.timeout(LEAVE_SECONDS):
                await self._leases.leave()
        except (KartejoError, TimeoutError) as error:
            log.info("leases_not_left", error=type(error).__name__)

    async def _go_round(self, *, urgent: bool) -> None:
        """Look at all tables that wait for something.

        Whoever plays at one takes it soon: unless it is urgent, what was not there a round ago is
        left to him.
        """
        await self._leases.bury()
        # In this order: what is listed meanwhile is found twice and not missed.
        moved = await self._store.tables_after(await self._index.position()) if urgent else set()
        before, self._listed = self._listed, await self._running()
        await self._tend(moved | self._listed if urgent else before & self._listed)

    async def _running(self) -> set[UUID]:
        """Tables that wait for something, as far as they are listed."""
        found: set[UUID] = set()
        rows = await self._index.running()
        while rows:
            found |= {row.stream for row in rows}
            rows = await self._index.running(after=rows[-1].stream)
        return found

    async def _tend(self, found: set[UUID]) -> None:
        """Hold what is due here, and what nobody else holds of what was found."""
        wanted = {live.stream for live in self._host.tables.hot() if _is_due(live)}
        wanted |= self._owed | found
        if not (wanted or self._may_hold):
            return
        self._may_hold = True
        mine = await self._leases.held() - {SIGNER} - self.others()
        await self._leases.release(mine - wanted)
        held = (mine & wanted) | await self._leases.claim(wanted - mine)
        failed = await each(held, self._arm, AT_ONCE)
        for stream, error in failed.items():
            report(log.bind(stream=str(stream)), "table_not_watched", error)
        self._owed = {stream for stream, error in failed.items() if isinstance(error, Unavailable)}
        # What time will not heal is told, and left to whoever looks after the table.
        hopeless = failed.keys() - self._owed
        await self._leases.release(hopeless)
        self.held = len(held - hopeless)
        self._may_hold = self.held > 0

    async def _arm(self, stream: UUID) -> None:
        self._host.upkeep.resume(await self._host.tables.get(stream))


def _is_due(live: Live) -> bool:
    try:
        return is_due(live.table)
    except Exception as error:  # noqa: BLE001 one damaged table does not stop the others
        report(log.bind(stream=str(live.stream)), "table_not_watched", error)
        return False
