"""What the service does at its tables by itself: time-outs, next hands, who sits out, snapshots.

Every step is a command like a caller's, under an id that derives from its cause: whoever takes
it twice, here or in another process, takes it once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, Protocol

import structlog

from engine.actions import Action, SitOut, TimeOut
from engine.errors import Conflict, Exhausted, KartejoError, Refused, Unavailable
from engine.events import Event
from engine.house import Table, decision, idle_seats, is_held
from engine.kernel import HOST
from service.codec import Codec
from service.host.clocks import Clocks, StaleDecision
from service.host.commands import Command
from service.host.dealing import decide_at, next_start, start_at
from service.host.executor import Outcome, Planner, Wire
from service.host.faults import report
from service.host.live import Live
from service.host.reading import wants_snapshot
from service.host.recorder import Recorded
from service.host.tables import Tables
from service.world import World

__all__ = ["Runner", "Upkeep", "is_due"]

log = structlog.get_logger(__name__)

START_PAUSE_SECONDS: Final = 1.0
"""How long the host waits between two hands before it starts the next by itself."""

REST_SECONDS: Final = 30.0
"""After how long without a commit a table keeps less in memory."""

AGAIN_SECONDS: Final = 1.0
"""How long a time-out waits before it is tried again."""


class Runner(Protocol):
    """What runs commands: see ``Executor``."""

    async def run(
        self, live: Live, command: Command, planner: Planner, *, seat: int, action: Wire
    ) -> Outcome:
        """Decide and store a command on a table."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> object:
        """A task that the runner waits for before it ends."""


