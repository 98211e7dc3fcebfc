"""Chips of entries: what they have, what a table may report, who has most, the add-on."""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import Refused
from engine.tournament import events as e
from engine.tournament.actions import HandEnded
from engine.tournament.events import ClockKind
from engine.tournament.format import Standing
from engine.tournament.state import Duty, EntryStatus, Tournament
from engine.tournament.steps import Steps

__all__ = ["busted", "buy_add_on", "by_chips", "check_chips", "chips_of"]


def chips_of(state: Tournament, number: int) -> int:
    """What an entry has: on its stack, and on the way to it."""
    entry = state.entries[number]
    stack = state.tables[entry.table].seats[entry.seat].chips if entry.table >= 0 else 0
    return stack + entry.pocket


def check_chips(state: Tournament, report: HandEnded) -> None:
    """Refuse a hand that began with other stacks than are known, or that made or lost chips.

    Raises ``Refused(BAD_REPORT)``.
    """
    seats = state.tables[report.table].seats
    for result in report.results:
        if result.before != seats[result.seat].chips or result.after < 0:
            raise Refused("BAD_REPORT", field="results", seat=result.seat, expected="its stack")
    if sum(result.before - result.after for result in report.results):
        raise Refused("BAD_REPORT", field="results", expected="as many chips after the hand")


def busted(before: Tournament, event: e.DealPlayed) -> tuple[tuple[int, int], ...]:
    """Who lost all in a hand: (entry, stack at its start)."""
    seats = before.tables[event.table].seats
    return tuple(
        (seats[at].entry, seats[at].chips)
        for at, chips in event.stacks
        if not chips and before.entries[seats[at].entry].status is EntryStatus.PLAYING
    )


def by_chips(state: Tournament) -> Iterator[Standing]:
    """Those still in by chips, then those who are out by place; equals by entry."""
    inside: list[tuple[int, int]] = []
    outside: list[tuple[int, int]] = []
    for number, entry in enumerate(state.entries):
        place = state.place(number)
        if place is not None:
            outside.append((place, number))
        elif entry.status in {EntryStatus.ENTERED, EntryStatus.PLAYING}:
            inside.append((-chips_of(state, number), number))
    for score, number in sorted(inside):
        yield Standing(number, state.entries[number].player, None, -score)
    for place, number in sorted(outside):
        entry = state.entries[number]
        yield Standing(number, entry.player, place, 0, entry.won)


def buy_add_on(steps: Steps, number: int) -> None:
    """Buy the add-on, once an entry, while its break lasts.

    Raises ``Refused(NO_ADD_ON | NOT_SEATED | ADD_ON_TAKEN)``.
    """
    state, add_on = steps.state, steps.state.structure.add_on
    breaks = state.on_break and state.clock is not None and state.clock.kind is ClockKind.BREAK
    if add_on is None or not breaks or state.level + 1 != add_on.level:
        raise Refused("NO_ADD_ON")
    entry = state.entries[number]
    if entry.add_on:
        raise Refused("ADD_ON_TAKEN")
    if entry.status is not EntryStatus.PLAYING or entry.table < 0:
        raise Refused("NOT_SEATED")
    if state.tables[entry.table].seats[entry.seat].duty is not Duty.NONE:
        raise Refused("NOT_SEATED", expected="nothing to be done about the seat")
    steps.emit(e.AddOnBought(number, add_on.chips, add_on.cost, add_on.fee))
