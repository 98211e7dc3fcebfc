"""What players add to the shuffles of an epoch, and until when (design: fair shuffles).

The epoch's secret is committed to before anybody can contribute, so who contributes last sees
nothing that would help him choose; docs/decisions/0012 has the argument.  The first shuffle or lot
of the epoch closes it for contributions.  Nobody is waited for.
"""

from __future__ import annotations

from typing import Final

from engine.actions import ContributeEntropy
from engine.errors import Refused
from engine.events import EntropyContributed, Event
from engine.house import House, Table

__all__ = ["MAX_ENTROPY", "contribute", "contributions", "takes_entropy"]

MAX_ENTROPY: Final = 32
"""Bytes of one contribution, at most."""


def takes_entropy(house: House) -> bool:
    """Whether seats may contribute now: an epoch is open, and nothing was drawn from it yet.

    Never where other tables deal the same packs.
    """
    return bool(house.epoch) and not house.shuffles and not house.packs


def contributions(house: House) -> tuple[bytes, ...]:
    """The values that the shuffles of the open epoch derive from, in recorded order."""
    return tuple(value for _, value in house.entropy)


def contribute(table: Table, seat: int, action: ContributeEntropy) -> tuple[Event, ...]:
    """The fact that a seat contributes.

    Raises ``Refused``: ``NOT_SEATED``, ``BAD_PARAMETER`` (no epoch, or a value that has not 1 to
    32 bytes), ``ENTROPY_CLOSED`` (not the open epoch, or something was drawn from it) and
    ``ALREADY_CONTRIBUTED`` (once a seat and epoch).
    """
    house = table.house
    if seat not in table.game.players(table.state):
        raise Refused("NOT_SEATED")
    if action.epoch is None:
        raise Refused("BAD_PARAMETER", field="epoch", expected="the number of the open epoch")
    if not 1 <= len(action.value) <= MAX_ENTROPY:
        raise Refused("BAD_PARAMETER", field="value", expected=f"1 to {MAX_ENTROPY} bytes")
    if action.epoch != house.epoch or not takes_entropy(house):
        raise Refused("ENTROPY_CLOSED", epoch=house.epoch)
    if seat in dict(house.entropy):
        raise Refused("ALREADY_CONTRIBUTED", epoch=house.epoch)
    return (EntropyContributed(seat, action.value),)
