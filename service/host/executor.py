"""The command path: lock, decide, seal, append, answer after the commit (design 4).

Nothing is shown to anybody before it is durable.  A refusal, a conflict or a duplicate is
answered only after the store was asked whether this very command was accepted before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID

import structlog

from engine.errors import (
    Conflict,
    Corrupt,
    Exhausted,
    KartejoError,
    Refused,
    Reused,
    Unavailable,
)
from engine.events import Event, TableOpened
from engine.house import Table
from engine.occupancy import seated_at
from service.host.accounts import Accounts, movements
from service.host.commands import Command
from service.host.dealing import turn_of_epoch
from service.host.faults import report
from service.host.live import Live
from service.host.recorder import Opener, Recorded, Recorder
from service.host.tables import Tables
from service.store.commit import chained, genesis
from service.store.errors import DuplicateCommand, StreamConflict, Unsettled
from service.store.postgres import Store
from service.vault import EpochKeys
from service.world import World

__all__ = ["Executor", "Outcome", "Planner"]

log = structlog.get_logger(__name__)

PATIENCE_SECONDS: Final = 5.0
"""How long a caller waits for the outcome of his command."""

FINISH_SECONDS: Final = 10.0
"""How long a service that stops waits for the outcome of its commands."""

TRIES: Final = 16
"""How often a command is decided anew when others were faster."""

MOST: Final = 2**31 - 1
"""Hands and versions of a table: as many as the store has numbers for."""

T = TypeVar("T")

Planner = Callable[[Table], tuple[Event, ...]]
"""The events of a command at a table as it stands; raises what refuses it."""


class Outcome(NamedTuple):
    """An accepted command: its commit, and the table just after it."""

    recorded: Recorded
    table: Table


class Executor:
    """Runs commands.  Each runs to its end even if its caller stops waiting."""

    def __init__(
        self,
        world: World,
        store: Store,
        recorder: Recorder,
        tables: Tables,
        accounts: Accounts,
        after: Callable[[Live, Recorded], None],
    ) -> None:
        self._world = world
        self._store = store
        self._recorder = recorder
        self._tables = tables
        self._accounts = accounts
        self._after = after
        self._running: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task of this executor's own: :meth:`finish` waits for it."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def _outcome(self, work: Coroutine[Any, Any, T]) -> T:
        """Run to the end and wait for it, but not for ever: without a database nobody knows."""
        task = self.spawn(work)
        done, _ = await asyncio.wait({task}, timeout=PATIENCE_SECONDS)
        if not done:
            raise Unavailable("the outcome is not known yet; send the same request_id again")
        return task.result()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None and not isinstance(error, KartejoError):
            report(log, "command_failed", error)

    async def finish(self) -> None:
        """Wait until nothing runs any more, for ``FINISH_SECONDS`` at most.

        Without its database a command may have no outcome for as long as that stays away; whoever
        sends it again learns it.
        """
        until = asyncio.get_running_loop().time() + FINISH_SECONDS
        while self._running:
            left = until - asyncio.get_running_loop().time()
            if left <= 0:
                break
            await asyncio.wait(set(self._running), timeout=left)
        if self._running:
            log.warning("commands_given_up", commands=len(self._running))
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)

    async def run(
        self, live: Live, command: Command, planner: Planner, *, seat: int, action: bytes
    ) -> Outcome:
        """Decide and store a command on a table."""
        work = self._run(live, command, planner, seat, action)
        return await self._outcome(work)

    async def _run(
        self, live: Live, command: Command, planner: Planner, seat: int, action: bytes
    ) -> Outcome:
        async with live.lock:
            for _ in range(TRIES):
                if self._tables.peek(live.stream) is not live:
                    raise Unavailable("the table is being loaded again", retry_ms=100)
                before = live.table
                try:
                    events = planner(before)
                except KartejoError:
                    found = await self._tables.find(live, command)
                    if found is not None:
                        return Outcome(*found)
                    # What was refused may be right after all where another process moved on.
                    await self._tables.catch_up(live)
                    if live.table.version == before.version:
                        raise
                    continue
                stored = await self._store_events(live, before, command, events, seat, action)
                if stored is not None:
                    return stored
            raise Conflict("others kept being faster")

    async def _store_events(
        self,
        live: Live,
        before: Table,
        command: Command,
        events: tuple[Event, ...],
        seat: int,
        action: bytes,
    ) -> Outcome | None:
        """Append; None if the table had moved on, and was caught up with."""
        game = before.game
        keys = live.opener.keys(before.house.epoch)
        events, after, fresh = turn_of_epoch(
            live.stream, before, events, seat, keys, self._recorder.master, self._world
        )
        hand = game.hand(after.state) or game.hand(before.state)
        # A position of the laboratory may claim more hands than any table will see.
        if hand > MOST or after.version > MOST:
            raise Exhausted("this table has come to the end of its numbers")
        commit = self._recorder.write(
            live.stream,
            before,
            keys,
            command,
            events,
            seat=seat,
            action=action,
            hand=hand,
            recorded_at=self._world.now(),
        )
        moved = movements(before, events) if before.house.options.purse == "account" else {}
        try:
            async with self._accounts.held(moved) as accounts:
                stored = await self._accounts.append(
                    live.last_hash, commit, accounts, moved, command
                )
        except DuplicateCommand:
            found = await self._tables.find(live, command)
            if found is None:
                raise Corrupt(f"stream {live.stream}: a duplicate that is not stored") from None
            return Outcome(*found)
        except StreamConflict:
            await self._tables.catch_up(live)
            return None
        except Refused:  # by an account: what a repeat asks for was paid already
            found = await self._tables.find(live, command)
            if found is None:
                raise
            return Outcome(*found)
        except Unsettled:
            self._tables.forget(live.stream)
            raise
        live.opener.follow(after, fresh)
        recorded = Recorded(stored, events, seated_at(before), action)
        live.advance(recorded, after)
        self._after(live, recorded)
        return Outcome(recorded, live.table)

    async def create(
        self,
        stream: UUID,
        empty: Table,
        keys: EpochKeys,
        opened: TableOpened,
        command: Command,
        events: tuple[Event, ...],
        action: bytes,
    ) -> tuple[Live, Outcome]:
        """Store the first commit of a table; a repeat finds the table it made before."""
        work = self._create(stream, empty, keys, opened, command, events, action)
        return await self._outcome(work)

    async def _create(
        self,
        stream: UUID,
        empty: Table,
        keys: EpochKeys,
        opened: TableOpened,
        command: Command,
        events: tuple[Event, ...],
        action: bytes,
    ) -> tuple[Live, Outcome]:
        now = self._world.now()
        commit = self._recorder.write(
            stream,
            empty,
            keys,
            command,
            events,
            seat=-1,
            action=action,
            hand=0,
            recorded_at=now,
        )
        try:
            (stored,) = await self._store.append(chained([(genesis(stream), commit)]))
        except Conflict:
            # The stream's id derives from the command: only a repeat of it can have made it.
            live = await self._tables.get(stream)
            found = await self._tables.find(live, command)
            if found is None:
                raise Reused("this request_id stands for another table") from None
            return live, Outcome(*found)
        opener = Opener(self._recorder, stream)
        opener.add(keys)
        fresh = Live(stream, empty, opened, opener, genesis(stream), now)
        recorded = Recorded(stored, events, {}, action)
        fresh.advance(recorded)
        outcome = Outcome(recorded, fresh.table)
        # Whoever follows the log may have loaded the table already: one stream, one live table.
        known = self._tables.peek(stream)
        live = known or fresh
        if known is None:
            await self._tables.admit(fresh)
        self._after(live, recorded)
        return live, outcome
