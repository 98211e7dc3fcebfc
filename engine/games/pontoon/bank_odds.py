"""What staying and drawing are worth to the banker, exactly (pontoon 6.11, 8.2-8.4).

Every order of the cards that nobody can see is equally likely, as far as what is open allows it.
A punter's hand that plays on is not bust; if it has fewer than five cards it stuck, so its total
allowed that; an ace with a ten would have been declared, and so they are not the first two cards of
a longer hand either; and each card after the second came to a hand that may draw (pontoon 6.4,
6.6-6.9, 7.2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from math import perm, prod
from operator import mul
from typing import Final, NamedTuple

from engine.cards import HIDDEN, Card, rank_of
from engine.errors import Malformed
from engine.games.pontoon.options import Options
from engine.games.pontoon.state import FIVE
from engine.games.pontoon.totals import TRICK, best, is_bust, is_pontoon, may_draw, strength
from engine.odds import Progress, require_within, unseen

__all__ = ["MOST_STEPS", "Bank", "Punter", "bank", "steps"]

MOST_STEPS: Final = 100_000_000
"""Half a minute or so; seven punters with two cards each face down take a fourth at most."""
MOST_HANDS: Final = 28
"""Hands that seven punters can have, each four after splitting."""
MOST_STAKE: Final = (1 << 63) - 1

_NO_CARDS: Final = (
    "no cards can lie there, in the order given: see stick_min, pontoons and bust hands"
)

_MAKING: Final = 8
"""Steps to make a way to use up cards; what it pays for an end of the turn is one more."""

_CLASSES: Final = (13, *range(1, 9), 9)
"""A card of each number of points: the ace of clubs, 2 to 9, the ten, as cards to compute with."""
_TEN: Final = 9


def _class_of(card: Card) -> int:
    """0 for an ace, 1…8 for 2…9, 9 for ten points (7.1)."""
    rank = rank_of(card)
    return 0 if rank == 12 else min(rank + 1, _TEN)


class Punter(NamedTuple):
    """A live hand as it lies on the table: 0 for each card whose face is down.

    The cards stand in the order in which they came: the first two, then those bought or twisted.
    """

    cards: tuple[Card, ...]
    stake: int
    pontoon: bool = False
    """It was declared."""
    split: bool = False


class Bank(NamedTuple):
    """What the banker wins on average, in chips, by staying and by drawing."""

    stay: Fraction
    draw: Fraction | None
    """By drawing a card and then doing what is best; None where no card can be drawn."""
    bust: Fraction | None
    """The chance that this card passes 21."""


class _Hand(NamedTuple):
    """A hand's possible hidden cards, as numbers of cards of each class.

    ``fills``: the classes, in how many orders they come, and the strength that they make.
    """

    stake: int
    hidden: int
    fills: tuple[tuple[tuple[int, ...], int, int], ...]


def bank(
    cards: Sequence[Card],
    punters: Sequence[Punter],
    gone: Sequence[Card],
    options: Options,
    *,
    most: int = MOST_STEPS,
    progress: Progress | None = None,
) -> Bank:
    """What staying and drawing are worth to the banker in his turn (pontoon 6.11, 8.2-8.4).

    ``gone`` are cards known to be neither under a hidden face nor to come.  Everybody can pay
    (8.6); shoot bets are left out.

    Raises ``Malformed`` for positions that cannot be, and for more than ``most`` steps.
    """
    position = _Position(cards, punters, gone, options)
    require_within("punters", position.steps(most), most, "steps or more")
    return position.bank(progress or (lambda _: None))


def steps(
    cards: Sequence[Card], punters: Sequence[Punter], gone: Sequence[Card], options: Options
) -> int:
    """How many steps :func:`bank` would take.  Raises ``Malformed`` as it does."""
    return _Position(cards, punters, gone, options).steps(MOST_STEPS)


class _Position:
    """A banker's turn, in numbers of cards of each class."""

    def __init__(
        self,
        cards: Sequence[Card],
        punters: Sequence[Punter],
        gone: Sequence[Card],
        options: Options,
    ) -> None:
        self._options = options
        self._cards = tuple(cards)
        if not 1 <= len(punters) <= MOST_HANDS:
            raise Malformed("punters", f"{len(punters)} live hands; expected 1 to {MOST_HANDS}")
        rest = unseen(
            ("bank", cards),
            *((f"punters[{n}]", filter(None, each.cards)) for n, each in enumerate(punters)),
            ("gone", gone),
        )
        self._require_turn()
        turns = self._all_turns(self._cards)
        self._drawn = len(turns)
        self._ends = tuple(dict.fromkeys(turns.values()))
        counts = Counter(map(_class_of, rest))
        self._left = tuple(counts[one] for one in range(len(_CLASSES)))
        self._hands = [self._hand(f"punters[{n}]", each) for n, each in enumerate(punters)]
        self._hidden = sum(hand.hidden for hand in self._hands)
        if self._hidden > len(rest):
            raise Malformed("gone", f"{len(rest)} cards are left for {self._hidden} hidden faces")

    def _require_turn(self) -> None:
        if not 2 <= len(self._cards) < FIVE:
            raise Malformed("bank", "expected 2 to 4 cards: with five the deal is over")
        if is_bust(self._cards):
            raise Malformed("bank", "it is bust")
        if is_pontoon(self._cards, False, self._options):
            raise Malformed("bank", "a pontoon: the deal is over")

    def _hand(self, field: str, punter: Punter) -> _Hand:
        if not 2 <= len(punter.cards) <= FIVE:
            raise Malformed(field, f"{len(punter.cards)} cards; expected 2 to 5")
        if not 1 <= punter.stake <= MOST_STAKE:
            raise Malformed(field, f"a stake of {punter.stake}; expected 1 to {MOST_STAKE}")
        shown = tuple(card for card in punter.cards if card != HIDDEN)
        hidden = len(punter.cards) - len(shown)
        fills: list[tuple[tuple[int, ...], int, int]] = []
        for classes, orders in self._hidden_cards(punter).items():
            whole = (*shown, *(_CLASSES[one] for one in classes))
            if self._may_be(whole, punter):
                used = tuple(classes.count(one) for one in range(len(_CLASSES)))
                fills.append((used, orders, strength(whole, punter.split, self._options)))
        if not fills:
            raise Malformed(field, _NO_CARDS)
        return _Hand(punter.stake, hidden, tuple(fills))

    def _hidden_cards(self, punter: Punter) -> Counter[tuple[int, ...]]:
        """What may lie under the faces, and in how many orders: the hand took card after card."""
        found: Counter[tuple[int, ...]] = Counter({(): 1})
        shown: tuple[Card, ...] = ()
        for count, card in enumerate(punter.cards, 1):
            if card == HIDDEN:
                longer: Counter[tuple[int, ...]] = Counter()
                for classes, orders in found.items():
                    for one in range(len(_CLASSES)):
                        longer[tuple(sorted((*classes, one)))] += orders
                found = longer
            else:
                shown = (*shown, card)
            if 2 <= count < len(punter.cards):
                for classes in tuple(found):
                    whole = (*shown, *(_CLASSES[one] for one in classes))
                    if not self._takes_another(whole, punter):
                        del found[classes]
        return found

    def _takes_another(self, cards: tuple[Card, ...], punter: Punter) -> bool:
        """Whether so many cards of a hand were followed by one more."""
        if is_pontoon(cards, punter.split, self._options):
            return False
        return may_draw(cards, self._options)

    def _may_be(self, cards: tuple[Card, ...], punter: Punter) -> bool:
        """Whether a hand may lie there without having been turned up."""
        if is_bust(cards) or is_pontoon(cards, punter.split, self._options) != punter.pontoon:
            return False
        return punter.pontoon or len(cards) == FIVE or best(cards) >= self._options.stick_min

    def steps(self, most: int) -> int:
        """Every way to use up cards under hidden faces is made, with what it pays for each end, and
        weighed for each way to draw.  Counting ends soon after ``most``.
        """
        ways, total = {0}, 0
        for hand in self._hands:
            total += len(ways) * len(hand.fills) * (_MAKING + len(self._ends))
            if total > most:
                break
            fills = [sum(n << 8 * one for one, n in enumerate(used)) for used, _, _ in hand.fills]
            ways = {before + used for before in ways for used in fills}
        return total + len(ways) * self._drawn

    # A fill of all hidden faces uses n_c cards of class c; the cards that are left can give it in
    # the product of left_c · (left_c - 1) · … (n_c factors) ways.  So it is enough to know, for
    # each way to use up cards, in how many patterns it fills the hands, and what they pay.

    def _patterns(self, progress: Progress) -> dict[tuple[int, ...], list[int]]:
        """For each way to use up cards: patterns, then what they pay for each end, summed."""
        patterns = {(0,) * len(_CLASSES): [1] + [0] * len(self._ends)}
        for hand in self._hands:
            further: dict[tuple[int, ...], list[int]] = {}
            for before, sums in patterns.items():
                progress(0)
                for used, orders, worth in hand.fills:
                    after = tuple(map(int.__add__, before, used))
                    if any(map(int.__gt__, after, self._left)):
                        continue
                    into = further.setdefault(after, [0] * len(sums))
                    into[0] += orders * sums[0]
                    for at, end in enumerate(self._ends, 1):
                        pay = hand.stake * _won(end, worth)
                        into[at] += orders * (sums[at] + pay * sums[0])
            patterns = further
        if not patterns:
            raise Malformed("punters", "the cards that are left cannot lie under all hidden faces")
        return patterns

    def bank(self, progress: Progress) -> Bank:
        patterns = self._patterns(progress)
        turn = _Turn(self._options, self._ends, patterns, self._hidden, progress)
        return turn.choose(self._cards, self._left)

    def _all_turns(self, cards: tuple[Card, ...]) -> dict[tuple[Card, ...], int]:
        """How the turn may end: for each hand the strength, 0 for bust."""
        found: dict[tuple[Card, ...], int] = {}
        further = {cards}
        while further:
            found |= {hand: strength(hand, False, self._options) for hand in further}
            further = {
                (*cards, *sorted((*hand[len(cards) :], card)))
                for hand in further
                if may_draw(hand, self._options)
                for card in _CLASSES
            }
        return found


