"""The list of tournaments: name, game, format, host, phase, how many entered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final
from uuid import UUID

from engine.errors import Corrupt
from engine.events import Event, HouseOpened
from engine.tournament import events as e
from engine.tournament.state import Phase
from service.projections.facts import Facts
from service.projections.projection import Projection
from service.store import tournament_index
from service.store.commit import Commit, StreamKind
from service.store.connection import Connection
from service.store.tournament_index import TournamentRow

__all__ = ["TournamentList"]

_SEEN: Final = frozenset(
    {
        e.EntryMade,
        e.EntryAdmitted,
        e.EntryWithdrawn,
        e.MoneyAwarded,
        e.TournamentStarted,
        e.TournamentFinished,
        e.TournamentCancelled,
    }
)
_FIRST: Final = frozenset({HouseOpened, e.TournamentCreated})


class TournamentList(Projection[TournamentRow]):
    """One row a tournament."""

    NAME: ClassVar[str] = tournament_index.NAME
    REVISION: ClassVar[int] = 1
    KIND: ClassVar[StreamKind] = StreamKind.TOURNAMENT

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def fold(self, known: TournamentRow | None, commit: Commit) -> TournamentRow:
        """The row after a commit; raises ``Corrupt``."""
        row = known or self._created(commit)
        for event in self._facts.of(commit, _SEEN):
            row = _follow(row, commit, event)
        return row._replace(position=commit.position)

    def _created(self, commit: Commit) -> TournamentRow:
        host = ""
        for event in self._facts.of(commit, _FIRST):
            if isinstance(event, HouseOpened):
                host = event.host
            elif isinstance(event, e.TournamentCreated):
                return TournamentRow(
                    stream=commit.stream,
                    name=event.structure.name,
                    game=event.structure.game,
                    format=event.structure.format,
                    host=host,
                    phase=Phase.REGISTERING,
                    entries=0,
                    waits=[],
                    created_at=commit.recorded_at,
                    started_at=None,
                    ended_at=None,
                    position=commit.position,
                )
        raise Corrupt(f"stream {commit.stream} does not begin as a tournament")

    async def load(
        self, db: Connection, build: int, streams: Sequence[UUID]
    ) -> dict[UUID, TournamentRow]:
        """See ``Projection``."""
        return {row.stream: row for row in await tournament_index.rows_of(db, build, streams)}

    async def save(self, db: Connection, build: int, changed: Iterable[TournamentRow]) -> None:
        """See ``Projection``."""
        await tournament_index.put(db, build, changed)

    async def clear(self, db: Connection, build: int, limit: int) -> int:
        """See ``Projection``."""
        return await tournament_index.clear(db, build, limit)


def _follow(row: TournamentRow, commit: Commit, event: Event) -> TournamentRow:
    at = commit.recorded_at
    match event:
        case e.EntryMade(entry=entry, waits=True):
            return row._replace(waits=[*row.waits, entry])
        case e.EntryMade():
            return row._replace(entries=row.entries + 1)
        case e.EntryAdmitted(entry):
            waits = [number for number in row.waits if number != entry]
            return row._replace(waits=waits, entries=row.entries + 1)
        case e.EntryWithdrawn(entry):
            waits = [number for number in row.waits if number != entry]
            return row._replace(waits=waits, entries=row.entries - (len(waits) == len(row.waits)))
        case e.MoneyAwarded(entry):  # who waits in vain gets his money back
            return row._replace(waits=[number for number in row.waits if number != entry])
        case e.TournamentStarted():
            return row._replace(phase=Phase.RUNNING, started_at=at)
        case e.TournamentFinished():
            return row._replace(phase=Phase.FINISHED, ended_at=at)
        case _:
            return row._replace(phase=Phase.CANCELLED, ended_at=at)
