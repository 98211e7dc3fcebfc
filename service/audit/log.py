"""The log as a whole: positions without a gap, groups complete, roots that were signed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

from service.audit.findings import Findings
from service.audit.source import LogRow
from service.store.commit import StreamKind, group_of

__all__ = ["LogCheck", "NoCheckpoints", "check_log"]

_HEADS: Final = frozenset({StreamKind.TOURNAMENT, StreamKind.TABLE})
_PARTS: Final = frozenset({StreamKind.TABLE, StreamKind.ACCOUNT})
_ORDER: Final[dict[int, int]] = {
    StreamKind.TOURNAMENT: 0,
    StreamKind.TABLE: 1,
    StreamKind.ACCOUNT: 2,
}


class LogCheck(Protocol):
    """Holds the leaves of the log against what was signed of it; see ``Checkpoints``."""

    def leaf(self, commit_hash: bytes) -> None:
        """The next leaf."""
        ...

    def finish(self) -> int:
        """There are no more; how many checkpoints were looked at."""
        ...


class NoCheckpoints:
    """Where none are at hand, such as in a part of a log."""

    def leaf(self, commit_hash: bytes) -> None:
        """Nothing is held against it."""

    def finish(self) -> int:
        """None."""
        return 0


class _Group:
    """Commits in a row that say they were stored together."""

    def __init__(self, first: LogRow) -> None:
        self.first = first
        self.rows: list[LogRow] = []

    def check(self, findings: Findings) -> None:
        """Its id names all members, in their order: a tournament, tables, accounts.

        Tables stand together only where a tournament moves somebody between them.
        """
        first = self.first
        if first.group != group_of((row.stream, row.version) for row in self.rows):
            expected = f"the group {first.group.hex()} as it was stored"
            found = f"{len(self.rows)} of its commits, or others"
            findings.add("group", expected, found, first.position, first.version)
        for number, row in enumerate(self.rows if len(self.rows) > 1 else ()):
            of_tournament = first.kind == StreamKind.TOURNAMENT
            due = _HEADS if not number else _PARTS if of_tournament else {StreamKind.ACCOUNT}
            back = number and _ORDER.get(row.kind, 0) < _ORDER.get(self.rows[number - 1].kind, 0)
            if row.kind not in due or back:
                kinds = " or ".join(str(int(kind)) for kind in sorted(due))
                expected = f"a commit of kind {kinds}, at place {number + 1} of a group"
                findings.add("group", expected, f"kind {row.kind}", row.position, row.version)


def check_log(rows: Iterable[LogRow], head: int, findings: Findings, check: LogCheck) -> int:
    """Check all commits in the order of positions; how many checkpoints were held against them.

    ``head``: the last position that the store says it gave out.
    """
    position = 0
    group: _Group | None = None
    for row in rows:
        position += 1
        if row.position != position:
            missing = f"position {position}" + (
                f" to {row.position - 1}" if row.position - 1 > position else ""
            )
            found = f"position {row.position}, version {row.version} of stream {row.stream}"
            findings.add("position", missing, found, position)
            position = row.position
        check.leaf(row.hash)
        if group is None or row.group != group.first.group:
            if group is not None:
                group.check(findings)
            group = _Group(row)
        group.rows.append(row)
    if group is not None:
        group.check(findings)
    if position != head:
        found = f"position {position}" if position else "nothing"
        findings.add("position", f"a log that ends at position {head}", found, position + 1)
    return check.finish()
