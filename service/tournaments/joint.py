"""The command path of tournaments: one group of commits on the tournament, its tables, accounts.

Locks are taken in the order tournament, tables, accounts, each in ascending order of streams, and
held until the group is stored.  What the tournament says it moved is held against what its tables
say before anything is stored.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Final, NamedTuple

from engine import account as accounts
from engine.account import Account
from engine.actions import Action
from engine.errors import Conflict, Corrupt, KartejoError, Reused, Unavailable
from engine.events import Event
from engine.kernel import HOST
from engine.tournament.housed import Housed
from engine.tournament.transfers import (
    Payment,
    PaymentKind,
    chips_moved,
    payments,
    stakes,
)
from service.codec.tournaments import tournament_action_to_wire
from service.host.accounts import Change
from service.host.commands import Command
from service.host.dealing import decide_at
from service.host.host import Host
from service.host.live import Live
from service.host.parts import Part
from service.store.commit import Commit
from service.store.errors import DuplicateCommand, StreamConflict, Unsettled
from service.tournaments.deciding import RULES, decided
from service.tournaments.live import LiveTournament, Recorded
from service.tournaments.registry import Tournaments

__all__ = ["Asked", "AtTable", "Joint", "change_of"]

TRIES: Final = 16


Asked = Action | Callable[[LiveTournament], Action]
"""What is asked of a tournament, or what it is as the tournament stands."""


class AtTable(NamedTuple):
    """What is done at a table of the tournament in the same group."""

    live: Live
    action: Action


class Joint:
    """Runs commands on tournaments.  Each runs to its end even if its caller stops waiting."""

    def __init__(self, host: Host, tournaments: Tournaments) -> None:
        self._host = host
        self._tournaments = tournaments

    async def run(
        self,
        live: LiveTournament,
        command: Command,
        actor: str | None,
        asked: Asked,
        tables: Sequence[AtTable] = (),
    ) -> Commit:
        """Decide and store; a repeat gives the commit that was stored before.

        Raises ``Refused``, also where a table or an account does not allow it; ``Reused`` if the
        account knows the command by another request; ``Unavailable``.
        """
        task = self._host.executor.spawn(self._run(live, command, actor, asked, tables))
        return await asyncio.shield(task)

    async def _run(
        self,
        live: LiveTournament,
        command: Command,
        actor: str | None,
        asked: Asked,
        tables: Sequence[AtTable],
    ) -> Commit:
        for _ in range(TRIES):
            before = live.version
            try:
                stored = await self._once(live, command, actor, asked, tables)
            except (Unavailable, Corrupt):
                raise
            except KartejoError as error:
                refusal = error
            else:
                if stored is not None:
                    return stored
                continue
            # It may have been done before, or be right after all where others moved on.
            known = await self._tournaments.known(live.stream, command)
            if known is not None:
                await self._tournaments.refresh(live, known.version)
                for table in tables:
                    await self._host.refresh(table.live)
                return known
            if isinstance(refusal, DuplicateCommand) and refusal.stream != live.stream:
                raise Reused("this request_id stands for another request")
            if not await self._moved_on(live, before, tables):
                raise refusal
        raise Conflict("others kept being faster")

    async def _moved_on(self, live: LiveTournament, before: int, tables: Sequence[AtTable]) -> bool:
        """Catch up with everything that a refusal may come from; whether there was anything."""
        versions = [table.live.table.version for table in tables]
        await self._tournaments.refresh(live)
        for table in tables:
            await self._host.refresh(table.live)
        return live.version != before or versions != [each.live.table.version for each in tables]

    async def _once(
        self,
        live: LiveTournament,
        command: Command,
        actor: str | None,
        asked: Asked,
        tables: Sequence[AtTable],
    ) -> Commit | None:
        """Append once; None if a stream had moved on, and was caught up with."""
        host = self._host
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(live.lock)
            for table in sorted(tables, key=lambda each: each.live.stream):
                await stack.enter_async_context(table.live.lock)
                if not host.tables.keep(table.live):
                    raise Unavailable("the table is being loaded again", retry_ms=100)
            if not self._tournaments.is_current(live):
                raise Unavailable("the tournament is being loaded again", retry_ms=100)
            before = live.now
            action = asked if isinstance(asked, Action) else asked(live)
            events, after = decided(before, live.keys, actor, action, lost=live.lost)
            parts = [self._part(table, command) for table in tables]
            _require_same_chips(live, before, events, parts)
            commit = self._commit(live, command, action, events)
            head = [(live.last_hash, commit)]
            head += [(part.live.last_hash, part.commit) for part in parts]
            changes = _changes(live.tournament_id, payments(before.state, events))
            held = await stack.enter_async_context(host.accounts.held(changes))
            try:
                stored, *rest = await host.accounts.append(head, held, changes, command)
            except StreamConflict as error:
                await self._catch_up(live, parts, error)
                return None
            except Unsettled:
                self._tournaments.forget(live)
                for part in parts:
                    host.tables.forget(part.live.stream)
                raise
            live.advance(Recorded(stored, events), after)
            for part, one in zip(parts, rest, strict=True):
                host.executor.take_over(part, one)
                part.live.wake()
        return stored

    def _part(self, table: AtTable, command: Command) -> Part:
        live, action = table
        wire = self._host.codec.action_to_wire(action).SerializeToString(deterministic=True)
        events = decide_at(live, live.table, HOST, action)
        return self._host.executor.writing.part(live, command, events, HOST, wire)

    def _commit(
        self, live: LiveTournament, command: Command, action: Action, events: Sequence[Event]
    ) -> Commit:
        host = self._host
        wire = tournament_action_to_wire(action)
        return host.recorder.write_tournament(
            live.stream,
            live.version,
            live.keys,
            command,
            events,
            action=wire.SerializeToString(deterministic=True),
            rules=RULES,
            recorded_at=max(host.world.now(), live.recorded_at),
        )

    async def _catch_up(
        self, live: LiveTournament, parts: Sequence[Part], conflict: StreamConflict
    ) -> None:
        if conflict.stream == live.stream:
            await self._tournaments.catch_up(live)
        for part in parts:
            if conflict.stream == part.live.stream:
                await self._host.tables.catch_up(part.live)


def _changes(tournament: str, moved: Sequence[Payment]) -> dict[str, list[Change]]:
    """What payments are to the accounts of their players."""
    found: dict[str, list[Change]] = {}
    for payment in moved:
        found.setdefault(payment.player, []).append(change_of(tournament, payment))
    return found


def change_of(tournament: str, payment: Payment) -> Change:
    """What a payment is to the account of its player."""
    kinds = {
        PaymentKind.ENTRY: accounts.pay_entry,
        PaymentKind.RETURN: accounts.return_entry,
        PaymentKind.PRIZE: accounts.pay_prize,
    }
    make, amount = kinds[payment.kind], payment.amount

    def change(account: Account) -> Event:
        return make(account, tournament, amount)

    return change


def _require_same_chips(
    live: LiveTournament, before: Housed, events: Sequence[Event], parts: Sequence[Part]
) -> None:
    """Raises ``Corrupt`` unless the tables move the chips that the tournament says they do."""
    said: Counter[int] = Counter()
    for stake in stakes(before.state, events):
        said[stake.table] += stake.chips
    told: Counter[int] = Counter()
    for part in parts:
        number = live.numbers[part.live.stream]
        told[number] += chips_moved(part.events)
    if any(said[table] != told[table] for table in said.keys() | told.keys()):
        raise Corrupt(f"stream {live.stream}: chips of {dict(said)} are {dict(told)} at the tables")
