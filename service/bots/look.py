"""What a bot is given: exactly what the service shows its seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from engine.actions import Action
from engine.kernel import AnyGame, View
from service.pb import common_pb2

__all__ = ["Bot", "Look"]


class Look(NamedTuple):
    """A decision as its seat sees it: the view, and the offers that may answer it.

    ``options`` are the table's, as text; what is not there has its default.
    """

    game: AnyGame
    seat: int
    view: View
    offers: Sequence[common_pb2.Offer]
    options: Mapping[str, str] = {}


Bot = Callable[[Look], Action]
