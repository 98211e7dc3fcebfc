"""What a hand adds to what is known of each pair of its players, in whole numbers.

Sums of these say how often two players met, what one won from the other, and what would be
expected of two players who are nothing to each other: any two of the hand's players, as if they
had swapped places with any others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import isqrt
from typing import Final, NamedTuple

__all__ = ["NOTHING", "Pair", "PairSums", "added_up", "of_hand"]

Pair = tuple[str, str]
"""Ids of two players, the lower one first."""

MILLI: Final = 1_000


class PairSums(NamedTuple):
    """Of some hands that two players shared.

    ``hands``: how many.  ``up``, ``down``: chips that the higher of the two won from the lower,
    and the lower from the higher, hand by hand.  ``expected``: what moved between any two of
    each hand's players on average, in thousandths of a chip.

    The others are of hands that are weighed: chips over the root of all that moved in the hand,
    in thousandths.  So a hand for a hundred times the chips counts ten times as much, and not a
    hundred times.  ``won``: by the higher from the lower; ``moved``: either way; ``usual``: what
    ``moved`` is of any two of the hand's players, on average; ``drift`` and ``spread``: the
    variances of ``won`` and ``moved`` for any two, added up.
    """

    hands: int
    up: int
    down: int
    expected: int
    won: int
    moved: int
    usual: int
    drift: int
    spread: int


NOTHING: Final = PairSums(0, 0, 0, 0, 0, 0, 0, 0, 0)


def added_up(one: PairSums, other: PairSums, times: int = 1) -> PairSums:
    """One, and the other some times."""
    return PairSums._make(a + times * b for a, b in zip(one, other, strict=True))


def of_hand(players: Sequence[str], moves: Mapping[Pair, int]) -> dict[Pair, PairSums]:
    """What a hand of ``players`` adds to each pair of them.

    ``moves``: chips that went from the lower player of a pair to the higher, negative: back.

    >>> of_hand(["a", "b"], {("a", "b"): 25})[("a", "b")][:6]
    (1, 25, 0, 25000, 5000, 5000)
    """
    present = sorted({*players, *(player for pair in moves for player in pair)})
    pairs = list(combinations(present, 2))
    if not pairs:
        return {}
    volume = sum(map(abs, moves.values()))
    nobody = PairSums(1, 0, 0, 0, 0, 0, 0, 0, 0)
    if volume:
        squares = sum(chips * chips for chips in moves.values())
        usual = isqrt(MILLI * MILLI * volume) // len(pairs)
        drift = MILLI * MILLI * squares // volume // len(pairs)
        nobody = nobody._replace(
            expected=MILLI * volume // len(pairs),
            usual=usual,
            drift=drift,
            spread=max(0, drift - usual * usual),
        )
    found = dict.fromkeys(pairs, nobody)
    for pair, chips in moves.items():
        if chips:
            moved = isqrt(MILLI * MILLI * chips * chips // volume)
            found[pair] = nobody._replace(
                up=max(0, chips),
                down=max(0, -chips),
                won=moved if chips > 0 else -moved,
                moved=moved,
            )
    return found
