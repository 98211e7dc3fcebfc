"""The state of a tournament: a fold of its events.

What thousands share is kept in trees (:mod:`engine.tournament.persistent`), entrants of a table at
that table: a hand's end copies its table and a few entries, however many there are.  Sets of
entries and tables are the bits of an integer.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

from engine.tournament.events import ClockKind
from engine.tournament.persistent import Named, Numbered
from engine.tournament.structure import Structure

__all__ = [
    "OPEN_SEAT",
    "Clock",
    "Duty",
    "Entry",
    "EntryStatus",
    "Money",
    "Phase",
    "Play",
    "Seat",
    "Table",
    "TableStatus",
    "Tournament",
]

Play = tuple[Any, ...]
"""What a format keeps beside: a NamedTuple of its own."""


class Phase(IntEnum):
    """Where a tournament stands in its life."""

    NONE = 0
    REGISTERING = 1
    RUNNING = 2
    FINISHED = 3
    CANCELLED = 4


class EntryStatus(IntEnum):
    """Where an entry stands."""

    WAITING = 0
    ENTERED = 1  # has a place, plays not yet
    PLAYING = 2
    OUT = 3
    WITHDRAWN = 4


class Entry(NamedTuple):
    """One entry of a player.

    ``again``: how many entries its player had before it; ``before``: the last one of them, or one
    that he took back, -1: none.  ``withdrawn``: how often he had taken one back.  ``table``,
    ``seat``: where it sits, -1: nowhere.  ``to_table``, ``to_seat``: where a seat is kept for it.
    ``moves``: how often it changed tables.  ``pocket``: chips that it has but that lie at no table
    yet.  ``worse``, ``equal``: see ``EntryOut``; -1 while it plays.  ``due``: money awarded and not
    paid yet, ``due_since``: version of the last award, ``won``: all prizes so far.
    """

    player: str
    status: EntryStatus
    again: int = 0
    table: int = -1
    seat: int = -1
    to_table: int = -1
    to_seat: int = -1
    moves: int = 0
    pocket: int = 0
    add_on: bool = False
    disqualified: bool = False
    worse: int = -1
    equal: int = 0
    due: int = 0
    due_since: int = 0
    won: int = 0
    withdrawn: int = 0
    before: int = -1


class Duty(IntEnum):
    """What is to be done about a seat before its table deals again; an order says so."""

    NONE = 0
    AWAIT = 1  # kept for an entry that is on its way
    MOVE = 2  # its entry goes to another table
    REMOVE = 3  # its entry leaves
    ADD = 4  # its entry gets the chips of its add-on


class Seat(NamedTuple):
    """A seat: its entry, -1: open; ``since``: version of the event that made it so."""

    entry: int = -1
    chips: int = 0
    duty: Duty = Duty.NONE
    since: int = 0


OPEN_SEAT = Seat()


class TableStatus(IntEnum):
    """Where a table stands."""

    OPENING = 0
    RESTING = 1  # between hands, and may not deal
    DEALING = 2  # the hand that was allowed is dealt, runs, or is about to
    BREAKING = 3  # to be closed when its seats are empty
    DONE = 4


class Table(NamedTuple):
    """A table.

    ``hand``: the last one that was allowed, from 1; ``level``: its level.  ``dealer``: seat that
    dealt the last one, -1: none.  ``since``: version of the event that gave it its status.
    """

    seats: tuple[Seat, ...]
    status: TableStatus = TableStatus.OPENING
    hand: int = 0
    level: int = 0
    dealer: int = -1
    since: int = 0

    def taken(self) -> tuple[int, ...]:
        """Seats whose entries sit there, those that are to go included, ascending."""
        return tuple(
            number
            for number, seat in enumerate(self.seats)
            if seat.entry >= 0 and seat.duty is not Duty.AWAIT
        )

    def open_seats(self) -> tuple[int, ...]:
        """Seats that nobody has or is to have, ascending."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.entry < 0)


class Clock(NamedTuple):
    """A clock that runs ``milliseconds`` from the event of version ``since`` on, unless paused."""

    kind: ClockKind
    milliseconds: int
    since: int


class Money(NamedTuple):
    """Money that was taken and not awarded to anybody, and what became of the rest.

    ``waiting``: paid by those who wait.  ``taken`` from accounts + ``added`` by the house =
    ``waiting`` + ``pool`` + ``fees`` + ``owed`` + ``paid``, after every event.
    """

    waiting: int = 0
    pool: int = 0
    fees: int = 0
    owed: int = 0
    taken: int = 0
    added: int = 0
    paid: int = 0


class Tournament(NamedTuple):
    """A tournament at a version of its stream; version 0: nothing ever happened to it.

    ``accepts``: players may enter.  ``players``: the latest entry of each.  ``waiting``, ``owed``:
    sets of entries that wait, that money is due to.  ``field``: entries that count; ``again``:
    those of them whose player had one before; ``left``: those that are not out; ``out``: how many
    came out.  ``standing``, ``opening``, ``resting``, ``dealing``, ``breaking``, ``busy``: sets of
    tables that are not done, are not open yet, rest, deal, are to be closed, and that an order
    about a seat is outstanding at.
    ``deals``: hands ended at all tables.  ``level``: from 0, -1: none yet.  ``on_break``: no hand
    is allowed until the break is over.  ``issued``: chips that came into play; ``removed``: those
    that left it.
    """

    version: int = 0
    structure: Structure = Structure()
    phase: Phase = Phase.NONE
    paused: bool = False
    accepts: bool = False
    entries: Numbered[Entry] = Numbered()
    players: Named[int] = Named()
    waiting: int = 0
    owed: int = 0
    field: int = 0
    again: int = 0
    left: int = 0
    out: int = 0
    tables: Numbered[Table] = Numbered()
    standing: int = 0
    opening: int = 0
    resting: int = 0
    dealing: int = 0
    breaking: int = 0
    busy: int = 0
    deals: int = 0
    level: int = -1
    on_break: bool = False
    clock: Clock | None = None
    issued: int = 0
    removed: int = 0
    money: Money = Money()
    prizes: tuple[int, ...] = ()
    play: Play = ()

    def entry_of(self, player: str) -> int | None:
        """The latest entry of a player, unless it was withdrawn."""
        number = self.players.get(player)
        if number is None or self.entries[number].status is EntryStatus.WITHDRAWN:
            return None
        return number

    def withdrawals(self, player: str) -> int:
        """How often a player has taken a registration back."""
        number = self.players.get(player)
        if number is None:
            return 0
        entry = self.entries[number]
        return entry.withdrawn + (entry.status is EntryStatus.WITHDRAWN)

    def place(self, number: int) -> int | None:
        """The place of an entry that is out, as of now; those who share it have the same."""
        entry = self.entries[number]
        return None if entry.worse < 0 else self.field - entry.worse - entry.equal + 1
