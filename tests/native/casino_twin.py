"""The slow, obvious twin of Royal Casino's legal plays: try everything, keep what the rules allow.

Every set of loose cards, with every set of builds or every value and base, is put to the checks
of 6.4 to 6.6 as a player would put it.  Nothing is shared with the code under test but the form of
the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from engine.games.royal_casino.plays import BuildFacts, Play, PlayRules, Plays

Cards = tuple[int, ...]


def order(card: int) -> int:
    """2c 2d 2h 2s 3c … As (2.4)."""
    return (card - 1) % 13 * 4 + (card - 1) // 13


def capture_value(card: int) -> int:
    return (card - 1) % 13 + 2


def low_value(card: int) -> int:
    return 1 if capture_value(card) == 14 else capture_value(card)


def group_value(cards: Cards) -> int:
    """2.6."""
    return capture_value(cards[0]) if len(cards) == 1 else sum(map(low_value, cards))


def subsets(things: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for size in range(len(things) + 1):
        yield from combinations(things, size)


@cache
def divisible(cards: Cards, value: int) -> bool:
    """Into disjoint groups of a value: some group has the first card, the rest is divisible."""
    if not cards:
        return True
    first, *others = cards
    return any(
        group_value((first, *beside)) == value
        and divisible(tuple(card for card in others if card not in beside), value)
        for beside in subsets(tuple(others))
    )


class Turn:
    """What a seat may do, clause by clause."""

    def __init__(
        self, hand: Cards, loose: Cards, builds: tuple[BuildFacts, ...], seat: int, rules: PlayRules
    ) -> None:
        self.hand, self.loose, self.builds = hand, loose, builds
        self.seat, self.rules = seat, rules

    def twins(self, card: int) -> set[int]:
        return {other for other in self.loose if capture_value(other) == capture_value(card)}

    def holds_enough(self, card: int, gone: tuple[int, ...]) -> bool:
        """After the play a card for every own build, those excepted (6.5.7)."""
        held = {capture_value(other) for other in self.hand if other != card}
        return all(
            build.value in held
            for build in self.builds
            if build.owner == self.seat and build.number not in gone
        )

    def may_trail(self, card: int) -> bool:
        """6.6.1."""
        return not self.twins(card) and all(build.owner != self.seat for build in self.builds)

    def may_capture(self, card: int, loose: Cards, taken: tuple[int, ...]) -> bool:
        """6.4.2 to 6.4.6."""
        value = capture_value(card)
        return (
            bool(loose or taken)
            and all(build.value == value for build in self.builds if build.number in taken)
            and divisible(loose, value)
            and not (
                self.rules.must_take_equal
                and self.twins(card)
                and not self.twins(card).intersection(loose)
            )
            and self.holds_enough(card, taken)
        )

    def may_build(self, card: int, value: int, loose: Cards, base: BuildFacts | None) -> bool:
        """6.5.2 to 6.5.6."""
        if base and base.owner == self.rules.partner and not self.rules.partner_builds:
            return False
        if base and base.value != value:
            if base.multiple or (base.owner == self.seat and not self.rules.raise_own_build):
                return False
            if base.value + low_value(card) != value or not divisible(loose, value):
                return False
        elif not divisible(tuple(sorted((*loose, card), key=order)), value):
            return False
        if not base and not loose:
            return False
        if all(capture_value(other) != value for other in self.hand if other != card):
            return False
        return self.holds_enough(card, (base.number,) if base else ())

    def plays(self) -> Iterator[Play]:
        numbers = tuple(build.number for build in self.builds)
        for card in self.hand:
            if self.may_trail(card):
                yield Play("trail", card, 0, (), (), 0)
            for loose in subsets(self.loose):
                for taken in subsets(numbers):
                    if self.may_capture(card, loose, taken):
                        yield Play("capture", card, capture_value(card), loose, taken, 0)
                for value in range(2, 15):
                    for base in (None, *self.builds):
                        if self.may_build(card, value, loose, base):
                            number = base.number if base else 0
                            yield Play("build", card, value, loose, (), number)


def listing(play: Play) -> tuple[object, ...]:
    """6.8.5."""
    return (
        ("trail", "capture", "build").index(play.kind),
        order(play.card),
        play.value,
        play.base,
        tuple(map(order, play.loose)),
        play.builds,
    )


def enumerate_plays(
    hand: Cards,
    loose: Cards,
    builds: tuple[BuildFacts, ...],
    seat: int,
    rules: PlayRules,
    limit: int,
) -> Plays:
    turn = Turn(
        hand,
        tuple(sorted(loose, key=order)),
        tuple(sorted(builds, key=lambda build: build.number)),
        seat,
        rules,
    )
    plays = tuple(sorted(turn.plays(), key=listing))
    kinds = [play.kind for play in plays]
    return Plays(
        len(plays),
        kinds.count("trail"),
        kinds.count("capture"),
        kinds.count("build"),
        plays[:limit],
        len(plays) > limit,
    )
