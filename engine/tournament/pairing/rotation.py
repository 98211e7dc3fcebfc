"""All-play-all by the Berger tables, which chess has used since 1895.

Of n places, n even, the last one stands still.  In round r two others meet when their numbers,
counted from 1, add up to r + 1, taken modulo n - 1; whoever that leaves alone meets the last.  Of
an odd number the last place is empty, and who would meet it has a bye.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.tournament.pairing.rounds import Pair, Round

__all__ = ["rotation"]


def rotation(entrants: Sequence[int], cycles: int = 1) -> tuple[Round, ...]:
    """All rounds, for entrants in the order of their lots.

    Everybody deals first in half of his matches; with an even number of entrants in one more or
    one fewer half match.  In every other cycle the other one of each pair deals first.

    Raises ``ValueError`` for fewer than two entrants, or one named twice.

    >>> [round.pairs for round in rotation([1, 2, 3, 4])][0]
    (Pair(first=1, second=4), Pair(first=2, second=3))
    """
    if len(entrants) < 2 or len(set(entrants)) < len(entrants):
        raise ValueError("two or more different entrants are needed")
    there = tuple(_cycle(entrants))
    back = tuple(Round(tuple(Pair(b, a) for a, b in one.pairs), one.bye) for one in there)
    return tuple(one for cycle in range(cycles) for one in (back if cycle % 2 else there))


def _cycle(entrants: Sequence[int]) -> Iterator[Round]:
    moving = entrants if len(entrants) % 2 else entrants[:-1]
    count = len(moving)
    for number in range(1, count + 1):
        pairs: list[Pair] = []
        bye = None
        for low in range(1, count + 1):
            high = (number - low) % count + 1
            one, other = moving[low - 1], moving[high - 1]
            if high > low:
                pairs.append(Pair(one, other) if (high - low) % 2 else Pair(other, one))
            elif high == low and moving is entrants:
                bye = one
            elif high == low:
                last = entrants[-1]
                pairs.insert(0, Pair(one, last) if 2 * low <= count + 1 else Pair(last, one))
        yield Round(tuple(pairs), bye)
