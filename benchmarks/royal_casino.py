"""How fast the legal plays of Royal Casino are found, beside the same method in Python.

    python benchmarks/royal_casino.py

The worst position is the one with the most plays that a game can come to (royal_casino 6.8.6); the
typical ones are all decisions of some deals in which plays are drawn at random.  Both ways must
give the same lists before they are timed.  They run in turns, the best round counts, because only
ratios mean something on a machine with neighbours.
"""

from __future__ import annotations

import platform
import random
import time
from collections.abc import Callable, Sequence
from itertools import chain, combinations
from typing import NamedTuple

from engine.cards import PACK, parse_card
from engine.games.royal_casino.plays import BuildFacts, Play, PlayRules, Plays, enumerate_plays

ROUNDS = 5
DEALS = 40
RULES = PlayRules(must_take_equal=True, raise_own_build=False, partner_builds=False, partner=None)
EVERYTHING = 10**6

Cards = tuple[int, ...]


class Position(NamedTuple):
    hand: Cards
    loose: Cards
    builds: tuple[BuildFacts, ...] = ()
    seat: int = 0
    rules: PlayRules = RULES


def cards(names: str) -> Cards:
    return tuple(map(parse_card, names.split()))


def worst() -> Position:
    loose = cards("2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kd As 2d 2h 2s")
    rules = RULES._replace(must_take_equal=False)
    return Position(cards("Kc Ac Ad Ah"), loose, rules=rules)


# --------------------------------------------------------------------- the same method in Python


def order(card: int) -> int:
    return (card - 1) % 13 * 4 + (card - 1) // 13


def value_of(card: int) -> int:
    return (card - 1) % 13 + 2


def low(card: int) -> int:
    return (card % 13) + 1


def groups(table: Cards, value: int) -> list[frozenset[int]]:
    """All groups of a value, depth first."""

    def summing(start: int, left: int, chosen: Cards) -> None:
        for i in range(start, len(table)):
            if low(table[i]) == left:
                found.append(frozenset((*chosen, table[i])))
            elif low(table[i]) < left:
                summing(i + 1, left - low(table[i]), (*chosen, table[i]))

    found = [frozenset([card]) for card in table if value_of(card) == value == 14]
    summing(0, value, ())
    return found


def unions(table: Cards, value: int) -> set[frozenset[int]]:
    """All unions of disjoint groups, grown by the group of each card in turn."""
    found = {frozenset[int]()}
    by_first: dict[int, list[frozenset[int]]] = {card: [] for card in table}
    for group in groups(table, value):
        by_first[min(group, key=order)].append(group)
    for first, mine in by_first.items():
        found |= {u | g for u in found if first not in u for g in mine if not g & u}
    return found


