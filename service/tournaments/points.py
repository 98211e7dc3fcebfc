"""Whether the points of a Royal Flush by choice are those of the exact odds.

Tournaments know games by key only, so this is the service's to see to.
"""

from __future__ import annotations

from engine.games.royal_flush.odds import Winners, chance, winners
from engine.games.royal_flush.options import Options, read_options
from engine.tournament.formats.choice import PREFIX, choices_of
from engine.tournament.scoring.choice import AVERAGE, LEAST_CHANCE, worth
from engine.tournament.structure import Structure, invalid

__all__ = ["check_points"]


def check_points(structure: Structure) -> None:
    """Work out what every choice is worth: a few seconds, for a thread that nobody waits for.

    ``structure`` holds for its format, and its options for the game.  Raises
    ``Refused(INVALID_STRUCTURE)`` for the first choice whose points are not right.
    """
    played: dict[tuple[str, str, str, int], Winners] = {}
    for name, points, own in choices_of(structure):
        options, _ = read_options({**dict(structure.options), **dict(own)})
        won = _winners(options, played)
        exact, field = chance(options, won=won), f"settings.{PREFIX}{name}"
        if exact < LEAST_CHANCE:
            invalid(field, f"a hand that wins once in {1 / LEAST_CHANCE} games or more often")
        right = worth(exact)
        if int(points) != right:
            invalid(field, f"points={right}: {AVERAGE} divided by the chance, {float(exact):.9f}")


def _winners(options: Options, played: dict[tuple[str, str, str, int], Winners]) -> Winners:
    """Choices of one tournament differ in what they seek, so most share the games."""
    key = (options.deal_style, options.search_style, options.gather_style, options.size)
    if key not in played:
        played[key] = winners(options, options.size)
    return played[key]
