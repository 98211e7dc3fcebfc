"""The tournaments that this process looks after: as leases have it, like the clocks of tables."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from math import inf
from typing import Final
from uuid import UUID

import structlog

from engine.errors import KartejoError
from engine.house import running_hand
from engine.tournament.actions import CancelTournament, TimeGivenBack
from service.host.commands import Command
from service.host.faults import report
from service.host.host import Host
from service.host.voiding import REASON
from service.store.commit import Commit, StreamKind, unpack_body
from service.store.leases import Leases
from service.store.postgres import Store
from service.tournaments.joint import Joint
from service.tournaments.live import LiveTournament
from service.tournaments.manager import Manager
from service.tournaments.registry import Tournaments

__all__ = ["Managers"]

log = structlog.get_logger(__name__)

SWEEP_SECONDS: Final = 0.3
"""Between two looks at what is nobody's."""

AWAY_SECONDS: Final = 5.0
"""A process that has looked at nothing for so long was away: it takes over anew."""

LEAST_AWAY_SECONDS: Final = 1.0
"""No time is given back for less."""


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
        self._tended_at: float | None = None
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
            if commit.stream in manager.live.numbers and not self._runs(commit):
                forms = unpack_body(commit.body, commit.count)
                if any(form.type in self._ends for form in forms):
                    manager.table_moved(commit.stream, commit.version)

    def _runs(self, commit: Commit) -> bool:
        """Whether the hand of a commit still runs at its table, as far as that is known here."""
        live = self._host.tables.peek(commit.stream)
        if live is None or live.table.version < commit.version:
            return False
        return running_hand(live.table) == commit.hand

    async def run(self) -> None:
        """Look after tournaments, without end."""
        self._open = await self._store.tournaments()
        await self._leases.bury()
        try:
            while True:
                if self._open or self._running:
                    await self._tend()
                self._tended_at = self._host.world.monotonic()
                await self._host.world.sleep(SWEEP_SECONDS)
        finally:
            await self._end([*self._running])

    async def _tend(self) -> None:
        living = await self._leases.living()
        if self._living - living:
            await self._leases.bury()  # what was theirs is nobody's now
        self._living = living
        if self._idle() > AWAY_SECONDS:
            await self._end([*self._running])
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
            if live.lost:
                await self._give_up(live)
            await self._give_back(live)
        except KartejoError as error:
            report(log.bind(stream=str(stream)), "tournament_not_managed", error)
            return
        manager = Manager(self._host, self._joint, live)
        if manager.is_done:
            await self._done(stream)
            return
        self._running[stream] = (manager, asyncio.create_task(manager.run()))

    async def _give_up(self, live: LiveTournament) -> None:
        """Cancel a tournament whose master key is lost: no lot can be drawn in it any more."""
        action = CancelTournament("its master key is lost")
        command = Command.of_process(
            self._host.world, live.stream, 1, f"void {REASON}", type(action).__name__
        )
        await self._joint.run(live, command, None, action)
        log.warning("tournament_voided", stream=str(live.stream))

    def _idle(self) -> float:
        """Seconds since this process looked after tournaments; none yet: without end."""
        return self._host.world.monotonic() - self._tended_at if self._tended_at else inf

    async def _give_back(self, live: LiveTournament) -> None:
        """Set the running clock to what it had when somebody last looked after tournaments.

        Nobody could play since then, as far as is known: who remembers nothing of those who lived
        goes by the tournament's last commit.
        """
        clock, world = live.now.state.clock, self._host.world
        if clock is None or live.now.state.paused:
            return
        remembered = await self._leases.away()
        away = min(self._idle(), inf if remembered is None else remembered)
        now = world.now()
        since = live.recorded_at if away == inf else max(live.recorded_at, now - round(away * 1e6))
        left = clock.milliseconds - (since - live.clock_since) // 1000
        if left > 0 and now - since >= LEAST_AWAY_SECONDS * 1e6:
            action = TimeGivenBack(clock.since, left)
            command = Command.of_process(
                world, live.stream, clock.since, "given back", type(action).__name__
            )
            await self._joint.run(live, command, None, action)
            log.info("time_given_back", stream=str(live.stream), seconds=(now - since) / 1e6)

    async def _end(self, streams: Sequence[UUID]) -> None:
        """End managers; one that is done for good is not looked for again."""
        for stream in streams:
            manager, task = self._running.pop(stream)
            task.cancel()
            (outcome,) = await asyncio.gather(task, return_exceptions=True)
            if isinstance(outcome, Exception):
                report(log.bind(stream=str(stream)), "tournament_manager_failed", outcome)
            if manager.is_done:
                await self._done(stream)

    async def _done(self, stream: UUID) -> None:
        """Nobody looks at it again; if that cannot be taken down now, the next start finds it."""
        self._open.discard(stream)
        try:
            await self._store.tournament_done(stream)
        except KartejoError as error:
            log.warning("tournament_end_not_noted", stream=str(stream), reason=error.reason)
