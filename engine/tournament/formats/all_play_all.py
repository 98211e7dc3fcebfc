"""All-play-all: everybody meets everybody, once or more, by the Berger tables.

Ties are broken by direct encounter, difference of points, lot.  Of a side that is excluded before
it has played half of its matches none counts, for anybody; of one that has, those it does not play
any more are won by its opponents.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Final, cast

from engine.options import Kind, Option
from engine.tournament.formats.match_state import MatchPlay, Rules
from engine.tournament.formats.matches import MATCH_SETTINGS, Matches, Plan, play_of
from engine.tournament.pairing.ranking import ALL_PLAY_ALL, LOSS, Encounter, rank
from engine.tournament.pairing.rotation import rotation
from engine.tournament.state import Tournament
from engine.tournament.structure import Structure, invalid, read_settings

__all__ = ["AllPlayAll"]

MOST_SIDES: Final = 64
"""Sixty-three rounds are enough for anybody."""


class AllPlayAll(Matches):
    """See the module."""

    KEY: ClassVar[str] = "all_play_all"
    SETTINGS: ClassVar[tuple[Option, ...]] = (
        *MATCH_SETTINGS,
        Option("cycles", Kind.INT, 1, "how often everybody meets everybody", low=1, high=4),
    )

    def rules(self, structure: Structure) -> Rules:
        """Not more sides than can all meet."""
        values = read_settings(self.SETTINGS, structure)
        most = MOST_SIDES * structure.table_size // 2
        if structure.max_entrants > most:
            invalid("max_entrants", f"at most {most}: everybody meets everybody")
        return Rules(
            cast("int", values["best_of"]),
            bool(values["duplicate"]),
            LOSS,
            cast("int", values["cycles"]),
            cast("int", values["tables_at_once"]),
        )

    def plan(self, play: MatchPlay) -> Plan | None:
        """The next round of the tables."""
        rounds = rotation(range(len(play.sides)), play.rules.length)
        if play.round == len(rounds):
            return None
        now = rounds[play.round]
        return Plan(now.pairs, -1 if now.bye is None else now.bye)

    def points(self, state: Tournament) -> list[int]:
        """Those of matches against sides that count; its own remain to one that does not."""
        play = play_of(state)
        excluded = {
            number
            for number, side in enumerate(play.sides)
            if any(state.entries[entry].disqualified for entry in side.entries)
        }
        annulled = _annulled(play, excluded)
        return [
            sum(outcome.points for outcome in side.outcomes if outcome.opponent not in annulled)
            for side in play.sides
        ]

    def order(self, play: MatchPlay) -> list[tuple[list[int], int]]:
        """By points and the tie-breaks; nobody shares a place."""
        annulled = _annulled(play, {number for number, side in enumerate(play.sides) if side.out})
        encounters = {
            number: [
                Encounter(
                    outcome.opponent if outcome.opponent >= 0 else None,
                    outcome.points,
                    outcome.difference,
                )
                for outcome in side.outcomes
                if outcome.opponent not in annulled
            ]
            for number, side in play.present()
        }
        lines = rank(encounters, {number: number for number in encounters}, ALL_PLAY_ALL)
        return [([line.entrant], line.values[0]) for line in lines]


def _annulled(play: MatchPlay, excluded: Iterable[int]) -> set[int]:
    """Those sides whose matches count for nobody: they had not played half of them."""
    matches = play.rules.length * (len(play.sides) - 1)
    return {
        number
        for number in excluded
        if 2 * sum(outcome.played for outcome in play.sides[number].outcomes) < matches
    }
