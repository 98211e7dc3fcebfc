"""What is stored of a tournament's tables: over the API, and in the commit table itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple
from uuid import UUID

from engine.errors import Corrupt
from engine.events import Event, TurnTimedOut
from engine.games import GAMES
from service.client import Client
from service.host.commands import command_id
from service.load.journal import Journal
from service.load.latency import Latencies
from service.load.reading import (
    Checked,
    Told,
    commits_of,
    other_history,
    request_name,
    versions,
)
from service.load.tournaments.plan import request_of
from service.load.verifying import commands_differ, differences
from service.pb import table_service_pb2 as pb
from service.store.commit import ActorKind, Commit
from service.store.connection import Connection

__all__ = ["CheckedTables", "Stacks", "check_table"]

Stacks = Mapping[int, int]
"""What lies at each seat, as the game counts: chips, points, wins."""


class CheckedTables(NamedTuple):
    """What the verification of some tables came to.

    ``ends``: by table, what lay at its seats when each of its hands was over.  ``pauses``: a
    histogram, encoded, of the times from the end of a hand to the next one at its table.
    ``expired``: clocks that did.
    """

    checked: Checked = Checked()
    ends: tuple[tuple[str, tuple[Stacks, ...]], ...] = ()
    pauses: bytes = b""
    expired: int = 0

    def __add__(self, other: CheckedTables) -> CheckedTables:  # type: ignore[override]
        """Both together."""
        return CheckedTables(
            self.checked + other.checked,
            self.ends + other.ends,
            _joined(self.pauses, other.pauses),
            self.expired + other.expired,
        )


def _joined(one: bytes, other: bytes) -> bytes:
    if not (one and other):
        return one or other
    both = Latencies.decode(one)
    both.add(Latencies.decode(other))
    return both.encode()


class _ToldTable(Told):
    """A table as the API tells of it."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal)
        self._kinds = GAMES[journal.game]
        self._ended_at = 0.0
        self.ends: list[Stacks] = []
        self.pauses = Latencies()
        self.expired = 0

    def take(self, news: pb.WatchTableResponse, events: list[Event]) -> Iterator[str]:
        """See ``Told``."""
        yield from super().take(news, events)
        at = news.record_time.seconds + news.record_time.nanos / 1e9
        kinds = {type(event) for event in events}
        self.expired += sum(isinstance(event, TurnTimedOut) for event in events)
        if kinds & self._kinds.HAND_BEGINS and self._ended_at:
            self.pauses.record(at - self._ended_at)
        if kinds & self._kinds.HAND_ENDS:
            self._ended_at = at
            self.ends.append(dict(self._kinds.scores(self.books.state)))


async def check_table(
    journal: Journal, client: Client, db: Connection | None, run: str, players: Mapping[int, str]
) -> CheckedTables:
    """Hold what was told of a table against what is stored of it; ``players``: by number."""
    told = _ToldTable(journal)
    faults = [fault async for fault in told.read(client)]
    commits: list[Commit] = []
    # The tournament acts there as well, and over the API nobody can tell whose a commit is.
    own = {seen.version for seen in told.stored}
    if db is not None:
        try:
            commits = [commit async for commit in commits_of(db, UUID(journal.table))]
        except Corrupt as error:
            faults.append(str(error))
        faults += other_history(told.stored, commits)
        asked = [commit for commit in commits if commit.actor_kind == ActorKind.PLAYER]
        faults += commands_differ(journal, versions(asked), _commands(journal, players, run))
        own -= {commit.version for commit in asked}
    faults += differences(journal, told.stored, own)
    checked = Checked(
        tables=1,
        commits=len(told.stored),
        acknowledged=len(journal),
        in_store=0 if db is None else len(journal),
        unknown=len(journal.unknown),
        faults=tuple(f"{journal.game} {journal.table}: {fault}" for fault in faults),
    )
    ends = ((journal.table, tuple(told.ends)),)
    return CheckedTables(checked, ends, told.pauses.encode(), told.expired)


def _commands(journal: Journal, players: Mapping[int, str], run: str) -> Mapping[int, bytes]:
    """The command that each request became, or would have become."""
    actors = {answer.request: answer.actor for answer in journal.answers()} | journal.unknown
    found: dict[int, bytes] = {}
    for request, actor in actors.items():
        name = request_name(run, *request_of(request))
        found[request] = command_id(UUID(players[actor]), name)
    return found
