"""How fast hands are ranked and packs shuffled, beside what a user would take instead.

    python benchmarks/ranking.py

Everything is measured in one run, the contestants taking turns, because only ratios mean
something on a machine with neighbours.  A figure is the best of several rounds; loops are
Python's unless the row says "batch", so a figure includes about 10 ns of the loop itself.
"""

from __future__ import annotations

import importlib
import platform
import random
import time
from array import array
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import NamedTuple

from engine._native import ffi, lib
from engine.cards import PACK, card_name, to_set
from engine.ranking import strength, strengths, strengths_into, unchecked_strength
from engine.shuffle import order

ROUNDS = 5
BATCH = 1_000_000
SINGLE = 50_000


class Row(NamedTuple):
    name: str
    run: Callable[[], object] | None
    """None: not installed."""
    units: int
    """What one run does: hands, shuffles, games."""


def peer(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def race(title: str, unit: str, rows: Sequence[Row]) -> None:
    """Run all rows in turns and print them; ratios are to the first row."""
    best = {row.name: float("inf") for row in rows}
    for _ in range(ROUNDS):
        for row in rows:
            if row.run is not None:
                start = time.perf_counter()
                row.run()
                best[row.name] = min(best[row.name], time.perf_counter() - start)
    print(f"\n{title:52} {'ns/' + unit:>12} {unit + 's/s':>14} {'first is':>12}")
    first = best[rows[0].name] / rows[0].units
    for row in rows:
        if row.run is None:
            print(f"  {row.name:50} {'not installed':>12}")
            continue
        each = best[row.name] / row.units
        print(f"  {row.name:50} {each * 1e9:12,.2f} {1 / each:14,.0f} {each / first:11,.2f}×")


def hands(n: int, count: int) -> list[list[int]]:
    draw = random.Random(n)
    return [draw.sample(PACK, n) for _ in range(count)]


def loop(call: Callable[..., object], arguments: Sequence[object]) -> Callable[[], object]:
    def run() -> None:
        for argument in arguments:
            call(argument)

    return run


def loop_spread(call: Callable[..., object], arguments: Sequence[Sequence[object]]) -> Callable:
    def run() -> None:
        for argument in arguments:
            call(*argument)

    return run


def peers(seven: list[list[int]]) -> list[Row]:
    """Other evaluators on the same hands, with their own card objects made beforehand."""
    eval7, phevaluator = peer("eval7"), peer("phevaluator")
    rows = [Row("eval7.evaluate(list of Card)", None, 0)]
    if eval7:
        objects = [[eval7.Card(card_name(card)) for card in cards] for cards in seven]
        rows = [Row(rows[0].name, loop(eval7.evaluate, objects), len(seven))]
    if phevaluator:
        ids = [[(card - 1) % 13 * 4 + (card - 1) // 13 for card in cards] for cards in seven]
        run = loop_spread(phevaluator.evaluate_cards, ids)
        return [*rows, Row("phevaluator.evaluate_cards(ids)", run, len(seven))]
    return [*rows, Row("phevaluator.evaluate_cards(ids)", None, 0)]


def ranking() -> None:
    seven = hands(7, SINGLE)
    sets = [to_set(cards) for cards in seven]
    race(
        "Strength of 7 cards, one call a hand",
        "hand",
        [
            Row("strength(set)", loop(strength, sets), SINGLE),
            Row("unchecked_strength(set)", loop(unchecked_strength, sets), SINGLE),
            *peers(seven),
        ],
    )
    million = array("Q", sets * (BATCH // SINGLE))
    out = array("I", bytes(4 * BATCH))
    race(
        f"Strength of 7 cards, batch of {BATCH:,}",
        "hand",
        [
            Row("strengths_into(buffer, buffer)", lambda: strengths_into(out, million), BATCH),
            Row("strengths(buffer)", lambda: strengths(million), BATCH),
            *peers(seven),
        ],
    )
    rows = []
    for n in (7, 3, 5, 9, 13):
        batch = array("Q", [to_set(cards) for cards in hands(n, BATCH // 4)])
        words = array("I", bytes(4 * len(batch)))
        source, target = ffi.from_buffer("uint64_t[]", batch), ffi.from_buffer("uint32_t[]", words)

        def run(source=source, target=target) -> None:
            lib.kj_strength_many(source, len(source), True, target)

        rows.append(Row(f"{n} cards", run, len(batch)))
    race("In C alone, random sets", "hand", rows)


def shuffling() -> None:
    count = 20_000
    keys = [number.to_bytes(32, "little") for number in range(count)]
    system = random.SystemRandom()
    pack = list(PACK)

    def ours() -> None:
        for key in keys:
            order(key, PACK)

    def theirs(shuffle: Callable[[list[int]], None], times: int) -> Callable[[], object]:
        def run() -> None:
            for _ in range(times):
                shuffle(pack)

        return run

    race(
        "Shuffle of 52 cards",
        "shuffle",
        [
            Row("order(key, pack)", ours, count),
            Row("random.shuffle(list)", theirs(random.shuffle, count // 10), count // 10),
            Row("random.SystemRandom().shuffle(list)", theirs(system.shuffle, 500), 500),
        ],
    )


def royal_flush() -> None:
    count = 20_000
    decks = b"".join(bytes(order(n.to_bytes(32, "little"), PACK)) for n in range(count))
    out, played = ffi.new("kj_rf_outcome[]", count), ffi.new("size_t *")
    rows = []
    for name in ("ROYAL_FLUSH", "STRAIGHT_FLUSH", "FOUR_OF_A_KIND", "FULL_HOUSE"):
        mode = getattr(lib, f"KJ_RF_{name}")
        options = ffi.new("kj_rf_options *", [0, 0, 0, 0, mode, 255, 255, 255, 0])

        def run(options=options) -> None:
            lib.kj_rf_play_many(options, decks, count, out, played)

        run()
        won = sum(out[i].won for i in range(count)) / count
        rows.append(Row(f"{name.lower()}, won {won:.1%}", run, count))
    race("Royal Flush, whole games in C", "game", rows)


if __name__ == "__main__":
    print(f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}")
    ranking()
    shuffling()
    royal_flush()
