"""The contract of a format: what a kind of tournament adds to what is common to all of them.

The decider (:mod:`engine.tournament.decider`) checks an action, emits the facts that every format
has of it, and then lets the format go on: a format emits what it wants to happen next through
``steps`` and reads ``steps.state``, which follows at once.  The verbs that formats share (drawing
seats, allowing a hand, moving, ranking who is out) are in the modules beside.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import ClassVar, NamedTuple, Protocol

from engine.events import Event, Pairs
from engine.options import Option
from engine.tournament.actions import HandEnded, PlayerAsks
from engine.tournament.state import Play, Tournament
from engine.tournament.steps import Draw, Steps
from engine.tournament.structure import Structure

__all__ = ["Deal", "Format", "House", "Standing"]


class House(NamedTuple):
    """A player of the house's own, who has no entry: his seat, and his chips before this hand.

    He plays by what the format publishes.
    """

    seat: int
    chips: int


class Deal(NamedTuple):
    """How a table is to deal: options that may change between hands, facts for the hand's start.

    ``packs``: tables with the same word deal the same packs, one after the other, and none of them
    is told before all of these tables are closed; empty: the table has packs of its own.
    """

    options: Pairs = ()
    facts: Pairs = ()
    packs: str = ""
    house: House | None = None


class Standing(NamedTuple):
    """An entry in the standings; ``place`` None: still in, those further up stand better.

    ``score``: chips, points or wins, as the format counts.  ``prize``: what it was awarded.
    """

    entry: int
    player: str
    place: int | None
    score: int
    prize: int = 0


class Format(Protocol):
    """What the decider needs to know of a format."""

    KEY: ClassVar[str]
    """Its name in structures, such as ``elimination``."""

    GAMES: ClassVar[Mapping[str, tuple[int, int]]]
    """The games it is for, by key, and the fewest and most seats of a table."""

    SETTINGS: ClassVar[tuple[Option, ...]]
    """Its settings (``Structure.settings``)."""

    EVENTS: ClassVar[tuple[type[Event], ...]]
    """Events of its own, beside those of all tournaments."""

    @abstractmethod
    def check(self, structure: Structure) -> None:
        """Refuse a structure that cannot work; ``Refused(INVALID_STRUCTURE)`` names the field."""

    @abstractmethod
    def initial(self, structure: Structure) -> Play:
        """What the format keeps, before anything happened."""

    @abstractmethod
    def follow(self, before: Tournament, state: Tournament, event: Event) -> Play:
        """What it keeps after ``event``, which made ``state`` of ``before`` in all other respects.

        Its own events change nothing else.
        """

    @abstractmethod
    def begin(self, steps: Steps, draw: Draw) -> None:
        """Play begins: ``TournamentStarted`` was emitted."""

    @abstractmethod
    def entered(self, steps: Steps, entry: int, draw: Draw) -> None:
        """An entry was made after the start."""

    @abstractmethod
    def asked(self, steps: Steps, entry: int, action: PlayerAsks) -> None:
        """A player's action that is the format's own, such as ``Commit``; may refuse."""

    @abstractmethod
    def check_report(self, state: Tournament, report: HandEnded) -> None:
        """Refuse results that cannot be, such as chips from nowhere: ``Refused(BAD_REPORT)``."""

    @abstractmethod
    def hand_ended(self, steps: Steps, report: HandEnded, draw: Draw) -> None:
        """A hand is over: ``DealPlayed`` was emitted, the table rests."""

    @abstractmethod
    def table_rests(self, steps: Steps, tables: int, draw: Draw) -> None:
        """These resting tables (a set) may go on, if nothing stands against it.

        They were opened, an order about their seats was carried out, or a pause is over.
        """

    @abstractmethod
    def table_done(self, steps: Steps, table: int, draw: Draw) -> None:
        """A table was closed."""

    @abstractmethod
    def clock_ran_out(self, steps: Steps, draw: Draw) -> None:
        """``steps.state.clock`` ran out; it is still there."""

    @abstractmethod
    def disqualified(self, steps: Steps, entry: int, draw: Draw) -> None:
        """An entry that plays was excluded: ``EntryDisqualified`` was emitted."""

    @abstractmethod
    def deal(self, state: Tournament, table: int) -> Deal:
        """How the table is to deal the hand that is allowed, or the first one it will deal."""

    def deals_later(self, state: Tournament, packs: str) -> bool:
        """Whether tables that are not drawn yet will deal these packs (``Deal.packs``)."""
        del state, packs
        return False

    @abstractmethod
    def openings(self, structure: Structure) -> Iterator[tuple[str, Pairs]]:
        """Every set of options that a table of it may be opened with, or come to have.

        Each with the field of the structure that it follows from beside ``options``.  Seats that
        a lot decides on stand for all others.  ``structure`` was checked.
        """

    @abstractmethod
    def settlement(self, state: Tournament) -> Iterator[tuple[int, int]]:
        """Who is still in when a tournament that runs is cancelled: (entry, weight).

        The weight is what the part of the pool that is not shared equally is shared by.
        """

    @abstractmethod
    def standings(self, state: Tournament) -> Iterator[Standing]:
        """Everybody, the best first, live or final; those who share a place by entry."""
