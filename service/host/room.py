"""Room for commands: how many may wait at a table, of one caller there, and of one caller.

A table is its players'.  Whoever neither sits there nor is its host finds room only while few
wait, so that no crowd of strangers keeps them from their turn.  And what the rules refuse costs
more than what is refused here, for the store is asked about it: so that too has its limits, of a
caller and of the strangers of a table.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from engine.errors import Exhausted
from engine.occupancy import seated_at
from service.host.limits import RETRY_MS, Places
from service.host.live import Live
from service.host.rates import Rates
from service.world import Clock

__all__ = ["Room"]

AT_ONE_TABLE: Final = 64
"""Callers' commands that may wait at one table."""

FOR_STRANGERS: Final = 16
"""So many may wait there, whosever they are, where one more of a stranger finds room."""

OF_ONE_CALLER_AT_A_TABLE: Final = 16
OF_ONE_CALLER: Final = 512


class Room:
    """The places of the commands of one process.  ``crowded``: commands refused at full tables.

    ``refusals``: commands a second that the rules may refuse one caller, and all strangers of one
    table together; 0: any number.
    """

    def __init__(self, clock: Clock, refusals: int) -> None:
        self.at_table = Places[tuple[UUID, UUID]](
            OF_ONE_CALLER_AT_A_TABLE, "commands of one caller at one table"
        )
        self.anywhere = Places[UUID](OF_ONE_CALLER, "commands of one caller")
        self.crowded = 0
        self.refused = Rates("one caller", "refused commands", refusals, clock)
        whose = "those who do not sit at this table"
        self.strangers = Rates(whose, "refused commands", refusals, clock)

    def take(self, actor: UUID | None, live: Live | None) -> None:
        """Room for one more command; the service's own (without an actor) always find it.

        Raises ``Exhausted``.
        """
        if actor is not None:
            self.refused.require(actor)
            if live is not None:
                self._find_room(actor, live)
                self.at_table.take((actor, live.stream))
            try:
                self.anywhere.take(actor)
            except Exhausted:
                if live is not None:
                    self.at_table.leave((actor, live.stream))
                raise
        if live is not None:
            live.queue += 1

    def _find_room(self, actor: UUID, live: Live) -> None:
        if live.queue < FOR_STRANGERS and live.stream not in self.strangers:
            return
        is_stranger = not _belongs(actor, live)
        if is_stranger:
            self.strangers.require(live.stream)
        if live.queue >= (FOR_STRANGERS if is_stranger else AT_ONE_TABLE):
            self.crowded += 1
            raise Exhausted("too many commands wait at this table", RETRY_MS)

    def was_refused(self, actor: UUID | None, live: Live) -> None:
        """Count a command that the rules have refused."""
        if actor is not None:
            self.refused.spend(actor)
            if not _belongs(actor, live):
                self.strangers.spend(live.stream)

    def leave(self, actor: UUID | None, live: Live | None) -> None:
        """Give the room of a command back."""
        if live is not None:
            live.queue -= 1
        if actor is not None:
            self.anywhere.leave(actor)
            if live is not None:
                self.at_table.leave((actor, live.stream))


def _belongs(actor: UUID, live: Live) -> bool:
    """Whether somebody sits at a table, or is its host."""
    name = str(actor)
    return name == live.table.house.host or name in seated_at(live.table).values()