def _won(end: int, worth: int) -> int:
    """Stakes that the banker wins from a hand of strength ``worth`` (8.2-8.4)."""
    if end == 0 or worth > end:
        return -2 if worth >= TRICK else -1
    return 2 if end == TRICK else 1


class _Some(NamedTuple):
    """Some of the ways to use up cards: numbers of their two halves, and columns of their sums."""

    low: list[int]
    high: list[int]
    columns: list[list[int]]


_HALF: Final = len(_CLASSES) // 2
_AT_A_TIME: Final = 2_048
"""Ways that are weighed in one go: half a millisecond in which no other thread of Python runs."""


class _Turn:
    """The banker's turn, worked out from its ends; positions that differ in order alone are one."""

    def __init__(
        self,
        options: Options,
        ends: Sequence[int],
        patterns: dict[tuple[int, ...], list[int]],
        hidden: int,
        progress: Progress,
    ) -> None:
        self._options = options
        self._ends = {end: at for at, end in enumerate(ends, 1)}
        self._low: dict[tuple[int, ...], int] = {}
        self._high: dict[tuple[int, ...], int] = {}
        self._some: list[_Some] = []
        self._hidden = hidden
        self._progress = progress
        self._share = 0.0
        self._values: dict[tuple[int, ...], Fraction] = {}
        self._sums: dict[tuple[int, ...], tuple[int, int]] = {}
        ways = iter(patterns.items())
        while some := tuple(islice(ways, _AT_A_TIME)):
            progress(0)
            low = [self._low.setdefault(used[:_HALF], len(self._low)) for used, _ in some]
            high = [self._high.setdefault(used[_HALF:], len(self._high)) for used, _ in some]
            columns = [[sums[at] for _, sums in some] for at in range(len(ends) + 1)]
            self._some.append(_Some(low, high, columns))

    def choose(self, cards: tuple[Card, ...], left: tuple[int, ...]) -> Bank:
        stay = self._stay(cards, left)
        if not self._may_draw(cards, left):
            return Bank(stay, None, None)
        draw, bust = Fraction(0), Fraction(0)
        chances = self._chances(cards, left)
        for done, (drawn, after, chance) in enumerate(chances, 1):
            draw += chance * self._value(drawn, after)
            bust += chance * is_bust(drawn)
            self._share = done / len(chances)
            self._progress(self._share)
        return Bank(stay, draw, bust)

    def _may_draw(self, cards: tuple[Card, ...], left: tuple[int, ...]) -> bool:
        return may_draw(cards, self._options) and sum(left) > self._hidden

    def _value(self, cards: tuple[Card, ...], left: tuple[int, ...]) -> Fraction:
        """What the turn is worth from here, by doing what is best."""
        if left in self._values:
            return self._values[left]
        value = self._stay(cards, left)
        if not is_bust(cards) and self._may_draw(cards, left):
            drawing = Fraction(0)
            for drawn, after, chance in self._chances(cards, left):
                drawing += chance * self._value(drawn, after)
            value = max(value, drawing)
        self._values[left] = value
        return value

    def _chances(
        self, cards: tuple[Card, ...], left: tuple[int, ...]
    ) -> list[tuple[tuple[Card, ...], tuple[int, ...], Fraction]]:
        """The hand with each class drawn, what is left, and the chance of that: what is left must
        fill the hidden faces.
        """
        ways = [
            ((*cards, _CLASSES[one]), (*left[:one], count - 1, *left[one + 1 :]), count)
            for one, count in enumerate(left)
            if count
        ]
        weights = [count * self._weigh(drawn, after)[0] for drawn, after, count in ways]
        total = sum(weights)
        return [
            (drawn, after, Fraction(weight, total))
            for (drawn, after, _), weight in zip(ways, weights, strict=True)
            if weight
        ]

    def _stay(self, cards: tuple[Card, ...], left: tuple[int, ...]) -> Fraction:
        """What the banker wins on average if his turn ends with these cards."""
        weight, pays = self._weigh(cards, left)
        return Fraction(pays, weight)

    def _weigh(self, cards: tuple[Card, ...], left: tuple[int, ...]) -> tuple[int, int]:
        """In how many ways the cards left fill the hidden faces, and what all these pay if the
        banker's turn ends with ``cards``.
        """
        if left not in self._sums:
            at = self._ends[strength(cards, False, self._options)]
            low, high = (
                [prod(map(perm, counts, used)) for used in half]
                for half, counts in ((self._low, left[:_HALF]), (self._high, left[_HALF:]))
            )
            weight = pays = 0
            for some in self._some:
                self._progress(self._share)
                ways = list(
                    map(mul, map(low.__getitem__, some.low), map(high.__getitem__, some.high))
                )
                weight += sum(map(mul, ways, some.columns[0]))
                pays += sum(map(mul, ways, some.columns[at]))
            self._sums[left] = weight, pays
        return self._sums[left]
