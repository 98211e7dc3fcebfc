"""A Swiss tournament: some rounds, in each of which everybody meets somebody else who is as good.

Pairings follow :mod:`engine.tournament.pairing.swiss`, ties are broken by Buchholz cut 1, Buchholz,
direct encounter, difference of points, lot.  It ends early when nobody is left whom he has not met.
"""

from __future__ import annotations

from typing import ClassVar, cast

from engine.options import Kind, Option
from engine.tournament.formats.match_state import MatchPlay, Outcome, Rules
from engine.tournament.formats.matches import MATCH_SETTINGS, Matches, Plan
from engine.tournament.pairing.ranking import Encounter, rank
from engine.tournament.pairing.swiss import Standing, most_rounds, pair_round
from engine.tournament.structure import Structure, invalid, read_settings

__all__ = ["Swiss"]


class Swiss(Matches):
    """See the module."""

    KEY: ClassVar[str] = "swiss"
    SETTINGS: ClassVar[tuple[Option, ...]] = (
        *MATCH_SETTINGS,
        Option("rounds", Kind.INT, 0, "rounds; 0: as many as halve the field to one", high=100),
    )

    def rules(self, structure: Structure) -> Rules:
        """No more rounds than can be paired for certain among the fewest sides."""
        values = read_settings(self.SETTINGS, structure)
        rounds = cast("int", values["rounds"])
        most = most_rounds(structure.min_entrants * 2 // structure.table_size)
        if rounds > most:
            invalid("settings.rounds", f"at most {most}: half as many as the fewest sides")
        return Rules(
            cast("int", values["best_of"]),
            bool(values["duplicate"]),
            length=rounds,
            at_once=cast("int", values["tables_at_once"]),
        )

    def plan(self, play: MatchPlay) -> Plan | None:
        """The next round by points, lots, opponents and first deals."""
        sides = len(play.sides)
        rounds = play.rules.length or min((sides - 1).bit_length(), most_rounds(sides))
        if play.round >= rounds:
            return None
        standings = [
            Standing(
                number,
                side.points,
                number,
                frozenset(outcome.opponent for outcome in side.outcomes if outcome.opponent >= 0),
                side.dealt,
                any(outcome.opponent < 0 for outcome in side.outcomes),
            )
            for number, side in play.present()
        ]
        paired = pair_round(standings)
        if paired is None:
            return None
        return Plan(paired.pairs, -1 if paired.bye is None else paired.bye)

    def order(self, play: MatchPlay) -> list[tuple[list[int], int]]:
        """By points and the tie-breaks; nobody shares a place."""
        encounters = {
            number: [_encounter(outcome) for outcome in side.outcomes]
            for number, side in enumerate(play.sides)
        }
        lines = rank(encounters, {number: number for number in encounters})
        there = {number for number, _ in play.present()}
        return [([line.entrant], line.values[0]) for line in lines if line.entrant in there]


def _encounter(outcome: Outcome) -> Encounter:
    opponent = outcome.opponent if outcome.played else None
    return Encounter(opponent, outcome.points, outcome.difference)
