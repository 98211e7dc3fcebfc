"""A player's account: chips that are at no table.

One more decider: facts in, balance out.  A balance is a fold of the account's stream and is
stored nowhere else.  Chips enter and leave the house through credit and debit alone; buying in,
adding chips and cashing out move them between account and table in one commit group, so that no
chip is ever in both or in neither.  Entries and prizes move them in the same way between account
and tournament.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from engine.errors import Refused
from engine.events import Event
from engine.table import MAX_CHIPS, require_amount

__all__ = [
    "ACCOUNT_EVENTS",
    "MAX_CREDIT",
    "Account",
    "BoughtIn",
    "CashedOut",
    "Credited",
    "Debited",
    "EntryPaid",
    "EntryReturned",
    "PrizePaid",
    "buy_in",
    "cash_out",
    "credit",
    "debit",
    "fold_account",
    "pay_entry",
    "pay_prize",
    "return_entry",
]

MAX_CREDIT: Final = 10**15
"""No credit lifts a balance above this: far enough from 2^63 that no winner of everybody's chips
can overflow his account."""

MAX_NOTE: Final = 200
"""Characters of a note."""


@dataclass(frozen=True, slots=True)
class Credited(Event):
    """A host put chips on the account."""

    amount: int
    note: str


@dataclass(frozen=True, slots=True)
class Debited(Event):
    """A host took chips off the account."""

    amount: int
    note: str


@dataclass(frozen=True, slots=True)
class BoughtIn(Event):
    """Chips went to a seat of a table."""

    table: str
    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class CashedOut(Event):
    """A seat's stack came back from a table."""

    table: str
    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class EntryPaid(Event):
    """Chips went into a tournament: an entry with its fee, a re-entry or an add-on."""

    tournament: str
    amount: int


@dataclass(frozen=True, slots=True)
class EntryReturned(Event):
    """Chips that had gone into a tournament came back."""

    tournament: str
    amount: int


@dataclass(frozen=True, slots=True)
class PrizePaid(Event):
    """A tournament paid a prize."""

    tournament: str
    amount: int


ACCOUNT_EVENTS = (Credited, Debited, BoughtIn, CashedOut, EntryPaid, EntryReturned, PrizePaid)


class Account(NamedTuple):
    """An account at a version of its stream; version 0: nothing ever happened to it."""

    balance: int = 0
    version: int = 0


def evolve_account(account: Account, event: Event) -> Account:
    """The account after a fact."""
    match event:
        case Credited() | CashedOut() | EntryReturned() | PrizePaid():
            change = event.amount
        case Debited() | BoughtIn() | EntryPaid():
            change = -event.amount
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of an account")
    return Account(account.balance + change, account.version + 1)


def fold_account(account: Account, events: Iterable[Event]) -> Account:
    """The account after some facts.

    >>> fold_account(Account(), [Credited(50, ""), BoughtIn("t", 0, 20)]).balance
    30
    """
    for event in events:
        account = evolve_account(account, event)
    return account


def _note(note: str) -> str:
    if len(note) > MAX_NOTE:
        raise Refused("BAD_PARAMETER", field="note", expected=f"at most {MAX_NOTE} characters")
    return note


def credit(account: Account, amount: object, note: str = "") -> Credited:
    """Chips from outside.  Raises ``Refused(BAD_PARAMETER)``."""
    room = MAX_CREDIT - account.balance
    number = require_amount("amount", amount, 1)
    if number > room:
        raise Refused("BAD_PARAMETER", field="amount", expected=f"at most {max(0, room)}")
    return Credited(number, _note(note))


def debit(account: Account, amount: object, note: str = "") -> Debited:
    """Chips to outside.  Raises ``Refused(BAD_PARAMETER | INSUFFICIENT_CHIPS)``."""
    number = require_amount("amount", amount, 1)
    _require_balance(account, number)
    return Debited(number, _note(note))


def buy_in(account: Account, table: str, seat: int, amount: int) -> BoughtIn:
    """Chips to a seat.  Raises ``Refused(INSUFFICIENT_CHIPS)``."""
    _require_balance(account, amount)
    return BoughtIn(table, seat, amount)


def cash_out(account: Account, table: str, seat: int, amount: int) -> CashedOut:
    """Chips back from a seat.  Raises ``Refused(BAD_PARAMETER)`` if they find no room (C2)."""
    _require_room(account, amount)
    return CashedOut(table, seat, amount)


def pay_entry(account: Account, tournament: str, amount: int) -> EntryPaid:
    """Chips into a tournament.  Raises ``Refused(INSUFFICIENT_CHIPS)``."""
    _require_balance(account, amount)
    return EntryPaid(tournament, amount)


def return_entry(account: Account, tournament: str, amount: int) -> EntryReturned:
    """Chips back out of a tournament.  Raises ``Refused(BAD_PARAMETER)``: no room (C2)."""
    _require_room(account, amount)
    return EntryReturned(tournament, amount)


def pay_prize(account: Account, tournament: str, amount: int) -> PrizePaid:
    """A prize of a tournament.  Raises ``Refused(BAD_PARAMETER)``: no room (C2)."""
    _require_room(account, amount)
    return PrizePaid(tournament, amount)


def _require_room(account: Account, amount: int) -> None:
    if amount > MAX_CHIPS - account.balance:
        raise Refused("BAD_PARAMETER", field="chips", expected="room on the account")


def _require_balance(account: Account, amount: int) -> None:
    if amount > account.balance:
        raise Refused("INSUFFICIENT_CHIPS", amount=amount, balance=account.balance)