class Upkeep:
    """The host's own doings at the tables of one process; ``runner`` is set by whoever owns it."""

    runner: Runner

    def __init__(self, world: World, codec: Codec, tables: Tables) -> None:
        self._world = world
        self._codec = codec
        self._tables = tables
        self.clocks = Clocks(world, self._time_is_over)
        self._keeping = asyncio.Lock()

    def after(self, live: Live, recorded: Recorded) -> None:
        """What follows from a commit that was stored here: clocks, snapshots, the next hand."""
        self.clocks.update(live)
        if wants_snapshot(live):
            self.runner.spawn(self._keep_snapshot(live))
        game = live.table.game
        if not self.clocks.running or live.table.house.lab:
            return
        if any(type(event) in game.HAND_ENDS for event in recorded.events):
            if live.start_timer is not None:  # set before this hand: the pause begins anew
                live.start_timer.cancel()
                live.start_timer = None
            self.runner.spawn(self._after_hand(live))
        elif live.table.house.options.auto_start and not game.to_act(live.table.state):
            self._start_soon(live)

    async def _keep_snapshot(self, live: Live) -> None:
        """One table at a time: those that began together want theirs in the same moment.

        A table that is in a hand when its turn comes asks again after it.
        """
        async with self._keeping:
            if wants_snapshot(live):
                await self._tables.keep_snapshot(live)

    def resume(self, live: Live) -> None:
        """Set what is due at a table that this process has come to look after."""
        self.clocks.update(live)
        if is_due(live.table) and self.clocks.running:
            self._start_soon(live)

    async def let_rest(self) -> None:
        """Have tables take less memory while nothing happens at them, without end."""
        while True:
            await self._world.sleep(REST_SECONDS)
            await self._tables.rest(self._world.now() - round(REST_SECONDS * 1_000_000))

    # --- between hands ------------------------------------------------------------------------

    async def _after_hand(self, live: Live) -> None:
        for seat in idle_seats(live.table):
            step = f"sit_out {seat}"
            command = Command.of_process(
                self._world, live.stream, live.table.version, step, SitOut.__name__
            )
            wire = self._wire(SitOut())
            await self._take(live, command, seat, wire, _sit_out(live, seat))
        if live.table.house.options.auto_start:
            self._start_soon(live)

    def _start_soon(self, live: Live) -> None:
        """Start the next hand after a pause, once for every version it may start at.

        Whatever somebody does meanwhile does not set the pause back: who sits out and in again
        for ever would keep the others from playing.
        """
        tried = live.start_version == live.table.version
        if live.start_timer or tried or not _awaits_start(live.table):
            return
        live.start_timer = self._world.call_later(
            START_PAUSE_SECONDS, lambda: self._start_now(live)
        )

    def _start_now(self, live: Live) -> None:
        live.start_timer = None
        version = live.table.version
        if self.clocks.running and _awaits_start(live.table):
            live.start_version = version
            self.runner.spawn(self._start(live, version))

    async def _start(self, live: Live, version: int) -> None:
        command = Command.of_process(
            self._world, live.stream, version, "start", live.table.game.START.__name__
        )

        def wire(table: Table) -> bytes:
            return self._wire(next_start(live, table))

        if not await self._take(live, command, HOST, wire, lambda table: start_at(live, table)):
            live.start_version = 0  # it stays due: the next sweep sets it again

    # --- time-outs ----------------------------------------------------------------------------

    def _time_is_over(self, live: Live, key: tuple[int, int]) -> None:
        self.runner.spawn(self._expire(live, key))

    async def _expire(self, live: Live, key: tuple[int, int]) -> None:
        """Time a decision out; while the store is away it stays due.

        A table that was let go, because memory may not be what is stored, is no longer this
        task's: its successor has a clock of its own.
        """
        step = f"time_out {key[0]} {key[1]}"
        command = Command.of_process(self._world, live.stream, 0, step, TimeOut.__name__)

        def plan(table: Table) -> tuple[Event, ...]:
            now = decision(table)
            if now is None or (now.hand, now.number) != key:
                raise StaleDecision("it was answered in time")
            bank: tuple[Event, ...] = self.clocks.bank_emptied(live)
            return bank + decide_at(live, table, HOST, TimeOut())

        while not await self._take(live, command, HOST, self._wire(TimeOut()), plan):
            if not self.clocks.running or self._tables.peek(live.stream) is not live:
                return
            await self._world.sleep(AGAIN_SECONDS)

    async def _take(
        self, live: Live, command: Command, actor: int, wire: Wire, plan: Planner
    ) -> bool:
        """A step of the service itself; false if it has to be tried again."""
        told = log.bind(stream=str(live.stream))
        try:
            await self.runner.run(live, command, plan, seat=actor, action=wire)
        except (Refused, Conflict) as error:  # somebody did it, or it has become needless
            told.debug("own_step_needless", reason=error.reason)
        except (Unavailable, Exhausted) as error:
            told.warning("own_step_failed", reason=error.reason)
            return False
        except KartejoError as error:  # nothing that time will heal
            report(told, "own_step_impossible", error)
        return True

    def _wire(self, action: Action) -> bytes:
        return self._codec.action_bytes(action)


def _sit_out(live: Live, seat: int) -> Planner:
    """Sitting out for a seat that still is idle: it may be somebody else's by now."""

    def plan(table: Table) -> tuple[Event, ...]:
        if seat not in idle_seats(table):
            raise StaleDecision("the seat is not idle any more")
        return decide_at(live, table, seat, SitOut())

    return plan


def _plan(live: Live, actor: int, action: Action) -> Planner:
    return lambda table: decide_at(live, table, actor, action)


def is_due(table: Table) -> bool:
    """Whether something happens at a table when time passes: a time-out, or a start."""
    return not table.house.lab and (decision(table) is not None or _awaits_start(table))


def _awaits_start(table: Table) -> bool:
    """Whether the host is to start the next hand; a solitaire's waits for its player (C12)."""
    game, state = table.game, table.state
    return (
        table.house.options.auto_start
        and game.seats(state) > 1
        and not is_held(table)
        and not game.to_act(state)
        and game.can_start(state)
    )
