"""How facts about tables and seats change a tournament (a part of :mod:`~.evolve`)."""

from __future__ import annotations

from engine.events import Event
from engine.tournament import events as e
from engine.tournament.state import (
    OPEN_SEAT,
    Duty,
    EntryStatus,
    Seat,
    Table,
    TableStatus,
    Tournament,
)

__all__ = ["evolve_seats"]


def evolve_seats(state: Tournament, event: Event) -> Tournament:
    """The tournament after a fact about tables and seats; others change nothing here."""
    match event:
        case e.TableDrawn():
            return _drawn(state, event)
        case e.TableStood(table):
            return _status(state, table, TableStatus.RESTING)
        case e.DealAllowed(number, hand, level):
            next_hand = state.tables[number]._replace(hand=hand, level=level)
            return _status(state, number, TableStatus.DEALING, next_hand)
        case e.DealPlayed():
            return _played(state, event)
        case e.EntryPlaced(number, table, seat):
            return _placed(state, number, table, seat)
        case e.EntrySeated(number):
            return _seated(state, number)
        case e.MoveOrdered(number, table, seat):
            return _move_ordered(state, number, table, seat)
        case e.EntryMoved(number):
            return _moved(state, number)
        case e.RemovalOrdered(number):
            return _duty(state, number, Duty.REMOVE)
        case e.EntryRemoved(number):
            return _removed(state, number)
        case e.AddOnBought():
            return _add_on_bought(state, event)
        case e.AddOnGiven(number):
            return _add_on_given(state, number)
        case e.TableBroken(number) if state.tables[number].status is TableStatus.OPENING:
            return _done(state, number)
        case e.TableBroken(number):
            return _status(state, number, TableStatus.BREAKING)
        case e.TableDone(number):
            return _done(state, number)
        case _:
            return state


def _put(state: Tournament, number: int, table: Table) -> Tournament:
    return state._replace(tables=state.tables.put(number, table))


def _put_seat(state: Tournament, number: int, at: int, seat: Seat) -> Tournament:
    table = state.tables[number]
    seats = (*table.seats[:at], seat, *table.seats[at + 1 :])
    bit = 1 << number
    busy = state.busy | bit if any(item.duty for item in seats) else state.busy & ~bit
    return _put(state, number, table._replace(seats=seats))._replace(busy=busy)


def _status(
    state: Tournament, number: int, status: TableStatus, table: Table | None = None, deals: int = 0
) -> Tournament:
    """A table goes on to ``status``, as it is or as ``table``; so many deals more were played."""
    table = (table or state.tables[number])._replace(status=status, since=state.version)
    bit = 1 << number
    others = ~bit
    return state._replace(
        tables=state.tables.put(number, table),
        opening=state.opening & others,
        resting=state.resting & others | (status is TableStatus.RESTING) * bit,
        dealing=state.dealing & others | (status is TableStatus.DEALING) * bit,
        breaking=state.breaking & others | (status is TableStatus.BREAKING) * bit,
        deals=state.deals + deals,
    )


def _drawn(state: Tournament, event: e.TableDrawn) -> Tournament:
    entries, stack = state.entries, state.structure.stack
    seats: list[Seat] = []
    for at, number in enumerate(event.entries):
        if number < 0:
            seats.append(OPEN_SEAT._replace(since=state.version))
            continue
        seats.append(Seat(number, stack, since=state.version))
        entry = entries[number]._replace(status=EntryStatus.PLAYING, table=event.table, seat=at)
        entries = entries.put(number, entry)
    table = Table(tuple(seats), since=state.version)
    return state._replace(
        entries=entries,
        tables=state.tables.add(table),
        standing=state.standing | 1 << event.table,
        opening=state.opening | 1 << event.table,
        issued=state.issued + stack * len(table.taken()),
    )


def _played(state: Tournament, event: e.DealPlayed) -> Tournament:
    table = state.tables[event.table]
    seats = list(table.seats)
    for at, chips in event.stacks:
        seats[at] = seats[at]._replace(chips=chips)
    table = table._replace(seats=tuple(seats), dealer=event.dealer)
    return _status(state, event.table, TableStatus.RESTING, table, deals=1)


