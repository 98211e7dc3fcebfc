"""Royal Flush: what the choice and the series share.

Everybody has a table of his own, and plays there as many games as are allowed.  The game is played
out by itself, so all that counts is whether it was won and how many cards were left.

Where so many tables may be open at a time (``tables_at_once``), entries get theirs in the order in
which they were made, for the games that are allowed then; who has played them leaves his place to
the next one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple, cast

from engine.errors import Refused
from engine.events import Event
from engine.options import Value
from engine.tournament import events as e
from engine.tournament.actions import HandEnded
from engine.tournament.format import Standing
from engine.tournament.formats.finishing import end, go_out, standings_of
from engine.tournament.formats.together import Together
from engine.tournament.persistent import Numbered, members
from engine.tournament.scoring.places import Place
from engine.tournament.state import EntryStatus, Phase, Tournament
from engine.tournament.steps import Draw, Steps
from engine.tournament.structure import Structure, invalid
from engine.tournament.tables import allow_deal, entered, may_open, open_table

__all__ = [
    "CARDS",
    "ChoiceMade",
    "GameScored",
    "GamesAllowed",
    "Record",
    "SolitairePlay",
    "Solitaires",
    "play_of",
]

CARDS: Final = 52


@dataclass(frozen=True, slots=True)
class ChoiceMade(Event):
    """An entry committed to a choice: the ``order``-th commitment of the tournament, from 1."""

    entry: int
    choice: str
    order: int


@dataclass(frozen=True, slots=True)
class GamesAllowed(Event):
    """Everybody may play until he has played ``games`` in all."""

    games: int


@dataclass(frozen=True, slots=True)
class GameScored(Event):
    """A game of an entry is over: what it scored, and the cards left that were not sought."""

    entry: int
    points: int
    left: int


class Record(NamedTuple):
    """What an entry has done.

    ``choice``, ``order``: its latest commitment; ``orders``: the sum over its games.
    """

    choice: str = ""
    order: int = 0
    games: int = 0
    points: int = 0
    left: int = 0
    orders: int = 0


class SolitairePlay(NamedTuple):
    """What is kept.

    ``records``: by entry.  ``allowed``: games that each may have played in all;
    ``open``: entries that have not; ``commitments``: how many there were.  ``at_once``: tables that
    may be open at a time, 0: all; ``next``: the first entry that had no table for these games yet.
    ``games_at``: by table, the games that were allowed when it was drawn.
    """

    records: Numbered[Record] = Numbered()
    allowed: int = 0
    open: int = 0
    commitments: int = 0
    at_once: int = 0
    next: int = 0
    games_at: Numbered[int] = Numbered()


def play_of(state: Tournament) -> SolitairePlay:
    """What such a tournament keeps."""
    return cast("SolitairePlay", state.play)


class Solitaires(Together):
    """See the module."""

    GAMES: ClassVar[Mapping[str, tuple[int, int]]] = {"royal_flush": (1, 1)}
    EVENTS: ClassVar[tuple[type[Event], ...]] = (ChoiceMade, GamesAllowed, GameScored)

    # --- what a format adds -----------------------------------------------------------------

    @abstractmethod
    def settings(self, structure: Structure) -> dict[str, Value]:
        """Those that are not choices.  Raises ``Refused(INVALID_STRUCTURE)``."""

    @abstractmethod
    def points(self, state: Tournament, entry: int) -> int:
        """What a win of an entry is worth now."""

    @abstractmethod
    def played(self, steps: Steps) -> None:
        """All games that were allowed are over."""

    @abstractmethod
    def order(self, records: Mapping[int, Record]) -> tuple[Place, ...]:
        """Places among these entries."""

    # --- play -------------------------------------------------------------------------------

    def check(self, structure: Structure) -> None:
        """One seat and no chips."""
        super().check(structure)
        self.settings(structure)
        if structure.stack:
            invalid("stack", "0: games are played for points")
        if structure.min_entrants < 2:
            invalid("min_entrants", "2 or more")

    def initial(self, structure: Structure) -> SolitairePlay:
        """Nothing yet, but how many tables may be open."""
        return SolitairePlay(at_once=cast("int", self.settings(structure)["tables_at_once"]))

    def follow(self, before: Tournament, state: Tournament, event: Event) -> SolitairePlay:
        """Count what was played."""
        play = play_of(state)
        match event:
            case e.EntryMade():
                return play._replace(records=play.records.add(Record()))
            case ChoiceMade(entry, choice, order):
                record = play.records[entry]._replace(choice=choice, order=order)
                records = play.records.put(entry, record)
                return play._replace(records=records, commitments=order)
            case GamesAllowed(games):
                return play._replace(allowed=games, open=state.left, next=0)
            case e.TableDrawn(_, (entry,)):
                games_at = play.games_at.add(play.allowed)
                return play._replace(next=entry + 1, games_at=games_at)
            case GameScored(entry, points, left):
                record = _scored(play.records[entry], points, left)
                records = play.records.put(entry, record)
                return play._replace(
                    records=records, open=play.open - (not self._owes(play, record))
                )
            case e.EntryOut(entry) if before.phase is Phase.RUNNING:
                return play._replace(open=play.open - self._owes(play, play.records[entry]))
            case _:
                return play

    @staticmethod
    def _owes(play: SolitairePlay, record: Record) -> bool:
        return record.games < play.allowed

    def begin(self, steps: Steps, draw: Draw) -> None:
        """Everybody gets a table, where all may be open."""
        del draw
        if not play_of(steps.state).at_once:
            for entry in entered(steps.state):
                open_table(steps, [entry], 1)

    def allow(self, steps: Steps, games: int) -> None:
        """Let everybody play until he has played so many games."""
        steps.emit(GamesAllowed(games))
        for table in members(steps.state.resting):
            self._at_rest(steps, table)
        self._open_tables(steps)

    def _open_tables(self, steps: Steps) -> None:
        """Tables for those who are next, as many as may be open; none where all have theirs."""
        while (at_once := play_of(steps.state).at_once) and may_open(steps.state, at_once):
            entry = self._next(steps.state)
            # Who still sits at his last table gets the next one when that is closed.
            if entry is None or steps.state.entries[entry].table >= 0:
                return
            open_table(steps, [entry], 1)

    def _next(self, state: Tournament) -> int | None:
        play = play_of(state)
        inside = {EntryStatus.ENTERED, EntryStatus.PLAYING}
        later = range(play.next, len(state.entries))
        return next((entry for entry in later if state.entries[entry].status in inside), None)

    def check_report(self, state: Tournament, report: HandEnded) -> None:
        """The one seat won a game more than before, and nothing was left, or it did not.

        ``before`` and ``after`` count games won, ``rest`` the cards left that were not sought.
        """
        seat = state.tables[report.table].seats[0]
        if len(report.results) != 1 or report.results[0].before != seat.chips:
            raise Refused("BAD_REPORT", field="results", expected="the seat and what it had won")
        result = report.results[0]
        won = result.after - result.before
        if won not in {0, 1} or not 0 <= result.rest <= CARDS or (won and result.rest):
            raise Refused("BAD_REPORT", field="results", expected="won with no card left, or lost")

    def hand_ended(self, steps: Steps, report: HandEnded, draw: Draw) -> None:
        """Score the game; the next one, or the end."""
        del draw
        entry = steps.state.tables[report.table].seats[0].entry
        result = report.results[0]
        if steps.state.entries[entry].status is not EntryStatus.OUT:
            won = result.after > result.before
            points = self.points(steps.state, entry) if won else 0
            steps.emit(GameScored(entry, points, result.rest))
        self._at_rest(steps, report.table)
        self._check_played(steps)

    def _check_played(self, steps: Steps) -> None:
        if not play_of(steps.state).open:
            self.played(steps)

    def table_rests(self, steps: Steps, tables: int, draw: Draw) -> None:
        """Play, if there is something to play."""
        del draw
        for table in members(tables):
            self._at_rest(steps, table)

    def _at_rest(self, steps: Steps, table: int) -> None:
        entry = steps.state.tables[table].seats[0].entry
        play = play_of(steps.state)
        if steps.state.entries[entry].status is EntryStatus.OUT:
            steps.emit(e.TableBroken(table))
        elif self._owes(play, play.records[entry]):
            allow_deal(steps, table)
        elif play.at_once:
            steps.emit(e.TableBroken(table))

    def table_done(self, steps: Steps, table: int, draw: Draw) -> None:
        """Its place is the next one's."""
        del table, draw
        self._open_tables(steps)

    def disqualified(self, steps: Steps, entry: int, draw: Draw) -> None:
        """It is out; the game that runs does not count."""
        del draw
        owes = self._owes(play_of(steps.state), play_of(steps.state).records[entry])
        go_out(steps, [entry])
        table = steps.state.entries[entry].table
        if table >= 0 and steps.state.resting >> table & 1:
            self._at_rest(steps, table)
        if owes:
            self._check_played(steps)

    def finish(self, steps: Steps) -> None:
        """Rank everybody who is there."""
        end(steps, [place.entrants for place in self._places(steps.state)])

    def _places(self, state: Tournament) -> tuple[Place, ...]:
        records = play_of(state).records
        inside = {EntryStatus.ENTERED, EntryStatus.PLAYING}
        return self.order(
            {n: records[n] for n, entry in enumerate(state.entries) if entry.status in inside}
        )

    # --- standings --------------------------------------------------------------------------

    def settlement(self, state: Tournament) -> Iterator[tuple[int, int]]:
        """Everybody there, by points."""
        records = play_of(state).records
        for place in self._places(state):
            yield from ((entry, records[entry].points) for entry in place.entrants)

    def standings(self, state: Tournament) -> Iterator[Standing]:
        """By the format's order; the score is in points."""
        scores = [record.points for record in play_of(state).records]
        inside = [(n, scores[n]) for place in self._places(state) for n in place.entrants]
        return standings_of(state, inside, scores)


def _scored(record: Record, points: int, left: int) -> Record:
    return record._replace(
        games=record.games + 1,
        points=record.points + points,
        left=record.left + left,
        orders=record.orders + record.order,
    )
