"""The command path: lock, decide, seal, append, answer after the commit (design 4).

Nothing is shown to anybody before it is durable.  A refusal, a conflict or a duplicate is
answered only after the store was asked whether this very command was accepted before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from time import perf_counter
from typing import Final, NamedTuple, TypeVar
from uuid import UUID

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
from service.host.limits import RETRY_MS
from service.host.live import Live
from service.host.parts import Part, Writing
from service.host.recorder import Opener, Recorded, Recorder
from service.host.room import Room
from service.host.tables import Tables
from service.host.ticket import Ticket, ended_within
from service.host.underway import UnderWay, pass_on, settle
from service.store.commit import Commit, chained, genesis
from service.store.errors import DuplicateCommand, StreamConflict, Unsettled
from service.store.postgres import Store
from service.telemetry.spans import Spans, no_spans
from service.vault import EpochKeys
from service.world import World

__all__ = ["Executor", "Outcome", "Planner", "Wire"]

TRIES: Final = 16
"""How often a command is decided anew when others were faster."""

SLACK_SECONDS: Final = 0.5
"""How much longer than the store's patience a caller waits: the store knows better what happens."""

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
        refusals: int = 0,
    ) -> None:
        """``refusals``: see ``Room``."""
        self._world = world
        self._store = store
        self._recorder = recorder
        self._tables = tables
        self._accounts = accounts
        self._after = after
        self._spans = spans
        self.under_way = UnderWay()
        self.spawn = self.under_way.spawn
        self.finish = self.under_way.finish
        self._patience = store.patience + SLACK_SECONDS
        self.writing = Writing(world, recorder)
        self.records = CommandRecords()
        self.room = Room(world, refusals)

    async def run(
        self, live: Live, command: Command, planner: Planner, *, seat: int, action: Wire
    ) -> Outcome:
        """Decide and store a command on a table.

        Raises ``Exhausted`` when too much waits already, and ``Unavailable`` when the outcome is
        not known in time: it comes to pass or not, and the same command sent again tells which.
        """
        # Spans follow tasks: what is traced goes the long way.
        free = self._spans is no_spans and not (live.queue or live.lock.locked())
        self.room.take(command.actor, live)
        ticket = Ticket()
        done = None
        try:
            if free:
                done = await self._at_once(live, command, planner, seat, action, ticket)
        except Exception as error:  # noqa: BLE001 whatever it is, it ends as on the long way
            done = asyncio.get_running_loop().create_future()
            done.set_exception(error)
        except asyncio.CancelledError:  # the caller left while others had the table
            self.room.leave(command.actor, live)
            raise
        if done is None:
            done = self.spawn(self._run(live, command, planner, seat, action, ticket))
        else:
            self.under_way.add(done)
        return await self._answer(command, done, ticket, live.table.game.key, live)

    async def _answer(
        self,
        command: Command,
        done: asyncio.Future[T],
        ticket: Ticket,
        game: str,
        live: Live | None = None,
    ) -> T:
        """The outcome of what goes on though its caller has stopped waiting; it has its room."""

        def ended(done: asyncio.Future[T]) -> None:
            self.room.leave(command.actor, live)
            self.records.end(game, command.action, done, repeated=ticket.repeated)
            if live is not None and live.is_awaited:
                # Whoever acted hears before those who watch, however many.
                done.get_loop().call_soon(live.wake)

        done.add_done_callback(ended)
        if command.actor is None:  # the service's own steps have nobody to send them again
            return await asyncio.shield(done)
        in_time = await ended_within(done, self._patience)
        if not in_time and ticket.begun is not None:
            # While the store is away it knows best whether something was done, and says so.
            left = ticket.begun + self._patience - asyncio.get_running_loop().time()
            in_time = await ended_within(done, max(0.0, left))
        if not in_time:
            ticket.given_up = True
            raise Unavailable("the outcome is not known yet; send the same request_id again")
        return done.result()

    async def _at_once(
        self,
        live: Live,
        command: Command,
        planner: Planner,
        seat: int,
        action: Wire,
        ticket: Ticket,
    ) -> asyncio.Future[Outcome] | None:
        """The short way, without a task of its own: at a table that is free.

        What is decided is handed to the store before the caller waits, and taken over in the
        moment in which it is durable.  None: it takes the long way, which begins anew (what was
        refused may be a repeat, and chips may move to or from an account).
        """
        await live.lock.acquire()
        stored: asyncio.Future[tuple[Commit, ...]] | None = None
        try:
            ticket.begin()
            self.records.waits.observe(0.0)
            if not self._tables.keep(live):
                raise Unavailable("the table is being loaded again", retry_ms=RETRY_MS)
            before = live.table
            try:
                events = self._decide(live, command, planner)
                if before.house.options.purse == "account" and movements(before, events):
                    return None
                wire = action if isinstance(action, bytes) else action(before)
                part = self.writing.part(live, command, events, seat, wire)
            except (Unavailable, Exhausted, Corrupt):
                raise
            except KartejoError:
                return None
            stored = self._store.submit(chained([(live.last_hash, part.commit)]))
        finally:
            if stored is None:
                live.lock.release()
        begun = perf_counter()
        done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

        def take_over(stored: asyncio.Future[tuple[Commit, ...]]) -> None:
            try:
                (commit,) = stored.result()
                self.records.commits.observe(perf_counter() - begun)
                settle(done, self.take_over(part, commit))
            except (StreamConflict, DuplicateCommand):
                again = self._run(live, command, planner, seat, action, ticket, refresh=True)
                self.spawn(again).add_done_callback(partial(pass_on, done))
            except Exception as error:  # noqa: BLE001 whatever it is, who waits hears of it
                if isinstance(error, Unsettled):
                    self._tables.forget(live.stream)
                settle(done, error)
            finally:
                live.lock.release()

        stored.add_done_callback(take_over)
        return done

    async def _run(
        self,
        live: Live,
        command: Command,
        planner: Planner,
        seat: int,
        action: Wire,
        ticket: Ticket,
        *,
        refresh: bool = False,
    ) -> Outcome:
        """The long way, which looks into whatever comes in between; ``refresh``: first of all."""
        if refresh:
            self.records.races += 1
            await self._tables.refresh(live)
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
                self.room.was_refused(command.actor, live)
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
        self.room.take(command.actor, None)
        ticket = Ticket()
        ticket.begin()
        work = self._create(stream, empty, keys, opened, command, events, action, ticket)
        return await self._answer(command, self.spawn(work), ticket, empty.game.key)

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
