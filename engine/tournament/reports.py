"""What the process manager reports: what it carried out, what came to pass at the tables."""

from __future__ import annotations

from engine.errors import Refused
from engine.events import Event
from engine.tournament import actions as a
from engine.tournament import events as e
from engine.tournament.formats import format_of
from engine.tournament.registration import start
from engine.tournament.settlement import settle
from engine.tournament.state import (
    Clock,
    Duty,
    Entry,
    Phase,
    Seat,
    Table,
    TableStatus,
    Tournament,
)
from engine.tournament.steps import Draw, Steps

__all__ = ["report"]


def report(steps: Steps, action: a.Report, draw: Draw) -> None:
    """Take down a report.

    Raises ``Refused(STALE_REPORT)`` for what is not, or no more, expected: what it tells of is on
    record already or was overtaken; ``Refused(BAD_REPORT)`` where its content cannot be.
    """
    match action:
        case a.TableReady(table, others):
            for number in (table, *others):
                _table(steps.state, number, TableStatus.OPENING)
                steps.emit(e.TableStood(number))
            _rest(steps, sum(1 << number for number in (table, *others)), draw)
        case a.HandEnded():
            _hand_ended(steps, action, draw)
        case a.HandsEnded(hands):
            if not hands:
                raise Refused("BAD_REPORT", field="hands", expected="one at least")
            for hand in hands:
                _hand_ended(steps, hand, draw)
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
        case a.TableGone(table, others):
            for number in (table, *others):
                _table_gone(steps, number, draw)
        case a.Paid(entry, amount):
            known = 0 <= entry < len(steps.state.entries)
            if not amount or not known or steps.state.entries[entry].due != amount:
                raise Refused("STALE_REPORT", entry=entry)
            steps.emit(e.EntryPaid(entry))
        case a.ClockRanOut(started):
            _clock(steps.state, started)
            format_of(steps.state.structure).clock_ran_out(steps, draw)
        case a.TimeGivenBack(started, left_ms):
            clock = _clock(steps.state, started)
            if not 0 < left_ms <= clock.milliseconds:
                expected = f"1 to {clock.milliseconds}"
                raise Refused("BAD_REPORT", field="left_ms", expected=expected)
            steps.emit(e.ClockSet(clock.kind, left_ms))
        case a.StartDue():
            _start_due(steps, draw)
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


def _clock(state: Tournament, started: int) -> Clock:
    clock = state.clock
    if clock is None or clock.since != started or state.paused:
        raise Refused("STALE_REPORT", clock=started)
    return clock


def _start_due(steps: Steps, draw: Draw) -> None:
    """Play begins; if it cannot, everybody gets his money back."""
    state = steps.state
    if state.phase is not Phase.REGISTERING or state.structure.start != "time":
        raise Refused("STALE_REPORT", start_at=state.structure.start_at)
    before = steps.mark()
    try:
        start(steps, draw)
    except Refused as refused:
        steps.back_to(before)
        settle(steps, f"it could not start when it was due: {refused.reason}")
