"""Embargo: secrets of epochs that are over wait until every table has played the same packs.

With the house option ``embargo`` no secret is told, and auditors see no hidden card, before the
table's host releases what is over; what a game itself keeps secret longer stays so.
"""

from __future__ import annotations

from engine.errors import Refused
from engine.events import EmbargoReleased, Event
from engine.house import House, Table

__all__ = ["is_for_players_only", "may_be_told", "release"]


def may_be_told(house: House, epoch: int) -> bool:
    """Whether no embargo withholds the secret of an epoch."""
    return not house.options.embargo or epoch <= house.released


def is_for_players_only(house: House) -> bool:
    """Whether nobody but those who sit there may look: others still play the same packs."""
    return bool(house.packs) and not house.released


def release(table: Table) -> tuple[Event, ...]:
    """The fact that what is over at a table may be told.

    Raises ``Refused``: ``NO_EMBARGO``, and ``NOTHING_WITHHELD`` where nothing waits for it.
    """
    house, game = table.house, table.game
    if not house.options.embargo:
        raise Refused("NO_EMBARGO")
    ended = game.is_closed(table.state) and not game.players(table.state)
    newest = house.epoch if ended else house.epoch - 1
    if newest <= house.released or not house.epoch:
        raise Refused("NOTHING_WITHHELD")
    return (EmbargoReleased(newest),)
