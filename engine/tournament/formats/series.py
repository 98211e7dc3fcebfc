"""Royal Flush as a series: so many games each, most wins, then fewest cards left.

Everybody plays at his own pace.  The deck of each game comes from its table's committed secret and
what its player added to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, cast

from engine.events import Pairs
from engine.options import Kind, Option, Value
from engine.tournament.format import Deal
from engine.tournament.formats.solitaires import Record, Solitaires
from engine.tournament.scoring.places import Place
from engine.tournament.scoring.series import Wins, rank_series
from engine.tournament.state import Tournament
from engine.tournament.steps import Draw, Steps
from engine.tournament.structure import Structure, read_settings
from engine.tournament.tables import TABLES_AT_ONCE

__all__ = ["Series"]


class Series(Solitaires):
    """See the module."""

    KEY: ClassVar[str] = "series"
    SETTINGS: ClassVar[tuple[Option, ...]] = (
        Option("games", Kind.INT, 10, "games that everybody plays", low=1, high=1_000),
        TABLES_AT_ONCE,
    )

    def settings(self, structure: Structure) -> dict[str, Value]:
        """How many games, how many tables."""
        return read_settings(self.SETTINGS, structure)

    def begin(self, steps: Steps, draw: Draw) -> None:
        """All games are allowed at once."""
        super().begin(steps, draw)
        games = self.settings(steps.state.structure)["games"]
        self.allow(steps, cast("int", games))

    def points(self, state: Tournament, entry: int) -> int:
        """A win is a win."""
        del state, entry
        return 1

    def played(self, steps: Steps) -> None:
        """That is all."""
        self.finish(steps)

    def order(self, records: Mapping[int, Record]) -> tuple[Place, ...]:
        """Most wins, then fewest cards left."""
        return rank_series({n: Wins(one.points, one.left) for n, one in records.items()})

    def deal(self, state: Tournament, table: int) -> Deal:
        """As the structure says."""
        del state, table
        return Deal()

    def openings(self, structure: Structure) -> Iterator[tuple[str, Pairs]]:
        """The same for all."""
        yield "options", structure.options
