"""Tournaments of matches, for Royal Casino: what Swiss, all-play-all and knock-out share.

A match is played round by round, its games one after the other at a table each, where the side
that is to deal first has the first seat.  When all matches of a round are over the next one is
paired.  With *duplicate* all tables deal the same packs in the same game of a round; they are kept
until the last of them is done, so that nobody learns from one what another has still to play.

A side that is excluded loses the match it plays, and the deal that runs does not count.  A match
whose last game is over counts, but in a knock-out only who is still there goes on.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, NamedTuple, cast

from engine.errors import Refused
from engine.events import Event, Pairs
from engine.options import Kind, Option
from engine.tournament.actions import HandEnded
from engine.tournament.events import RemovalOrdered, TableBroken
from engine.tournament.format import Deal, Standing
from engine.tournament.formats import match_events as m
from engine.tournament.formats.finishing import end, go_out, standings_of
from engine.tournament.formats.match_state import Match, MatchPlay, Rules, Side, follow
from engine.tournament.formats.together import Together, require_options_free
from engine.tournament.pairing.match import first_dealer, verdict
from engine.tournament.pairing.rounds import Pair
from engine.tournament.persistent import members
from engine.tournament.state import Duty, Tournament
from engine.tournament.steps import Draw, Steps
from engine.tournament.structure import Structure, invalid
from engine.tournament.tables import TABLES_AT_ONCE, allow_deal, entered, may_open, open_table

__all__ = ["MATCH_SETTINGS", "Matches", "Plan", "play_of"]

MATCH_SETTINGS: Final = (
    Option("best_of", Kind.INT, 1, "games of a match", low=1, high=9),
    Option(
        "duplicate", Kind.BOOL, False, "all tables deal the same packs in the same game of a round"
    ),
    TABLES_AT_ONCE,
)

PARTNERS: Final = 4
"""Seats of a table for two partnerships."""


class Plan(NamedTuple):
    """The next round: see ``RoundPaired``."""

    pairs: tuple[Pair, ...]
    bye: int = -1
    ties: tuple[int, ...] = ()


def play_of(state: Tournament) -> MatchPlay:
    """What such a tournament keeps."""
    return cast("MatchPlay", state.play)


class Matches(Together):
    """What the formats share; see the module."""

    GAMES: ClassVar[Mapping[str, tuple[int, int]]] = {"royal_casino": (2, 4)}
    EVENTS: ClassVar[tuple[type[Event], ...]] = m.MATCH_EVENTS
    DECISIVE: ClassVar[bool] = False
    """Whether a match must have a winner."""

    # --- what a format adds -----------------------------------------------------------------

    @abstractmethod
    def rules(self, structure: Structure) -> Rules:
        """The settings."""

    @abstractmethod
    def plan(self, play: MatchPlay) -> Plan | None:
        """The next round; None: all is played."""

    @abstractmethod
    def order(self, play: MatchPlay) -> list[tuple[list[int], int]]:
        """The sides that are still there, best first: those who are equal, and their score."""

    def points(self, state: Tournament) -> list[int]:
        """What each side has scored in the matches that count, whether it is still there or not."""
        return [side.points for side in play_of(state).sides]

    def fallen(self, play: MatchPlay) -> list[int]:
        """Sides that went out in the round that is over; they share a place."""
        del play
        return []

    # --- structures -------------------------------------------------------------------------

    def check(self, structure: Structure) -> None:
        """Two seats or four, no chips, everybody there from the start."""
        super().check(structure)
        require_options_free(structure, ("players", "first_dealer", "stake"))
        if structure.table_size == 3:
            invalid("table_size", "2, or 4 for partnerships")
        if structure.stack:
            invalid("stack", "0: matches are played for points")
        sides = structure.table_size // 2
        if structure.min_entrants < 2 * sides:
            invalid("min_entrants", f"{2 * sides} or more: two sides")
        if structure.max_entrants % sides:
            invalid("max_entrants", f"a multiple of {sides}: partners come in pairs")
        rules = self.rules(structure)
        if rules.at_once and rules.duplicate:
            expected = "0 with duplicate: who has played would know the packs of who plays later"
            invalid("settings.tables_at_once", expected)

    def initial(self, structure: Structure) -> MatchPlay:
        """Nothing but the settings."""
        return MatchPlay(self.rules(structure))

    def follow(self, before: Tournament, state: Tournament, event: Event) -> MatchPlay:
        """See :mod:`~.match_state`."""
        del before
        return follow(play_of(state), state, event)

    # --- rounds -----------------------------------------------------------------------------

    def begin(self, steps: Steps, draw: Draw) -> None:
        """Draw the sides.  Raises ``Refused(NEEDS_PARTNERS)`` if somebody would have none."""
        size = steps.state.structure.table_size // 2
        field = entered(steps.state)
        if len(field) % size:
            raise Refused("NEEDS_PARTNERS", entrants=len(field), expected=f"a multiple of {size}")
        order = steps.draw(draw, "sides", len(field))
        steps.emit(m.SidesDrawn(size, tuple(field[at] for at in order)))
        self._rounds(steps)

    def _rounds(self, steps: Steps) -> None:
        """Pair rounds until there is something to play, or all is played."""
        while not play_of(steps.state).open:
            play = play_of(steps.state)
            plan = self.plan(play) if sum(1 for _ in play.present()) > 1 else None
            if plan is None:
                self._finish(steps)
                return
            steps.emit(m.RoundPaired(play.round + 1, plan.pairs, plan.bye, plan.ties))
            self._begin_matches(steps)
            if not play_of(steps.state).open:
                self._round_over(steps)

    def _round_over(self, steps: Steps) -> None:
        for table in members(steps.state.resting):
            steps.emit(TableBroken(table))
        fallen = self.fallen(play_of(steps.state))
        go_out(steps, [entry for side in fallen for entry in _side(steps, side).entries])

    def _finish(self, steps: Steps) -> None:
        groups = [sides for sides, _ in self.order(play_of(steps.state))]
        end(steps, [[e for side in sides for e in _side(steps, side).entries] for sides in groups])

    # --- matches ----------------------------------------------------------------------------

    def _begin_matches(self, steps: Steps) -> None:
        """Begin those of the round that have not begun, as many as there may be tables."""
        while True:
            play = play_of(steps.state)
            if play.begun == len(play.matches) or not may_open(steps.state, play.rules.at_once):
                return
            self._go_on(steps, play.begun)

    def _go_on(self, steps: Steps, number: int) -> None:
        """Begin the next game of a match that sits nowhere, or end the match."""
        play = play_of(steps.state)
        match = play.matches[number]
        rules = play.rules
        found = verdict(match.games, rules.best_of, decisive=self.DECISIVE)
        misses = play.misses(match)
        if found is not None and not (misses and self.DECISIVE):
            winner = found.winner
            if winner is None and self.DECISIVE:
                winner = match.pair.index(min(match.pair))
            shown = -1 if winner is None else winner
            steps.emit(m.MatchEnded(number, shown, found.difference, played=True))
        elif misses:
            here = [at for at, side in enumerate(match.pair) if not play.sides[side].out]
            difference = sum(game.points[0] - game.points[1] for game in match.games)
            steps.emit(m.MatchEnded(number, here[0] if here else 0, difference, played=False))
        else:
            table = len(steps.state.tables)
            steps.emit(m.GameBegan(number, table))
            open_table(steps, _seats(play, match), steps.state.structure.table_size)

    def _sits_nowhere(self, steps: Steps, table: int) -> None:
        """A table of a match lost its last one: the match goes on, or another, or the round."""
        play = play_of(steps.state)
        number = play.match_at[table]
        match = play.matches[number]
        entries = [entry for side in match.pair for entry in play.sides[side].entries]
        waits = not match.over and match.table < 0
        if waits and all(steps.state.entries[entry].table < 0 for entry in entries):
            self._go_on(steps, number)
        self._begin_matches(steps)
        if not play_of(steps.state).open:
            self._round_over(steps)
            self._rounds(steps)

    def _leave(self, steps: Steps, table: int) -> None:
        """All leave a resting table; it is kept, empty, where its packs are still played."""
        if not play_of(steps.state).rules.duplicate:
            steps.emit(TableBroken(table))
            return
        for seat in steps.state.tables[table].seats:
            if seat.entry >= 0 and seat.duty is Duty.NONE:
                steps.emit(RemovalOrdered(seat.entry))

    # --- tables -----------------------------------------------------------------------------

    def check_report(self, state: Tournament, report: HandEnded) -> None:
        """Each seat's score goes on from where it was, partners have the same, one side has won.

        ``rest`` is 1 for the seats of the side that won the game.
        """
        seats = state.tables[report.table].seats
        if [result.seat for result in report.results] != list(range(len(seats))):
            raise Refused("BAD_REPORT", field="results", expected="all seats")
        for result in report.results:
            if result.before != seats[result.seat].chips or result.after < 0:
                raise Refused("BAD_REPORT", field="results", seat=result.seat, expected="its score")
        won = [result.rest for result in report.results]
        partners = report.results[::2], report.results[1::2]
        alike = all(len({(one.after, one.rest) for one in side}) == 1 for side in partners)
        if not alike or any(rest not in {0, 1} for rest in won) or (won[0] and won[1]):
            raise Refused("BAD_REPORT", field="results", expected="one score a side, one winner")
        if any(won) and not report.over:
            raise Refused("BAD_REPORT", field="over", expected="true: a side has won")

    def hand_ended(self, steps: Steps, report: HandEnded, draw: Draw) -> None:
        """The next deal, or the game is over."""
        del draw
        play = play_of(steps.state)
        number = play.match_at[report.table]
        match = play.matches[number]
        if report.over and not play.misses(match):
            # Seat 0 belongs to the side that dealt first, which is the pair's first by turns.
            sides = report.results[:2]
            if first_dealer(len(match.games)):
                sides = sides[::-1]
            winner = next((at for at, result in enumerate(sides) if result.rest), -1)
            steps.emit(m.GameEnded(number, winner, sides[0].after, sides[1].after))
        self._at_rest(steps, report.table)

    def table_rests(self, steps: Steps, tables: int, draw: Draw) -> None:
        """Deal; from a table that all have left their match goes on elsewhere."""
        del draw
        for table in members(tables):
            if steps.state.resting >> table & 1:
                self._at_rest(steps, table)

    def _at_rest(self, steps: Steps, table: int) -> None:
        play = play_of(steps.state)
        match = play.matches[play.match_at[table]]
        if not steps.state.tables[table].taken():
            self._sits_nowhere(steps, table)
        elif match.table != table:
            self._leave(steps, table)
        elif play.misses(match):
            steps.emit(m.GameStopped(play.match_at[table]))
            self._leave(steps, table)
        else:
            allow_deal(steps, table)

    def table_done(self, steps: Steps, table: int, draw: Draw) -> None:
        """The match of a table that was closed goes on elsewhere."""
        del draw
        self._sits_nowhere(steps, table)

    def disqualified(self, steps: Steps, entry: int, draw: Draw) -> None:
        """The whole side is out.  Raises ``Refused(LAST_ONE)`` if it is the last one."""
        del draw
        play = play_of(steps.state)
        side = play.sides[play.side_of[entry]]
        if sum(1 for _ in play.present()) == 1:
            raise Refused("LAST_ONE")
        go_out(steps, side.entries)
        if side.match >= 0:
            table = play.matches[side.match].table
            if table >= 0 and steps.state.resting >> table & 1:
                self._at_rest(steps, table)

    def deal(self, state: Tournament, table: int) -> Deal:
        """The first seat deals first; in a duplicate the packs have a name."""
        play = play_of(state)
        match = play.matches[play.match_at[table]]
        options = _own_options(state.structure)
        packs = f"round {match.round} game {len(match.games) + 1}" if play.rules.duplicate else ""
        return Deal(options, packs=packs)

    def openings(self, structure: Structure) -> Iterator[tuple[str, Pairs]]:
        """The same for all."""
        yield "options", (*structure.options, *_own_options(structure))

    # --- standings --------------------------------------------------------------------------

    def settlement(self, state: Tournament) -> Iterator[tuple[int, int]]:
        """Entries of the sides still there, by the points of their matches."""
        points = self.points(state)
        for number, side in play_of(state).present():
            yield from ((entry, points[number]) for entry in side.entries)

    def standings(self, state: Tournament) -> Iterator[Standing]:
        """By the format's order; the score is that of the side."""
        play = play_of(state)
        inside = [
            (entry, score)
            for sides, score in self.order(play)
            for side in sides
            for entry in play.sides[side].entries
        ]
        if not len(play.sides):  # not drawn yet
            inside = [(entry, 0) for entry in entered(state)]
        scores = [0] * len(state.entries)
        for side, points in zip(play.sides, self.points(state), strict=True):
            for entry in side.entries:
                scores[entry] = points
        return standings_of(state, inside, scores)


def _own_options(structure: Structure) -> Pairs:
    return ("players", str(structure.table_size)), ("first_dealer", "0")


def _side(steps: Steps, number: int) -> Side:
    return play_of(steps.state).sides[number]


def _seats(play: MatchPlay, match: Match) -> list[int]:
    """Entries by seat: the side that deals first has the even ones, partners take turns at it."""
    game = len(match.games)
    first = first_dealer(game)
    sides = [play.sides[match.pair[first]].entries, play.sides[match.pair[1 - first]].entries]
    seats = [entry for pair in zip(*sides, strict=True) for entry in pair]
    turn = 2 * (game // 2) % len(seats)
    return seats[turn:] + seats[:turn]
