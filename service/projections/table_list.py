"""The list of tables: game, seats, whether a hand runs, whether it is closed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import ClassVar, Final
from uuid import UUID

from engine.errors import Corrupt
from engine.events import (
    EpochVoided,
    Event,
    HouseOpened,
    PositionSet,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableOpened,
)
from service.projections.facts import Facts
from service.projections.projection import Projection
from service.store import table_index
from service.store.commit import Commit, StreamKind
from service.store.connection import Connection
from service.store.table_index import TableRow

__all__ = ["TableList"]

_SEEN: Final = frozenset({HouseOpened, SeatTaken, SeatLeft, TableClosed, PositionSet, EpochVoided})


class TableList(Projection[TableRow]):
    """One row a table."""

    NAME: ClassVar[str] = table_index.NAME
    REVISION: ClassVar[int] = 1
    KIND: ClassVar[StreamKind] = StreamKind.TABLE

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def fold(self, known: TableRow | None, commit: Commit) -> TableRow:
        """The row after a commit; raises ``Corrupt``."""
        row = known or self._opened(commit)
        game = self._facts.game(row.game)
        wanted = _SEEN | game.HAND_BEGINS | game.HAND_ENDS
        for event in self._facts.of(commit, wanted):
            row = self._follow(row, commit, event)
        # Too many may be said to run: whoever looks after their clocks knows better.
        asked = row.hand or game.ASKS_BETWEEN_HANDS or _starts_by_itself(row)
        running = bool(asked and row.seats_taken and row.closed_at is None and not row.lab)
        return row._replace(running=running, position=commit.position)

    def _opened(self, commit: Commit) -> TableRow:
        for event in self._facts.of(commit, {TableOpened}):
            if isinstance(event, TableOpened):
                game = self._facts.game(event.game)
                return TableRow(
                    stream=commit.stream,
                    game=event.game,
                    lab=False,
                    house="{}",
                    created_at=commit.recorded_at,
                    closed_at=None,
                    hand=0,
                    running=False,
                    seats_taken=0,
                    seats=game.seats(game.evolve(game.initial(), event)),
                    position=commit.position,
                )
        raise Corrupt(f"stream {commit.stream} does not begin as a table")

    def _follow(self, row: TableRow, commit: Commit, event: Event) -> TableRow:
        match event:
            case HouseOpened():
                return row._replace(lab=event.lab, house=json.dumps(dict(event.options)))
            case SeatTaken():
                return row._replace(seats_taken=row.seats_taken + 1)
            case SeatLeft():
                return row._replace(seats_taken=max(0, row.seats_taken - 1))
            case TableClosed():
                return row._replace(closed_at=commit.recorded_at)
            case PositionSet():  # of the laboratory: nobody's principals sit there
                return row._replace(seats_taken=0, hand=commit.hand)
            case _:
                begins = type(event) in self._facts.game(row.game).HAND_BEGINS
                return row._replace(hand=commit.hand if begins else 0)

    async def load(
        self, db: Connection, build: int, streams: Sequence[UUID]
    ) -> dict[UUID, TableRow]:
        """See ``Projection``."""
        return {row.stream: row for row in await table_index.rows_of(db, build, streams)}

    async def save(self, db: Connection, build: int, changed: Iterable[TableRow]) -> None:
        """See ``Projection``."""
        await table_index.put(db, build, changed)

    async def clear(self, db: Connection, build: int, limit: int) -> int:
        """See ``Projection``."""
        return await table_index.clear(db, build, limit)


def _starts_by_itself(row: TableRow) -> bool:
    return row.seats > 1 and json.loads(row.house).get("auto_start") == "true"
