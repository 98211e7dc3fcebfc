"""How fast hands are ranked and packs shuffled, beside what a user would take instead.

    python benchmarks/ranking.py [--plot docs/ranking.svg]

Wants the extra `bench`, which `make bench` installs.

Everything is measured in one run, the contestants taking turns, because only ratios mean something
on a machine with neighbours.  A figure is the best of many short rounds.  One thread; random hands;
loops are Python's unless a row says "batch", so a figure includes some 5 ns of the loop itself.
"""

from __future__ import annotations

import argparse
import math
import platform
import random
import time
import warnings
from array import array
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pkrbot
import treys
from phevaluator import evaluate_cards

from engine._native import ffi, lib
from engine.cards import PACK, card_name, to_set
from engine.ranking import (
    Tier,
    best_tier,
    strength,
    strength_list,
    strengths_into,
    unchecked_strength,
    use_tier,
)
from engine.shuffle import order

with warnings.catch_warnings():  # its import uses a deprecated name of its parser
    warnings.simplefilter("ignore", DeprecationWarning)
    import eval7

ROUNDS = 200
HANDS = 1_000
"""In loops of Python: few enough that their objects stay in the cache."""
BLOCK = 65_536
"""In C: sets and strengths fit the cache of one core."""
MILLION = 1_000_000
MIXED = 0
"""Stands for hands of 0 to 9 cards, half of them with one suit left out."""


class Row(NamedTuple):
    name: str
    run: Callable[[], object]
    units: int
    """What one run does: hands, shuffles, games."""


class Figure(NamedTuple):
    name: str
    measured: float
    unit: str
    wanted: float
    at_most: bool = False

    @property
    def is_met(self) -> bool:
        return self.measured <= self.wanted if self.at_most else self.measured >= self.wanted


def race(title: str, unit: str, rows: Sequence[Row]) -> dict[str, float]:
    """Run all rows in turns and print them: seconds a unit, by name."""
    best = {row.name: float("inf") for row in rows}
    for _ in range(ROUNDS):
        for row in rows:
            start = time.perf_counter()
            row.run()
            best[row.name] = min(best[row.name], (time.perf_counter() - start) / row.units)
    print(f"\n{title:48} {'ns/' + unit:>12} {unit + 's/s':>16} {'first is':>12}")
    first = best[rows[0].name]
    for name, each in best.items():
        print(f"  {name:46} {each * 1e9:12,.2f} {1 / each:16,.0f} {each / first:11,.2f}×")
    return best


def random_hands(n: int, count: int) -> list[list[int]]:
    draw = random.Random(n)
    return [draw.sample(PACK, n) for _ in range(count)]


def random_sets(n: int, count: int) -> array[int]:
    if n != MIXED:
        return array("Q", map(to_set, random_hands(n, count)))
    draw = random.Random("mixed")
    sets = [to_set(draw.sample(PACK, draw.randrange(10))) for _ in range(count)]
    void = [~(0xFFFF << 16 * draw.randrange(4)) if draw.random() < 0.5 else -1 for _ in sets]
    return array("Q", (cards & suits for cards, suits in zip(sets, void, strict=True)))


def loop(call: Callable[..., object], arguments: Iterable[object]) -> Callable[[], object]:
    def run() -> None:
        for argument in arguments:
            call(argument)

    return run


def spread(call: Callable[..., object], arguments: Iterable[Sequence[object]]) -> Callable:
    def run() -> None:
        for argument in arguments:
            call(*argument)

    return run


# ---------------------------------------------------------------------------------- the C core


def tier_rows(n: int) -> list[Row]:
    """A block of hands of n cards, ranked by each tier."""
    sets, words = random_sets(n, BLOCK), array("I", bytes(4 * BLOCK))
    source, target = ffi.from_buffer("uint64_t[]", sets), ffi.from_buffer("uint32_t[]", words)

    def by(tier: Tier) -> Callable[[], object]:
        def run() -> None:
            use_tier(tier)
            lib.kj_strength_many(source, BLOCK, True, target)

        return run

    return [
        Row(tier.name.lower(), by(tier), BLOCK) for tier in reversed(Tier) if tier <= best_tier()
    ]


