"""Whether a structure is right as far as its game goes, which tournaments know by key only."""

from __future__ import annotations

from collections.abc import Mapping

from engine.actions import OpenTable
from engine.errors import Refused
from engine.kernel import HOST, AnyGame
from engine.options import parse_options
from engine.tournament.formats import format_of
from engine.tournament.structure import Structure, invalid

__all__ = ["check_options"]


class _AsItLies:
    """For tables that are never dealt at."""

    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        """Leave the pile as it is."""
        del purpose
        return pile


def check_options(game: AnyGame, structure: Structure) -> None:
    """Open every kind of table that the tournament will have, for nobody to see.

    ``structure`` holds for its format.  Raises ``Refused(INVALID_STRUCTURE)`` for options that the
    game does not have or take, or not together, naming the field that they follow from.
    """
    given = dict(structure.options)
    _parse(game, "options", given)
    for field, pairs in format_of(structure).openings(structure):
        options = dict(pairs)
        if game.SEATS_OPTION:
            options[game.SEATS_OPTION] = str(structure.table_size)
        try:
            game.decide(game.initial(), HOST, OpenTable(options), _AsItLies())
        except Refused as refused:
            _tell(refused, "options" if refused.detail["option"] in given else field)


def _parse(game: AnyGame, field: str, options: Mapping[str, str]) -> None:
    """One by one first: an option by itself is told more plainly than what it goes with."""
    try:
        parse_options(game.OPTIONS, options)
    except Refused as refused:
        _tell(refused, field)


def _tell(refused: Refused, field: str) -> None:
    option, expected = refused.detail["option"], refused.detail["expected"]
    invalid(f"{field}.{option}", str(expected))
