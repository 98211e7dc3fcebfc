"""How formats that rank everybody at once end, and how they show the standings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine.tournament import events as e
from engine.tournament.format import Standing
from engine.tournament.money import split
from engine.tournament.persistent import members
from engine.tournament.standings import rank_out
from engine.tournament.state import Tournament
from engine.tournament.steps import Steps

__all__ = ["end", "go_out", "standings_of"]


def go_out(steps: Steps, entries: Iterable[int]) -> None:
    """These play no more and share a place, worse than those of all who play on."""
    rank_out(steps, [(entry, 0) for entry in entries])


def end(steps: Steps, groups: Sequence[Sequence[int]]) -> None:
    """All who still play get their places, best group first; each group shares one.

    The first group wins what its places win and nobody else got.
    """
    for group in reversed(groups[1:]):
        go_out(steps, group)
    winners = sorted(groups[0])
    worse = steps.state.out
    for entry in winners:
        steps.emit(e.EntryOut(entry, worse, len(winners)))
    for table in members(steps.state.standing & ~steps.state.breaking):
        steps.emit(e.TableBroken(table))
    parts = split(steps.state.money.pool, [1] * len(winners))
    for entry, part in zip(winners, parts, strict=True):
        if part:
            steps.emit(e.MoneyAwarded(entry, part, e.Why.PRIZE))
    steps.emit(e.TournamentFinished())


def standings_of(
    state: Tournament, inside: Iterable[tuple[int, int]], scores: Sequence[int] | None = None
) -> Iterator[Standing]:
    """Those still in, as (entry, score) the best first, then all who are out by place."""
    for number, score in inside:
        yield Standing(number, state.entries[number].player, None, score)
    outside = [
        (place, number)
        for number in range(len(state.entries))
        if (place := state.place(number)) is not None
    ]
    for place, number in sorted(outside):
        entry = state.entries[number]
        score = scores[number] if scores else 0
        yield Standing(number, entry.player, place, score, entry.won)
