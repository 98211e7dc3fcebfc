"""The hand index: which events of a table are which hand, and who was dealt in."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar, Final, NamedTuple
from uuid import UUID

from engine.errors import Corrupt, Unavailable
from engine.events import EpochVoided, HouseOpened, PositionSet, SeatLeft, SeatTaken, TableOpened
from engine.occupancy import Seated, seated_after
from service.projections.facts import Facts
from service.projections.projection import Projection
from service.projections.tail import after
from service.store import hand_index
from service.store.commit import Commit, StreamKind
from service.store.connection import Connection
from service.store.hand_index import NEWEST, AddedRow, DealtRow, HandRow, PlayedRow, TableRecord
from service.store.postgres import Store

__all__ = ["HandIndex", "Hands", "TableHands"]

LOOK_SECONDS: Final = 0.02
LOOKS: Final = 150
"""Three seconds: an index that is further behind is not waited for."""
SOON_MS: Final = 1_000

_SEEN: Final = frozenset({SeatTaken, SeatLeft, PositionSet, EpochVoided})
_FIRST: Final = frozenset({TableOpened, HouseOpened})


class TableHands(NamedTuple):
    """What is known of a table, and what was added to its hands since it was loaded."""

    stream: UUID
    version: int
    game: str
    lab: bool
    seated: Seated
    added: Mapping[int, HandRow]


class HandIndex(Projection[TableHands]):
    """A row a hand; where the index stands at each table; a row a player and hand."""

    NAME: ClassVar[str] = hand_index.NAME
    REVISION: ClassVar[int] = 1
    KIND: ClassVar[StreamKind] = StreamKind.TABLE

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def fold(self, known: TableHands | None, commit: Commit) -> TableHands:
        """The table after a commit; raises ``Corrupt``."""
        table = known or self._opened(commit)
        game = self._facts.game(table.game)
        seated = table.seated
        over = False
        dealt: dict[int, str] = {}
        for event in self._facts.of(commit, _SEEN | game.HAND_BEGINS | game.HAND_ENDS):
            if type(event) in game.HAND_BEGINS:
                seats = game.dealt_in(event)
                dealt = {
                    seat: name for seat, name in seated.items() if seats is None or seat in seats
                }
            elif type(event) in game.HAND_ENDS or isinstance(event, EpochVoided):
                over = True
            else:
                seated = seated_after(seated, event)
        added = table.added
        if commit.hand:
            row = HandRow(
                hand=commit.hand,
                game=table.game,
                first_version=commit.expected,
                last_version=commit.version,
                started_at=commit.recorded_at,
                ended_at=commit.recorded_at,
                over=over,
                seats=tuple(sorted(dealt)),
                players=tuple(dealt[seat] for seat in sorted(dealt)),
            )
            before = added.get(row.hand)
            added = {**added, row.hand: before.and_then(row) if before else row}
        return table._replace(version=commit.version, seated=seated, added=added)

    def _opened(self, commit: Commit) -> TableHands:
        game, lab = "", False
        for event in self._facts.of(commit, _FIRST):
            if isinstance(event, TableOpened):
                game = event.game
            elif isinstance(event, HouseOpened):
                lab = event.lab
        if not game:
            raise Corrupt(f"stream {commit.stream} does not begin as a table")
        return TableHands(commit.stream, 0, game, lab, {}, {})

    async def load(
        self, db: Connection, build: int, streams: Sequence[UUID]
    ) -> dict[UUID, TableHands]:
        """See ``Projection``."""
        found = await hand_index.records_of(db, build, streams)
        return {record.stream: known_of(record) for record in found}

    async def save(self, db: Connection, build: int, changed: Iterable[TableHands]) -> None:
        """See ``Projection``."""
        tables = list(changed)
        await hand_index.put(
            db,
            build,
            map(_record_of, tables),
            [AddedRow(table.stream, *row) for table in tables for row in table.added.values()],
            [row for table in tables if not table.lab for row in _played(table)],
        )

    async def clear(self, db: Connection, build: int, limit: int) -> int:
        """See ``Projection``."""
        return await hand_index.clear(db, build, limit)


def known_of(record: TableRecord) -> TableHands:
    """What a record says of its table."""
    seated = dict(zip(record.seats, record.players, strict=True))
    return TableHands(record.stream, record.version, record.game, record.lab, seated, {})


def _record_of(table: TableHands) -> TableRecord:
    seats = sorted(table.seated)
    players = [table.seated[seat] for seat in seats]
    return TableRecord(table.stream, table.version, table.game, table.lab, seats, players)


def _played(table: TableHands) -> Iterable[DealtRow]:
    for row in table.added.values():
        for seat, player in zip(row.seats, row.players, strict=True):
            yield DealtRow(UUID(player), row.started_at, table.stream, row.hand, seat)


class Hands:
    """What readers see of the index.  Raises ``Unavailable``."""

    def __init__(self, store: Store, index: HandIndex) -> None:
        self._store = store
        self._index = index

    async def of_table(self, stream: UUID, after_hand: int, limit: int) -> list[HandRow]:
        """Hands with numbers above ``after_hand``, ascending, up to the newest event stored."""
        ask = partial(hand_index.hands_after, stream=stream, after=after_hand, limit=limit)
        rows, record = await self._store.pool.ask(ask)
        known = None if record is None else known_of(record)
        newest = await after(self._store, self._index, stream, known, known.version if known else 0)
        found = {row.hand: row for row in rows}
        full = len(rows) == limit
        for hand, row in sorted(newest.added.items() if newest else ()):
            if hand in found:
                found[hand] = found[hand].and_then(row)
            elif hand > after_hand and not (full and hand > rows[-1].hand):
                found[hand] = row
        return [found[hand] for hand in sorted(found)][:limit]

    async def of_player(
        self,
        player: UUID,
        limit: int,
        before: tuple[int, UUID, int, int] = NEWEST,
    ) -> list[PlayedRow]:
        """Hands that a player was dealt in, at whatever table, newest first.

        ``before``: when the hand began (microseconds), its table, its number, the seat.
        """
        ask = partial(hand_index.played_before, player=player, before=before, limit=limit)
        return await self._store.pool.ask(ask)

    async def catch_up(self) -> None:
        """Wait until the index has everything that is stored now.

        For those who must not take "not yet" for "not".  Raises ``Unavailable``.
        """
        wanted = await self._store.position()
        for _ in range(LOOKS):
            if await self._store.pool.ask(hand_index.position) >= wanted:
                return
            await asyncio.sleep(LOOK_SECONDS)
        raise Unavailable("the index of hands lacks what was stored last", SOON_MS)
