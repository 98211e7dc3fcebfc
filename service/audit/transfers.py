"""Chips between tables and accounts: both sides of a transfer stand in one group of commits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol
from uuid import UUID

from engine.account import BoughtIn, CashedOut
from engine.errors import Corrupt
from engine.events import ChipsAdded, Event, SeatLeft, SeatTaken, TableClosed
from engine.house import Table
from service.audit.findings import Count, Findings
from service.codec import Codec, StoredForm
from service.host.accounts import Movement, account_stream, movements
from service.store.commit import Commit, StreamKind, group_of, unpack_body

__all__ = ["Openings", "Partners", "Transfers", "is_alone"]


_MOVES: Final = (SeatTaken, SeatLeft, ChipsAdded)
_JOINED: Final = (*_MOVES, TableClosed)
"""What happens at the table of a tournament together with its tournament only."""


def _is_abandoned(before: Table, commit: Commit, events: Sequence[Event]) -> bool:
    """Whether a table is closed by itself that was opened while its tournament came to its end.

    The tournament was done with it, and nobody ever sat there.
    """
    unused = not before.house.hands and not before.game.players(before.state)
    return unused and is_alone(commit) and not any(isinstance(one, _MOVES) for one in events)


class Partners(Protocol):
    """Finds the accounts' parts of a table's commits."""

    def __call__(self, commit: Commit, count: int) -> Sequence[Commit] | None:
        """The ``count`` commits that follow ``commit`` in the log; None: they are not at hand."""
        ...


class Openings(Protocol):
    """Finds the first commits of streams."""

    def __call__(self, stream: UUID) -> Commit | None:
        """The commit that made a stream; None: it is not at hand."""
        ...


def is_alone(commit: Commit) -> bool:
    """Whether a commit says that it was stored by itself."""
    return commit.group == group_of([(commit.stream, commit.version)])


class Transfers:
    """Checks the groups of one table's commits."""

    def __init__(self, codec: Codec, findings: Findings, count: Count, partners: Partners) -> None:
        self._codec = codec
        self._findings = findings
        self._count = count
        self._partners = partners

    def check(self, before: Table, commit: Commit, events: Sequence[Event]) -> None:
        """What the events move from and to accounts, and what the accounts say of it."""
        purse = before.house.options.purse if before.version else "free"
        moved = movements(before, events) if purse == "account" else {}
        if purse == "tournament":
            # The tournament's commit comes first in the group, and is held against all of it.
            joined = any(isinstance(event, _JOINED) for event in events)
            if joined == is_alone(commit) and not _is_abandoned(before, commit, events):
                due = "a group with its tournament" if joined else "a commit stored by itself"
                self._add(commit, due, "the contrary")
            return
        if not moved:
            if not is_alone(commit):
                self._add(commit, "a commit stored by itself", "one that belongs to a group")
            return
        others = self._partners(commit, len(moved))
        if others is None:
            self._count.unread += len(moved)
            return
        group = [(one.stream, one.version) for one in (commit, *others)]
        if commit.group != group_of(group):
            names = f"a group with the accounts of {len(moved)} players"
            self._add(commit, names, "another group, or a part of it is missing")
            return
        expected = sorted((account_stream(UUID(player)), told) for player, told in moved.items())
        for other, (stream, told) in zip(others, expected, strict=True):
            self._check_part(commit, other, stream, told)

    def _add(self, commit: Commit, expected: str, found: str) -> None:
        self._findings.add(
            "transfer", expected, found, commit.position, commit.version, commit.stream
        )

    def _check_part(
        self, commit: Commit, other: Commit, stream: UUID, moved: Sequence[Movement]
    ) -> None:
        """The part of one account, which stands at ``other``; the table's was decided again."""
        self._count.transfers += 1
        if (other.stream, other.kind) != (stream, StreamKind.ACCOUNT):
            self._add(commit, f"a part of account {stream}", f"one of stream {other.stream}")
            return
        due = _told([_part(str(commit.stream), each) for each in moved])
        try:
            events = [
                self._codec.load_event(StoredForm(form.type, form.revision, form.public, ()))
                for form in unpack_body(other.body, other.count)
            ]
            found = _told(events)
        except Corrupt as error:
            found = str(error)
        if found != due:
            self._add(other, due, found)
        if _command(commit) != _command(other):
            self._add(other, "the same command as at the table", "another one")


def _command(commit: Commit) -> tuple[object, ...]:
    return (commit.command, commit.digest, commit.actor_kind, commit.actor, commit.received_at)


def _part(table: str, movement: Movement) -> Event:
    if movement.amount > 0:
        return BoughtIn(table, movement.seat, movement.amount)
    return CashedOut(table, movement.seat, -movement.amount)


def _told(events: Sequence[Event]) -> str:
    return ", ".join(map(repr, events))
