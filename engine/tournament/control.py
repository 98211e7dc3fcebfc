"""What the host asks for: start, pause, resume, cancel, disqualify."""

from __future__ import annotations

from engine.errors import Refused
from engine.table import require_amount
from engine.tournament import actions as a
from engine.tournament import events as e
from engine.tournament.formats import format_of
from engine.tournament.registration import start, withdraw
from engine.tournament.settlement import settle
from engine.tournament.state import EntryStatus, Phase
from engine.tournament.steps import Draw, Steps
from engine.tournament.structure import is_text

__all__ = ["host"]

MAX_REASON = 200
"""Characters of a reason."""


def host(steps: Steps, action: a.HostAsks, draw: Draw) -> None:
    """Do what the host asks, or refuse it."""
    match action:
        case a.StartTournament():
            start(steps, draw)
        case a.PauseTournament(left_ms):
            _pause(steps, left_ms)
        case a.ResumeTournament():
            _resume(steps, draw)
        case a.CancelTournament(reason):
            settle(steps, _reason(reason))
        case a.Disqualify(player, reason):
            _disqualify(steps, player, _reason(reason), draw)
        case _:
            raise Refused("UNKNOWN_ACTION", action=type(action).__name__)


def _reason(reason: str | None) -> str:
    if reason is None or not is_text(reason, MAX_REASON):
        expected = f"1 to {MAX_REASON} printable characters"
        raise Refused("BAD_PARAMETER", field="reason", expected=expected)
    return reason


def _running(steps: Steps) -> None:
    if steps.state.phase is not Phase.RUNNING:
        raise Refused("NOT_RUNNING")


def _pause(steps: Steps, left_ms: int | None) -> None:
    """Hands that were allowed are played to their end.

    Raises ``Refused(NOT_RUNNING | ALREADY_PAUSED | BAD_PARAMETER)``.
    """
    _running(steps)
    if steps.state.paused:
        raise Refused("ALREADY_PAUSED")
    clock = steps.state.clock
    if clock is not None:
        left_ms = require_amount("left_ms", left_ms, 0, clock.milliseconds)
    elif left_ms is not None:
        raise Refused("BAD_PARAMETER", field="left_ms", expected="none, as no clock runs")
    steps.emit(e.TournamentPaused(left_ms or 0))


def _resume(steps: Steps, draw: Draw) -> None:
    """Raises ``Refused(NOT_RUNNING | NOT_PAUSED)``."""
    _running(steps)
    if not steps.state.paused:
        raise Refused("NOT_PAUSED")
    steps.emit(e.TournamentResumed())
    format_of(steps.state.structure).table_rests(steps, steps.state.resting, draw)


def _disqualify(steps: Steps, player: str | None, reason: str, draw: Draw) -> None:
    """Before the start the money goes back; later the entry is out and wins nothing.

    Who is out already does not come back.  What entries that he had before would win is not his
    either, unless it was awarded: as long as entries are open nothing was.

    Raises ``Refused(NOT_REGISTERED | ALREADY_OUT | LAST_ONE)``.
    """
    number = steps.state.entry_of(player or "")
    if number is None:
        raise Refused("NOT_REGISTERED")
    if steps.state.phase is Phase.REGISTERING:
        steps.emit(e.EntryDisqualified(number, reason))
        withdraw(steps, number)
        return
    _running(steps)
    entry = steps.state.entries[number]
    if entry.status is EntryStatus.OUT and steps.state.accepts and not entry.disqualified:
        _exclude(steps, number, reason)
        return
    if entry.status not in {EntryStatus.ENTERED, EntryStatus.PLAYING}:
        raise Refused("ALREADY_OUT")
    if steps.state.left == 1:
        raise Refused("LAST_ONE")
    _exclude(steps, number, reason)
    format_of(steps.state.structure).disqualified(steps, number, draw)


def _exclude(steps: Steps, number: int, reason: str) -> None:
    steps.emit(e.EntryDisqualified(number, reason))
    before = steps.state.entries[number].before
    while steps.state.accepts and before >= 0:
        entry = steps.state.entries[before]
        if entry.status is EntryStatus.OUT:
            steps.emit(e.EntryDisqualified(before, reason))
        before = entry.before
