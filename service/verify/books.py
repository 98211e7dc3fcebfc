"""Accounts, which never run dry and never make chips, and accesses."""

from __future__ import annotations

from collections import Counter
from uuid import UUID

from engine.access import AuditorLooked
from engine.account import Account, BoughtIn, CashedOut, Credited, Debited, evolve_account
from service.verify.decoding import public_event
from service.verify.findings import Bad
from service.verify.records import Record

__all__ = ["AccessCheck", "AccountCheck"]


class AccountCheck:
    """One account, folded."""

    def __init__(self, stream: UUID) -> None:
        self.stream = stream
        self.counts: Counter[str] = Counter(accounts=1)
        self._account = Account()

    def take(self, record: Record) -> None:
        """The next commit; raises ``Bad``."""
        for fact in record.facts or ():
            event = public_event(fact)
            if not isinstance(event, (Credited, Debited, BoughtIn, CashedOut)):
                raise Bad("an event that no account has", found=type(event).__name__)
            if event.amount <= 0:
                raise Bad("a change of no chips", "at least 1", event.amount)
            self._account = evolve_account(self._account, event)
            if self._account.balance < 0:
                raise Bad("an account is overdrawn", "0 or more", self._account.balance)
        self.counts["commits of accounts"] += 1


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
            self.counts["accesses"] += 1
