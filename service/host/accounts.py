"""Accounts in memory, and their part in a table's commits (design 4).

An account is one stream.  A command at a table that moves chips between a seat and its player's
account makes one commit on each, appended as one group: all or nothing.  Locks are taken in the
order table, then accounts by ascending id, never the other way.  Where an account has moved on,
only its own part is built anew.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from hashlib import sha256
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

from engine.account import Account, buy_in, cash_out, fold_account
from engine.errors import Conflict, Corrupt, Refused, Reused
from engine.events import ChipsAdded, Event, SeatLeft, SeatTaken
from engine.house import Table
from service.codec import Codec, StoredForm
from service.host.commands import Command
from service.store.commit import (
    Commit,
    StoredEvent,
    StreamKind,
    chained,
    genesis,
    pack_body,
    unpack_body,
    verify,
)
from service.store.errors import DuplicateCommand, StreamConflict, Unsettled
from service.store.postgres import Store
from service.vault.framing import pack
from service.world import World

__all__ = [
    "Accounts",
    "Change",
    "Entry",
    "LiveAccount",
    "Movement",
    "account_stream",
    "changes_of",
    "movements",
]

MOST: Final = 20_000
PAGE: Final = 500
TRIES: Final = 16
RULES: Final = 1
"""Revision of the rules of accounts."""

_STREAM: Final = b"kartejo/v1/account"


def account_stream(player: UUID) -> UUID:
    """The stream of a player's account.

    >>> account_stream(UUID(int=1)) == account_stream(UUID(int=1))
    True
    """
    bits = int.from_bytes(sha256(pack(_STREAM, player.bytes)).digest()[:16], "big")
    fixed = 0xF000 << 64 | 0xC000 << 48
    return UUID(int=bits & ~fixed | 0x8000 << 64 | 0x8000 << 48)


class Movement(NamedTuple):
    """Chips between a seat and an account: positive to the seat, negative back."""

    seat: int
    amount: int


def movements(table: Table, events: Iterable[Event]) -> dict[str, list[Movement]]:
    """What the events of a commit move between seats and their players' accounts."""
    players = {seat: name for seat, (name, _) in table.game.players(table.state).items()}
    moved: dict[str, list[Movement]] = {}
    for event in events:
        match event:
            case SeatTaken():
                players[event.seat] = event.player
                movement = Movement(event.seat, event.chips)
            case ChipsAdded():
                movement = Movement(event.seat, event.amount)
            case SeatLeft():
                movement = Movement(event.seat, -event.chips)
            case _:
                continue
        if movement.amount:
            moved.setdefault(players[event.seat], []).append(movement)
    return moved


Change: TypeAlias = Callable[[Account], Event]
"""What happens to an account as it stands; raises ``Refused``."""


def changes_of(table: str, moved: Mapping[str, Sequence[Movement]]) -> dict[str, list[Change]]:
    """What movements between seats of a table and accounts are to the accounts."""

    def change(movement: Movement) -> Change:
        seat, amount = movement
        if amount > 0:
            return lambda account: buy_in(account, table, seat, amount)
        return lambda account: cash_out(account, table, seat, -amount)

    return {player: [change(each) for each in rows] for player, rows in moved.items()}


class Entry(NamedTuple):
    """A line of an account's history."""

    version: int
    event: Event
    balance: int
    recorded_at: int


class LiveAccount:
    """One account in memory.  ``lock`` is held while a commit of it is under way."""

    def __init__(self, player: UUID) -> None:
        self.player = player
        self.stream = account_stream(player)
        self.account = Account()
        self.last_hash = genesis(self.stream)
        self.lock = asyncio.Lock()


