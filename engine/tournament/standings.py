"""Places: who comes out when, what he wins, and how everybody stands."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from engine.tournament import events as e
from engine.tournament.money import prizes_of, split, tied_prizes
from engine.tournament.persistent import members
from engine.tournament.steps import Steps

__all__ = ["close_entries", "finish", "rank_out"]


def rank_out(steps: Steps, gone: Iterable[tuple[int, int]]) -> None:
    """Entries came out at once: (entry, what ranks it among them); equals share their place.

    Prizes are awarded as soon as they are set.
    """
    ranked = sorted((score, entry) for entry, score in gone)
    for _, group in groupby(ranked, key=lambda item: item[0]):
        entries = [entry for _, entry in group]
        worse = steps.state.out
        for entry in entries:
            steps.emit(e.EntryOut(entry, worse, len(entries)))
        if steps.state.prizes:
            _award(steps, entries)


def _award(steps: Steps, entries: list[int]) -> None:
    """What those win who share a place; a disqualified one's part is left to the winner."""
    place = steps.state.place(entries[0])
    if place is None:
        raise AssertionError("an entry that is out has a place")
    parts = tied_prizes(steps.state.prizes, place, len(entries))
    for entry, amount in zip(entries, parts, strict=True):
        if amount and not steps.state.entries[entry].disqualified:
            steps.emit(e.MoneyAwarded(entry, amount, e.Why.PRIZE))


def close_entries(steps: Steps) -> None:
    """Nobody enters any more: how many there are is known, and with that what each place wins.

    Who came out before is awarded what his place wins now.
    """
    steps.emit(e.EntriesClosed(steps.state.field))
    steps.emit(prizes_of(steps.state))
    state = steps.state
    sharing: dict[int, list[int]] = {}
    for number, entry in enumerate(state.entries):
        if entry.worse >= 0:
            sharing.setdefault(entry.worse, []).append(number)
    for worse in sorted(sharing):
        _award(steps, sharing[worse])


def finish(steps: Steps) -> None:
    """Everybody has a place: what is left of the pool is the first one's, tables are closed."""
    state = steps.state
    for table in members(state.standing & ~state.breaking):
        steps.emit(e.TableBroken(table))
    first = [number for number in range(len(state.entries)) if state.place(number) == 1]
    for entry, amount in zip(first, split(state.money.pool, [1] * len(first)), strict=True):
        if amount:
            steps.emit(e.MoneyAwarded(entry, amount, e.Why.PRIZE))
    steps.emit(e.TournamentFinished())
