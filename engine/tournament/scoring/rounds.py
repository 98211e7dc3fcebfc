"""Pontoon in rounds: who sits where, who banks, who bets first, who goes on.

Everybody begins each round with the same chips.  Dealing is an advantage, so the bank is either
the house's, whose play is fixed in advance, or everybody's equally often.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from engine.tournament.scoring.places import Place, places

__all__ = [
    "Advance",
    "Run",
    "advance",
    "bankers",
    "best_first",
    "betting_order",
    "final_places",
    "tables",
]


def tables(entrants: Sequence[int], size: int) -> tuple[tuple[int, ...], ...]:
    """As few tables as hold everybody, of sizes that differ by one at most.

    ``entrants`` in the order of their lots are dealt out one by one, like cards.

    >>> tables([1, 2, 3, 4, 5], 3)
    ((1, 3, 5), (2, 4))
    """
    count = -(-len(entrants) // size)
    return tuple(tuple(entrants[i::count]) for i in range(count))


def bankers(players: Sequence[int], times: int, out: Collection[int] = ()) -> tuple[int, ...]:
    """Who banks in each deal of a round in which everybody banks so many times.

    The turns of those who are out fall away, and the deals with them: those who stay have all
    banked equally often at the end.

    >>> bankers([7, 8, 9], 2, out=[8])
    (7, 9, 7, 9)
    """
    return tuple(player for _ in range(times) for player in players if player not in out)


def betting_order(players: Sequence[int], deal: int) -> tuple[int, ...]:
    """Who bets first, second, … in a deal, counted from 1, against the house's bank.

    The first of a deal is the last of the next, so nobody is at one place more than once oftener
    than anybody else.

    >>> betting_order([7, 8, 9], 2)
    (8, 9, 7)
    """
    first = (deal - 1) % len(players)
    return (*players[first:], *players[:first])


class Run(NamedTuple):
    """A round of one entrant: the stack after each deal that he was in, and whether he went out
    before the last one."""

    stacks: tuple[int, ...]
    out: bool = False


Key = tuple[bool, int, tuple[int, ...]]


def _key(run: Run) -> Key:
    return not run.out, len(run.stacks) if run.out else 0, run.stacks[::-1]


def best_first(runs: Mapping[int, Run], lots: Mapping[int, int]) -> tuple[int, ...]:
    """Entrants in the order in which they go on.

    The larger stack is better; of equal stacks the one that was larger a deal before, and so on
    backwards; then the better lot.  Who went out comes after all others, the last to go first.

    >>> best_first({1: Run((50, 80)), 2: Run((60, 80)), 3: Run((90,), True)}, {1: 1, 2: 2, 3: 3})
    (2, 1, 3)
    """

    def key(entrant: int) -> tuple[Key, int]:
        return _key(runs[entrant]), -lots[entrant]

    return tuple(sorted(runs, key=key, reverse=True))


class Advance(NamedTuple):
    """Who goes on, in ascending order, and the places of those who do not, the first being 1."""

    through: tuple[int, ...]
    out: tuple[Place, ...]


def final_places(runs: Mapping[int, Run]) -> tuple[Place, ...]:
    """Places by what everybody had at the end; equal stacks share one.

    Who went out comes after all others, the last to go first.
    """
    return places(
        {
            entrant: (not run.out, len(run.stacks) if run.out else 0, run.stacks[-1:])
            for entrant, run in runs.items()
        }
    )


def advance(
    seated: Iterable[Mapping[int, Run]], lots: Mapping[int, int], top: int, best_losers: int
) -> Advance:
    """The end of a round: the best of each table go on, and the best of all others.

    Those who do not have the places of :func:`final_places`.  Nobody who went out before the last
    deal goes on.
    """
    orders = [(best_first(runs, lots), runs) for runs in seated]
    runs = {entrant: run for _, table in orders for entrant, run in table.items()}
    through = [entrant for order, _ in orders for entrant in order[:top] if not runs[entrant].out]
    losers = {entrant: run for entrant, run in runs.items() if entrant not in through}
    lucky = [entrant for entrant in best_first(losers, lots)[:best_losers] if not runs[entrant].out]
    out = {entrant: run for entrant, run in losers.items() if entrant not in lucky}
    return Advance(tuple(sorted(chain(through, lucky))), final_places(out))
