"""What an audit finds, and what it has looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, NamedTuple
from uuid import UUID

__all__ = ["MOST", "Count", "Finding", "Findings", "Result", "first_of", "joined"]

MOST: Final = 100
"""Findings that are kept of one stream; further ones are counted."""

NOWHERE: Final = UUID(int=0)
"""Stands for the log as a whole."""


class Finding(NamedTuple):
    """Something that does not hold, and where.

    ``position`` in the log is 0 where the record has none; ``stream`` is all zeros where it is the
    log itself.  ``check`` is a word for programs, ``expected`` and ``found`` are for people and
    hold no card.
    """

    position: int
    stream: UUID
    version: int
    check: str
    expected: str
    found: str

    def as_json(self) -> dict[str, Any]:
        """For programs; the stream is a text, empty for the log itself."""
        stream = "" if self.stream == NOWHERE else str(self.stream)
        return {**self._asdict(), "stream": stream}


class Findings:
    """The findings of one stream, or of the log: the first ``MOST``, and how many there were."""

    def __init__(self, stream: UUID = NOWHERE) -> None:
        self.stream = stream
        self.kept: list[Finding] = []
        self.count = 0

    def add(
        self,
        check: str,
        expected: str,
        found: str,
        position: int = 0,
        version: int = 0,
        stream: UUID | None = None,
    ) -> None:
        """Note one, of another stream where it is named."""
        self.count += 1
        if len(self.kept) < MOST:
            where = stream or self.stream
            self.kept.append(Finding(position, where, version, check, expected, found))


@dataclass(slots=True)
class Count:
    """What was looked at.  Counts of streams add up.

    ``decided``: commits whose action was decided again; ``folded``: those of another revision of
    the rules, whose facts were believed; ``sealed``: those of epochs that nothing here opens yet;
    ``unchecked`` follow on one that could not be read.

    ``epochs`` were told and match their commitments, ``running`` are touched and still open,
    ``abandoned`` those of solitaires that nobody goes on with, ``voided`` those whose key was lost.

    ``rows`` of snapshots and projections were compared; ``unread`` ones could not be: sealed by
    another key, of another form or revision, or moved on meanwhile.  ``checkpoints`` were held
    against the log.

    Chips: ``credited`` and ``debited`` by hosts, ``balance`` on accounts, ``at_tables`` that came
    from accounts, ``in_tournaments`` that accounts paid in and did not get out;
    ``tournament_money`` is the same as the tournaments have it.
    """

    streams: int = 0
    tables: int = 0
    lab_tables: int = 0
    accounts: int = 0
    accesses: int = 0
    commits: int = 0
    events: int = 0
    decided: int = 0
    folded: int = 0
    sealed: int = 0
    unchecked: int = 0
    shuffles: int = 0
    epochs: int = 0
    running: int = 0
    abandoned: int = 0
    voided: int = 0
    transfers: int = 0
    rows: int = 0
    unread: int = 0
    checkpoints: int = 0
    credited: int = 0
    debited: int = 0
    balance: int = 0
    at_tables: int = 0
    in_tournaments: int = 0
    tournaments: int = 0
    tournament_money: int = 0

    def add(self, other: Count) -> None:
        """Add what was looked at elsewhere."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    def as_json(self) -> Mapping[str, int]:
        """For programs."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


@dataclass(slots=True)
class Result:
    """What came out of a part of an audit; parts add up in any order."""

    count: Count = field(default_factory=Count)
    findings: list[Finding] = field(default_factory=list[Finding])
    found: int = 0
    worked: float = 0.0
    """Seconds of processor time that it took, without the database's."""

    def take(self, findings: Findings) -> None:
        """Take over what was found at one place."""
        self.findings += findings.kept
        self.found += findings.count

    def add(self, other: Result) -> None:
        """Add another part."""
        self.count.add(other.count)
        self.findings += other.findings
        self.found += other.found
        self.worked += other.worked


def joined(parts: Iterable[Result]) -> Result:
    """All parts together, the findings in the order of the log."""
    whole = Result()
    for part in parts:
        whole.add(part)
    whole.findings.sort(key=_order)
    return whole


def first_of(findings: Iterable[Finding]) -> Finding | None:
    """The first bad record: of those with a place in the log the earliest, else any."""
    return min(findings, key=_order, default=None)


def _order(finding: Finding) -> tuple[Any, ...]:
    # What concerns no record of the log, such as a row of a projection, comes last.  Those of one
    # record stay in the order in which they were found.
    return (not finding.position, finding.position, finding.stream)