def _duty(state: Tournament, number: int, duty: Duty) -> Tournament:
    entry = state.entries[number]
    seat = state.tables[entry.table].seats[entry.seat]
    seat = seat._replace(duty=duty, since=state.version)
    return _put_seat(state, entry.table, entry.seat, seat)


def _placed(state: Tournament, number: int, table: int, seat: int) -> Tournament:
    stack = state.structure.stack
    entry = state.entries[number]._replace(
        status=EntryStatus.PLAYING, to_table=table, to_seat=seat, pocket=stack
    )
    state = state._replace(entries=state.entries.put(number, entry), issued=state.issued + stack)
    return _put_seat(state, table, seat, Seat(number, 0, Duty.AWAIT, state.version))


def _arrived(state: Tournament, number: int, chips: int, moves: int) -> Tournament:
    """An entry sits in the seat that was kept for it."""
    entry = state.entries[number]
    table, at = entry.to_table, entry.to_seat
    entry = entry._replace(
        table=table, seat=at, to_table=-1, to_seat=-1, pocket=0, moves=entry.moves + moves
    )
    state = state._replace(entries=state.entries.put(number, entry))
    return _put_seat(state, table, at, Seat(number, chips, since=state.version))


def _seated(state: Tournament, number: int) -> Tournament:
    return _arrived(state, number, state.entries[number].pocket, 0)


def _move_ordered(state: Tournament, number: int, table: int, seat: int) -> Tournament:
    entry = state.entries[number]._replace(to_table=table, to_seat=seat)
    state = state._replace(entries=state.entries.put(number, entry))
    state = _duty(state, number, Duty.MOVE)
    return _put_seat(state, table, seat, Seat(number, 0, Duty.AWAIT, state.version))


def _moved(state: Tournament, number: int) -> Tournament:
    entry = state.entries[number]
    chips = state.tables[entry.table].seats[entry.seat].chips
    return _arrived(_opened(state, entry.table, entry.seat), number, chips, 1)


def _opened(state: Tournament, table: int, at: int) -> Tournament:
    return _put_seat(state, table, at, OPEN_SEAT._replace(since=state.version))


def _removed(state: Tournament, number: int) -> Tournament:
    entry = state.entries[number]
    chips = state.tables[entry.table].seats[entry.seat].chips
    state = _opened(state, entry.table, entry.seat)
    entry = entry._replace(table=-1, seat=-1)
    entries = state.entries.put(number, entry)
    return state._replace(entries=entries, removed=state.removed + chips)


def _add_on_bought(state: Tournament, event: e.AddOnBought) -> Tournament:
    entry, money = state.entries[event.entry], state.money
    entry = entry._replace(add_on=True, pocket=event.chips)
    money = money._replace(
        taken=money.taken + event.cost + event.fee,
        pool=money.pool + event.cost,
        fees=money.fees + event.fee,
    )
    state = state._replace(
        entries=state.entries.put(event.entry, entry),
        issued=state.issued + event.chips,
        money=money,
    )
    return _duty(state, event.entry, Duty.ADD)


def _add_on_given(state: Tournament, number: int) -> Tournament:
    entry = state.entries[number]
    table, at = entry.table, entry.seat
    seat = state.tables[table].seats[at]
    seat = Seat(number, seat.chips + entry.pocket, since=state.version)
    entries = state.entries.put(number, entry._replace(pocket=0))
    return _put_seat(state._replace(entries=entries), table, at, seat)


def _done(state: Tournament, number: int) -> Tournament:
    """Whoever still sits there, sits there no more; what lies there is out of play."""
    state = _status(state, number, TableStatus.DONE)
    table = state.tables[number]
    entries, removed = state.entries, state.removed
    for at in table.taken():
        seat = table.seats[at]
        removed += seat.chips
        entry = entries[seat.entry]._replace(table=-1, seat=-1)
        entries = entries.put(seat.entry, entry)
    table = table._replace(seats=(OPEN_SEAT,) * len(table.seats))
    return _put(state, number, table)._replace(
        entries=entries,
        removed=removed,
        standing=state.standing & ~(1 << number),
        busy=state.busy & ~(1 << number),
    )
