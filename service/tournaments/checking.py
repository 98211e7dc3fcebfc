"""Whether the tables of a structure could be opened: its options are those of its game.

Tournaments know games by key only, so this is the service's to see to.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import Refused
from engine.events import Pairs
from engine.kernel import AnyGame
from engine.options import parse_options
from engine.tournament.formats.choice import choices_of
from engine.tournament.structure import Structure, invalid

__all__ = ["check_options"]


def check_options(game: AnyGame, structure: Structure) -> None:
    """Raises ``Refused(INVALID_STRUCTURE)`` for an option that the game does not have or take."""
    for field, options in _options(structure):
        try:
            parse_options(game.OPTIONS, dict(options))
        except Refused as refused:
            option, expected = refused.detail["option"], refused.detail["expected"]
            invalid(f"{field}.{option}", str(expected))


def _options(structure: Structure) -> Iterator[tuple[str, Pairs]]:
    """Options and the field they stand in."""
    yield "options", structure.options
    for number, level in enumerate(structure.levels):
        yield f"levels[{number}].options", level.options
    if structure.format == "choice":
        for name, _, options in choices_of(structure):
            yield f"settings.choice.{name}", options
