"""What a tournament of matches keeps, and how facts change it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from engine.events import Event
from engine.tournament import events as e
from engine.tournament.formats import match_events as m
from engine.tournament.pairing.match import Game
from engine.tournament.pairing.ranking import DRAW, LOSS, WIN
from engine.tournament.persistent import Numbered
from engine.tournament.state import Tournament

__all__ = ["Match", "MatchPlay", "Outcome", "Rules", "Side", "follow"]


class Rules(NamedTuple):
    """The settings.

    ``best_of``: games of a match.  ``duplicate``: all tables of a round deal the same packs.
    ``bye``: points for a round without an opponent.  ``length``: rounds, cycles or lives, as the
    format counts; 0: by the number of sides.  ``at_once``: tables that may be open at a time, 0:
    all.
    """

    best_of: int = 1
    duplicate: bool = False
    bye: int = WIN
    length: int = 0
    at_once: int = 0


class Outcome(NamedTuple):
    """A match of one side that is over, or a bye (``opponent`` -1).

    ``points``: of the match; ``difference``: own points of its games less the opponent's;
    ``played``: it was played to its end.
    """

    opponent: int
    points: int
    difference: int = 0
    played: bool = False


class Side(NamedTuple):
    """A player or a partnership.

    ``match``: its latest one, -1: none yet.  ``dealt``: of each match that it played, whether it
    dealt first.  ``out``: the round in which it was excluded, 0: it is still there.
    """

    entries: tuple[int, ...]
    match: int = -1
    outcomes: tuple[Outcome, ...] = ()
    dealt: tuple[bool, ...] = ()
    out: int = 0

    @property
    def points(self) -> int:
        """Of all its matches."""
        return sum(outcome.points for outcome in self.outcomes)


class Match(NamedTuple):
    """A match.  ``table``: where a game of it is played, -1: nowhere; ``tie``: its number in a
    draw, -1: there is none; ``winner``: the side that won, -1: none did, or it goes on."""

    pair: tuple[int, int]
    round: int
    tie: int = -1
    table: int = -1
    games: tuple[Game, ...] = ()
    over: bool = False
    winner: int = -1


class MatchPlay(NamedTuple):
    """All of it.

    ``side_of``: the side of each entry, -1: none.  ``match_at``: the match of each table.
    ``round``: the last one that was paired, ``open``: how many of its matches are not over.
    ``begun``: the first match that has not begun.
    """

    rules: Rules
    sides: Numbered[Side] = Numbered()
    side_of: Numbered[int] = Numbered()
    matches: Numbered[Match] = Numbered()
    match_at: Numbered[int] = Numbered()
    round: int = 0
    open: int = 0
    begun: int = 0

    def present(self) -> Iterator[tuple[int, Side]]:
        """The sides that are still there, by number."""
        return ((number, side) for number, side in enumerate(self.sides) if not side.out)

    def misses(self, match: Match) -> bool:
        """Whether a side of a match is not there any more."""
        return any(self.sides[number].out for number in match.pair)


def follow(play: MatchPlay, state: Tournament, event: Event) -> MatchPlay:
    """What is kept after a fact; ``state`` is the rest of the tournament after it."""
    match event:
        case m.SidesDrawn():
            return _drawn(play, state, event)
        case m.RoundPaired():
            return _paired(play, event)
        case m.GameBegan(number, table):
            begun = play.matches[number]._replace(table=table)
            at = play.match_at.add(number)
            play = play._replace(matches=play.matches.put(number, begun), match_at=at)
            return _begun(play, number)
        case m.GameEnded(number, winner, first, second):
            match_ = play.matches[number]
            game = Game(None if winner < 0 else winner, (first, second))
            match_ = match_._replace(table=-1, games=(*match_.games, game))
            return play._replace(matches=play.matches.put(number, match_))
        case m.GameStopped(number):
            stopped = play.matches[number]._replace(table=-1)
            return play._replace(matches=play.matches.put(number, stopped))
        case m.MatchEnded():
            return _begun(_ended(play, event), event.match)
        case e.EntryOut(entry) if len(play.side_of):
            number = play.side_of[entry]
            side = play.sides[number]._replace(out=max(1, play.round))
            return play._replace(sides=play.sides.put(number, side))
        case _:
            return play


def _drawn(play: MatchPlay, state: Tournament, event: m.SidesDrawn) -> MatchPlay:
    side_of = [-1] * len(state.entries)
    sides: Numbered[Side] = Numbered()
    for start in range(0, len(event.entries), event.size):
        members = event.entries[start : start + event.size]
        for entry in members:
            side_of[entry] = len(sides)
        sides = sides.add(Side(members))
    numbered: Numbered[int] = Numbered()
    for number in side_of:
        numbered = numbered.add(number)
    return play._replace(sides=sides, side_of=numbered)


def _paired(play: MatchPlay, event: m.RoundPaired) -> MatchPlay:
    sides, matches = play.sides, play.matches
    for at, pair in enumerate(event.pairs):
        tie = event.ties[at] if event.ties else -1
        for number in pair:
            sides = sides.put(number, sides[number]._replace(match=len(matches)))
        matches = matches.add(Match((pair.first, pair.second), event.round, tie))
    if event.bye >= 0:
        side = sides[event.bye]
        outcomes = (*side.outcomes, Outcome(-1, play.rules.bye))
        sides = sides.put(event.bye, side._replace(outcomes=outcomes))
    return play._replace(sides=sides, matches=matches, round=event.round, open=len(event.pairs))


def _begun(play: MatchPlay, match: int) -> MatchPlay:
    return play._replace(begun=max(play.begun, match + 1))


def _ended(play: MatchPlay, event: m.MatchEnded) -> MatchPlay:
    match_ = play.matches[event.match]
    sides = play.sides
    for at, number in enumerate(match_.pair):
        points = DRAW if event.winner < 0 else WIN if event.winner == at else LOSS
        difference = -event.difference if at else event.difference
        side = sides[number]
        outcome = Outcome(match_.pair[1 - at], points, difference, event.played)
        dealt = (*side.dealt, at == 0) if match_.games else side.dealt
        side = side._replace(outcomes=(*side.outcomes, outcome), dealt=dealt)
        sides = sides.put(number, side)
    winner = -1 if event.winner < 0 else match_.pair[event.winner]
    match_ = match_._replace(table=-1, over=True, winner=winner)
    return play._replace(
        sides=sides, matches=play.matches.put(event.match, match_), open=play.open - 1
    )
