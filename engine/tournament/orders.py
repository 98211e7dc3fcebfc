"""What a tournament wants of its tables and of the accounts now: it follows from the state alone.

The process manager carries orders out and reports it.  An event causes one order of a kind at
most: from the tournament's stream, the ``version`` and the :attr:`~Order.STEP` of an order comes
the id of the command that carries it out.  So an order that stands for long, or that two processes
carry out, is carried out once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from engine.events import Event, Pairs
from engine.tournament.events import ClockKind
from engine.tournament.format import House
from engine.tournament.formats import format_of
from engine.tournament.persistent import members
from engine.tournament.state import Duty, Phase, Seat, TableStatus, Tournament

__all__ = [
    "CloseTable",
    "GiveChips",
    "GiveSeat",
    "MoveSeat",
    "OpenTable",
    "Order",
    "Pay",
    "RunClock",
    "Sitting",
    "StartAt",
    "StartHand",
    "TakeSeatAway",
    "orders",
    "orders_about",
    "orders_at",
]


CREATION: Final = 1
"""The first version of every tournament stands for its making."""


@dataclass(frozen=True, slots=True)
class Order:
    """Base of all orders; ``version``: of the event that is its cause."""

    STEP: ClassVar[int]

    version: int


class Sitting(NamedTuple):
    """Who sits where, with what."""

    seat: int
    entry: int
    player: str
    chips: int


@dataclass(frozen=True, slots=True)
class OpenTable(Order):
    """Open a table and seat these there; then report ``TableReady``.

    ``packs``, ``house``: as in :class:`~engine.tournament.format.Deal`.
    """

    STEP = 1

    table: int
    size: int
    seats: tuple[Sitting, ...]
    options: Pairs
    packs: str = ""
    house: House | None = None


@dataclass(frozen=True, slots=True)
class GiveSeat(Order):
    """Seat an entry, in one group with the report ``SeatGiven``; the table may be in a hand."""

    STEP = 2

    table: int
    sitting: Sitting


@dataclass(frozen=True, slots=True)
class TakeSeatAway(Order):
    """Unseat an entry, in one group with the report ``SeatTakenAway``; its chips are gone."""

    STEP = 3

    table: int
    sitting: Sitting


@dataclass(frozen=True, slots=True)
class MoveSeat(Order):
    """Move an entry between tables, in one group with the report ``SeatMoved``."""

    STEP = 4

    table: int
    sitting: Sitting
    to_table: int
    to_seat: int


@dataclass(frozen=True, slots=True)
class GiveChips(Order):
    """Put ``chips`` on a stack, in one group with the report ``ChipsGiven``."""

    STEP = 5

    table: int
    sitting: Sitting
    chips: int


@dataclass(frozen=True, slots=True)
class StartHand(Order):
    """Deal hand ``hand`` with these options, then report ``HandEnded``.

    The options are those that the level sets; where the table's differ they are changed first.
    ``facts``: what the format tells the hand's start, such as the next banker.
    """

    STEP = 6

    table: int
    hand: int
    options: Pairs
    facts: Pairs


@dataclass(frozen=True, slots=True)
class CloseTable(Order):
    """Close a table at which nobody deals any more, then report ``TableGone``.

    When the tournament is over its hand may still run.
    """

    STEP = 7

    table: int


@dataclass(frozen=True, slots=True)
class Pay(Order):
    """Put money on an account, in one group with the report ``Paid``."""

    STEP = 8

    entry: int
    player: str
    amount: int


@dataclass(frozen=True, slots=True)
class RunClock(Order):
    """Report ``ClockRanOut(version)`` this long after the event ``version`` was recorded."""

    STEP = 9

    kind: ClockKind
    milliseconds: int


@dataclass(frozen=True, slots=True)
class StartAt(Order):
    """Report ``StartDue`` at a time, milliseconds since 1970."""

    STEP = 11

    milliseconds: int


def orders(state: Tournament) -> Iterator[Order]:
    """All that are outstanding."""
    for number in members(state.standing):
        yield from _of_table(state, number)
    yield from _of_money_and_clock(state)


def orders_about(state: Tournament, events: Iterable[Event]) -> Iterator[Order]:
    """Those about what ``events``, the last ones, touched: in their tables and entries.

    Whoever carried out what was outstanding before has only these left to do.
    """
    tables = {*members(_to_close(state))}  # another table's event may have made it so
    entries: set[int] = set()
    for event in events:
        entry: int | None = getattr(event, "entry", None)
        table: int | None = getattr(event, "table", None)
        if table is not None:
            tables.add(table)
        if entry is not None:
            entries.add(entry)
            tables.update((state.entries[entry].table, state.entries[entry].to_table))
    for number in sorted(tables - {-1}):
        yield from _of_table(state, number)
    yield from _of_money(state, sorted(entries))
    yield from _of_clock(state)


def orders_at(state: Tournament, tables: Iterable[int]) -> Iterator[Order]:
    """Those about some tables, such as one that the last entry has just left."""
    for number in tables:
        yield from _of_table(state, number)


def _of_money_and_clock(state: Tournament) -> Iterator[Order]:
    yield from _of_money(state, members(state.owed))
    yield from _of_clock(state)


def _of_money(state: Tournament, entries: Iterable[int]) -> Iterator[Order]:
    for number in entries:
        entry = state.entries[number]
        if entry.due:
            yield Pay(entry.due_since, number, entry.player, entry.due)


def _of_clock(state: Tournament) -> Iterator[Order]:
    clock, structure = state.clock, state.structure
    if state.phase is Phase.REGISTERING and structure.start == "time":
        yield StartAt(CREATION, structure.start_at)
    if clock is not None and not state.paused:
        yield RunClock(clock.since, clock.kind, clock.milliseconds)


def _of_table(state: Tournament, number: int) -> Iterator[Order]:
    table = state.tables[number]
    match table.status:
        case TableStatus.OPENING:
            yield _opening(state, number)
        case TableStatus.DEALING:
            yield from _of_seats(state, number)
            deal = format_of(state.structure).deal(state, number)
            yield StartHand(table.since, number, table.hand, deal.options, deal.facts)
        case TableStatus.RESTING:
            yield from _of_seats(state, number)
        case TableStatus.BREAKING if _to_close(state) >> number & 1:
            yield CloseTable(table.since, number)
        case TableStatus.BREAKING:
            yield from _of_seats(state, number)
        case TableStatus.DONE:
            pass


def _to_close(state: Tournament) -> int:
    """The broken tables (a set) that nobody has to leave before; at the end that is all of them."""
    return state.breaking & ~state.busy if state.phase is Phase.RUNNING else state.breaking


def _opening(state: Tournament, number: int) -> OpenTable:
    table = state.tables[number]
    seats = tuple(_sitting(state, table.seats[at], at) for at in table.taken())
    deal = format_of(state.structure).deal(state, number)
    options = (*state.structure.options, *deal.options)
    return OpenTable(table.since, number, len(table.seats), seats, options, deal.packs, deal.house)


def _of_seats(state: Tournament, number: int) -> Iterator[Order]:
    for at, seat in enumerate(state.tables[number].seats):
        if seat.duty:
            yield from _of_seat(state, number, at, seat)


def _of_seat(state: Tournament, number: int, at: int, seat: Seat) -> Iterator[Order]:
    entry = state.entries[seat.entry]
    sitting = _sitting(state, seat, at)
    match seat.duty:
        case Duty.AWAIT if entry.table < 0:
            yield GiveSeat(seat.since, number, sitting._replace(chips=entry.pocket))
        case Duty.MOVE:
            yield MoveSeat(seat.since, number, sitting, entry.to_table, entry.to_seat)
        case Duty.REMOVE:
            yield TakeSeatAway(seat.since, number, sitting)
        case Duty.ADD:
            yield GiveChips(seat.since, number, sitting, entry.pocket)
        case Duty.AWAIT | Duty.NONE:  # whoever moves is an order of the table it comes from
            pass


def _sitting(state: Tournament, seat: Seat, at: int) -> Sitting:
    return Sitting(at, seat.entry, state.entries[seat.entry].player, seat.chips)
