"""How facts change a tournament.  It believes every fact, and touches what the fact names."""

from __future__ import annotations

from collections.abc import Iterable

from engine.events import Event, HouseEvent
from engine.tournament import events as e
from engine.tournament import seating
from engine.tournament.formats import format_of
from engine.tournament.state import Clock, Entry, EntryStatus, Phase, Tournament

__all__ = ["evolve", "fold"]


def evolve(state: Tournament, event: Event) -> Tournament:
    """The tournament after a fact of its stream; those of the house around it only count."""
    after = _common(state._replace(version=state.version + 1), event)
    if after.structure.format and not isinstance(event, HouseEvent):
        play = format_of(after.structure).follow(state, after, event)
        if play is not after.play:
            after = after._replace(play=play)
    return after


def fold(events: Iterable[Event], state: Tournament | None = None) -> Tournament:
    """The tournament after ``events``, from nothing or from ``state``."""
    now = Tournament() if state is None else state
    for event in events:
        now = evolve(now, event)
    return now


def _common(state: Tournament, event: Event) -> Tournament:
    match event:
        case e.TournamentCreated(structure):
            play = format_of(structure).initial(structure)
            state = state._replace(structure=structure, phase=Phase.REGISTERING, play=play)
            return state._replace(accepts=True)
        case e.EntryMade():
            return _entry_made(state, event)
        case e.EntryAdmitted(number):
            return _admitted(state, number)
        case e.EntryWithdrawn(number):
            return _withdrawn(state, number)
        case e.TournamentStarted():
            return state._replace(phase=Phase.RUNNING)
        case e.EntriesClosed():
            return state._replace(accepts=False)
        case e.LevelBegan(level):
            return state._replace(level=level)
        case e.BreakCalled():
            return state._replace(on_break=True)
        case e.BreakEnded():
            return state._replace(on_break=False)
        case e.ClockSet(kind, milliseconds):
            return state._replace(clock=Clock(kind, milliseconds, state.version))
        case e.ClockStopped():
            return state._replace(clock=None)
        case e.TournamentPaused(left_ms):
            clock = state.clock and state.clock._replace(milliseconds=left_ms)
            return state._replace(paused=True, clock=clock)
        case e.TournamentResumed():
            clock = state.clock and state.clock._replace(since=state.version)
            return state._replace(paused=False, clock=clock)
        case e.EntryOut(number, worse, equal):
            return _out(state, number, worse, equal)
        case e.EntryDisqualified(number):
            entry = state.entries[number]._replace(disqualified=True)
            return state._replace(entries=state.entries.put(number, entry))
        case e.PrizesSet(prizes, added):
            money = state.money
            money = money._replace(pool=money.pool + added, added=money.added + added)
            return state._replace(prizes=prizes, money=money)
        case e.MoneyAwarded():
            return _awarded(state, event)
        case e.EntryPaid(number):
            return _paid(state, number)
        case e.TournamentCancelled():
            return state._replace(phase=Phase.CANCELLED, accepts=False, paused=False, clock=None)
        case e.TournamentFinished():
            return state._replace(phase=Phase.FINISHED, paused=False, clock=None)
        case _:
            return seating.evolve_seats(state, event)


def _entry_made(state: Tournament, event: e.EntryMade) -> Tournament:
    paid = event.buy_in + event.fee
    money = state.money._replace(taken=state.money.taken + paid)
    if event.waits:
        status, waiting = EntryStatus.WAITING, state.waiting | 1 << event.entry
        money = money._replace(waiting=money.waiting + paid)
        field = state.field
    else:
        status, waiting = EntryStatus.ENTERED, state.waiting
        money = money._replace(pool=money.pool + event.buy_in, fees=money.fees + event.fee)
        field = state.field + 1
    before = state.players.get(event.player)
    entry = Entry(
        event.player,
        status,
        event.again,
        withdrawn=state.withdrawals(event.player),
        before=-1 if before is None else before,
    )
    return state._replace(
        entries=state.entries.add(entry),
        players=state.players.put(event.player, event.entry),
        waiting=waiting,
        field=field,
        again=state.again + (event.again > 0),
        left=state.left + field - state.field,
        money=money,
    )


def _admitted(state: Tournament, number: int) -> Tournament:
    structure, money = state.structure, state.money
    money = money._replace(
        waiting=money.waiting - structure.buy_in - structure.fee,
        pool=money.pool + structure.buy_in,
        fees=money.fees + structure.fee,
    )
    entry = state.entries[number]._replace(status=EntryStatus.ENTERED)
    return state._replace(
        entries=state.entries.put(number, entry),
        waiting=state.waiting & ~(1 << number),
        field=state.field + 1,
        left=state.left + 1,
        money=money,
    )


def _withdrawn(state: Tournament, number: int) -> Tournament:
    """All it paid goes back to the account with this fact: it is as if it had never been taken."""
    entry, structure, money = state.entries[number], state.structure, state.money
    paid = structure.buy_in + structure.fee
    field = state.field
    if entry.status is EntryStatus.WAITING:
        money = money._replace(waiting=money.waiting - paid)
    else:
        money = money._replace(pool=money.pool - structure.buy_in, fees=money.fees - structure.fee)
        field -= 1
    entry = entry._replace(status=EntryStatus.WITHDRAWN)
    return state._replace(
        entries=state.entries.put(number, entry),
        waiting=state.waiting & ~(1 << number),
        field=field,
        left=state.left + field - state.field,
        money=money._replace(taken=money.taken - paid),
    )


def _out(state: Tournament, number: int, worse: int, equal: int) -> Tournament:
    entry = state.entries[number]
    entry = entry._replace(status=EntryStatus.OUT, worse=worse, equal=equal)
    entries = state.entries.put(number, entry)
    return state._replace(entries=entries, left=state.left - 1, out=state.out + 1)


def _awarded(state: Tournament, event: e.MoneyAwarded) -> Tournament:
    entry, money = state.entries[event.entry], state.money
    entry = entry._replace(due=entry.due + event.amount, due_since=state.version)
    waiting = state.waiting
    if event.why is e.Why.REFUND:
        waiting &= ~(1 << event.entry)
        entry = entry._replace(status=EntryStatus.WITHDRAWN)
        money = money._replace(waiting=money.waiting - event.amount)
    else:
        money = money._replace(
            pool=money.pool - event.amount + event.fee, fees=money.fees - event.fee
        )
        if event.why is e.Why.PRIZE:
            entry = entry._replace(won=entry.won + event.amount)
    return state._replace(
        entries=state.entries.put(event.entry, entry),
        waiting=waiting,
        owed=state.owed | 1 << event.entry,
        money=money._replace(owed=money.owed + event.amount),
    )


def _paid(state: Tournament, number: int) -> Tournament:
    entry, money = state.entries[number], state.money
    money = money._replace(owed=money.owed - entry.due, paid=money.paid + entry.due)
    return state._replace(
        entries=state.entries.put(number, entry._replace(due=0)),
        owed=state.owed & ~(1 << number),
        money=money,
    )
