"""Snapshots, held against the fold: a snapshot is only a cache, and must say what follows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from engine.errors import Corrupt
from engine.kernel import AnyGame
from service.audit.findings import Count, Findings
from service.audit.rows import Ahead
from service.audit.source import Beside
from service.audit.tables import Seen
from service.host.snapshots import FORM, load_table
from service.store.snapshots import Snapshot
from service.vault import MasterKey, open_snapshot

__all__ = ["SnapshotRows"]


class SnapshotRows:
    """The snapshots of one stream; a ``Watcher`` of its table."""

    def __init__(
        self,
        beside: Beside,
        games: Mapping[str, AnyGame],
        masters: Sequence[MasterKey],
        findings: Findings,
        count: Count,
    ) -> None:
        self._beside = beside
        self._games = dict(games)
        self._masters = masters
        self._findings = findings
        self._count = count
        self._rows = Ahead(beside.snapshots())
        self._version = 0

    def at(self, seen: Seen) -> None:
        """Compare what claims to be the table as it stands now."""
        self._version = seen.commit.version
        while (row := self._rows.next) is not None and row.version <= self._version:
            self._rows.take()
            if row.version < self._version:
                self._differs(row, "a version at which a commit ends", f"version {row.version}")
            elif row.hash != seen.commit.hash:
                self._differs(row, f"hash {seen.commit.hash.hex()}", row.hash.hex())
            else:
                self._compare(row, seen)

    def finish(self) -> None:
        """The stream has ended: no snapshot may stand beyond it."""
        row = self._rows.next
        if row is None:
            return
        if self._beside.newest_version() >= row.version:
            self._count.unread += 1
        else:
            expected = f"none beyond version {self._version}"
            self._differs(row, expected, f"one of version {row.version}")

    def _differs(self, row: Snapshot, expected: str, found: str) -> None:
        self._findings.add("snapshot", expected, found, version=row.version)

    def _compare(self, row: Snapshot, seen: Seen) -> None:
        master = next((one for one in self._masters if one.knows(row.sealed)), None)
        if master is None or row.rules != seen.table.game.RULES or not seen.whole:
            self._count.unread += 1
            return
        try:
            content = open_snapshot(
                master,
                row.sealed,
                stream=row.stream,
                version=row.version,
                commit_hash=row.hash,
                rules=row.rules,
            )
            if json.loads(content).get("form") != FORM:
                self._count.unread += 1
                return
            saved = load_table(self._games, content)
        except (Corrupt, ValueError) as error:
            self._differs(row, "a snapshot that opens", str(error))
            return
        self._count.rows += 1
        if (saved.table, saved.opened, saved.created_at) != (
            seen.table,
            seen.opened,
            seen.created_at,
        ):
            self._differs(row, "the table as it follows from its events", "another one")