class Accounts:
    """The accounts of this process.  Raises ``Refused``, ``Conflict``, ``Unavailable``."""

    def __init__(self, world: World, store: Store, codec: Codec) -> None:
        self._world = world
        self._store = store
        self._codec = codec
        self._hot: OrderedDict[UUID, LiveAccount] = OrderedDict()

    # --- reading ------------------------------------------------------------------------------

    def _live(self, player: UUID) -> LiveAccount:
        live = self._hot.get(player)
        if live is None:
            live = self._hot[player] = LiveAccount(player)
            for old in list(self._hot.values()):
                if len(self._hot) <= MOST:
                    break
                if old is not live and not old.lock.locked():
                    del self._hot[old.player]
        self._hot.move_to_end(player)
        return live

    async def balance(self, player: UUID) -> Account:
        """The account as it is stored now."""
        live = self._live(player)
        async with live.lock:
            await self._catch_up(live)
            return live.account

    async def entries(
        self, player: UUID, known: Account, after_version: int, limit: int
    ) -> list[Entry]:
        """Lines of the history after a version, oldest first.

        ``known``: the account at that version or before it.
        """
        stream = account_stream(player)
        account = known
        found: list[Entry] = []
        version = known.version
        while len(found) < limit:
            commits = await self._store.read(stream, version, min(PAGE, limit))
            for commit in commits:
                for number, event in enumerate(self._events(commit), commit.expected + 1):
                    if number <= account.version:  # a page may end within a commit
                        continue
                    account = fold_account(account, [event])
                    if account.version > after_version:
                        found.append(
                            Entry(account.version, event, account.balance, commit.recorded_at)
                        )
            if len(commits) < min(PAGE, limit):
                break
            version = commits[-1].version
        return found[:limit]

    async def _catch_up(self, live: LiveAccount) -> None:
        while True:
            commits = await self._store.read(live.stream, live.account.version, PAGE)
            for commit in commits:
                verify(live.last_hash, commit)
                self._advance(live, commit, self._events(commit))
            if len(commits) < PAGE:
                return

    def _events(self, commit: Commit) -> tuple[Event, ...]:
        if commit.kind != StreamKind.ACCOUNT:
            raise Corrupt(f"stream {commit.stream} is no account")
        return tuple(
            self._codec.load_event(StoredForm(form.type, form.revision, form.public, ()))
            for form in unpack_body(commit.body, commit.count)
        )

    @staticmethod
    def _advance(live: LiveAccount, commit: Commit, events: Sequence[Event]) -> None:
        live.account = fold_account(live.account, events)
        if live.account.version != commit.version:
            raise Corrupt(f"stream {commit.stream}: a commit does not continue its account")
        live.last_hash = commit.hash

    # --- writing ------------------------------------------------------------------------------

    def _commit(self, live: LiveAccount, command: Command, events: Sequence[Event]) -> Commit:
        stored: list[StoredEvent] = []
        for event in events:
            form = self._codec.store_event(event)
            stored.append(StoredEvent(form.type, form.revision, form.public))
        return Commit(
            stream=live.stream,
            kind=StreamKind.ACCOUNT,
            version=live.account.version + len(stored),
            count=len(stored),
            command=command.id,
            group=b"",
            digest=command.digest,
            actor_kind=command.actor_kind,
            actor=command.actor,
            seat=-1,
            action=b"",
            received_at=command.received_at,
            recorded_at=self._world.now(),
            hand=0,
            epoch=0,
            rules=RULES,
            body=pack_body(stored),
            hash=b"",
        )

    async def run(
        self, player: UUID, command: Command, decide: Callable[[Account], Event]
    ) -> Account:
        """A command on one account; a repeat is answered with the account just after it."""
        live = self._live(player)
        async with live.lock:
            for _ in range(TRIES):
                await self._catch_up(live)
                known = await self._store.by_command(live.stream, command.id)
                if known is not None:
                    return await self._again(live, known, command)
                event = decide(live.account)
                commit = self._commit(live, command, [event])
                try:
                    (stored,) = await self._store.append(chained([(live.last_hash, commit)]))
                except (StreamConflict, DuplicateCommand):
                    continue
                self._advance(live, stored, [event])
                return live.account
        raise Conflict("others kept being faster")

    async def _again(self, live: LiveAccount, known: Commit, command: Command) -> Account:
        if not command.is_of(known.digest):
            raise Reused("this request_id stands for another request")
        account = Account()
        version = 0
        while account.version < known.version:
            for commit in await self._store.read(live.stream, version, PAGE):
                version = commit.version
                if version <= known.version:
                    account = fold_account(account, self._events(commit))
        return account

    @asynccontextmanager
    async def held(self, moved: Mapping[str, object]) -> AsyncGenerator[list[LiveAccount], None]:
        """The accounts of some players, locked in ascending order of their streams."""
        accounts = sorted(
            (self._live(UUID(player)) for player in moved), key=lambda live: live.stream
        )
        async with AsyncExitStack() as stack:
            for live in accounts:
                await stack.enter_async_context(live.lock)
            for live in accounts:
                if not live.account.version:
                    await self._catch_up(live)
            yield accounts

    async def append(
        self,
        head: Sequence[tuple[bytes, Commit]],
        accounts: Sequence[LiveAccount],
        changes: Mapping[str, Sequence[Change]],
        command: Command,
    ) -> tuple[Commit, ...]:
        """Store the commits of ``head``, each behind its hash, and the accounts' as one group.

        ``accounts`` are held; ``changes`` by their players.  Returns what was stored of the head.
        Raises ``Refused`` if an account does not allow it, and what the store raises about the
        streams of the head.
        """
        for _ in range(TRIES):
            try:
                parts = [(live, _made(live, changes[str(live.player)])) for live in accounts]
            except Refused:
                # Another process may have credited the account: look before saying no.
                if not await self._moved_on(accounts):
                    raise
                continue
            group = [
                *head,
                *((live.last_hash, self._commit(live, command, events)) for live, events in parts),
            ]
            try:
                stored = await self._store.append(chained(group))
            except StreamConflict as error:
                behind = [live for live in accounts if live.stream == error.stream]
                if not behind:
                    raise
                await self._catch_up(behind[0])
                continue
            except Unsettled:
                for live in accounts:
                    self._hot.pop(live.player, None)
                raise
            for (live, events), part in zip(parts, stored[len(head) :], strict=True):
                self._advance(live, part, events)
            return stored[: len(head)]
        raise Conflict("others kept being faster")

    async def _moved_on(self, accounts: Sequence[LiveAccount]) -> bool:
        """Catch up with some accounts; whether anything had happened to them."""
        before = [live.account.version for live in accounts]
        for live in accounts:
            await self._catch_up(live)
        return before != [live.account.version for live in accounts]


def _made(live: LiveAccount, changes: Sequence[Change]) -> list[Event]:
    account = live.account
    events: list[Event] = []
    for change in changes:
        event = change(account)
        account = fold_account(account, [event])
        events.append(event)
    return events
