"""The audit of one stream, from wherever its commits come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Self
from uuid import UUID

from engine.kernel import AnyGame
from service.audit.accesses import AccessAudit
from service.audit.accounts import AccountAudit
from service.audit.chain import Chain, Link
from service.audit.findings import Findings, Result
from service.audit.rows import Compared, rows_of
from service.audit.secrets import Secrets
from service.audit.snapshots import SnapshotRows
from service.audit.source import Beside
from service.audit.tables import Seen, TableAudit
from service.audit.tournaments import TournamentAudit
from service.audit.transfers import Openings, Partners
from service.codec import Codec
from service.projections import Projections
from service.store.commit import Commit, StreamKind
from service.vault import MasterKey

__all__ = ["Tools", "audit_stream"]

TICK: int = 200
"""Commits after which whoever waits is told."""


class Tools(NamedTuple):
    """What an audit knows: the games, how they are stored, the master keys at hand, if any."""

    games: Mapping[str, AnyGame]
    codec: Codec
    projections: Projections
    masters: Sequence[MasterKey] = ()

    @classmethod
    def of(
        cls, games: Mapping[str, AnyGame], codec: Codec, masters: Sequence[MasterKey] = ()
    ) -> Self:
        """Tools for the games that are installed."""
        return cls(games, codec, Projections.of(codec, games), masters)


def audit_stream(
    tools: Tools,
    stream: UUID,
    commits: Iterable[Commit],
    *,
    newest: int,
    partners: Partners,
    openings: Openings,
    beside: Beside | None = None,
    tick: Callable[[int], object] = lambda _: None,
) -> Result:
    """Check the commits of a stream, which come in the order of versions.

    They are read once and not kept, but for those of an epoch whose secret is told later.
    ``newest``: when the log's last commit was recorded (µs); ``tick`` hears how many were read.
    """
    result = Result()
    findings = Findings(stream)
    others = partners, openings
    _Stream(tools, stream, newest, others, beside, findings, result).run(commits, tick)
    result.take(findings)
    return result


class _Stream:
    """One stream under audit."""

    def __init__(
        self,
        tools: Tools,
        stream: UUID,
        newest: int,
        others: tuple[Partners, Openings],
        beside: Beside | None,
        findings: Findings,
        result: Result,
    ) -> None:
        partners, openings = others
        self._tools = tools
        self._newest = newest
        self._beside = beside
        self._findings = findings
        self._count = result.count
        self._chain = Chain(stream, findings)
        self._secrets = Secrets(stream, tools.codec, tools.masters, findings)
        self._table = TableAudit(
            tools.games, tools.codec, self._secrets, findings, self._count, partners
        )
        self._account = AccountAudit(tools.codec, findings, self._count)
        self._access = AccessAudit(tools.codec, findings, self._count)
        self._tournament = TournamentAudit(
            tools.codec, self._secrets, findings, self._count, partners, openings
        )
        self._rows: Sequence[Compared[object]] | None = None
        self._snapshots: SnapshotRows | None = None

    def run(self, commits: Iterable[Commit], tick: Callable[[int], object]) -> None:
        """Everything about it."""
        for link in self._secrets.ready(self._linked(commits, tick)):
            if self._chain.kind == StreamKind.TABLE:
                self._table.take(link, self)
            elif self._chain.kind == StreamKind.ACCOUNT:
                self._account.take(link)
            elif self._chain.kind == StreamKind.TOURNAMENT:
                self._tournament.take(link)
            elif self._chain.kind == StreamKind.ACCESS:
                self._access.take(link)
        for rows in self._rows or ():
            rows.finish()
        if self._snapshots is not None:
            self._snapshots.finish()
        count = self._count
        count.streams += 1
        if self._chain.kind == StreamKind.TABLE:
            self._table.finish(self._newest)
            count.tables += 1
            count.lab_tables += self._table.is_lab
        elif self._chain.kind == StreamKind.ACCOUNT:
            self._account.finish()
            count.accounts += 1
        elif self._chain.kind == StreamKind.TOURNAMENT:
            self._tournament.finish()
            count.tournaments += 1

    def _linked(self, commits: Iterable[Commit], tick: Callable[[int], object]) -> Iterator[Link]:
        told = 0
        for number, commit in enumerate(commits, 1):
            self._count.commits += 1
            self._count.events += commit.count
            for rows in self._compared(commit):
                rows.take(commit)
            yield self._chain.take(commit)
            if number - told == TICK:
                tick(TICK)
                told = number
        tick(self._count.commits - told)

    def _compared(self, first: Commit) -> Sequence[Compared[object]]:
        """The rows beside the stream, found when its first commit says what it is about."""
        if self._rows is None:
            self._rows = ()
            if self._beside is not None:
                tools, beside = self._tools, self._beside
                self._rows = rows_of(
                    first.kind, beside, tools.projections, self._findings, self._count
                )
                self._snapshots = SnapshotRows(
                    beside, tools.games, tools.masters, self._findings, self._count
                )
        return self._rows

    def at(self, seen: Seen) -> None:
        """See ``Watcher``."""
        if self._snapshots is not None:
            self._snapshots.at(seen)
