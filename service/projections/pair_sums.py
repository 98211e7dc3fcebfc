"""What a hand adds to what is known of each pair of its players, in whole numbers.

Sums of these say how often two players met, what one won from the other, and what would be
expected of two players who are nothing to each other: any two of the hand's players, as if they
had swapped places with any others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

__all__ = ["NOTHING", "Pair", "PairSums", "added_up", "of_hand"]

Pair = tuple[str, str]
"""Ids of two players, the lower one first."""

MILLI: Final = 1_000


class PairSums(NamedTuple):
    """Of some hands that two players shared.

    ``hands``: how many.  ``up``, ``down``: chips that the higher of the two won from the lower,
    and the lower from the higher, hand by hand.  ``expected``: what moved between any two of
    each hand's players on average, in thousandths of a chip, whichever way; ``drift`` and
    ``spread``: the variances of what moves between two, with its direction and without, in
    millionths of a chip squared, added up.
    """

    hands: int
    up: int
    down: int
    expected: int
    drift: int
    spread: int


NOTHING: Final = PairSums(0, 0, 0, 0, 0, 0)


def added_up(one: PairSums, other: PairSums, times: int = 1) -> PairSums:
    """One, and the other some times."""
    return PairSums._make(a + times * b for a, b in zip(one, other, strict=True))


def of_hand(players: Sequence[str], moves: Mapping[Pair, int]) -> dict[Pair, PairSums]:
    """What a hand of ``players`` adds to each pair of them.

    ``moves``: chips that went from the lower player of a pair to the higher, negative: back.

    >>> of_hand(["a", "b"], {("a", "b"): 5})[("a", "b")]
    PairSums(hands=1, up=5, down=0, expected=5000, drift=25000000, spread=0)
    """
    present = sorted({*players, *(player for pair in moves for player in pair)})
    pairs = list(combinations(present, 2))
    if not pairs:
        return {}
    volume = sum(map(abs, moves.values()))
    squares = sum(chips * chips for chips in moves.values())
    expected = MILLI * volume // len(pairs)
    drift = MILLI * MILLI * squares // len(pairs)
    return {
        pair: PairSums(
            hands=1,
            up=max(0, moves.get(pair, 0)),
            down=max(0, -moves.get(pair, 0)),
            expected=expected,
            drift=drift,
            spread=max(0, drift - expected * expected),
        )
        for pair in pairs
    }
