"""State of a Royal Casino table, and what is asked of it everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from engine.games.royal_casino.events import BuildKind, Item, Reason
from engine.games.royal_casino.groups import Cards, Groups
from engine.games.royal_casino.options import Options, believed_options
from engine.records import quick_copies

__all__ = [
    "Build",
    "Deal",
    "Phase",
    "Result",
    "Seat",
    "State",
    "build_id",
    "dealer_of",
    "following_dealer",
    "forfeited",
    "initial",
    "is_running",
    "locks",
    "new_deal",
    "next_seat",
    "partner_of",
    "play_order",
    "running",
    "seats_of_side",
    "side_count",
    "side_of",
    "sides",
]


class Phase(StrEnum):
    """Phases (5.1); NONE: there is no table yet."""

    NONE = "NONE"
    LOBBY = "LOBBY"
    BETWEEN_DEALS = "BETWEEN_DEALS"
    PLAYING = "PLAYING"
    GAME_OVER = "GAME_OVER"
    CLOSED = "CLOSED"


class Seat(NamedTuple):
    """Who sits there; ``timeouts`` in a row (10.3); ``leaving``: has left the game (10.4)."""

    player: str
    chips: int
    timeouts: int = 0
    out: bool = False
    leaving: bool = False


class Build(NamedTuple):
    """A build on the table (4.2); groups in the order of attachment, cards in card order."""

    number: int
    value: int
    owner: int
    groups: Groups

    @property
    def is_multiple(self) -> bool:
        """Whether it has several groups; then its value is fixed."""
        return len(self.groups) > 1

    @property
    def kind(self) -> BuildKind:
        """``SINGLE`` or ``MULTIPLE``."""
        return BuildKind.MULTIPLE if self.is_multiple else BuildKind.SINGLE

    @property
    def cards(self) -> Cards:
        """Its cards, group by group."""
        return tuple(card for group in self.groups for card in group)


def build_id(number: int) -> str:
    """The name of a build: b1, b2, …"""
    return f"b{number}"


@quick_copies
class Deal(NamedTuple):
    """A running deal.  Hands, loose cards and piles are in card order.

    ``built`` counts the builds created.  ``last``: the last capturer.  ``own_play``: whether a
    seat has made a play of its own (10.6).  ``dealt`` + ``stock`` is the deck.
    """

    turn: int
    hands: tuple[Cards, ...]
    piles: tuple[Cards, ...]
    sweeps: tuple[int, ...]
    loose: Cards = ()
    builds: tuple[Build, ...] = ()
    built: int = 0
    last: int | None = None
    own_play: bool = False
    dealt: Cards = ()
    stock: Cards = ()


class Result(NamedTuple):
    """Of a finished game: the winner, or several sides that share the pot."""

    sides: tuple[int, ...]
    reason: Reason


@quick_copies
class State(NamedTuple):
    """A table.  ``deals``: begun in this game.  ``dealer``: see the key ``dealer`` of 12.0.1."""

    phase: Phase
    options: Options
    seats: tuple[Seat | None, ...] = ()
    scores: tuple[int, ...] = ()
    pot: int = 0
    deals: int = 0
    dealer: int | None = None
    overtime: bool = False
    result: Result | None = None
    deal: Deal | None = None


def initial() -> State:
    """No table."""
    return State(Phase.NONE, believed_options({}))


def new_deal(options: Options, turn: int) -> Deal:
    """A deal before its first card."""
    count = side_count(options)
    return Deal(turn, ((),) * options.players, ((),) * count, (0,) * count)


def running(state: State) -> Deal:
    """The running deal; there must be one."""
    if state.deal is None:
        raise AssertionError("no deal is running")
    return state.deal


def dealer_of(state: State) -> int:
    """The dealer, or between deals the next one; a game has begun."""
    if state.dealer is None:
        raise AssertionError("no game has begun")
    return state.dealer


def is_running(state: State) -> bool:
    """Whether a game is running (5.1)."""
    return state.phase is Phase.BETWEEN_DEALS or state.phase is Phase.PLAYING


# --- seats and sides (2.2, 2.3) ---------------------------------------------------------------


def next_seat(options: Options, seat: int) -> int:
    """The seat whose turn comes after that of ``seat``.

    >>> next_seat(believed_options({}), 0), next_seat(believed_options({"players": "4"}), 2)
    (1, 1)
    """
    return (seat + (1 if options.clockwise else -1)) % options.players


def following_dealer(options: Options, dealer: int) -> int:
    """Who deals after ``dealer`` (9.1).

    >>> following_dealer(believed_options({"players": "3"}), 2)
    0
    """
    step = 1 if options.clockwise == options.deals_with_play else -1
    return (dealer + step) % options.players


def play_order(options: Options, first: int) -> Iterator[int]:
    """All seats, from ``first`` on as the turn passes."""
    seat = first
    for _ in range(options.players):
        yield seat
        seat = next_seat(options, seat)


def side_count(options: Options) -> int:
    """How many sides play: partnerships of two with four players."""
    return 2 if options.players == 4 else options.players


def sides(state: State) -> range:
    """The sides of a table."""
    return range(side_count(state.options))


def side_of(options: Options, seat: int) -> int:
    """The side of a seat."""
    return seat % side_count(options)


def seats_of_side(options: Options, side: int) -> tuple[int, ...]:
    """The seats of a side, ascending."""
    return tuple(range(side, options.players, side_count(options)))


def partner_of(options: Options, seat: int) -> int | None:
    """The seat that plays with ``seat``, if any does."""
    return (seat + 2) % 4 if options.players == 4 else None


def forfeited(state: State) -> frozenset[int]:
    """Sides all of whose seats have left the running game (10.5)."""
    if not is_running(state):
        return frozenset()

    def has_left(seat: int) -> bool:
        who = state.seats[seat]
        return who is not None and who.leaving

    every = sides(state)
    return frozenset(s for s in every if all(map(has_left, seats_of_side(state.options, s))))


# --- locks (7.5.1) ----------------------------------------------------------------------------

_LOCKS = {3: Item.MOST_CARDS, 2: Item.BIG_CASINO, 1: Item.LITTLE_CASINO}


def locks(state: State) -> tuple[Item | None, ...]:
    """By side: the only item that wins, where it is locked in a deal that begins now."""
    if state.overtime or state.options.endgame == "off":
        return (None,) * len(state.scores)
    return tuple(_LOCKS.get(state.options.target - score) for score in state.scores)
