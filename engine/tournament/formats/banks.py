"""What tournaments of Pontoon in rounds keep, and how facts change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engine.events import Event
from engine.tournament import events as e
from engine.tournament.persistent import Numbered
from engine.tournament.scoring.rounds import Run, bankers, tables
from engine.tournament.state import EntryStatus, Tournament

__all__ = [
    "BankPlay",
    "Banked",
    "RoundBegan",
    "Rules",
    "SatOut",
    "follow",
    "next_table",
    "next_turn",
    "players_left",
    "runs_of",
]


@dataclass(frozen=True, slots=True)
class RoundBegan(Event):
    """Round ``round`` (from 1) begins for these entries, in the order of their lots."""

    round: int
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SatOut(Event):
    """An entry plays no more deals of this round: it has too few chips or had the fewest."""

    entry: int


class Rules(NamedTuple):
    """The settings.

    ``house``: the bank is the house's; ``deals``: of a round then, else how often everybody banks.
    ``top``: how many of each table go on; ``best_losers``: how many of all others.
    ``every``: after so many deals the lowest stack of a table sits out, 0: never.
    ``least``: chips without which nobody plays a deal: the least bet, and as much for a kitty.
    ``unshuffled``: the pack goes on from deal to deal.  ``at_once``: tables that may be open at a
    time; 0: all.
    """

    house: bool
    deals: int
    top: int
    best_losers: int
    every: int
    least: int
    unshuffled: bool
    at_once: int = 0


class Banked(NamedTuple):
    """A table: who began a round there, seat by seat, and its ``turn``: see ``next_turn``.

    ``lost``: what the bank of the house has lost there, less what it won.
    """

    players: tuple[int, ...]
    turn: int = 0
    lost: int = 0


class BankPlay(NamedTuple):
    """All of it.

    ``runs``: of each entry, the latest round it plays; ``lots``: its place in the draw of that
    round.  ``tables``: by number; ``first``: of this round.  ``seated``: whom the lot gave a table
    together in this round, ``drawn``: how many of these tables are drawn, or have nobody left.
    """

    rules: Rules
    round: int = 0
    first: int = 0
    runs: Numbered[Run] = Numbered()
    lots: Numbered[int] = Numbered()
    tables: Numbered[Banked] = Numbered()
    seated: tuple[tuple[int, ...], ...] = ()
    drawn: int = 0


def follow(play: BankPlay, before: Tournament, event: Event) -> BankPlay:
    """What is kept after a fact; ``before``: the tournament before it."""
    match event:
        case e.EntryMade():
            return play._replace(runs=play.runs.add(Run(())), lots=play.lots.add(0))
        case RoundBegan(round_, entries):
            runs, lots = play.runs, play.lots
            for lot, entry in enumerate(entries):
                runs = runs.put(entry, Run(()))
                lots = lots.put(entry, lot)
            seated = tables(entries, before.structure.table_size - play.rules.house)
            play = play._replace(round=round_, first=len(play.tables), seated=seated, drawn=0)
            return play._replace(runs=runs, lots=lots)
        case e.TableDrawn(_, entries):
            players = tuple(entry for entry in entries if entry >= 0)
            drawn = play.drawn + 1
            while players[0] not in play.seated[drawn - 1]:  # nobody was left of that table
                drawn += 1
            return play._replace(tables=play.tables.add(Banked(players)), drawn=drawn)
        case e.DealAllowed(table):
            banked = play.tables[table]._replace(turn=next_turn(play, table) or 0)
            return play._replace(tables=play.tables.put(table, banked))
        case e.DealPlayed():
            return _played(play, before, event)
        case SatOut(entry) | e.EntryOut(entry):
            run = play.runs[entry]._replace(out=True)
            return play._replace(runs=play.runs.put(entry, run))
        case _:
            return play


def _played(play: BankPlay, before: Tournament, event: e.DealPlayed) -> BankPlay:
    seats = before.tables[event.table].seats
    runs, banked = play.runs, play.tables[event.table]
    lost = banked.lost
    for at, chips in event.stacks:
        run = runs[seats[at].entry]
        runs = runs.put(seats[at].entry, run._replace(stacks=(*run.stacks, chips)))
        lost += chips - seats[at].chips
    banked = banked._replace(turn=banked.turn + 1, lost=lost)
    return play._replace(runs=runs, tables=play.tables.put(event.table, banked))


def next_turn(play: BankPlay, table: int) -> int | None:
    """The turn of the next deal, None: the round is over.

    Against the house every deal is a turn; else those of players who are out fall away.
    """
    banked, rules = play.tables[table], play.rules
    if rules.house:
        return banked.turn if banked.turn < rules.deals else None
    turns = bankers(banked.players, rules.deals)
    left = (turn for turn in range(banked.turn, len(turns)) if not play.runs[turns[turn]].out)
    return next(left, None)


def players_left(play: BankPlay, table: int) -> tuple[int, ...]:
    """Who plays on at a table, seat by seat."""
    return tuple(entry for entry in play.tables[table].players if not play.runs[entry].out)


def next_table(state: Tournament, play: BankPlay) -> tuple[int, ...]:
    """Whom the next table of this round is for, of those who are still in; empty: all are drawn."""
    inside = {EntryStatus.ENTERED, EntryStatus.PLAYING}
    left = (
        tuple(entry for entry in seats if state.entries[entry].status in inside)
        for seats in play.seated[play.drawn :]
    )
    return next(filter(None, left), ())


def runs_of(state: Tournament, play: BankPlay) -> list[dict[int, Run]]:
    """The runs of each table of this round, of those who are still in the tournament."""
    return [
        {
            entry: play.runs[entry]
            for entry in play.tables[table].players
            if state.entries[entry].status is not EntryStatus.OUT
        }
        for table in range(play.first, len(play.tables))
    ]
