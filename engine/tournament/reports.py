"""What the process manager reports: what it carried out, what came to pass at the tables."""

from __future__ import annotations

from engine.errors import Refused
from engine.events import Event
from engine.tournament import actions as a
from engine.tournament import events as e
from engine.tournament.formats import format_of
from engine.tournament.state import Duty, Entry, Phase, Seat, Table, TableStatus, Tournament
from engine.tournament.steps import Draw, Steps

__all__ = ["report"]


def report(steps: Steps, action: a.Report, draw: Draw) -> None:
    """Take down a report.

    Raises ``Refused(STALE_REPORT)`` for what is not, or no more, expected: what it tells of is on
    record already or was overtaken; ``Refused(BAD_REPORT)`` where its content cannot be.
    """
    match action:
        case a.TableReady(table):
            _table(steps.state, table, TableStatus.OPENING)
            steps.emit(e.TableStood(table))
            _rest(steps, 1 << table, draw)
        case a.HandEnded():
            _hand_ended(steps, action, draw)
        case a.SeatGiven(entry):
            table = _coming(steps.state, entry)
            _carried_out(steps, e.EntrySeated(entry), (table,), draw)
        case a.SeatTakenAway(entry):
            at = _at(steps.state, entry, Duty.REMOVE).table
            _carried_out(steps, e.EntryRemoved(entry), (at,), draw)
        case a.SeatMoved(entry):
            moving = _at(steps.state, entry, Duty.MOVE)
            _carried_out(steps, e.EntryMoved(entry), (moving.table, moving.to_table), draw)
        case a.ChipsGiven(entry):
            at = _at(steps.state, entry, Duty.ADD).table
            _carried_out(steps, e.AddOnGiven(entry), (at,), draw)
        case a.TableGone(table):
            _table_gone(steps, table, draw)
        case a.Paid(entry, amount):
            known = 0 <= entry < len(steps.state.entries)
            if not amount or not known or steps.state.entries[entry].due != amount:
                raise Refused("STALE_REPORT", entry=entry)
            steps.emit(e.EntryPaid(entry))
        case a.ClockRanOut(started):
            _clock_ran_out(steps, started, draw)
        case _:
            raise Refused("UNKNOWN_ACTION", action=type(action).__name__)


def _table(state: Tournament, number: int, status: TableStatus) -> Table:
    if not 0 <= number < len(state.tables) or state.tables[number].status is not status:
        raise Refused("STALE_REPORT", table=number)
    return state.tables[number]


def _entry(state: Tournament, number: int) -> Entry:
    if state.phase is not Phase.RUNNING or not 0 <= number < len(state.entries):
        raise Refused("STALE_REPORT", entry=number)
    return state.entries[number]


def _seat_of(state: Tournament, table: int, seat: int) -> Seat | None:
    return state.tables[table].seats[seat] if table >= 0 else None


def _at(state: Tournament, number: int, duty: Duty) -> Entry:
    """An entry at whose seat something is to be done."""
    entry = _entry(state, number)
    seat = _seat_of(state, entry.table, entry.seat)
    if seat is None or seat.duty is not duty:
        raise Refused("STALE_REPORT", entry=number)
    return entry


def _coming(state: Tournament, number: int) -> int:
    """The table that keeps a seat for an entry which sits nowhere yet."""
    entry = _entry(state, number)
    if entry.table >= 0 or entry.to_table < 0:
        raise Refused("STALE_REPORT", entry=number)
    return entry.to_table


def _carried_out(steps: Steps, fact: Event, tables: tuple[int, ...], draw: Draw) -> None:
    steps.emit(fact)
    _rest(steps, sum(1 << table for table in tables), draw)


def _rest(steps: Steps, tables: int, draw: Draw) -> None:
    """Also with none of them at rest: others may have waited for it."""
    format_of(steps.state.structure).table_rests(steps, tables & steps.state.resting, draw)


def _hand_ended(steps: Steps, action: a.HandEnded, draw: Draw) -> None:
    table = _table(steps.state, action.table, TableStatus.DEALING)
    if action.hand != table.hand:
        raise Refused("STALE_REPORT", table=action.table, hand=action.hand)
    seats = [result.seat for result in action.results]
    if seats != sorted({*seats} & {*table.taken()}):
        raise Refused("BAD_REPORT", field="results", expected="seats of entries, ascending")
    format_of(steps.state.structure).check_report(steps.state, action)
    stacks = tuple((result.seat, result.after) for result in action.results)
    steps.emit(e.DealPlayed(action.table, stacks, action.dealer))
    format_of(steps.state.structure).hand_ended(steps, action, draw)


def _table_gone(steps: Steps, number: int, draw: Draw) -> None:
    _table(steps.state, number, TableStatus.BREAKING)
    runs = steps.state.phase is Phase.RUNNING
    if runs and steps.state.busy >> number & 1:
        raise Refused("STALE_REPORT", table=number)
    steps.emit(e.TableDone(number))
    if runs:
        format_of(steps.state.structure).table_done(steps, number, draw)


def _clock_ran_out(steps: Steps, started: int, draw: Draw) -> None:
    clock = steps.state.clock
    if clock is None or clock.since != started or steps.state.paused:
        raise Refused("STALE_REPORT", clock=started)
    format_of(steps.state.structure).clock_ran_out(steps, draw)
