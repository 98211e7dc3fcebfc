"""What waits for the writer: a group of commits, what becomes of it, and why."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from engine.errors import KartejoError, Unavailable
from service.store.commit import Commit
from service.store.errors import DuplicateCommand, StreamConflict

__all__ = [
    "THE_DATA",
    "Entry",
    "Stored",
    "placed",
    "stays",
    "why_lost",
    "why_refused",
]

Stored = tuple[Commit, ...]

THE_DATA: Final = "the data"
"""What was sent cannot be stored; everything else is the server's matter, or its operator's."""

_WHY: Final = {
    "22": THE_DATA,
    "23": THE_DATA,
    "531": "disk full",
    "532": "out of memory",
    "250": "the server takes no writes",
    "570": "the server ended it",
    "571": "the server stops",
    "580": "the server's disk fails",
}
"""By the first characters of an SQLSTATE."""


class Entry:
    """A group that waits for its outcome."""

    __slots__ = ("events", "future", "group", "queued_at", "size", "streams")

    def __init__(self, group: Stored, future: asyncio.Future[Stored], now: float) -> None:
        self.group = group
        self.future = future
        self.queued_at = now
        # As numbers: they are hashed and compared in C, UUIDs in Python.
        self.streams = [commit.stream.int for commit in group]
        self.events = self.size = 0
        for commit in group:
            self.events += commit.count
            self.size += len(commit.body) + len(commit.action) + 256

    def succeed(self, stored: Stored) -> None:
        """Tell the outcome to whoever still waits: a waiter may be gone, the group is stored."""
        if not self.future.done():
            self.future.set_result(stored)

    def fail(self, error: KartejoError) -> None:
        """Tell the error to whoever still waits."""
        if not self.future.done():
            self.future.set_exception(error)
            # Read it here, so that asyncio does not complain when its waiter has gone.
            self.future.exception()


def stays(entry: Entry, oldest: float) -> bool:
    """Whether an entry may go on waiting; one that was queued by ``oldest`` is sent home."""
    if entry.queued_at <= oldest:
        entry.fail(Unavailable("the database cannot be reached"))
        return False
    return True


def placed(group: Stored, position: int) -> Stored:
    """A group at its positions, the first of which is given."""
    return tuple([commit.placed(position + i) for i, commit in enumerate(group)])


def why_lost(
    group: Stored, losers: Sequence[int], lost: dict[int, tuple[int, int]], start: int
) -> KartejoError:
    """The error of a group: a repeated command tells more than the conflict it causes."""
    for index in losers:
        if duplicate := lost[start + index][1]:
            return DuplicateCommand(group[index].stream, group[index].command, duplicate)
    return StreamConflict(group[losers[0]].stream, lost[start + losers[0]][0])


def why_refused(state: str) -> str:
    """Why a server refused to append, in words for its operator; ``state`` is the SQLSTATE.

    >>> why_refused("53100")
    'disk full'
    """
    return _WHY.get(state[:3]) or _WHY.get(state[:2]) or "another reason"
