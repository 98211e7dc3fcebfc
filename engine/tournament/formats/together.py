"""Formats in which all who take part are there from the start, and the end ranks them."""

from __future__ import annotations

from collections.abc import Collection

from engine.errors import Refused
from engine.tournament.actions import PlayerAsks
from engine.tournament.format import Format
from engine.tournament.steps import Draw, Steps
from engine.tournament.structure import Structure, invalid

__all__ = ["Together", "require_options_free"]


class Together(Format):
    """What such formats do not have."""

    def check(self, structure: Structure) -> None:
        """No levels, and so no late entries, no entering again and no add-ons."""
        if structure.levels:
            invalid("levels", f"none with format={structure.format}")

    def entered(self, steps: Steps, entry: int, draw: Draw) -> None:
        """Never: nobody enters late."""
        del steps, draw
        raise AssertionError(f"entry {entry} after the start")

    def asked(self, steps: Steps, entry: int, action: PlayerAsks) -> None:
        """Raises ``Refused(UNKNOWN_ACTION)``."""
        del steps, entry
        raise Refused("UNKNOWN_ACTION", action=type(action).__name__)

    def clock_ran_out(self, steps: Steps, draw: Draw) -> None:
        """Never: no clock is set."""
        del steps, draw
        raise AssertionError("no clock is set")


def require_options_free(structure: Structure, names: Collection[str]) -> None:
    """Refuse options of the game that the format sets itself: ``Refused(INVALID_STRUCTURE)``."""
    for name, _ in structure.options:
        if name in names:
            invalid(f"options.{name}", f"left to format={structure.format}")
