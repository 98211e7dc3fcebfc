"""The formats there are, by key."""

from __future__ import annotations

from typing import Final

from engine.tournament.format import Format
from engine.tournament.formats.all_play_all import AllPlayAll
from engine.tournament.formats.choice import Choice
from engine.tournament.formats.elimination import Elimination
from engine.tournament.formats.knock_out import KnockOut
from engine.tournament.formats.rounds import Rounds
from engine.tournament.formats.series import Series
from engine.tournament.formats.swiss import Swiss
from engine.tournament.structure import Structure, invalid

__all__ = ["FORMATS", "format_of"]

_ALL: tuple[Format, ...] = (
    Elimination(),
    Rounds(),
    Swiss(),
    AllPlayAll(),
    KnockOut(),
    Choice(),
    Series(),
)

FORMATS: Final[dict[str, Format]] = {item.KEY: item for item in _ALL}


def format_of(structure: Structure) -> Format:
    """The format of a structure; ``Refused(INVALID_STRUCTURE)`` if there is no such one."""
    found = FORMATS.get(structure.format)
    if found is None:
        invalid("format", "one of " + ", ".join(FORMATS))
    return found
