"""Where an audit reads from: a store, an export, or commits at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from service.audit.checkpoints import SignedRow
from service.store.commit import Commit
from service.store.hand_index import HandRow, TableRecord
from service.store.ledger import Change
from service.store.master_keys import NotedKey
from service.store.snapshots import Snapshot
from service.store.table_index import TableRow
from service.store.tournament_index import TournamentRow

__all__ = ["Beside", "LogRow", "Recorded", "Serving", "Source", "Standing", "Stray", "StreamSize"]


RECENT: Final = 1_000
"""Commits at the end of a log that say how late it is."""


class StreamSize(NamedTuple):
    """A stream and how many commits it has."""

    stream: UUID
    commits: int


class Standing(NamedTuple):
    """A log as it stands when an audit begins; what comes later is not looked at.

    ``head``: the last position that was given out; ``newest``: when a commit was recorded (µs), the
    latest of the last ``RECENT``: of all, a clock that once ran ahead would never be made up for;
    of one, whoever sets a clock back could say that nothing is old.
    """

    head: int
    newest: int
    streams: Sequence[StreamSize]


class LogRow(NamedTuple):
    """What the log as a whole says of a commit."""

    position: int
    stream: UUID
    version: int
    kind: int
    group: bytes
    hash: bytes


class Serving(NamedTuple):
    """The build of a projection that readers see: its number, revision, and how far it is."""

    name: str
    build: int
    revision: int
    position: int


class Stray(NamedTuple):
    """How many rows of a kind should not be there."""

    check: str
    expected: str
    number: int


class Beside(Protocol):
    """What is stored of one stream beside its commits, and was read before them."""

    @property
    def serving(self) -> Mapping[str, Serving]:
        """The build of each projection that readers see."""
        ...

    def snapshots(self) -> Iterator[Snapshot]:
        """Sealed states by ascending versions."""
        ...

    def table(self) -> TableRow | None:
        """The row of the list of tables."""
        ...

    def tournament(self) -> TournamentRow | None:
        """The row of the list of tournaments."""
        ...

    def hands_at(self) -> TableRecord | None:
        """Where the hand index stands."""
        ...

    def hands(self) -> Iterator[HandRow]:
        """Hands by ascending numbers."""
        ...

    def changes(self) -> Iterator[Change]:
        """Changes of an account by ascending versions."""
        ...

    def newest_version(self) -> int:
        """The version at which the stream stands at this moment."""
        ...


class Source(Protocol):
    """Reads recorded commits; memory does not grow with their number."""

    def standing(self) -> Standing:
        """The log as it stands."""
        ...

    def log(self, head: int) -> Iterator[LogRow]:
        """All commits up to a position, in the order of positions."""
        ...

    def commits(self, stream: UUID, head: int) -> Iterator[Commit]:
        """The commits of a stream up to a position of the log, in the order of versions."""
        ...

    def following(self, commit: Commit, count: int) -> Sequence[Commit] | None:
        """The ``count`` commits that follow one in the log; None: they are not at hand."""
        ...

    def beside(self, stream: UUID) -> Beside | None:
        """What is stored beside a stream's commits; None: nothing is at hand."""
        ...

    def strays(self) -> Iterator[Stray]:
        """Rows that belong to no stream, or that miss their counterparts."""
        ...

    def head_now(self) -> int:
        """The last position that was given out by now."""
        ...

    def signed(self) -> Iterator[SignedRow]:
        """What was signed of the log, by ascending numbers."""
        ...

    def log_keys(self) -> Sequence[str]:
        """Whose signatures these are, as the source itself says."""
        ...

    def master_keys(self) -> tuple[NotedKey, ...]:
        """Public ids of the master keys, the newest first, each with the one before it wrapped."""
        ...


class Recorded:
    """Commits at hand, in any order, as an export or a test has them."""

    def __init__(self, commits: Sequence[Commit], head: int | None = None) -> None:
        self._log = sorted(commits, key=lambda commit: commit.position)
        self._streams: dict[UUID, list[Commit]] = {}
        for commit in sorted(commits, key=lambda commit: commit.version):
            self._streams.setdefault(commit.stream, []).append(commit)
        self._head = head if head is not None else self._log[-1].position if self._log else 0

    def standing(self) -> Standing:
        """See ``Source``."""
        newest = max((commit.recorded_at for commit in self._log[-RECENT:]), default=0)
        sizes = [StreamSize(stream, len(found)) for stream, found in self._streams.items()]
        return Standing(self._head, newest, sizes)

    def log(self, head: int) -> Iterator[LogRow]:
        """See ``Source``."""
        for one in self._log:
            if one.position <= head:
                yield LogRow(one.position, one.stream, one.version, one.kind, one.group, one.hash)

    def commits(self, stream: UUID, head: int) -> Iterator[Commit]:
        """See ``Source``."""
        return (one for one in self._streams.get(stream, ()) if one.position <= head)

    def following(self, commit: Commit, count: int) -> Sequence[Commit] | None:
        """See ``Source``."""
        at = self._log.index(commit) + 1
        return self._log[at : at + count]

    def beside(self, stream: UUID) -> Beside | None:  # noqa: ARG002 nothing is
        """See ``Source``."""
        return None

    def strays(self) -> Iterator[Stray]:
        """See ``Source``."""
        return iter(())

    def head_now(self) -> int:
        """See ``Source``."""
        return self._head

    def signed(self) -> Iterator[SignedRow]:
        """See ``Source``."""
        return iter(())

    def log_keys(self) -> Sequence[str]:
        """See ``Source``."""
        return ()

    def master_keys(self) -> tuple[NotedKey, ...]:
        """See ``Source``."""
        return ()
