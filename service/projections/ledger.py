"""The ledger: every change of every account, with the balance after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import ClassVar, NamedTuple
from uuid import UUID

from engine.account import (
    Account,
    BoughtIn,
    CashedOut,
    Credited,
    Debited,
    EntryPaid,
    EntryReturned,
    PrizePaid,
    evolve_account,
)
from service.codec import Codec, StoredForm, snake_case
from service.projections.projection import Projection
from service.projections.tail import after
from service.store import ledger
from service.store.commit import Commit, StreamKind, unpack_body
from service.store.connection import Connection
from service.store.ledger import NEWEST, Change
from service.store.postgres import Store

__all__ = ["Book", "Changes", "Ledger"]


class Book(NamedTuple):
    """An account as it stands, and what was added to its ledger since it was loaded."""

    account: Account
    added: tuple[Change, ...] = ()


class Ledger(Projection[Book]):
    """A row a change."""

    NAME: ClassVar[str] = ledger.NAME
    REVISION: ClassVar[int] = 1
    KIND: ClassVar[StreamKind] = StreamKind.ACCOUNT

    def __init__(self, codec: Codec) -> None:
        self._codec = codec

    def fold(self, known: Book | None, commit: Commit) -> Book:
        """The account after a commit; raises ``Corrupt``."""
        account, added = known or Book(Account())
        for form in unpack_body(commit.body, commit.count):
            event = self._codec.load_event(StoredForm(form.type, form.revision, form.public, ()))
            before, account = account, evolve_account(account, event)
            table, seat, note = None, None, ""
            match event:
                case BoughtIn() | CashedOut():
                    table, seat = UUID(event.table), event.seat
                case EntryPaid() | EntryReturned() | PrizePaid():
                    table = UUID(event.tournament)
                case Credited() | Debited():
                    note = event.note.replace("\0", "\ufffd")  # no text of the database has one
            change = Change(
                account=commit.stream,
                version=account.version,
                kind=snake_case(type(event).__name__),
                change=account.balance - before.balance,
                balance=account.balance,
                at_table=table,
                seat=seat,
                note=note,
                recorded_at=commit.recorded_at,
            )
            added = (*added, change)
        return Book(account, added)

    async def load(self, db: Connection, build: int, streams: Sequence[UUID]) -> dict[UUID, Book]:
        """See ``Projection``."""
        found = await ledger.last_of(db, build, streams)
        return {change.account: book_after(change) for change in found}

    async def save(self, db: Connection, build: int, changed: Iterable[Book]) -> None:
        """See ``Projection``."""
        await ledger.put(db, build, (change for book in changed for change in book.added))

    async def clear(self, db: Connection, build: int, limit: int) -> int:
        """See ``Projection``."""
        return await ledger.clear(db, build, limit)


def book_after(change: Change) -> Book:
    """An account that stands after a change."""
    return Book(Account(change.balance, change.version))


class Changes:
    """What readers see of the ledger.  Raises ``Unavailable``."""

    def __init__(self, store: Store, ledger: Ledger) -> None:
        self._store = store
        self._ledger = ledger

    async def of_account(
        self, account: UUID, limit: int, before: int = NEWEST, table: UUID | None = None
    ) -> list[Change]:
        """Changes of an account (by its stream) with versions below ``before``, newest first.

        Of one ``table``, or all; what was stored a moment ago is there.
        """
        ask = partial(
            ledger.changes_before, account=account, before=before, limit=limit, table=table
        )
        rows, last = await self._store.pool.ask(ask)
        if last is not None and before <= last.version + 1:
            return rows
        known = None if last is None else book_after(last)
        version = 0 if last is None else last.version
        newest = await after(self._store, self._ledger, account, known, version)
        added = newest.added if newest else ()
        fresh = [
            change
            for change in reversed(added)
            if change.version < before and table in {None, change.at_table}
        ]
        return [*fresh, *rows][:limit]

    async def balance_at(self, account: UUID, version: int) -> Account:
        """The account at a version, where the ledger has it; else as it began."""
        ask = partial(ledger.changes_before, account=account, before=version + 1, limit=1)
        rows, _ = await self._store.pool.ask(ask)
        return book_after(rows[0]).account if rows else Account()
