"""Knock-out: who loses a match is out, or who loses two.

The draw is that of :mod:`engine.tournament.pairing.bracket`, in the order of the lots.  A match
must have a winner: a level one has two more games at most, then the points decide, then the better
lot.  Who go out in the same round share a place.
"""

from __future__ import annotations

from typing import ClassVar, cast

from engine.options import Kind, Option
from engine.tournament.formats.match_state import MatchPlay, Rules
from engine.tournament.formats.matches import MATCH_SETTINGS, Matches, Plan
from engine.tournament.pairing.bracket import Played, bracket, played
from engine.tournament.pairing.deals import Dealer, first_to_deal
from engine.tournament.structure import Structure, read_settings

__all__ = ["KnockOut"]


class KnockOut(Matches):
    """See the module."""

    KEY: ClassVar[str] = "knock_out"
    SETTINGS: ClassVar[tuple[Option, ...]] = (
        *MATCH_SETTINGS,
        Option("losses", Kind.INT, 1, "matches lost that put a side out", low=1, high=2),
    )
    DECISIVE: ClassVar[bool] = True

    def rules(self, structure: Structure) -> Rules:
        """One life or two."""
        values = read_settings(self.SETTINGS, structure)
        return Rules(
            cast("int", values["best_of"]),
            bool(values["duplicate"]),
            length=cast("int", values["losses"]),
            at_once=cast("int", values["tables_at_once"]),
        )

    def plan(self, play: MatchPlay) -> Plan | None:
        """What of the draw can be played now."""
        due = _played(play).due
        if not due:
            return None
        sides = play.sides
        pairs = tuple(
            first_to_deal(
                Dealer(item.a, item.a, sides[item.a].dealt),
                Dealer(item.b, item.b, sides[item.b].dealt),
            )
            for item in due
        )
        return Plan(pairs, ties=tuple(item.match for item in due))

    def fallen(self, play: MatchPlay) -> list[int]:
        """Who lost once too often in the round that is over."""
        return [side for group in _played(play).out for side in group if not play.sides[side].out]

    def order(self, play: MatchPlay) -> list[tuple[list[int], int]]:
        """Those still in, by the points of the matches they won."""
        groups: dict[int, list[int]] = {}
        for number, side in play.present():
            groups.setdefault(side.points, []).append(number)
        return [(groups[points], points) for points in sorted(groups, reverse=True)]


def _played(play: MatchPlay) -> Played:
    draw = bracket(len(play.sides), play.rules.length)
    won = {match.tie: match.winner for match in play.matches if match.over}
    return played(draw, range(len(play.sides)), won)
