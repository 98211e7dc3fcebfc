"""What is played: the whole of it, and the share of one process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from service.client import Endpoint
from service.load.think import FULL_SPEED, Think
from service.store.embedded import running

__all__ = [
    "GROUP",
    "LARGEST",
    "Load",
    "Share",
    "Store",
    "groups",
    "house_of",
    "players_of",
    "seats_of",
    "shares",
]

GROUP: Final = 64
"""Tables whose players share their streams: as many requests may be under way on one stream."""

PLAYERS: Final = 8
"""Players of a group, at least: they take turns at its tables, because a service limits what one
caller may ask."""

CHIPS: Final = 1_000_000
"""What a player sits down with: enough for the longest run."""

LARGEST: Final[Mapping[str, int]] = {
    "palace_poker": 6,
    "pontoon": 5,
    "royal_casino": 4,
    "royal_flush": 1,
}
"""Players at a table, unless fewer are asked for."""

NO_HASTE: Final = {"turn_seconds": "600"}
"""Nobody is timed out because a service under load is slow: that would be an action of its own."""


class Load(NamedTuple):
    """A run.

    ``apart``: nobody plays at two tables, and everybody watches his own, as people do; else a few
    share the tables of a group.  ``rate`` is of all actions together, a second; 0: as ``think``
    says, which at full speed is a closed loop.  ``seats`` bounds the players at a table,
    ``patience`` the seconds for which an action is sent again while the service is away.
    """

    games: tuple[str, ...]
    tables: int = 64
    processes: int = 1
    seconds: float = 30.0
    watchers: int = 0
    apart: bool = False
    play: bool = True
    think: Think = FULL_SPEED
    rate: float = 0.0
    seats: int = 6
    patience: float = 30.0
    bot: str = "random"
    seed: int = 0

    @property
    def is_open(self) -> bool:
        """Whether the moments of actions do not depend on answers."""
        return self.rate > 0 or self.think != FULL_SPEED

    @property
    def offered(self) -> float:
        """Actions a second that are wished for; 0: as many as possible."""
        if self.rate or not self.is_open:
            return self.rate
        return self.tables / self.think.mean_seconds


class Store(NamedTuple):
    """Where the commit table can be read: at a ``url``, or beside the embedded server's ``home``.

    Neither: nowhere, and what is stored is read over the API alone.
    """

    url: str = ""
    home: Path | None = None

    def find(self) -> str | None:
        """How to connect now: an embedded server that was started anew has moved."""
        if self.url or self.home is None:
            return self.url or None
        found = running(self.home)
        return found[1] if found else None


class Share(NamedTuple):
    """What one process does.  ``run`` is a word that no other run has, ``number`` its own.

    ``tokens``: a list for each group of ``GROUP`` tables: of the players, then of the watchers.
    ``store``: where the commit table can be read.
    """

    load: Load
    run: str
    number: int
    endpoint: Endpoint
    games: tuple[str, ...]
    rate: float
    tokens: tuple[tuple[str, ...], ...]
    reader: str
    store: Store = Store()


def shares(load: Load) -> list[tuple[str, ...]]:
    """The games of each process's tables: an even mix everywhere.

    >>> shares(Load(("pontoon", "royal_flush"), tables=5, processes=2))
    [('pontoon', 'pontoon', 'pontoon'), ('royal_flush', 'royal_flush')]
    >>> shares(Load(("pontoon", "royal_flush"), tables=6, processes=1))[0][:3]
    ('pontoon', 'royal_flush', 'pontoon')
    """
    mixed = [load.games[number % len(load.games)] for number in range(load.tables)]
    count = min(load.processes, load.tables)
    return [tuple(mixed[first::count]) for first in range(count)]


def groups(games: Sequence[str]) -> list[Sequence[str]]:
    """The tables of a process in groups of at most :data:`GROUP`."""
    return [games[first : first + GROUP] for first in range(0, len(games), GROUP)]


def seats_of(load: Load, game: str) -> int:
    """Players at a table of a game."""
    return min(LARGEST[game], load.seats)


def players_of(load: Load, games: Sequence[str]) -> int:
    """Players of a group with tables of these games."""
    return sum(seats_of(load, game) for game in games) if load.apart else PLAYERS


def house_of(game: str, seats: int) -> tuple[dict[str, str], dict[str, str]]:
    """Options of the game and of the house for a table of that many seats."""
    options = dict(NO_HASTE)
    match game:
        case "royal_casino":
            options |= {"players": str(seats), "stake": "10"}
        case "pontoon":
            options |= {
                "max_seats": str(seats),
                "min_players_to_start": "2",
                "min_players_to_continue": "2",
            }
        case "palace_poker":
            options |= {"max_seats": str(seats)}
    return options, {"sit_out_after_timeouts": "0"}
