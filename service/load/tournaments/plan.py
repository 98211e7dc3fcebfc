"""What is played: a tournament, its field, and the part of one process."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from service.client import Endpoint
from service.load.plan import Store
from service.load.think import FULL_SPEED, Think

__all__ = ["FIELDS", "Field", "Part", "parts", "request_number", "request_of"]

PLAYERS_OF_CONNECTION: Final = 50
"""Each has two streams, and calls beside them; a connection carries 120 streams at a time."""

MOST_PROCESSES: Final = 256

FIELDS: Final = {
    path.stem: path for path in sorted((Path(__file__).parent / "fields").glob("*.toml"))
}
"""Structures for load that come with the program, by name."""


class Field(NamedTuple):
    """A run.

    ``structure``: the tournament's, as a message in bytes.  ``entries``: so many enter.
    ``seconds``: it is cancelled after so long; 0: it is played to the payout.  ``think``: how long
    a player thinks about each decision.  ``patience``: seconds for which whatever he asks is
    sent again while the service is away.  ``choices``: what he commits to where the format asks
    for that.  ``kills``: how often the service is killed meanwhile.
    """

    structure: bytes
    name: str
    game: str
    format: str
    entries: int
    processes: int = 1
    seconds: float = 0.0
    think: Think = FULL_SPEED
    patience: float = 60.0
    bot: str = "random"
    seed: int = 0
    choices: tuple[str, ...] = ()
    kills: int = 0


class Part(NamedTuple):
    """What one process plays: the players with these ``tokens``, the first of them ``first``.

    ``run`` is a word that no other run has, ``number`` the process's own.
    """

    field: Field
    run: str
    number: int
    endpoint: Endpoint
    tournament: str
    first: int
    tokens: tuple[str, ...]
    reader: str
    store: Store = Store()


def parts(entries: int, processes: int) -> list[range]:
    """The players of each process: as many for each, as far as that goes.

    >>> parts(5, 2)
    [range(0, 3), range(3, 5)]
    """
    count = min(entries, processes)
    ends = [-(-entries * number // count) for number in range(count + 1)]
    return [range(first, end) for first, end in pairwise(ends)]


def request_number(process: int, number: int) -> int:
    """One number for a request of a process, of which no other one has the same.

    >>> request_of(request_number(3, 5))
    (3, 5)
    """
    return number * MOST_PROCESSES + process


def request_of(request: int) -> tuple[int, int]:
    """The process and the number there that :func:`request_number` made one of."""
    number, process = divmod(request, MOST_PROCESSES)
    return process, number
