"""Facts of tournaments of matches.

A *side* is a player or a partnership; sides are numbered from 0 in the order that the lot gave
them, matches from 0 in the order in which they were paired.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.events import Event
from engine.tournament.pairing.rounds import Pair

__all__ = [
    "MATCH_EVENTS",
    "GameBegan",
    "GameEnded",
    "GameStopped",
    "MatchEnded",
    "RoundPaired",
    "SidesDrawn",
]


@dataclass(frozen=True, slots=True)
class SidesDrawn(Event):
    """The sides, ``size`` entries each, one after the other in the order of their numbers."""

    size: int
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RoundPaired(Event):
    """Round ``round`` (from 1): who meets whom, the first of a pair deals first.

    ``bye``: the side that is left over, -1: none.  ``ties``: in a knock-out, which match of the
    draw each of the pairs plays.
    """

    round: int
    pairs: tuple[Pair, ...]
    bye: int = -1
    ties: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class GameBegan(Event):
    """The next game of a match is to be played at ``table``, which is drawn with this."""

    match: int
    table: int


@dataclass(frozen=True, slots=True)
class GameEnded(Event):
    """A game is over.  ``winner``: 0 the first side of the pair, 1 the second, -1: drawn."""

    match: int
    winner: int
    first_points: int
    second_points: int


@dataclass(frozen=True, slots=True)
class GameStopped(Event):
    """The game that a match plays does not count: one of its sides was excluded."""

    match: int


@dataclass(frozen=True, slots=True)
class MatchEnded(Event):
    """A match is over.  ``winner`` as in a game; ``difference``: points of the first side's games
    less the second's; ``played``: false if a side was not there and the match was not played out.
    """

    match: int
    winner: int
    difference: int
    played: bool


MATCH_EVENTS = (SidesDrawn, RoundPaired, GameBegan, GameEnded, GameStopped, MatchEnded)
