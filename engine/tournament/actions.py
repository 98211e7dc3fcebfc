"""What is asked of a tournament, and what is reported to it.

Players and the host ask.  The process manager of the service reports what it has carried out of the
tournament's orders, what came to pass at its tables, and that a clock has run out.  A report that
comes twice, or tells of something that is no longer so, is refused with ``STALE_REPORT``: nothing
happens twice, whoever dies in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engine.actions import Action
from engine.tournament.structure import Structure

__all__ = [
    "TOURNAMENT_ACTIONS",
    "CancelTournament",
    "ChipsGiven",
    "ClockRanOut",
    "Commit",
    "CreateTournament",
    "Disqualify",
    "HandEnded",
    "HandsEnded",
    "HostAsks",
    "Paid",
    "PauseTournament",
    "PlayerAsks",
    "ReEnter",
    "Register",
    "Report",
    "ResumeTournament",
    "SeatGiven",
    "SeatMoved",
    "SeatResult",
    "SeatTakenAway",
    "StartDue",
    "StartTournament",
    "TableGone",
    "TableReady",
    "TakeAddOn",
    "TimeGivenBack",
    "Unregister",
]


class PlayerAsks(Action):
    """Asked by a player for himself: the actor is his id."""

    __slots__ = ()


class HostAsks(Action):
    """Asked by the host."""

    __slots__ = ()


class Report(Action):
    """Reported by the process manager."""

    __slots__ = ()


# --- players ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Register(PlayerAsks):
    """Enter; the buy-in and the fee leave the account in the same transaction."""


@dataclass(frozen=True, slots=True)
class Unregister(PlayerAsks):
    """Leave before the start; buy-in and fee come back in the same transaction."""


@dataclass(frozen=True, slots=True)
class ReEnter(PlayerAsks):
    """Enter again after being out, for another buy-in and fee, while entries are open."""


@dataclass(frozen=True, slots=True)
class TakeAddOn(PlayerAsks):
    """Buy the add-on, during its break."""


@dataclass(frozen=True, slots=True)
class Commit(PlayerAsks):
    """What a player commits to before the cards, where the format asks for it."""

    choice: str | None


# --- the host -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CreateTournament(HostAsks):
    """The tournament's first action."""

    structure: Structure


@dataclass(frozen=True, slots=True)
class StartTournament(HostAsks):
    """Close the registration (late entries aside), draw seats, play."""


@dataclass(frozen=True, slots=True)
class PauseTournament(HostAsks):
    """No table deals again once its hand is over.

    ``left_ms``: what the service still had on the running clock, None: none is running.
    """

    left_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ResumeTournament(HostAsks):
    """Go on; the clock goes on with what it had left."""


@dataclass(frozen=True, slots=True)
class CancelTournament(HostAsks):
    """End it for good and settle by the written rule."""

    reason: str | None


@dataclass(frozen=True, slots=True)
class Disqualify(HostAsks):
    """Exclude a player."""

    player: str | None
    reason: str | None


# --- the process manager ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableReady(Report):
    """A table is open and those who were drawn to it sit there: order OpenTable is done.

    ``others``: so it is with these, in one group.
    """

    table: int
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SeatGiven(Report):
    """An entry sits where it was to: order GiveSeat is done, in one group with the table."""

    entry: int


@dataclass(frozen=True, slots=True)
class SeatTakenAway(Report):
    """An entry has left its table: order TakeSeatAway is done, in one group with the table."""

    entry: int


@dataclass(frozen=True, slots=True)
class SeatMoved(Report):
    """An entry changed tables: order MoveSeat is done, in one group with both tables."""

    entry: int


@dataclass(frozen=True, slots=True)
class ChipsGiven(Report):
    """An entry's add-on is on its stack: order GiveChips is done, in one group with the table."""

    entry: int


@dataclass(frozen=True, slots=True)
class TableGone(Report):
    """A table is closed for good: order CloseTable is done.

    ``others``: so it is with these, in one group.
    """

    table: int
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Paid(Report):
    """An entry's money is on its account: order Pay is done, in one group with the account."""

    entry: int
    amount: int


class SeatResult(NamedTuple):
    """A seat after a hand: chips, points or wins before and after it, as the game counts.

    ``rest``: what the format breaks ties by, where the game has such a thing (cards left).
    """

    seat: int
    before: int
    after: int
    rest: int = 0


@dataclass(frozen=True, slots=True)
class HandEnded(Report):
    """Hand ``hand`` (of this table, from 1) is over: hand, deal, game, as the game calls it.

    ``results``: those who were dealt in, by seat ascending.  ``dealer``: its seat, -1: none.
    ``over``: the game at the table is over as well, where the game says so (a match).
    """

    table: int
    hand: int
    results: tuple[SeatResult, ...]
    dealer: int = -1
    over: bool = False


@dataclass(frozen=True, slots=True)
class HandsEnded(Report):
    """Hands of several tables are over, in this order: one at least."""

    hands: tuple[HandEnded, ...]


@dataclass(frozen=True, slots=True)
class ClockRanOut(Report):
    """The clock that began with the event of version ``started`` has run out."""

    started: int


@dataclass(frozen=True, slots=True)
class TimeGivenBack(Report):
    """The service was away: the clock of ``ClockRanOut`` goes on with what it had to go then."""

    started: int
    left_ms: int


@dataclass(frozen=True, slots=True)
class StartDue(Report):
    """It is ``start_at``, of a structure with ``start=time``."""


TOURNAMENT_ACTIONS = (
    Register,
    Unregister,
    ReEnter,
    TakeAddOn,
    Commit,
    CreateTournament,
    StartTournament,
    PauseTournament,
    ResumeTournament,
    CancelTournament,
    Disqualify,
    TableReady,
    SeatGiven,
    SeatTakenAway,
    SeatMoved,
    ChipsGiven,
    TableGone,
    Paid,
    HandEnded,
    ClockRanOut,
    StartDue,
    TimeGivenBack,
    HandsEnded,
)
