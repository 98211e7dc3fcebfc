"""How commands end and how long their parts take."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from engine.errors import KartejoError
from service.telemetry import Histogram, Histograms, Tally

__all__ = ["CommandRecords"]

ACCEPTED: Final = "accepted"
REPEATED: Final = "repeated"
"""A command that had been accepted before, and was given its answer again."""


class CommandRecords:
    """What became of the commands of one process, the service's own among them.

    ``ended``: commands by game, action and outcome, which is the error's reason where they were
    not accepted.  ``waits``: until the table was the command's own; ``decides``: what the rules
    took, by game; ``commits``: until what was decided was durable; all in seconds, once for every
    try.  ``races``: tries that another process was faster than.
    """

    def __init__(self) -> None:
        self.ended = Tally("game", "action", "outcome")
        self.waits = Histogram()
        self.decides = Histograms("game")
        self.commits = Histogram()
        self.races = 0

    def end(self, game: str, action: str, done: asyncio.Future[Any], *, repeated: bool) -> None:
        """Count a command that has ended."""
        if done.cancelled():
            outcome = "CANCELLED"
        elif (error := done.exception()) is None:
            outcome = REPEATED if repeated else ACCEPTED
        else:
            outcome = error.reason if isinstance(error, KartejoError) else KartejoError.reason
        self.ended.add(game, action, outcome)
