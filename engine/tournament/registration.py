"""Who enters, until play begins or a little later.

Money moves in the transaction that records these facts: whoever waits has paid, so that nobody
who moves up can turn out to have nothing.
"""

from __future__ import annotations

from typing import Final

from engine.errors import Refused
from engine.tournament import events as e
from engine.tournament.formats import format_of
from engine.tournament.persistent import lowest, members
from engine.tournament.standings import close_entries
from engine.tournament.state import EntryStatus, Phase, Tournament
from engine.tournament.steps import Draw, Steps

__all__ = [
    "is_excluded",
    "re_enter",
    "refund_waiting",
    "register",
    "start",
    "unregister",
    "withdraw",
]


MOST_WITHDRAWALS: Final = 20
"""Each registration has a number of its own for good: nobody takes them without end."""


def register(steps: Steps, player: str, draw: Draw) -> None:
    """A player enters, or waits for a place.

    Raises ``Refused``: ``REGISTRATION_CLOSED | DISQUALIFIED | ALREADY_REGISTERED |
    TOO_OFTEN | TOURNAMENT_FULL``.
    """
    state = steps.state
    if not state.accepts:
        raise Refused("REGISTRATION_CLOSED")
    if is_excluded(state, player):
        raise Refused("DISQUALIFIED")
    if state.entry_of(player) is not None:
        raise Refused("ALREADY_REGISTERED")
    if state.withdrawals(player) >= MOST_WITHDRAWALS:
        raise Refused("TOO_OFTEN", withdrawals=MOST_WITHDRAWALS)
    structure = state.structure
    full = state.field - state.again >= structure.max_entrants
    room = structure.waiting if state.phase is Phase.REGISTERING else 0
    if full and state.waiting.bit_count() >= room:
        raise Refused("TOURNAMENT_FULL", max_entrants=structure.max_entrants, waiting=room)
    _enter(steps, player, draw, waits=full)
    fills = state.phase is Phase.REGISTERING and steps.state.field == structure.max_entrants
    if structure.start == "full" and fills:
        start(steps, draw)


def is_excluded(state: Tournament, player: str) -> bool:
    """Whether the host disqualified a player, before the start or later."""
    number = state.players.get(player)
    return number is not None and state.entries[number].disqualified


def re_enter(steps: Steps, player: str, draw: Draw) -> None:
    """A player who is out enters again.

    Raises ``Refused``: ``REGISTRATION_CLOSED | NOT_REGISTERED | DISQUALIFIED | STILL_IN |
    NO_RE_ENTRY``.
    """
    state = steps.state
    number = state.entry_of(player)
    if not state.accepts:
        raise Refused("REGISTRATION_CLOSED")
    if number is None:
        raise Refused("NOT_REGISTERED")
    if is_excluded(state, player):
        raise Refused("DISQUALIFIED")
    entry = state.entries[number]
    if entry.status is not EntryStatus.OUT:
        raise Refused("STILL_IN")
    if entry.again >= state.structure.re_entries:
        raise Refused("NO_RE_ENTRY", re_entries=state.structure.re_entries)
    _enter(steps, player, draw, again=entry.again + 1)


def _enter(steps: Steps, player: str, draw: Draw, *, waits: bool = False, again: int = 0) -> None:
    state, structure = steps.state, steps.state.structure
    number = len(state.entries)
    steps.emit(e.EntryMade(number, player, structure.buy_in, structure.fee, waits, again))
    if state.phase is Phase.RUNNING:
        format_of(structure).entered(steps, number, draw)


def unregister(steps: Steps, player: str) -> None:
    """A player takes his entry back before the start; the first who waits has his place.

    Raises ``Refused(NOT_REGISTERED | ALREADY_STARTED)``.
    """
    number = steps.state.entry_of(player)
    if number is None:
        raise Refused("NOT_REGISTERED")
    if steps.state.phase is not Phase.REGISTERING:
        raise Refused("ALREADY_STARTED")
    withdraw(steps, number)


def withdraw(steps: Steps, number: int) -> None:
    """An entry is taken back before the start; the first one that waits has its place."""
    steps.emit(e.EntryWithdrawn(number))
    state: Tournament = steps.state
    if state.waiting and state.field < state.structure.max_entrants:
        steps.emit(e.EntryAdmitted(lowest(state.waiting)))


def start(steps: Steps, draw: Draw) -> None:
    """Play begins.  Raises ``Refused(ALREADY_STARTED | TOO_FEW_ENTRANTS)``."""
    state, structure = steps.state, steps.state.structure
    if state.phase is not Phase.REGISTERING:
        raise Refused("ALREADY_STARTED")
    if state.field < structure.min_entrants:
        raise Refused(
            "TOO_FEW_ENTRANTS", entrants=state.field, expected=f"{structure.min_entrants} or more"
        )
    steps.emit(e.TournamentStarted())
    refund_waiting(steps)
    if not structure.late_levels:
        close_entries(steps)
    format_of(structure).begin(steps, draw)


def refund_waiting(steps: Steps) -> None:
    """Who waits for a place there will not be gets back what he paid."""
    paid = steps.state.structure.buy_in + steps.state.structure.fee
    for number in members(steps.state.waiting):
        free = e.EntryWithdrawn(number)
        steps.emit(e.MoneyAwarded(number, paid, e.Why.REFUND) if paid else free)
