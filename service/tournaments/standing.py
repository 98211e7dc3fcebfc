"""Standings, kept while they hold: of a large field they cost as much as many actions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from engine.tournament.format import Standing
from engine.tournament.formats import format_of
from engine.tournament.state import Phase
from service.tournaments.live import LiveTournament
from service.world import Clock

__all__ = ["AsOf", "Standings"]

KEPT: Final = 16
"""Tournaments whose standings are kept until they change."""

LARGE: Final = 200
FRESH_SECONDS: Final = 0.5
"""Of fields from that size on, standings are made anew no sooner than after so long."""


class AsOf(NamedTuple):
    """Standings as of a version; ``made_at``: by the monotonic clock."""

    version: int
    rows: Sequence[Standing]
    phase: Phase
    made_at: float


class Standings:
    """The standings that were asked for last."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: OrderedDict[UUID, AsOf] = OrderedDict()

    def of(self, live: LiveTournament) -> AsOf:
        """Made once a version, and of a large field that plays not more often than all can see."""
        known = self._known.get(live.stream)
        now, state = self._clock.monotonic(), live.now.state
        if known is not None:
            large = len(known.rows) >= LARGE and known.phase is state.phase
            if known.version == live.version or (large and now < known.made_at + FRESH_SECONDS):
                return known
        rows = list(format_of(state.structure).standings(state))
        made = self._known[live.stream] = AsOf(live.version, rows, state.phase, now)
        self._known.move_to_end(live.stream)
        if len(self._known) > KEPT:
            self._known.popitem(last=False)
        return made
