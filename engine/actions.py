"""The actions that every game shares (rules C4, C5).

An action is a request: its fields hold what the caller sent, ``None`` where he sent nothing or
something that is not of the field's kind.  ``decide`` answers those with ``BAD_PARAMETER``, or
takes None for a parameter that may be left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

__all__ = [
    "COMMON_ACTIONS",
    "HOUSE_ACTIONS",
    "MANAGER_ACTIONS",
    "UNREADABLE",
    "Action",
    "AddChips",
    "ChangeOptions",
    "CloseTable",
    "ContributeEntropy",
    "DismissTable",
    "GiveChips",
    "HoldHands",
    "HostAction",
    "LeaveSeat",
    "OpenTable",
    "Placed",
    "ReleaseEmbargo",
    "ReleaseHands",
    "SeatAction",
    "SeatPlayers",
    "SitIn",
    "SitOut",
    "TableAction",
    "TakeSeat",
    "TimeOut",
    "UnseatPlayers",
]


UNREADABLE: Final = -(2**63) + 1_000_000_007
"""Stands for an integer that a caller wrote but that is none of 64 bits; no rule accepts it.

It travels as one, so it is a number that nobody writes: the least of all is an integer like others.
Where a parameter may be left out, None means that it was.
"""


class Action:
    """Base of all actions."""

    __slots__ = ()


class SeatAction(Action):
    """An action of a player: it carries a seat (C3)."""

    __slots__ = ()


class TableAction(SeatAction):
    """A player's action that answers no decision: it may come at any time (C4)."""

    __slots__ = ()


class HostAction(Action):
    """An action of the table's host: it carries no seat (C3)."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TakeSeat(TableAction):
    """Sit down at the acting seat with ``chips`` as ``player`` (an opaque id)."""

    player: str
    chips: int | None = None


@dataclass(frozen=True, slots=True)
class LeaveSeat(TableAction):
    """Leave the table for good; the stack is paid out."""


@dataclass(frozen=True, slots=True)
class SitOut(TableAction):
    """Keep the seat, take no part from the next hand on."""


@dataclass(frozen=True, slots=True)
class SitIn(TableAction):
    """Take part again from the next hand on."""


@dataclass(frozen=True, slots=True)
class AddChips(TableAction):
    """Bring ``amount`` more chips to the table."""

    amount: int | None = None


@dataclass(frozen=True, slots=True)
class OpenTable(HostAction):
    """Make the table, with options and start facts as texts (hand_script 2.7)."""

    options: Mapping[str, str] = field(default_factory=dict[str, str])
    start: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class TimeOut(HostAction):
    """The acting seat's time is over (C9)."""


@dataclass(frozen=True, slots=True)
class CloseTable(HostAction):
    """Close the table for good."""


@dataclass(frozen=True, slots=True)
class ContributeEntropy(TableAction):
    """Add ``value`` to what the shuffles of ``epoch`` derive from.

    The house answers it (``engine.entropy``); no game ever sees it.
    """

    epoch: int | None = None
    value: bytes = b""


@dataclass(frozen=True, slots=True)
class ReleaseEmbargo(HostAction):
    """Let the secrets of what is over be told; answered by the house (``engine.embargo``)."""


# --- what the manager of a tournament does at its tables (engine.managed) ----------------------


class Placed(NamedTuple):
    """Somebody who is given a seat, with chips of the tournament."""

    seat: int
    player: str
    chips: int


@dataclass(frozen=True, slots=True)
class SeatPlayers(HostAction):
    """Players of the tournament sit down, in this order."""

    players: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class UnseatPlayers(HostAction):
    """Seats are left between hands; their chips go back to the tournament."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GiveChips(HostAction):
    """A seat gets ``amount`` more chips of the tournament."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class ChangeOptions(HostAction):
    """These options of the game have other values from the next hand on."""

    options: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class HoldHands(HostAction):
    """The next hand may not begin after all; between hands nobody is asked anything.

    ``reason``: a word for those who look at the table, such as ``BREAK``.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class ReleaseHands(HostAction):
    """The next hand may begin, that one only: it is for players to begin it.

    ``options``: as in ``ChangeOptions``, from this hand on.
    """

    options: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class DismissTable(HostAction):
    """Everybody leaves between hands, and the table is closed for good."""


MANAGER_ACTIONS = (
    SeatPlayers,
    UnseatPlayers,
    GiveChips,
    ChangeOptions,
    HoldHands,
    ReleaseHands,
    DismissTable,
)
COMMON_ACTIONS = (TakeSeat, LeaveSeat, SitOut, SitIn, AddChips, OpenTable, TimeOut, CloseTable)
HOUSE_ACTIONS = (ContributeEntropy, ReleaseEmbargo, *MANAGER_ACTIONS)
