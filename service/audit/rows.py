"""Rows of projections, held against what follows from a stream.

They may be thrown away and made again; one that differs misleads whoever reads it until then.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

from service.audit.findings import Count, Findings
from service.audit.source import Beside, Serving
from service.projections import Projections
from service.projections.hand_index import TableHands
from service.projections.ledger import Book
from service.projections.projection import AnyProjection
from service.store.commit import Commit, StreamKind
from service.store.hand_index import HandRow, TableRecord
from service.store.table_index import TableRow
from service.store.tournament_index import TournamentRow

__all__ = ["Ahead", "Compared", "rows_of"]

R = TypeVar("R")
S = TypeVar("S")
L = TypeVar("L", TableRow, TournamentRow)


class Ahead(Generic[R]):
    """Rows one by one, the next of them in sight."""

    def __init__(self, rows: Iterator[R]) -> None:
        self._rows = rows
        self.next: R | None = next(rows, None)

    def take(self) -> R | None:
        """The next row."""
        row, self.next = self.next, next(self._rows, None)
        return row


class Compared(ABC, Generic[S]):
    """The rows of one projection about one stream: compared until something differs."""

    def __init__(
        self, projection: AnyProjection, beside: Beside, findings: Findings, count: Count
    ) -> None:
        self._projection = projection
        self._beside = beside
        self._findings = findings
        self._count = count
        self._serving: Serving | None = beside.serving.get(projection.NAME)
        self._known: S | None = None
        self._last: Commit | None = None
        self._ended = self._serving is None
        self._settled = False
        self._difference: tuple[str, str] | None = None
        if self._serving is not None and self._serving.revision != projection.REVISION:
            count.unread += 1
            self._ended = True

    def take(self, commit: Commit) -> None:
        """Fold a commit of the stream."""
        self._last = commit
        if self._ended or self._settled:
            return
        try:
            self._known = self._projection.fold(self._known, commit)
        except Exception:  # noqa: BLE001 the projection leaves it out; what is wrong is found elsewhere
            self._ended = True
        else:
            self._look(commit, self._known)

    def finish(self) -> None:
        """The stream has ended: nothing may be missing, and nothing may be left over."""
        last = self._last
        if not self._ended and last is not None and self._serving is not None:
            self._end(last, due=self._serving.position >= last.position)
        if self._difference is None or last is None:
            return
        if self._beside.newest_version() > last.version:
            self._count.unread += 1  # the rows moved on while the audit ran
        else:
            what = f"projection {self._projection.NAME}"
            self._findings.add(what, *self._difference, version=last.version)

    @abstractmethod
    def _look(self, commit: Commit, known: S) -> None:
        """Compare where the rows stand at this commit."""

    @abstractmethod
    def _end(self, last: Commit, *, due: bool) -> None:
        """The last commit was taken; ``due``: the projection says that it has come to it."""

    def _differs(self, expected: str, found: str) -> None:
        """Keep a difference, and compare no further."""
        self._ended = True
        self._difference = (expected, found)

    def _same(self, due: object, found: object, what: str) -> bool:
        self._count.rows += 1
        if due == found:
            return True
        self._differs(f"{what}: {due}", str(found))
        return False


class _ListRow(Compared[L]):
    """The row of a list."""

    _found: L | None
    _what: str

    def _look(self, commit: Commit, known: L) -> None:
        if self._found is not None and self._found.position == commit.position:
            self._settled = self._same(known, self._found, self._what)

    def _end(self, last: Commit, *, due: bool) -> None:
        position = self._found.position if self._found else 0
        if position > last.position or (due and position < last.position):
            self._differs(f"a row at position {last.position}", f"one at {position}")


class _TableRow(_ListRow[TableRow]):
    """The row of the list of tables."""

    def __init__(
        self, projection: AnyProjection, beside: Beside, findings: Findings, count: Count
    ) -> None:
        super().__init__(projection, beside, findings, count)
        self._found, self._what = beside.table(), "the table"


class _TournamentRow(_ListRow[TournamentRow]):
    """The row of the list of tournaments."""

    def __init__(
        self, projection: AnyProjection, beside: Beside, findings: Findings, count: Count
    ) -> None:
        super().__init__(projection, beside, findings, count)
        self._found, self._what = beside.tournament(), "the tournament"


class _HandRows(Compared[TableHands]):
    """Where the hand index stands at a table, and the table's hands."""

    def __init__(
        self, projection: AnyProjection, beside: Beside, findings: Findings, count: Count
    ) -> None:
        super().__init__(projection, beside, findings, count)
        self._record = beside.hands_at()
        self._rows = Ahead(beside.hands())

    def _look(self, commit: Commit, known: TableHands) -> None:
        record = self._record
        if record is None:
            return
        self._settled = commit.version == record.version
        # A hand that is over does not change any more, but where positions are set.
        over = [] if known.lab else [hand for hand in known.added if hand != commit.hand]
        for hand in sorted(known.added if self._settled else over):
            if not self._compare(known.added[hand]):
                return
        left = {hand: row for hand, row in known.added.items() if hand not in over}
        self._known = known._replace(added=left)
        same = self._settled and self._same(_standing(known), _record(record), "the table")
        if same and self._rows.next is not None:
            self._differs("no further hand", f"hand {self._rows.next.hand}")

    def _compare(self, due: HandRow) -> bool:
        found = self._rows.take()
        return self._same(_hand(due), found and _hand(found), f"hand {due.hand}")

    def _end(self, last: Commit, *, due: bool) -> None:
        version = self._record.version if self._record else 0
        if version > last.version or (due and version < last.version):
            self._differs(f"rows at version {last.version}", f"rows at version {version}")


class _Changes(Compared[Book]):
    """The changes of an account."""

    def __init__(
        self, projection: AnyProjection, beside: Beside, findings: Findings, count: Count
    ) -> None:
        super().__init__(projection, beside, findings, count)
        self._rows = Ahead(beside.changes())

    def _look(self, commit: Commit, known: Book) -> None:
        position = self._serving.position if self._serving else 0
        for due in known.added:
            if self._rows.next is None and commit.position > position:
                return
            found = self._rows.take()
            if not self._same(due, found, f"version {due.version}"):
                return
        self._known = known._replace(added=())

    def _end(self, last: Commit, *, due: bool) -> None:
        del due
        if (left := self._rows.next) is not None:
            self._differs(f"changes up to version {last.version}", f"one of {left.version}")


def rows_of(
    kind: int, beside: Beside, projections: Projections, findings: Findings, count: Count
) -> Sequence[Compared[Any]]:
    """What is to be compared beside a stream of that kind."""
    if kind == StreamKind.TABLE:
        return (
            _TableRow(projections.tables, beside, findings, count),
            _HandRows(projections.hands, beside, findings, count),
        )
    if kind == StreamKind.ACCOUNT:
        return (_Changes(projections.ledger, beside, findings, count),)
    if kind == StreamKind.TOURNAMENT:
        return (_TournamentRow(projections.tournaments, beside, findings, count),)
    return ()


def _standing(known: TableHands) -> tuple[object, ...]:
    return (known.version, known.game, known.lab, dict(known.seated))


def _record(row: TableRecord) -> tuple[object, ...]:
    seated = dict(zip(row.seats, row.players, strict=False))
    return (row.version, row.game, row.lab, seated)


def _hand(row: HandRow) -> tuple[object, ...]:
    # A database answers with lists.
    return (*row[:-2], tuple(row.seats), tuple(row.players))
