"""Facts of a tournament, in the order of its life.

Entries have numbers from 0 in the order in which they were made; a player who enters again has
another one.  Tables have numbers from 0.  An event concerns one entry, one table, or the few that
it names; only what happens once (drawing seats, setting prizes) is as long as the field.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.events import Event, LotDrawn
from engine.tournament.structure import Structure

__all__ = [
    "TOURNAMENT_EVENTS",
    "AddOnBought",
    "AddOnGiven",
    "BreakCalled",
    "BreakEnded",
    "ClockKind",
    "ClockSet",
    "ClockStopped",
    "DealAllowed",
    "DealPlayed",
    "EntriesClosed",
    "EntryAdmitted",
    "EntryDisqualified",
    "EntryMade",
    "EntryMoved",
    "EntryOut",
    "EntryPaid",
    "EntryPlaced",
    "EntryRemoved",
    "EntrySeated",
    "EntryWithdrawn",
    "LevelBegan",
    "MoneyAwarded",
    "MoveOrdered",
    "PrizesSet",
    "RemovalOrdered",
    "TableBroken",
    "TableDone",
    "TableDrawn",
    "TableStood",
    "TournamentCancelled",
    "TournamentCreated",
    "TournamentFinished",
    "TournamentPaused",
    "TournamentResumed",
    "TournamentStarted",
    "Why",
]


class ClockKind(StrEnum):
    """What a clock measures."""

    LEVEL = "LEVEL"
    BREAK = "BREAK"


class Why(StrEnum):
    """What money is for."""

    PRIZE = "PRIZE"
    REFUND = "REFUND"
    SETTLEMENT = "SETTLEMENT"


# --- registration -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TournamentCreated(Event):
    """The tournament exists, and players may register."""

    structure: Structure


@dataclass(frozen=True, slots=True)
class EntryMade(Event):
    """``player`` paid ``buy_in`` and ``fee``; ``waits``: there was no place yet.

    ``again``: how many entries he had before, all of them out.
    """

    entry: int
    player: str
    buy_in: int
    fee: int
    waits: bool = False
    again: int = 0


@dataclass(frozen=True, slots=True)
class EntryAdmitted(Event):
    """An entry that waited has a place."""

    entry: int


@dataclass(frozen=True, slots=True)
class EntryWithdrawn(Event):
    """An entry was taken back before it played, and everything it paid went back with this."""

    entry: int


@dataclass(frozen=True, slots=True)
class TournamentStarted(Event):
    """Play begins; who waits now gets his money back."""


@dataclass(frozen=True, slots=True)
class EntriesClosed(Event):
    """Nobody enters any more: ``entries`` is how many there are."""

    entries: int


@dataclass(frozen=True, slots=True)
class AddOnBought(Event):
    """An entry paid ``cost`` and ``fee`` for ``chips``, which it is to get at its table."""

    entry: int
    chips: int
    cost: int
    fee: int


@dataclass(frozen=True, slots=True)
class AddOnGiven(Event):
    """The chips of an add-on lie on the stack."""

    entry: int


# --- tables -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableDrawn(Event):
    """Table ``table`` is to be opened with these entries, by seat; -1: the seat is open."""

    table: int
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TableStood(Event):
    """The table is open, and those who were drawn to it sit there."""

    table: int


@dataclass(frozen=True, slots=True)
class DealAllowed(Event):
    """The table may deal hand ``hand`` at level ``level`` (from 0), which holds for the hand."""

    table: int
    hand: int
    level: int


@dataclass(frozen=True, slots=True)
class DealPlayed(Event):
    """The hand that was allowed is over; ``stacks``: (seat, what it has now), seats ascending.

    ``dealer``: its seat, -1: none.
    """

    table: int
    stacks: tuple[tuple[int, int], ...]
    dealer: int = -1


@dataclass(frozen=True, slots=True)
class EntryPlaced(Event):
    """An entry without a table is to sit there; the seat is kept for it."""

    entry: int
    table: int
    seat: int


@dataclass(frozen=True, slots=True)
class EntrySeated(Event):
    """It sits there."""

    entry: int


@dataclass(frozen=True, slots=True)
class MoveOrdered(Event):
    """An entry is to change to another table before its own deals again; the seat is kept."""

    entry: int
    table: int
    seat: int


@dataclass(frozen=True, slots=True)
class EntryMoved(Event):
    """It changed tables, with all it has."""

    entry: int


@dataclass(frozen=True, slots=True)
class RemovalOrdered(Event):
    """An entry is to leave its table; what it still has goes out of play."""

    entry: int


@dataclass(frozen=True, slots=True)
class EntryRemoved(Event):
    """It left, and its seat is open."""

    entry: int


@dataclass(frozen=True, slots=True)
class TableBroken(Event):
    """The table deals no more; it is to be closed once nobody sits there.

    One that was not opened yet is done with this: nobody ever sat there.
    """

    table: int


@dataclass(frozen=True, slots=True)
class TableDone(Event):
    """The table is closed."""

    table: int


# --- clocks -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LevelBegan(Event):
    """Hands that are allowed from now on are played at ``level`` (from 0)."""

    level: int


@dataclass(frozen=True, slots=True)
class BreakCalled(Event):
    """No hand is allowed until the break after the level is over; it begins when all rest."""


@dataclass(frozen=True, slots=True)
class BreakEnded(Event):
    """Hands are allowed again."""


@dataclass(frozen=True, slots=True)
class ClockSet(Event):
    """A clock runs from this event on: ``milliseconds``, unless the tournament is paused."""

    kind: ClockKind
    milliseconds: int


@dataclass(frozen=True, slots=True)
class ClockStopped(Event):
    """The clock ran out or has nothing to measure any more."""


@dataclass(frozen=True, slots=True)
class TournamentPaused(Event):
    """No hand is allowed any more; the running clock stands, with ``left_ms`` to go."""

    left_ms: int = 0


@dataclass(frozen=True, slots=True)
class TournamentResumed(Event):
    """Play goes on; the clock runs from this event on with what it had to go."""


# --- the end ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EntryOut(Event):
    """An entry plays no more: ``worse`` came out before it, ``equal`` share its place (itself too).

    Its place is entries - worse - equal + 1, of as many entries as there will be.
    """

    entry: int
    worse: int
    equal: int


@dataclass(frozen=True, slots=True)
class EntryDisqualified(Event):
    """The host excluded an entry's player: it plays no more and wins nothing."""

    entry: int
    reason: str


