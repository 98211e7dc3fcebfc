"""Levels and breaks: when they begin, and when they are over."""

from __future__ import annotations

from typing import Final

from engine.tournament import events as e
from engine.tournament.events import ClockKind
from engine.tournament.standings import close_entries
from engine.tournament.state import Tournament
from engine.tournament.steps import Steps

__all__ = [
    "MINUTE",
    "begin_level",
    "end_break",
    "end_level",
    "is_level_played",
    "start_break_when_all_rest",
]

MINUTE: Final = 60_000
"""Milliseconds."""


def begin_level(steps: Steps, level: int) -> None:
    """Hands are allowed at ``level`` (from 0) from now on; late entries may be over with it."""
    structure = steps.state.structure
    if steps.state.accepts and level >= structure.late_levels:
        close_entries(steps)
    steps.emit(e.LevelBegan(level))
    minutes = structure.levels[level].minutes
    if minutes and level + 1 < len(structure.levels):
        steps.emit(e.ClockSet(ClockKind.LEVEL, minutes * MINUTE))


def end_level(steps: Steps) -> None:
    """The level is over: the next one begins, or the break before it is called."""
    if steps.state.clock is not None:
        steps.emit(e.ClockStopped())
    if steps.state.structure.levels[steps.state.level].break_minutes:
        steps.emit(e.BreakCalled())
        start_break_when_all_rest(steps)
    else:
        begin_level(steps, steps.state.level + 1)


def start_break_when_all_rest(steps: Steps) -> None:
    """The break is equally long for all: it begins when the last table's hand is over."""
    state = steps.state
    if state.on_break and state.clock is None and not state.dealing:
        minutes = state.structure.levels[state.level].break_minutes
        steps.emit(e.ClockSet(ClockKind.BREAK, minutes * MINUTE))


def end_break(steps: Steps) -> None:
    """The break is over: the next level begins."""
    steps.emit(e.ClockStopped())
    steps.emit(e.BreakEnded())
    begin_level(steps, steps.state.level + 1)


def is_level_played(state: Tournament, deals_before: int) -> bool:
    """Whether a level that is counted in hands is over: so many for each table that stands.

    ``deals_before``: hands that had ended when it began.
    """
    level = state.structure.levels[state.level]
    if not level.hands or state.on_break or state.level + 1 == len(state.structure.levels):
        return False
    tables = (state.standing & ~state.breaking).bit_count()
    return state.deals - deals_before >= level.hands * tables
