"""What ``kartejo odds royal_flush`` does: the exact chance, and deals that confirm it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import count
from math import copysign, inf, sqrt
from threading import Event
from typing import Final, NamedTuple

from engine.games.royal_flush.combinations import every_chance, options_of
from engine.games.royal_flush.odds import chance
from engine.games.royal_flush.options import Options, read_options
from engine.games.royal_flush.simulation import simulate
from service.cli.chances import bar_of, decimal, fraction
from service.cli.console import Output, print_json

__all__ = ["Simulation", "royal_flush_chance", "royal_flush_chances", "standard_errors"]

AT_A_TIME: Final = 16_384
"""Deals of one call of the core."""


class Simulation(NamedTuple):
    """Deals to be played: how many, of which seed, by how many threads (0: one a processor).

    ``first``: the number of the first one; who has played those before it adds up.
    """

    deals: int
    seed: str
    jobs: int
    first: int = 0

    def play(self, options: Sequence[Options]) -> list[int]:
        """How many of the deals each of the options wins, whatever the number of threads."""
        jobs = self.jobs or os.cpu_count() or 1
        left = Event()
        parts = -(-self.deals // AT_A_TIME)
        done = count(1)
        with bar_of("playing") as told, ThreadPoolExecutor(jobs) as pool:

            def play(job: int) -> list[int]:
                """Every so many parts, until all are played or nobody waits for them."""
                won = [0] * len(options)
                for part in range(job, parts, jobs):
                    if left.is_set():
                        break
                    before = part * AT_A_TIME
                    deals = min(AT_A_TIME, self.deals - before)
                    more = simulate(options, self.seed, self.first + before, deals)
                    won = [a + b for a, b in zip(won, more, strict=True)]
                    told(next(done) / parts)
                return won

            try:
                return [sum(each) for each in zip(*pool.map(play, range(jobs)), strict=True)]
            finally:
                left.set()


def standard_errors(exact: Fraction, won: int, deals: int) -> float:
    """How many standard errors a simulation is away from the exact chance.

    >>> standard_errors(Fraction(1, 2), 5_050, 10_000)
    1.0
    """
    off = won - deals * exact
    deviation = sqrt(deals * exact * (1 - exact))
    if deviation:
        return float(off) / deviation
    return copysign(inf, off) if off else 0.0


def royal_flush_chance(
    given: dict[str, str], simulation: Simulation, *, as_json: bool = False
) -> None:
    """The chance of one table."""
    options, _ = read_options(given)
    with bar_of("counting") as told:
        exact = chance(options, told)
    answer: dict[str, object] = {**fraction(exact)}
    out = Output()
    if not as_json:
        out.print(f"exact      {exact.numerator} / {exact.denominator}")
        out.print(f"decimal    {decimal(exact)}")
    if simulation.deals:
        (won,) = simulation.play([options])
        away = standard_errors(exact, won, simulation.deals)
        answer["simulated"] = {
            "won": won,
            "deals": simulation.deals,
            "seed": simulation.seed,
            "standard_errors": away,
        }
        if not as_json:
            share = decimal(Fraction(won, simulation.deals))
            out.print(
                f"simulated  {share}: {won:,} of {simulation.deals:,} deals of the seed "
                f"{simulation.seed!r}, {away:+.2f} standard errors away",
                markup=False,
            )
    if as_json:
        print_json(answer)


def royal_flush_chances(simulation: Simulation, *, markdown: bool) -> None:
    """The chances of every combination, one line for each."""
    with bar_of("counting") as told:
        found = list(every_chance(told))
    won: list[int] = []
    if simulation.deals:
        won = simulation.play([options_of(style, target) for style, target, _ in found])
    rows = []
    for at, (style, target, exact) in enumerate(found):
        cells = [target.name, *style, decimal(exact)]
        if won:
            away = standard_errors(exact, won[at], simulation.deals)
            cells += [decimal(Fraction(won[at], simulation.deals)), f"{away:+.2f}"]
        rows.append(cells)
    titles = ["target", "deal_style", "search_style", "gather_style", "chance"]
    titles += ["simulated", "standard errors"] if won else []
    out = Output()
    if markdown:
        out.lines([_row(titles), _row(["---"] * len(titles)), *map(_row, rows)])
    else:
        widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
        for cells in (titles, *rows):
            padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
            out.print("  ".join(padded).rstrip(), markup=False)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
