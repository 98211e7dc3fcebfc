"""The command path: lock, decide, seal, append, answer after the commit (design 4).

Nothing is shown to anybody before it is durable.  A refusal, a conflict or a duplicate is
answered only after the store was asked whether this very command was accepted before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import nullcontext
from functools import partial
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID

import structlog

from engine.errors import (
    Conflict,
    Corrupt,
    Exhausted,
    KartejoError,
    Reused,
    Unavailable,
)
from engine.events import Event, TableOpened
from engine.house import Table
from service.host.accounts import Accounts, LiveAccount, changes_of, movements
from service.host.command_records import CommandRecords
from service.host.commands import Command
from service.host.faults import report
from service.host.limits import Places
from service.host.live import Live
from service.host.parts import Part, Writing
from service.host.recorder import Opener, Recorded, Recorder
from service.host.tables import Tables
from service.host.ticket import Ticket, ended_within
from service.store.commit import Commit, chained, genesis
from service.store.errors import DuplicateCommand, StreamConflict, Unsettled
from service.store.postgres import Store
from service.telemetry.spans import Spans, no_spans
from service.vault import EpochKeys
from service.world import World

__all__ = ["Executor", "Outcome", "Planner", "Wire"]

log = structlog.get_logger(__name__)

FINISH_SECONDS: Final = 10.0
"""How long a service that stops waits for the outcome of its commands."""

TRIES: Final = 16
"""How often a command is decided anew when others were faster."""

AT_ONE_TABLE: Final = 64
"""Callers' commands that may wait at one table."""

OF_ONE_CALLER_AT_A_TABLE: Final = 16
OF_ONE_CALLER: Final = 512

SLACK_SECONDS: Final = 0.5
"""How much longer than the store's patience a caller waits: the store knows better what happens."""

RETRY_MS: Final = 100

_NOBODY: Final = nullcontext[Sequence[LiveAccount]](())
"""Stands for the accounts of a command that moves no chips to or from one."""

T = TypeVar("T")

Planner = Callable[[Table], tuple[Event, ...]]
"""The events of a command at a table as it stands; raises what refuses it."""

