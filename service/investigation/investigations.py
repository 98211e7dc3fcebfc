"""What investigators ask: hands, what moved between two players, which pairs are unusual."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final, NamedTuple
from uuid import UUID

from engine.errors import Exhausted
from service.investigation.unusual import Ranking, rank
from service.projections.pair_sums import PairSums
from service.store import result_queries as queries
from service.store.postgres import Store
from service.store.result_queries import Found, GameSums, PairTotal, Search

__all__ = ["MOST_PAIRS", "Days", "Investigations"]

MOST_PAIRS: Final = 100_000
"""Pairs that one report judges."""


class Days(NamedTuple):
    """The first and the last day, since the Unix epoch, on which hands began."""

    first: int = 0
    last: int = 2**31 - 1


class Investigations:
    """Answers from the projection of results, with how many commits it is behind.

    Raises ``Unavailable``.
    """

    def __init__(self, store: Store) -> None:
        self._reports = store.reports
        # 100,000 pairs take three seconds of a core; two reports take as long one after the other.
        self._judging = asyncio.Lock()

    async def find(
        self, search: Search, before: tuple[int, UUID, int], limit: int
    ) -> tuple[list[Found], int]:
        """Hands older than ``before`` (started at, stream, hand), newest first."""
        return await self._reports.ask(lambda db: queries.find_hands(db, search, before, limit))

    async def pair(self, low: UUID, high: UUID, days: Days) -> tuple[list[GameSums], int]:
        """What moved between two players, game by game."""
        return await self._reports.ask(lambda db: queries.pair(db, low, high, *days))

    async def ranking(self, days: Days, game: str, least_hands: int) -> tuple[Ranking, int]:
        """All pairs that shared so many hands, the most unusual first.

        Raises ``Exhausted`` where they are too many for one report.
        """
        async with self._judging:
            totals, behind = await self._reports.ask(
                lambda db: queries.pairs(db, *days, game, least_hands, MOST_PAIRS + 1)
            )
            if len(totals) > MOST_PAIRS:
                raise Exhausted(
                    f"more than {MOST_PAIRS} pairs shared {least_hands} hands: "
                    "ask for fewer days, one game, or more shared hands"
                )
            return await asyncio.to_thread(_ranked, totals, least_hands), behind


def _ranked(totals: Iterable[PairTotal], least_hands: int) -> Ranking:
    pairs = (((low, high), PairSums(*map(int, sums))) for low, high, *sums in totals)
    return rank(pairs, least_hands)
