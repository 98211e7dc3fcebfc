"""Projections: rows that follow from the log and can be made again from it.

Each is a pure fold of commits, of public facts alone; nothing here holds a key.

projection    the contract, and many commits at once
facts         the public facts in a commit
table_list    the list of tables
hand_index    the hands of every table, and who played them
ledger        every change of every account
runner        moves one projection on, builds it anew, switches
standing      how far each has come, and how far it lags
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.kernel import AnyGame
from service.codec import Codec
from service.projections.facts import Facts
from service.projections.hand_index import HandIndex
from service.projections.ledger import Ledger
from service.projections.projection import AnyProjection
from service.projections.table_list import TableList

__all__ = ["projections_of"]


def projections_of(codec: Codec, games: Mapping[str, AnyGame]) -> tuple[AnyProjection, ...]:
    """All projections of this program."""
    facts = Facts(codec, games)
    return TableList(facts), HandIndex(facts), Ledger(codec)