def core() -> list[Figure]:
    sizes = {3: "3 cards", 5: "5 cards", 7: "7 cards", 9: "9 cards", 13: "13 cards"}
    sizes[MIXED] = "0 to 9 cards, some without a suit"
    took = {
        n: race(f"Batch of {BLOCK:,}, {name}", "hand", tier_rows(n)) for n, name in sizes.items()
    }
    use_tier(best_tier())
    figures = []
    for name, floor, ratio in (("avx512", 1.0, 8), ("avx2", 0.65, 5)):
        if Tier[name.upper()] > best_tier():
            continue
        few = [took[n][name] for n in (3, 5, 7, 9)]
        slowest = max(*few, took[MIXED][name])
        figures += [
            Figure(f"{name}: batch, slowest of 3–9 cards", 1e-9 / slowest, "G/s", floor),
            Figure(f"{name}: slowest of 3, 5, 7, 9 cards / fastest", min(few) / max(few), "", 0.8),
            Figure(f"{name}: batch / one by one", took[7]["bmi2"] / took[7][name], "×", ratio),
        ]
    if best_tier() >= Tier.BMI2:
        for n, floor in ((5, 100), (7, 100), (9, 75)):
            rate = 1e-6 / took[n]["bmi2"]
            figures.append(Figure(f"bmi2: one hand of {n} cards", rate, "M/s", floor))
    figures.append(Figure("portable: one hand of 7", 1e-6 / took[7]["portable"], "M/s", 50))
    return figures


# --------------------------------------------------------------------------------- from Python


