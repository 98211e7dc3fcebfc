"""All legal plays of a seat, listed with a limit and counted exactly (royal_casino 6.8).

A list may have tens of thousands of plays (6.8.6) and tells something about the hand: it is made on
request only, for the seat itself, and never longer than the limit.
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import NamedTuple

from engine.cards import Card, rank_of, suit_of

__all__ = ["BuildFacts", "Play", "PlayRules", "Plays", "enumerate_plays"]


class Play(NamedTuple):
    """One legal play; what its kind does not have is 0 or empty."""

    kind: str
    """``trail``, ``capture`` or ``build``."""
    card: Card
    """The hand card that is played."""
    value: int
    """2…14: of what is built, or the capture value of the card that captures; 0 for a trail."""
    loose: tuple[Card, ...]
    """Loose cards taken or built with, in card order (2.4)."""
    builds: tuple[int, ...]
    """Numbers of the builds captured, ascending."""
    base: int
    """Number of the build that is extended or raised; 0: none."""


class BuildFacts(NamedTuple):
    """What matters of a build on the table (4.2)."""

    number: int
    value: int
    owner: int
    multiple: bool


class PlayRules(NamedTuple):
    """The options that decide what is legal (section 3), and the seat's partner if it has one."""

    must_take_equal: bool
    raise_own_build: bool
    partner_builds: bool
    partner: int | None


class Plays(NamedTuple):
    """How many legal plays there are, and the first of them in canonical order (6.8.5)."""

    total: int
    trails: int
    captures: int
    builds: int
    plays: tuple[Play, ...]
    truncated: bool
    """There are more than listed."""


def _order(card: Card) -> int:
    return 4 * rank_of(card) + suit_of(card)


def _low(card: Card) -> int:
    """2.5."""
    return (rank_of(card) + 1) % 13 + 1


def _value(card: Card) -> int:
    return rank_of(card) + 2


Cards = frozenset[Card]


def _groups(cards: tuple[Card, ...], value: int) -> list[Cards]:
    """G(v) (6.8.1)."""

    def summing(rest: tuple[Card, ...], left: int) -> list[Cards]:
        if left == 0:
            return [frozenset()]
        return [
            more | {card}
            for i, card in enumerate(rest)
            if _low(card) <= left
            for more in summing(rest[i + 1 :], left - _low(card))
        ]

    lone = [frozenset([card]) for card in cards if _value(card) == 14 == value]
    return lone + summing(cards, value)


def _unions(cards: tuple[Card, ...], value: int) -> set[Cards]:
    """U(v) (6.8.1)."""
    found: set[Cards] = {frozenset()}
    groups = _groups(cards, value)
    for first in cards:
        mine = [g for g in groups if min(g, key=_order) == first]
        found |= {u | g for u in found if first not in u for g in mine if not g & u}
    return found


def enumerate_plays(
    hand: tuple[Card, ...],
    loose: tuple[Card, ...],
    builds: tuple[BuildFacts, ...],
    seat: int,
    *,
    rules: PlayRules,
    limit: int,
) -> Plays:
    """The legal plays of a seat that is to act: exact counts, and at most ``limit`` of them.

    Cards and builds may come in any order.
    """
    hand, loose = tuple(sorted(hand, key=_order)), tuple(sorted(loose, key=_order))
    builds = tuple(sorted(builds))

    def listed(unions: set[Cards]) -> list[tuple[Card, ...]]:
        lists = (sorted(map(_order, u)) for u in unions)
        return [tuple(i % 4 * 13 + i // 4 + 1 for i in each) for each in sorted(lists)]

    own = [b for b in builds if b.owner == seat]
    trails = [
        Play("trail", card, 0, (), (), 0)
        for card in hand
        if not own and not any(rank_of(card) == rank_of(other) for other in loose)
    ]
    captures: list[Play] = []
    building: list[Play] = []
    for card in hand:
        held = {_value(other) for other in hand if other != card}
        value = _value(card)
        twins = {other for other in loose if rank_of(other) == rank_of(card)}
        due = {b.number for b in own if b.value not in held}
        matching = [b.number for b in builds if b.value == value]
        takes = sorted(
            chain.from_iterable(combinations(matching, k) for k in range(len(matching) + 1))
        )
        captures += [
            Play("capture", card, value, union, taken, 0)
            for union in listed(_unions(loose, value))
            if not (rules.must_take_equal and twins and not twins & set(union))
            for taken in takes
            if (union or taken) and due <= set(taken)
        ]
        for value in sorted(held):
            unions = _unions(loose, value)
            beside = [g - {card} for g in _groups((*loose, card), value) if card in g]
            joined = listed({g | u for g in beside for u in unions if not g & u})
            if not due:
                building += [Play("build", card, value, w, (), 0) for w in joined if w]
            for base in builds:
                if due - {base.number}:
                    continue
                if base.owner == rules.partner and not rules.partner_builds:
                    continue
                if base.value == value:
                    building += [Play("build", card, value, w, (), base.number) for w in joined]
                elif (
                    base.value + _low(card) == value
                    and not base.multiple
                    and (base.owner != seat or rules.raise_own_build)
                ):
                    building += [
                        Play("build", card, value, u, (), base.number) for u in listed(unions)
                    ]
    plays = (*trails, *captures, *building)
    counts = len(plays), len(trails), len(captures), len(building)
    return Plays(*counts, plays[:limit], len(plays) > limit)
