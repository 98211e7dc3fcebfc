"""Writes the tables in docs/odds.md: ``python tools/odds_table.py [--check] [--simulate N]``.

The exact chances are worked out anew, which takes half a minute.  What the deals came to is read
from docs/odds-simulated.json; ``--simulate`` first plays those of N deals that it does not have
yet (``--anew``: all of them, as after a change of the rules) and writes it: 10^8 take a quarter of
an hour on two processors with AVX-512, more than an hour on others.  With ``--check`` nothing is
written; the exit code says whether the page holds what it should.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from fractions import Fraction
from pathlib import Path

from engine.games.royal_flush.combinations import (
    SAME_STYLES,
    STYLES,
    TARGETS,
    Style,
    Target,
    every_chance,
    options_of,
)
from service.cli.flush_chances import Simulation, standard_errors

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "odds.md"
PLAYED = ROOT / "docs" / "odds-simulated.json"
SEED = "kartejo"
BLOCK = re.compile(r"(<!-- table -->\n)(.*?)(<!-- end of table -->\n)", re.DOTALL)


def games() -> list[tuple[Style, Target]]:
    """The combinations that are games of their own."""
    styles = [style for style in STYLES if style not in SAME_STYLES]
    return [(style, one) for style in styles for one in TARGETS if one.as_ == one.name]


def key(style: Style, target: str) -> str:
    """What a game is called in the file."""
    return " ".join((*SAME_STYLES.get(style, style), target))


def simulate(deals: int, *, anew: bool) -> None:
    """Play all games with the same deals, and keep what was won.

    Deals have numbers, so that those of several runs are those of one.
    """
    played = games()
    keys = [key(style, target.name) for style, target in played]
    first, won = 0, dict.fromkeys(keys, 0)
    told = json.loads(PLAYED.read_text(encoding="utf-8"))
    if not anew and told["seed"] == SEED and told["deals"] <= deals:
        first, won = told["deals"], told["won"]
    more = Simulation(deals - first, SEED, 0, first).play([options_of(*game) for game in played])
    write(deals, {name: won[name] + add for name, add in zip(keys, more, strict=True)})


def write(deals: int, won: dict[str, int]) -> None:
    """Keep what was won."""
    told = {"seed": SEED, "deals": deals, "won": won}
    PLAYED.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def tables() -> str:
    """Both tables: one to look at, one with everything."""
    found = list(every_chance())
    told = json.loads(PLAYED.read_text(encoding="utf-8"))
    deals: int = told["deals"]
    chances: dict[tuple[Style, str], Fraction] = {(s, t.name): c for s, t, c in found}
    short = [
        row("", *(f"{n}" for n in range(1, len(STYLES) + 1))),
        row(*["---"] * (len(STYLES) + 1)),
        *(
            row(target.name, *(f"{float(chances[style, target.name]):.5f}" for style in STYLES))
            for target in TARGETS
        ),
    ]
    styles = [f"{n}. `{'`, `'.join(style)}`" for n, style in enumerate(STYLES, 1)]
    titles = ("style", "target", "exact", "decimal", f"of {deals:,} deals won", "standard errors")
    whole = [row(*titles), row(*["---"] * len(titles))]
    for style, target, exact in found:
        won = told["won"][key(style, target.as_)]
        away = standard_errors(exact, won, deals)
        fraction = f"{exact.numerator}/{exact.denominator}"
        number = str(STYLES.index(style) + 1)
        decimal = f"{float(exact):.10f}"
        whole.append(row(number, target.name, fraction, decimal, f"{won:,}", f"{away:+.2f}"))
    return "\n".join([*styles, "", *short, "", *whole]) + "\n"


def row(*cells: str) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Write, or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--simulate", type=int, metavar="N", default=0)
    parser.add_argument("--anew", action="store_true")
    wish = parser.parse_args()
    if wish.simulate:
        simulate(wish.simulate, anew=wish.anew)
    text = PAGE.read_text(encoding="utf-8")
    made = BLOCK.sub(lambda block: f"{block[1]}{tables()}{block[3]}", text)
    if wish.check:
        if made != text:
            print("docs/odds.md is old: run tools/odds_table.py", file=sys.stderr)
        return int(made != text)
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