@dataclass(frozen=True, slots=True)
class PrizesSet(Event):
    """What each place wins, the first one first.  ``added``: what the house adds to the pool."""

    prizes: tuple[int, ...]
    added: int


@dataclass(frozen=True, slots=True)
class MoneyAwarded(Event):
    """``amount`` is to go to an entry's account; ``fee``: what of it comes from the fees."""

    entry: int
    amount: int
    why: Why
    fee: int = 0


@dataclass(frozen=True, slots=True)
class EntryPaid(Event):
    """All that was awarded to an entry went to its account with this."""

    entry: int


@dataclass(frozen=True, slots=True)
class TournamentCancelled(Event):
    """It ends for good, hands that run do not count; what everybody gets follows."""

    reason: str


@dataclass(frozen=True, slots=True)
class TournamentFinished(Event):
    """Every place is known."""


TOURNAMENT_EVENTS = (
    TournamentCreated,
    EntryMade,
    EntryAdmitted,
    EntryWithdrawn,
    TournamentStarted,
    LotDrawn,
    EntriesClosed,
    AddOnBought,
    AddOnGiven,
    TableDrawn,
    TableStood,
    DealAllowed,
    DealPlayed,
    EntryPlaced,
    EntrySeated,
    MoveOrdered,
    EntryMoved,
    RemovalOrdered,
    EntryRemoved,
    TableBroken,
    TableDone,
    LevelBegan,
    BreakCalled,
    BreakEnded,
    ClockSet,
    ClockStopped,
    TournamentPaused,
    TournamentResumed,
    EntryOut,
    EntryDisqualified,
    PrizesSet,
    MoneyAwarded,
    EntryPaid,
    TournamentCancelled,
    TournamentFinished,
)
