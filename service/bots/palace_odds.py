"""How likely a seat of Palace Poker is to win a battle, as far as its player can know.

What an opponent hides is drawn many times from the cards that nobody has shown; both hands are
weighed as the rules weigh them, each without the other's banner suit (palace_poker 7.4, 7.5).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Final

from engine.cards import PACK, Card, CardSet, set_of, suit_of, suit_set, to_set
from engine.games.palace_poker.view import PalacePokerView
from engine.ranking import unchecked_strength, unchecked_strength_ace_high

__all__ = ["Odds"]

SAMPLES: Final = 96
PALACE: Final = 3
TIE_BITS: Final = 4
"""An own-suit count (at most 13) decides between equal strengths: it stands in these bits."""


class Odds:
    """The chances of ``seat`` against each opponent; one set of samples for all questions."""

    def __init__(
        self, view: PalacePokerView, seat: int, random: Random, ace_low: bool = True
    ) -> None:
        self._strength = unchecked_strength if ace_low else unchecked_strength_ace_high
        self._banner = view.banners[seat]
        self._fixed = to_set(view.palaces[seat]) | set_of(self._banner)
        self.opponents = tuple(other for other in view.in_hand if other != seat)
        self._suits = {other: suit_of(view.banners[other]) for other in self.opponents}
        self.unseen = _unseen(view)
        hidden = [random.sample(self.unseen, PALACE) for _ in range(SAMPLES)]
        self._worth = {
            other: self._sampled(view, other, hidden)
            for other in self.opponents
            if self.may_fight(other)
        }

    def may_fight(self, other: int) -> bool:
        """Whether there can be a battle at all: the banner suits differ."""
        return self._suits[other] != suit_of(self._banner)

    def _sampled(
        self, view: PalacePokerView, other: int, hidden: Iterable[Sequence[Card]]
    ) -> list[int]:
        face_up = to_set(view.soldiers[other]) | set_of(view.banners[other])
        own = self._suits[other]
        void = suit_of(self._banner)
        return sorted(self._weigh(face_up | to_set(palace), own, void) for palace in hidden)

    def win(self, soldiers: Iterable[Card], other: int, shown_strength: float = 0.0) -> float:
        """The chance to win against ``other`` while holding ``soldiers``; ties count half.

        ``shown_strength``: the share of his weakest hands that he would not have come with.
        """
        mine = self._weigh(
            self._fixed | to_set(soldiers), suit_of(self._banner), void=self._suits[other]
        )
        sampled = self._worth[other]
        first = min(int(len(sampled) * shown_strength), len(sampled) - 1)
        below = max(bisect_left(sampled, mine), first) - first
        upto = max(bisect_right(sampled, mine), first) - first
        return (below + upto) / 2 / (len(sampled) - first)

    def mean(self, soldiers: Iterable[Card]) -> float:
        """The mean chance against everybody whom the seat may fight; 0 if there is nobody."""
        held = tuple(soldiers)
        chances = [self.win(held, other) for other in self._worth]
        return sum(chances) / len(chances) if chances else 0.0

    def all(self, soldiers: Iterable[Card]) -> Mapping[int, float]:
        """The chance against each opponent whom the seat may fight."""
        held = tuple(soldiers)
        return {other: self.win(held, other) for other in self._worth}

    def _weigh(self, held: CardSet, own_suit: int, void: int) -> int:
        """Strength of a hand without its cards of suit ``void``, own-suit count below that."""
        own = (held & suit_set(own_suit)).bit_count()
        return int(self._strength(held & ~suit_set(void))) << TIE_BITS | own


def _unseen(view: PalacePokerView) -> list[Card]:
    """The cards that this viewer sees nowhere."""
    seen = {*view.banners, *view.rejects}
    for row in (*view.palaces, *view.soldiers):
        seen.update(row)
    return [card for card in PACK if card not in seen]
