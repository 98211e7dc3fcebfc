"""The audit of an account's stream: every change allowed by the rules, never below zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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
    buy_in,
    cash_out,
    credit,
    debit,
    fold_account,
    pay_entry,
    pay_prize,
    return_entry,
)
from engine.errors import Corrupt, Malformed, Refused
from engine.events import Event
from service.audit.chain import Link
from service.audit.findings import Count, Findings
from service.audit.transfers import is_alone
from service.codec import Codec, StoredForm
from service.host.accounts import RULES
from service.store.commit import ActorKind, Commit, StoredEvent, pack_body

__all__ = ["AccountAudit"]

_HEAD: Final = {"seat": -1, "action": b"", "hand": 0, "epoch": 0}


class AccountAudit:
    """Goes through the commits of one account in order; goes on after what it finds."""

    def __init__(self, codec: Codec, findings: Findings, count: Count) -> None:
        self._codec = codec
        self._findings = findings
        self._count = count
        self._account = Account()
        self._stuck = False

    def take(self, link: Link) -> None:
        """Check a commit; what it says is believed afterwards, so that the next can be checked."""
        commit = link.commit
        if self._stuck:
            self._count.unchecked += 1
            return
        try:
            events = self._events(link)
        except (Corrupt, Malformed) as error:
            self._add(commit, "events", "events of an account", str(error))
            self._count.unchecked += 1
            self._stuck = True
            return
        self._check_head(commit, events)
        for event in events:
            if commit.rules == RULES:
                self._decide(commit, event)
            self._account = fold_account(self._account, [event])
            match event:
                case Credited(amount):
                    self._count.credited += amount
                case Debited(amount):
                    self._count.debited += amount
                case EntryPaid(_, amount):
                    self._count.in_tournaments += amount
                case EntryReturned(_, amount) | PrizePaid(_, amount):
                    self._count.in_tournaments -= amount
        if commit.rules == RULES:
            self._count.decided += 1
        else:
            self._count.folded += 1

    def finish(self) -> None:
        """The stream has ended."""
        self._count.balance += self._account.balance

    def _add(self, commit: Commit, check: str, expected: str, found: str) -> None:
        self._findings.add(check, expected, found, commit.position, commit.version)

    def _events(self, link: Link) -> tuple[Event, ...]:
        if link.forms is None:
            raise Corrupt("the body is not in the stored format")
        events: list[Event] = []
        for form in link.forms:
            if form.slots:
                raise Corrupt("a sealed value")
            event = self._codec.load_event(StoredForm(form.type, form.revision, form.public, ()))
            if not isinstance(event, ACCOUNT_EVENTS):
                raise Corrupt(type(event).__name__)
            events.append(event)
        return tuple(events)

    def _check_head(self, commit: Commit, events: Sequence[Event]) -> None:
        if not 1 <= commit.rules <= RULES:
            self._add(commit, "rules", f"rules of revision 1 to {RULES}", str(commit.rules))
        for name, expected in _HEAD.items():
            if (found := getattr(commit, name)) != expected:
                self._add(commit, name, str(expected), str(found))
        forms = [self._codec.store_event(event) for event in events]
        body = pack_body([StoredEvent(form.type, form.revision, form.public) for form in forms])
        if commit.body != body:
            self._add(commit, "body", "the events as they are stored", "the same in other bytes")
        outside = any(isinstance(event, Credited | Debited) for event in events)
        if outside and (len(events) > 1 or not is_alone(commit)):
            self._add(commit, "transfer", "a credit or debit by itself", "one among others")
        if outside and commit.actor_kind != ActorKind.HOST:
            self._add(commit, "actor", "a host", f"an actor of kind {commit.actor_kind}")
        if not outside and is_alone(commit):
            expected = "a table's or a tournament's commit in the same group"
            self._add(commit, "transfer", expected, "none")

    def _decide(self, commit: Commit, event: Event) -> None:
        """Whether the rules allow the change at the account as it stands."""
        account = self._account
        try:
            match event:
                case Credited(amount, note):
                    credit(account, amount, note)
                case Debited(amount, note):
                    debit(account, amount, note)
                case BoughtIn(table, seat, amount):
                    buy_in(account, table, seat, amount)
                case CashedOut(table, seat, amount):
                    cash_out(account, table, seat, amount)
                case EntryPaid(tournament, amount):
                    pay_entry(account, tournament, amount)
                case EntryReturned(tournament, amount):
                    return_entry(account, tournament, amount)
                case PrizePaid(tournament, amount):
                    pay_prize(account, tournament, amount)
        except Refused as refused:
            expected = f"a change that {account.balance} chips allow"
            self._add(commit, "account", expected, f"{event!r}: {refused.reason}")
        match event:
            case BoughtIn() | CashedOut() | EntryPaid() | EntryReturned() | PrizePaid():
                if event.amount <= 0:
                    self._add(commit, "account", "a positive amount", str(event.amount))
