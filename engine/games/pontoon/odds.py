"""What the next card makes of a hand of Pontoon (pontoon 6.9, 7.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from engine.cards import Card
from engine.errors import Malformed
from engine.games.pontoon.options import Options
from engine.games.pontoon.state import FIVE
from engine.games.pontoon.totals import PONTOON, best, is_bust, is_pontoon, may_draw, strength
from engine.odds import unseen

__all__ = ["NextCard", "next_card"]


class NextCard(NamedTuple):
    """What one more card makes of a hand: of ``left`` unseen cards, so many give each strength."""

    now: int
    """Strength of the hand (7.5)."""
    left: int
    after: tuple[tuple[int, int], ...]
    """Pairs of strength and number of cards, ascending; strength 0 is bust."""

    @property
    def bust(self) -> Fraction:
        """The chance to pass 21."""
        return self._share(range(1))

    @property
    def better(self) -> Fraction:
        """The chance of a higher strength."""
        return self._share(range(self.now + 1, PONTOON + 1))

    @property
    def same(self) -> Fraction:
        """The chance of the same strength."""
        return self._share(range(self.now, self.now + 1))

    @property
    def worse(self) -> Fraction:
        """The chance of a lower strength without bust."""
        return self._share(range(1, self.now))

    def _share(self, strengths: range) -> Fraction:
        return Fraction(sum(n for worth, n in self.after if worth in strengths), self.left)


def next_card(
    hand: Sequence[Card], gone: Sequence[Card], options: Options, *, split: bool = False
) -> NextCard:
    """What the next card makes of ``hand``, all unseen cards being equally likely.

    ``gone`` are other cards that were seen; ``split``: the hand comes of a split.

    Raises ``Malformed`` for a card given twice or that is none, for a hand that takes no card
    (7.2), and where no card is left.
    """
    rest = unseen(("hand", hand), ("gone", gone))
    cards = tuple(hand)
    if len(cards) < 2:
        raise Malformed("hand", "expected 2 to 4 cards")
    _require_drawing("hand", cards, options, split)
    if not rest:
        raise Malformed("gone", "no card is left to come")
    after = Counter(strength((*cards, card), split, options) for card in rest)
    return NextCard(strength(cards, split, options), len(rest), tuple(sorted(after.items())))


def _require_drawing(field: str, cards: tuple[Card, ...], options: Options, split: bool) -> None:
    if len(cards) >= FIVE:
        raise Malformed(field, f"{len(cards)} cards: a hand has at most five, and takes no sixth")
    if is_bust(cards):
        raise Malformed(field, "it is bust")
    if is_pontoon(cards, split, options) or not may_draw(cards, options):
        raise Malformed(field, f"a hand of {best(cards)} that takes no more cards")