def listed(sets: set[frozenset[int]]) -> list[Cards]:
    keys = sorted(sorted(map(order, each)) for each in sets)
    return [tuple(key % 4 * 13 + key // 4 + 1 for key in each) for each in keys]


def captures(position: Position, card: int, due: set[int]) -> list[Play]:
    value = value_of(card)
    twins = {other for other in position.loose if value_of(other) == value}
    if not position.rules.must_take_equal:
        twins = set()
    numbers = [build.number for build in position.builds if build.value == value]
    sizes = range(len(numbers) + 1)
    sets = sorted(chain.from_iterable(combinations(numbers, size) for size in sizes))
    return [
        Play("capture", card, value, loose, builds, 0)
        for loose in listed(unions(position.loose, value))
        if not twins or not twins.isdisjoint(loose)
        for builds in sets
        if (loose or builds) and due.issubset(builds)
    ]


def builds(position: Position, card: int, value: int, due: set[int]) -> list[Play]:
    without = unions(position.loose, value)
    table = tuple(sorted((*position.loose, card), key=order))
    beside = [group - {card} for group in groups(table, value) if card in group]
    joined = listed({g | u for u in without for g in beside if not g & u})
    found = [Play("build", card, value, loose, (), 0) for loose in joined if loose and not due]
    for base in position.builds:
        own, partner = base.owner == position.seat, base.owner == position.rules.partner
        if due - {base.number} or (partner and not position.rules.partner_builds):
            continue
        if base.value == value:
            found += [Play("build", card, value, loose, (), base.number) for loose in joined]
        elif (
            base.value + low(card) == value
            and not base.multiple
            and (not own or position.rules.raise_own_build)
        ):
            lists = listed(without)
            found += [Play("build", card, value, loose, (), base.number) for loose in lists]
    return found


def in_python(position: Position, limit: int) -> Plays:
    hand = sorted(position.hand, key=order)
    loose = tuple(sorted(position.loose, key=order))
    position = position._replace(loose=loose)
    own = [build for build in position.builds if build.owner == position.seat]
    ranks = {value_of(card) for card in loose}
    trails = [c for c in hand if not own and value_of(c) not in ranks]
    taking: list[Play] = []
    building: list[Play] = []
    for card in hand:
        held = {value_of(other) for other in hand if other != card}
        due = {build.number for build in own if build.value not in held}
        taking += captures(position, card, due)
        for value in sorted(held):
            building += builds(position, card, value, due)
    plays = (*(Play("trail", card, 0, (), (), 0) for card in trails), *taking, *building)
    counts = len(plays), len(trails), len(taking), len(building)
    return Plays(*counts, plays[:limit], len(plays) > limit)


def here(position: Position, limit: int) -> Plays:
    hand, loose, on_table, seat, rules = position
    return enumerate_plays(hand, loose, on_table, seat, rules=rules, limit=limit)


# ------------------------------------------------------------------------------------- decisions


def decisions(seed: int) -> list[Position]:
    """What two players face in a deal in which both play at random."""
    draw = random.Random(seed)
    stock = draw.sample(PACK, 52)
    loose, stock = set(stock[:4]), stock[4:]
    table: dict[int, BuildFacts] = {}
    number = 0
    faced: list[Position] = []
    while stock:
        hands, stock = [stock[:4], stock[4:8]], stock[8:]
        for turn in range(8):
            seat = turn % 2
            position = Position(
                tuple(hands[seat]), tuple(loose), tuple(table.values()), seat, RULES
            )
            faced.append(position)
            play = draw.choice(here(position, EVERYTHING).plays)
            hands[seat].remove(play.card)
            loose -= set(play.loose)
            for taken in play.builds:
                del table[taken]
            if play.kind == "trail":
                loose.add(play.card)
            elif play.kind == "build":
                number += 1
                old = table.get(play.base)
                grown = old is not None and old.value != play.value
                single = low(play.card) + sum(map(low, play.loose)) == play.value
                multiple = bool(play.loose) if grown else old is not None or not single
                key = play.base or number
                table[key] = BuildFacts(key, play.value, seat, multiple)
    return faced


def race(title: str, rows: Sequence[tuple[str, Callable[[], object]]], units: int) -> None:
    """Run all rows in turns and print them; ratios are to the first row."""
    best = dict.fromkeys((name for name, _ in rows), float("inf"))
    for _ in range(ROUNDS):
        for name, run in rows:
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    print(f"\n{title:52} {'ms/position':>12} {'first is':>12}")
    first = best[rows[0][0]]
    for name, seconds in best.items():
        print(f"  {name:50} {seconds / units * 1e3:12,.4f} {seconds / first:11,.2f}×")


def on(
    find: Callable[[Position, int], Plays], positions: Sequence[Position], limit: int
) -> Callable[[], object]:
    def run() -> None:
        for position in positions:
            find(position, limit)

    return run


def main() -> None:
    print(f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}")
    hardest = [worst()]
    typical = [position for seed in range(DEALS) for position in decisions(seed)]
    for position in hardest + typical:
        assert here(position, EVERYTHING) == in_python(position, EVERYTHING)
    totals = [here(position, 0).total for position in typical]
    for title, positions in (
        (f"The worst position, {here(hardest[0], 0).total:,} plays", hardest),
        (f"{len(typical):,} positions, {sum(totals) / len(totals):.1f} plays each", typical),
    ):
        race(
            title,
            [
                ("enumerate_plays, the whole list", on(here, positions, EVERYTHING)),
                ("enumerate_plays, at most 100", on(here, positions, 100)),
                ("enumerate_plays, counts alone", on(here, positions, 0)),
                ("the same method in Python, the whole list", on(in_python, positions, EVERYTHING)),
            ],
            len(positions),
        )


if __name__ == "__main__":
    main()