def peers(hands: list[list[int]]) -> list[Row]:
    """Other evaluators on the same hands, with their own card objects made beforehand."""
    names = [[card_name(card) for card in cards] for cards in hands]
    ids = [[(card - 1) % 13 * 4 + (card - 1) // 13 for card in cards] for cards in hands]
    judge = treys.Evaluator()
    words = [list(map(treys.Card.new, cards)) for cards in names]
    boards = [(cards[:-2], cards[-2:]) for cards in words]
    return [
        Row("pkrbot", loop(pkrbot.evaluate, [list(map(pkrbot.Card, n)) for n in names]), HANDS),
        Row("eval7", loop(eval7.evaluate, [list(map(eval7.Card, n)) for n in names]), HANDS),
        Row("phevaluator", spread(evaluate_cards, ids), HANDS),
        Row("treys", spread(judge.evaluate, boards[: HANDS // 10]), HANDS // 10),
    ]


def from_python() -> tuple[dict[str, float], list[Figure]]:
    hands = random_hands(7, HANDS)
    sets = list(map(to_set, hands))
    many = sets * 20
    million = random_sets(7, BLOCK)[: MILLION // 16] * 16
    out = array("I", bytes(4 * MILLION))

    def buffers() -> None:
        for _ in range(2):  # the other rows of the race empty the cache
            strengths_into(out, million)

    took = race(
        "7 cards, from Python",
        "hand",
        [
            Row("Kartejo, buffers of a million", buffers, 2 * MILLION),
            Row("Kartejo, list to list", lambda: strength_list(many), len(many)),
            Row("Kartejo, one call a hand", loop(strength, sets), HANDS),
            Row("Kartejo, one unchecked call", loop(unchecked_strength, sets), HANDS),
            *peers(hands),
        ],
    )
    batch, listed, single, *_ = took.values()
    return took, [
        Figure("Python: a million in buffers", batch * 1e9, "ns", 1.0, at_most=True),
        Figure("Python: a million in buffers", took["eval7"] / batch, "× eval7", 400),
        Figure("Python: a million in buffers", took["pkrbot"] / batch, "× pkrbot", 100),
        Figure("Python: list in, list out", listed * 1e9, "ns", 80, at_most=True),
        Figure("Python: one call a hand", single * 1e9, "ns", 110, at_most=True),
        Figure("Python: one call a hand", took["eval7"] / single, "× eval7", 4),
    ]


def shuffling() -> list[Figure]:
    keys = [number.to_bytes(32, "little") for number in range(HANDS)]
    system = random.SystemRandom()
    pack = list(PACK)
    buffer = bytearray(PACK)
    items = ffi.from_buffer(buffer)
    in_c = lib.kj_shuffle

    def ready() -> None:
        for key in keys:
            in_c(key, items, 52)

    def ours() -> None:
        for key in keys:
            order(key, PACK)

    def theirs(shuffle: Callable[[list[int]], None], times: int) -> Callable[[], object]:
        def run() -> None:
            for _ in range(times):
                shuffle(pack)

        return run

    took = race(
        "Shuffle of 52 cards",
        "shuffle",
        [
            Row("order(key, pack)", ours, HANDS),
            Row("kj_shuffle in a ready buffer", ready, HANDS),
            Row("random.shuffle(list)", theirs(random.shuffle, 100), 100),
            Row("random.SystemRandom().shuffle(list)", theirs(system.shuffle, 20), 20),
        ],
    )
    one, core, other, _ = took.values()
    return [
        Figure("shuffles in C, the call included", 1e-6 / core, "M/s", 1.5),
        Figure("shuffles from Python", 1e-6 / one, "M/s", 1.0),
        Figure("shuffles from Python", other / one, "× random.shuffle", 9),
    ]


def royal_flush() -> None:
    count = 2_000
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


# ------------------------------------------------------------------------------------ the plot


def plot(took: dict[str, float]) -> str:
    """Bars on a logarithmic scale, hands a second, as SVG that suits light and dark pages."""
    low, high = 5, 10  # powers of ten
    left, width, step = 220, 400, 26
    bottom = step * len(took) + 12

    def x(hands: float) -> float:
        return left + width * (math.log10(hands) - low) / (high - low)

    def rate(each: float) -> str:
        millions = 1e-6 / each
        return f"{millions:,.0f} M/s" if millions >= 100 else f"{millions:.2g} M/s"

    box = f"0 0 {left + width + 80} {bottom + 44}"
    font = 'font-family="sans-serif" font-size="13" fill="#888"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {font}>']
    for power in range(low, high + 1):
        at, label = x(10**power), f"10<tspan dy='-5' font-size='9'>{power}</tspan>"
        lines.append(f'<path d="M{at:.0f} 4V{bottom}" stroke="#8884"/>')
        lines.append(f'<text x="{at:.0f}" y="{bottom + 18}" text-anchor="middle">{label}</text>')
    for number, (name, each) in enumerate(took.items()):
        y, end = 8 + step * number, x(1 / each)
        colour = "#2a7d4f" if name.startswith("Kartejo") else "#9a9a9a"
        lines.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{name}</text>')
        lines.append(f'<path d="M{left} {y + 9}H{end:.1f}" stroke="{colour}" stroke-width="18"/>')
        lines.append(f'<text x="{end + 6:.0f}" y="{y + 14}">{rate(each)}</text>')
    title = "hands of 7 cards a second, one thread, called from Python"
    lines.append(f'<text x="{left}" y="{bottom + 38}">{title}</text></svg>')
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write bars as SVG")
    wanted = parser.parse_args()
    print(f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}")
    figures = core()
    took, more = from_python()
    figures += more + shuffling()
    royal_flush()
    print(f"\n{'':52} {'measured':>10} {'wanted':>10}")
    for f in figures:
        sign = "≤" if f.at_most else "≥"
        verdict = "" if f.is_met else "   short"
        print(f"  {f.name:50} {f.measured:10,.2f} {sign:>3} {f.wanted:<6g} {f.unit}{verdict}")
    if wanted.plot:
        wanted.plot.write_text(plot(took), encoding="utf-8")


if __name__ == "__main__":
    main()