Wire = bytes | Callable[[Table], bytes]
"""The action of a command as it is stored, or what it is at a table as it stands."""


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
        spans: Spans = no_spans,
    ) -> None:
        self._world = world
        self._store = store
        self._recorder = recorder
        self._tables = tables
        self._accounts = accounts
        self._after = after
        self._spans = spans
        self._running: set[asyncio.Task[Any]] = set()
        self._patience = store.patience + SLACK_SECONDS
        self.writing = Writing(world, recorder)
        self.records = CommandRecords()
        self.at_table = Places[tuple[UUID, UUID]](
            OF_ONE_CALLER_AT_A_TABLE, "commands of one caller at one table"
        )
        self.anywhere = Places[UUID](OF_ONE_CALLER, "commands of one caller")

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task of this executor's own: :meth:`finish` waits for it."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

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
        self, live: Live, command: Command, planner: Planner, *, seat: int, action: Wire
    ) -> Outcome:
        """Decide and store a command on a table.

        Raises ``Exhausted`` when too much waits already, and ``Unavailable`` when the outcome is
        not known in time: it comes to pass or not, and the same command sent again tells which.
        """
        ticket = Ticket()
        work = self._run(live, command, planner, seat, action, ticket)
        return await self._answer(command, work, ticket, live.table.game.key, live)

    async def _answer(
        self,
        command: Command,
        work: Coroutine[Any, Any, T],
        ticket: Ticket,
        game: str,
        live: Live | None = None,
    ) -> T:
        """The outcome of work that goes on though its caller has stopped waiting."""
        try:
            self._take_places(command.actor, live)
        except Exhausted:
            work.close()
            raise
        task = self.spawn(work)

        def ended(task: asyncio.Task[T]) -> None:
            self._leave_places(command.actor, live)
            self.records.end(game, command.action, task, repeated=ticket.repeated)
            if live is not None:  # whoever acted hears before those who watch, however many
                task.get_loop().call_soon(live.wake)

        task.add_done_callback(ended)
        if command.actor is None:  # the service's own steps have nobody to send them again
            return await asyncio.shield(task)
        done = await ended_within(task, self._patience)
        if not done and ticket.begun is not None:
            # While the store is away it knows best whether something was done, and says so.
            left = ticket.begun + self._patience - asyncio.get_running_loop().time()
            done = await ended_within(task, max(0.0, left))
        if not done:
            ticket.given_up = True
            raise Unavailable("the outcome is not known yet; send the same request_id again")
        return task.result()

    def _take_places(self, actor: UUID | None, live: Live | None) -> None:
        """Room for one more command; the service's own (without an actor) always find it."""
        if actor is not None:
            if live is not None:
                if live.queue >= AT_ONE_TABLE:
                    self.records.crowded += 1
                    raise Exhausted("too many commands wait at this table", RETRY_MS)
                self.at_table.take((actor, live.stream))
            try:
                self.anywhere.take(actor)
            except Exhausted:
                if live is not None:
                    self.at_table.leave((actor, live.stream))
                raise
        if live is not None:
            live.queue += 1

    def _leave_places(self, actor: UUID | None, live: Live | None) -> None:
        if live is not None:
            live.queue -= 1
        if actor is not None:
            self.anywhere.leave(actor)
            if live is not None:
                self.at_table.leave((actor, live.stream))

    async def _run(
        self,
        live: Live,
        command: Command,
        planner: Planner,
        seat: int,
        action: Wire,
        ticket: Ticket,
    ) -> Outcome:
        for _ in range(TRIES):
            waited = perf_counter()
            async with live.lock:
                if ticket.given_up and ticket.begun is None:
                    raise Unavailable("the table was busy for too long")
                ticket.begin()
                if not self._tables.keep(live):
                    raise Unavailable("the table is being loaded again", retry_ms=RETRY_MS)
                before = live.table
                try:
                    self.records.waits.observe(perf_counter() - waited)
                    events = self._decide(live, command, planner)
                    wire = action if isinstance(action, bytes) else action(before)
                    stored = await self._store_events(live, before, command, events, seat, wire)
                except (Unavailable, Exhausted, Corrupt):
                    raise
                except KartejoError as error:
                    refusal = error
                else:
                    if stored is not None:
                        return stored
                    self.records.races += 1
                    continue
            # What was refused is looked into while others play on: it may have been done before,
            # or be right after all where another process moved on.
            known = await self._tables.known(live, command)
            if known is not None:
                ticket.repeated = True
                await self._tables.refresh(live, known.version)
                return Outcome(*await self._tables.at(live, known.version))
            if isinstance(refusal, DuplicateCommand):
                raise _unexplained(live, refusal)
            if await self._tables.is_newest(live, before.version):
                raise refusal
            await self._tables.refresh(live)
        raise Conflict("others kept being faster")

    def _decide(self, live: Live, command: Command, planner: Planner) -> tuple[Event, ...]:
        game = live.table.game.key
        with self._spans("decide", game=game, action=command.action, table=live.table_id):
            begun = perf_counter()
            events = planner(live.table)
            self.records.decides.observe(game, perf_counter() - begun)
            return events

    async def _store_events(
        self,
        live: Live,
        before: Table,
        command: Command,
        events: tuple[Event, ...],
        seat: int,
        action: bytes,
    ) -> Outcome | None:
        """Append; None if the table had moved on, and was caught up with.

        Raises ``DuplicateCommand``, and ``Refused`` where an account does not allow it.
        """
        part = self.writing.part(live, command, events, seat, action)
        by_account = before.house.options.purse == "account"
        moved = movements(before, part.events) if by_account else {}
        head = [(live.last_hash, part.commit)]
        begun = perf_counter()
        try:
            with self._spans("commit", events=len(part.events), table=live.table_id):
                async with self._accounts.held(moved) if moved else _NOBODY as accounts:
                    changes = changes_of(live.table_id, moved)
                    (stored,) = await self._accounts.append(head, accounts, changes, command)
        except StreamConflict:
            await self._tables.catch_up(live)
            return None
        except Unsettled:
            self._tables.forget(live.stream)
            raise
        self.records.commits.observe(perf_counter() - begun)
        return self.take_over(part, stored)

    def take_over(self, part: Part, stored: Commit) -> Outcome:
        """Move a table on by what was stored of it, and do what follows."""
        recorded = part.take_over(stored)
        self._after(part.live, recorded)
        return Outcome(recorded, part.live.table)

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
        ticket = Ticket()
        ticket.begin()
        work = self._create(stream, empty, keys, opened, command, events, action, ticket)
        return await self._answer(command, work, ticket, empty.game.key)

    async def _create(
        self,
        stream: UUID,
        empty: Table,
        keys: EpochKeys,
        opened: TableOpened,
        command: Command,
        events: tuple[Event, ...],
        action: bytes,
        ticket: Ticket,
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
            known = await self._tables.known(live, command)
            if known is None:
                raise Reused("this request_id stands for another table") from None
            ticket.repeated = True
            return live, Outcome(*await self._tables.at(live, known.version))
        opener = Opener(self._recorder, stream)
        opener.add(keys)
        fresh = Live(stream, empty, opened, opener, genesis(stream), now)
        recorded = Recorded(stored, events, {}, partial(bytes, action))
        fresh.advance(recorded)
        outcome = Outcome(recorded, fresh.table)
        # Whoever follows the log may have loaded the table already: one stream, one live table.
        live = self._tables.admit(fresh)
        self._after(live, recorded)
        return live, outcome


def _unexplained(live: Live, duplicate: DuplicateCommand) -> KartejoError:
    """What a command means that was met before, though not on the table's stream."""
    if duplicate.stream != live.stream:
        return Reused("this request_id stands for another request")
    return Corrupt(f"stream {live.stream}: a duplicate that is not stored")
