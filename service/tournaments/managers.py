"""The tournaments that this process looks after: as leases have it, like the clocks of tables."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final
from uuid import UUID

import structlog

from engine.errors import KartejoError
from service.host.faults import report
from service.host.host import Host
from service.store.commit import Commit, StreamKind, unpack_body
from service.store.leases import Leases
from service.store.postgres import Store
from service.tournaments.joint import Joint
from service.tournaments.manager import Manager
from service.tournaments.registry import Tournaments

__all__ = ["Managers"]

log = structlog.get_logger(__name__)

SWEEP_SECONDS: Final = 0.3
"""Between two looks at what is nobody's."""


class Managers:
    """Runs a manager for each tournament whose lease this process holds.

    Correctness never depends on leases: two managers of one tournament carry out each order once.
    ``held``: the streams whose leases are this process's for tournaments.
    """

    def __init__(
        self, host: Host, store: Store, leases: Leases, tournaments: Tournaments, joint: Joint
    ) -> None:
        self._host = host
        self._store = store
        self._leases = leases
        self._tournaments = tournaments
        self._joint = joint
        self._running: dict[UUID, tuple[Manager, asyncio.Task[None]]] = {}
        self._open: set[UUID] = set()
        self._living: set[UUID] = set()
        ends = {kind for game in host.games.values() for kind in game.HAND_ENDS}
        self._ends = frozenset(host.codec.type_of(kind) for kind in ends)
        self.held: set[UUID] = set()

    def heard(self, commits: Sequence[Commit]) -> None:
        """What the log brings: tournaments that others moved, tables whose hands have ended."""
        for commit in commits:
            if commit.kind == StreamKind.TOURNAMENT:
                self._heard_of(commit)
            elif commit.kind == StreamKind.TABLE and commit.hand:
                self._heard_of_table(commit)

    def _heard_of(self, commit: Commit) -> None:
        if commit.expected == 0:
            self._open.add(commit.stream)
        live = self._tournaments.peek(commit.stream)
        if live is not None and live.version < commit.version:
            self._host.executor.spawn(self._tournaments.refresh(live, commit.version))

    def _heard_of_table(self, commit: Commit) -> None:
        for manager, _ in self._running.values():
            if commit.stream in manager.live.numbers:
                forms = unpack_body(commit.body, commit.count)
                if any(form.type in self._ends for form in forms):
                    manager.table_moved(commit.stream, commit.version)

    async def run(self) -> None:
        """Look after tournaments, without end."""
        self._open = await self._store.tournaments()
        await self._leases.bury()
        try:
            while True:
                if self._open or self._running:
                    await self._tend()
                await self._host.world.sleep(SWEEP_SECONDS)
        finally:
            await self._end([*self._running])

    async def _tend(self) -> None:
        living = await self._leases.living()
        if self._living - living:
            await self._leases.bury()  # what was theirs is nobody's now
        self._living = living
        mine = (await self._leases.held()) & (self._open | self.held)
        await self._end([stream for stream in self._running if stream not in mine])
        claimed = await self._leases.claim(self._open - mine)
        self.held |= claimed
        # One that was loaded anew needs a manager that knows the new one.
        done = [
            stream
            for stream, (manager, task) in self._running.items()
            if task.done() or manager.live.gone
        ]
        await self._end(done)
        for stream in ((mine | claimed) & self._open) - self._running.keys():
            await self._begin(stream)
        await self._leases.release(self.held - self._running.keys())
        self.held &= set(self._running)

    async def _begin(self, stream: UUID) -> None:
        try:
            live = await self._tournaments.get(stream)
            await self._tournaments.refresh(live)
        except KartejoError as error:
            report(log.bind(stream=str(stream)), "tournament_not_managed", error)
            return
        manager = Manager(self._host, self._joint, live)
        if manager.is_done:
            self._open.discard(stream)
            return
        self._running[stream] = (manager, asyncio.create_task(manager.run()))

    async def _end(self, streams: Sequence[UUID]) -> None:
        """End managers; one that is done for good is not looked for again."""
        for stream in streams:
            manager, task = self._running.pop(stream)
            if manager.is_done:
                self._open.discard(stream)
            task.cancel()
            (outcome,) = await asyncio.gather(task, return_exceptions=True)
            if isinstance(outcome, Exception):
                report(log.bind(stream=str(stream)), "tournament_manager_failed", outcome)
