"""Projections: rows that follow from the log and can be made again from it.

Each is a pure fold of commits, of public facts alone; nothing here holds a key.

projection    the contract, and many commits at once
facts         the public facts in a commit
table_list    the list of tables
hand_index    the hands of every table, and who played them
ledger        every change of every account
results       what everybody won and lost, and from whom
tournament_list    the list of tournaments
pair_sums     what a hand adds to what is known of two players
runner        moves one projection on, builds it anew, switches
tail          what is stored after a projection's rows, folded when asked for
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from engine.kernel import AnyGame
from service.codec import Codec
from service.projections.facts import Facts
from service.projections.hand_index import HandIndex
from service.projections.ledger import Ledger
from service.projections.results import Results
from service.projections.table_list import TableList
from service.projections.tournament_list import TournamentList

__all__ = ["Projections"]


class Projections(NamedTuple):
    """All projections of this program."""

    tables: TableList
    hands: HandIndex
    ledger: Ledger
    results: Results
    tournaments: TournamentList

    @classmethod
    def of(cls, codec: Codec, games: Mapping[str, AnyGame]) -> Projections:
        """For the games that are installed."""
        facts = Facts(codec, games)
        return cls(
            TableList(facts),
            HandIndex(facts),
            Ledger(codec),
            Results(facts),
            TournamentList(facts),
        )
