"""Accounts, which never run dry; what moves between them and tables; accesses."""

from __future__ import annotations

from collections import Counter
from typing import Final, TypeAlias
from uuid import UUID

from engine.access import AuditorLooked
from engine.account import (
    ACCOUNT_EVENTS,
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
from engine.events import ChipsAdded, HouseOpened, SeatLeft, SeatTaken
from engine.tournament.transfers import chips_moved
from service.verify.decoding import name_of, public_event
from service.verify.findings import Bad
from service.verify.records import Record, derived_stream

__all__ = [
    "AccessCheck",
    "AccountCheck",
    "Moved",
    "Purse",
    "require_balanced",
    "require_same_chips",
]

Moved: TypeAlias = Counter[UUID]
"""Chips from accounts to seats, negative back, by the stream of the account."""

HOST: Final = 2
SERVICE: Final = 3
AUDITOR: Final = 5

_MOVES: Final = {"HouseOpened", "SeatTaken", "ChipsAdded", "SeatLeft"}


class AccountCheck:
    """One account, folded."""

    def __init__(self, stream: UUID) -> None:
        self.stream = stream
        self.counts: Counter[str] = Counter(accounts=1)
        self._account = Account()
        self.moved = 0

    def take(self, record: Record) -> None:
        """The next commit; raises ``Bad``.  ``moved`` is what it brought to tables."""
        self.moved = 0
        for fact in record.facts or ():
            event = public_event(fact)
            if not isinstance(event, ACCOUNT_EVENTS):
                raise Bad("an event that no account has", found=type(event).__name__)
            if event.amount <= 0:
                raise Bad("a change of no chips", "at least 1", event.amount)
            if isinstance(event, (Credited, Debited)) and record.actor_kind != HOST:
                raise Bad(
                    "chips of the house by somebody else than a host", HOST, record.actor_kind
                )
            if isinstance(event, BoughtIn | EntryPaid):
                self.moved += event.amount
            elif isinstance(event, CashedOut | EntryReturned | PrizePaid):
                self.moved -= event.amount
            self._account = evolve_account(self._account, event)
            if self._account.balance < 0:
                raise Bad("an account is overdrawn", "0 or more", self._account.balance)
        self.counts["commits of accounts"] += 1


class Purse:
    """What the public events of a table move between its seats and its players' accounts."""

    def __init__(self) -> None:
        self._seated: dict[int, str] = {}
        self.uses_accounts = False
        self._of_tournament = False
        self.staked = 0
        """Chips of its tournament that the last commit brought to the table."""

    def take(self, record: Record) -> Moved:
        """What a commit moves, by the stream of the account; nothing where chips are free."""
        moved: Moved = Counter()
        self.staked = 0
        for fact in record.facts or ():
            if name_of(fact.type) not in _MOVES:
                continue
            event = public_event(fact)
            if self._of_tournament:
                self.staked += chips_moved((event,))
            match event:
                case HouseOpened(options):
                    self.uses_accounts = ("purse", "account") in options
                    self._of_tournament = ("purse", "tournament") in options
                case SeatTaken(seat, player, chips) if self.uses_accounts:
                    self._seated[seat] = player
                    moved[self._account(seat)] += chips
                case ChipsAdded(seat, chips) if self.uses_accounts:
                    moved[self._account(seat)] += chips
                case SeatLeft(seat, chips) if self.uses_accounts:
                    moved[self._account(seat)] -= chips
                    del self._seated[seat]
        return moved

    def _account(self, seat: int) -> UUID:
        player = self._seated.get(seat)
        try:
            return derived_stream(b"kartejo/v1/account", UUID(player))
        except (TypeError, ValueError):
            raise Bad(f"nobody who can have an account sits at seat {seat}") from None


def require_balanced(taken: Moved, given: Moved) -> None:
    """Raises ``Bad`` unless seats got what accounts gave, in commits that were stored together."""
    for account in (*taken, *given):
        if taken[account] != given[account]:
            raise Bad(
                f"seats and account {account} do not say the same of what moved between them",
                taken[account],
                given[account],
            )


def require_same_chips(said: Moved, told: Moved) -> None:
    """Raises ``Bad`` unless tables got the chips that their tournament gave, stored together."""
    for table in (*said, *told):
        if said[table] != told[table]:
            what = f"table {table} and its tournament do not say the same of what moved"
            raise Bad(what, said[table], told[table])


class AccessCheck:
    """The accesses to a table, or to all of them."""

    def __init__(self, stream: UUID) -> None:
        self.stream = stream
        self.counts: Counter[str] = Counter()

    def take(self, record: Record) -> None:
        """The next commit; raises ``Bad``."""
        for fact in record.facts or ():
            event = public_event(fact)
            if not isinstance(event, AuditorLooked):
                raise Bad("an event that is no access", found=type(event).__name__)
            reader = "" if record.actor is None else str(record.actor)
            if event.reader != reader:
                raise Bad("an access of somebody else than acted", reader, event.reader)
            of = UUID(event.table) if event.table else UUID(int=0)
            stream, kind = derived_stream(b"kartejo/v1/access", of), AUDITOR if reader else SERVICE
            if (self.stream, record.actor_kind) != (stream, kind):
                raise Bad("an access on another stream, or of another kind", stream, self.stream)
            self.counts["accesses"] += 1
