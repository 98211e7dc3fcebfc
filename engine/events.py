"""The events that every game shares (rules C6), and those of the house around a game.

Facts, in the past tense, holding results and never instructions: folding them needs no
randomness and no rules code of their time.

Events of the house come from the host, never from ``decide``; scripts, perft tables and golden
files do not see them.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Card
from engine.visibility import Private

__all__ = [
    "COMMON_EVENTS",
    "HOUSE_EVENTS",
    "ChipsAdded",
    "DeckShuffled",
    "DeckStacked",
    "EmbargoReleased",
    "EntropyContributed",
    "EpochClosed",
    "EpochOpened",
    "EpochVoided",
    "Event",
    "HandsHeld",
    "HandsReleased",
    "HouseEvent",
    "HouseOpened",
    "LotDrawn",
    "OptionsChanged",
    "PacksShared",
    "Pairs",
    "PositionSet",
    "SatIn",
    "SatOut",
    "SeatLeaving",
    "SeatLeft",
    "SeatTaken",
    "ShuffleCommitted",
    "TableClosed",
    "TableOpened",
    "TimeBankUsed",
    "TurnTimedOut",
]

Pairs = tuple[tuple[str, str], ...]


class Event:
    """Base of all events."""

    __slots__ = ()


class HouseEvent(Event):
    """Base of the events of the house."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TableOpened(Event):
    """The table exists.  ``options``: every option in the order of the catalogue, as text."""

    game: str
    options: Pairs
    start: Pairs


@dataclass(frozen=True, slots=True)
class SeatTaken(Event):
    """``player`` (an opaque id) sits down with ``chips``."""

    seat: int
    player: str
    chips: int


@dataclass(frozen=True, slots=True)
class ChipsAdded(Event):
    """A seat brought more chips to the table."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class SatOut(Event):
    """A seat takes no part from the next hand on.

    ``when``: a word of the game's rules, where they tell from when on it counts.
    """

    seat: int
    when: str | None = None


@dataclass(frozen=True, slots=True)
class SatIn(Event):
    """A seat takes part again from the next hand on."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatLeaving(Event):
    """A seat will be left as soon as the hand allows."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatLeft(Event):
    """A seat is free again; ``chips`` were paid out."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class TurnTimedOut(Event):
    """The acting seat's time was over."""

    seat: int


@dataclass(frozen=True, slots=True)
class DeckShuffled(Event):
    """A pile was shuffled: ``order`` from the top, card ids, seen by the server only (C8)."""

    purpose: str
    order: Private[tuple[Card, ...]]


@dataclass(frozen=True, slots=True)
class TableClosed(Event):
    """The table is closed for good."""

    reason: str


@dataclass(frozen=True, slots=True)
class HouseOpened(HouseEvent):
    """The house around a table: its options as text, and whether it is a lab table."""

    options: Pairs
    lab: bool
    host: str


@dataclass(frozen=True, slots=True)
class EpochOpened(HouseEvent):
    """A secret was drawn and committed to, before anything of it is used (design: fair shuffles).

    ``commitment``: 32 bytes, public.  ``wrapped``: the secret under the master key, for the
    server only.
    """

    epoch: int
    commitment: bytes
    wrapped: Private[bytes]


@dataclass(frozen=True, slots=True)
class EpochClosed(HouseEvent):
    """No card of the epoch can matter any more: its secret, to auditors or to everyone."""

    epoch: int
    secret: Private[bytes]


@dataclass(frozen=True, slots=True)
class EmbargoReleased(HouseEvent):
    """Epochs up to this one may be told, each as soon as the game has it so."""

    epoch: int


@dataclass(frozen=True, slots=True)
class EpochVoided(HouseEvent):
    """An epoch ended without its secret: nobody can know its cards any more.

    ``reason``: ``KEY_LOST``.  ``position``: where the game stands now (position notation), the
    chips as they were before the hand that ran; empty where nothing changed but the epoch.
    """

    epoch: int
    reason: str
    position: str


@dataclass(frozen=True, slots=True)
class TimeBankUsed(HouseEvent):
    """A seat used ``milliseconds`` of its time bank for the decision of this commit."""

    seat: int
    milliseconds: int


@dataclass(frozen=True, slots=True)
class DeckStacked(HouseEvent):
    """Lab tables only: the result of the next shuffle that has no result yet."""

    order: Private[tuple[Card, ...]]


@dataclass(frozen=True, slots=True)
class PositionSet(HouseEvent):
    """Lab tables only: the game stands in this position (position notation), options unchanged."""

    position: Private[str]


@dataclass(frozen=True, slots=True)
class LotDrawn(HouseEvent):
    """The host drew lots, such as who deals first: a shuffle of the epoch like any other.

    ``order``: the numbers from 0 on in the order drawn; the first one is it.
    """

    purpose: str
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EntropyContributed(HouseEvent):
    """A seat added ``value`` (1 to 32 bytes) to what the shuffles of the open epoch derive from.

    The epoch's secret was committed to before, and its first shuffle or lot comes after.
    """

    seat: int
    value: bytes


@dataclass(frozen=True, slots=True)
class ShuffleCommitted(HouseEvent):
    """The shuffle just before this is fixed, place by place, before any card of it is seen.

    ``shuffle``: its number in the epoch, from 0.  ``entropy``: SHA-256 over the contributions it
    used, which are closed with it.  ``root``: Merkle root of the salted commitments to its places,
    top first; what they are is written in docs/shuffle-vectors.md.
    """

    shuffle: int
    purpose: str
    entropy: bytes
    root: bytes


@dataclass(frozen=True, slots=True)
class OptionsChanged(HouseEvent):
    """Tables of tournaments only: the game's options from here on, all as in TableOpened."""

    options: Pairs


@dataclass(frozen=True, slots=True)
class HandsHeld(HouseEvent):
    """Tables of tournaments only: the next hand may not begin.  ``reason``: a word like BREAK."""

    reason: str


@dataclass(frozen=True, slots=True)
class HandsReleased(HouseEvent):
    """Tables of tournaments only: the next hand may begin, and that one alone."""


@dataclass(frozen=True, slots=True)
class PacksShared(HouseEvent):
    """Tables of tournaments only: all tables that name ``packs`` deal the same, epoch by epoch.

    ``packs`` (a UUID) stands for the stream in the shuffles of the table, and the secret of each
    epoch follows from the one before; nobody adds to it.
    """

    packs: str


COMMON_EVENTS = (
    TableOpened,
    SeatTaken,
    ChipsAdded,
    SatOut,
    SatIn,
    SeatLeaving,
    SeatLeft,
    TurnTimedOut,
    DeckShuffled,
    TableClosed,
)
HOUSE_EVENTS = (
    HouseOpened,
    EpochOpened,
    EpochClosed,
    TimeBankUsed,
    DeckStacked,
    PositionSet,
    LotDrawn,
    EntropyContributed,
    ShuffleCommitted,
    EpochVoided,
    EmbargoReleased,
    OptionsChanged,
    HandsHeld,
    HandsReleased,
    PacksShared,
)
