"""Counts of action sequences from fixed positions: ``python tools/perft.py [--write] [NAME …]``.

As chess engines do (perft): a rule that moves shows up as a number.  The positions stand in
tests/perft/<game>.toml, each as a hand script that is played to its end, with the number of
sequences of 1, 2, 3 … actions from there.  A sequence is counted if each of its actions is legal
when its turn comes; the parameters of an offer stand for these actions:

* a range: its lowest value and its highest, and the value of an amount left out if that is another;
* a budget for several ranges: of their values above, those that fit together;
* a word or a card: each of them;
* words, cards or groups of cards: each set of as many as there may be.

All seats act that may; the host does not, so sequences end where only he could go on.  In each of
them the shuffles take the script's ``deck:`` lines from the first that the script has left: the
cards of a line lie on top, others follow in canonical order; after the last line all do.

``--write`` puts the numbers into the files: a new position begins with ``counts = [0, 0, 0]``,
whose length is the depth.  ``--divide`` shows, for one position, how many sequences of the greatest
depth (or ``--depth``) begin with each action: where two engines differ, or yesterday's and today's,
one goes down that way.  NAME is a game, or a position as ``game/position``.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any, NamedTuple

from engine.actions import Action
from engine.events import Event
from engine.games import GAMES
from engine.kernel import (
    AnyGame,
    Budget,
    Cards,
    Groups,
    Limit,
    Names,
    Offer,
    OneCard,
    Range,
    Words,
)
from engine.script import LocalStage, action_text, parse, run

FOLDER = Path(__file__).parents[1] / "tests" / "perft"


class Position(NamedTuple):
    """An entry of a file; ``counts[n - 1]`` is the number of sequences of n actions."""

    game: str
    name: str
    script: str
    counts: tuple[int, ...]


class Point(NamedTuple):
    """Where sequences go on; ``used``: how many ``deck:`` lines are behind."""

    state: Any
    used: int


class Counter:
    """Counts from one position."""

    def __init__(self, position: Position) -> None:
        [script] = parse(position.script, position.name, GAMES)
        stage = _Stage(script.header.game)
        asyncio.run(run(script, stage))
        self.game = script.header.game
        self.start = stage.point()
        self.decks = _Decks([deck.cards for deck in script.header.decks])

    def decide(self, point: Point, seat: int, action: Action) -> tuple[tuple[Event, ...], Point]:
        """What comes of an action, and the point behind it; raises ``Refused``."""
        self.decks.used = point.used
        events, state = self.game.decide(point.state, seat, action, self.decks)
        return events, Point(state, self.decks.used)

    def count(self, depth: int, point: Point | None = None) -> int:
        """How many sequences of ``depth`` actions there are, 1 or more."""
        here = self.start if point is None else point
        legal = actions(self.game, here.state)
        if depth == 1:
            return len(legal)
        return sum(self.count(depth - 1, self.decide(here, *one)[1]) for one in legal)

    def divide(self, depth: int) -> Iterator[tuple[str, int]]:
        """Each first action, and the sequences that begin with it."""
        for seat, action in actions(self.game, self.start.state):
            _, point = self.decide(self.start, seat, action)
            yield action_text(seat, action), self.count(depth - 1, point) if depth > 1 else 1


class _Stage(LocalStage):
    """A stage that says where it stands."""

    def point(self) -> Point:
        return Point(self._state, self._shuffler.used)


class _Decks:
    """Shuffles for every sequence, also where a pile has lost cards that a line names."""

    def __init__(self, decks: Sequence[tuple[int, ...]]) -> None:
        self._decks = decks
        self.used = 0

    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        del purpose
        named = self._decks[self.used] if self.used < len(self._decks) else ()
        self.used += 1
        first = tuple(card for card in named if card in pile)
        return first + tuple(card for card in sorted(pile) if card not in first)


# --- the rule ---------------------------------------------------------------------------------


def actions(game: AnyGame, state: Any) -> list[tuple[int, Action]]:
    """What each seat may do, parameters by the rule above."""
    return [
        (seat, action)
        for seat in range(game.seats(state))
        for offer in game.legal_actions(state, seat)
        for action in concrete(offer)
    ]


def concrete(offer: Offer) -> Iterator[Action]:
    """The actions that an offer stands for."""
    names = [limit.field for limit in offer.limits]
    for values in product(*map(choices, offer.limits)):
        given = dict(zip(names, values, strict=True))
        if all(_fits(budget, given) for budget in offer.together):
            yield offer.action(**given)


def _fits(budget: Budget, given: Mapping[str, Any]) -> bool:
    weighted = zip(budget.fields, budget.weights, strict=True)
    return sum(weight * given.get(field, 0) for field, weight in weighted) <= budget.most


def choices(limit: Limit) -> Iterable[object]:
    """The values that a limit stands for."""
    match limit:
        case Range(_, low, high, standard):
            return sorted({low, high, low if standard is None else standard})
        case Words(_, words):
            return words
        case Cards(_, cards, low, high):
            return _sets(cards, low, high)
        case OneCard(_, cards):
            return cards
        case Groups():
            return limit.unions()
        case Names(_, words, low, must):
            sets = _sets(words, low, len(words))
            return (names for names in sets if set(must) <= set(names))


def _sets(things: Sequence[Any], low: int, high: int) -> Iterator[tuple[Any, ...]]:
    return chain.from_iterable(combinations(things, n) for n in range(low, high + 1))


# --- the files --------------------------------------------------------------------------------


def read(path: Path) -> list[Position]:
    """The positions of a file.  Raises ``ValueError`` for two of one name."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    found = [
        Position(path.stem, each["name"], each["script"], tuple(each["counts"]))
        for each in table["position"]
    ]
    if len({position.name for position in found}) < len(found):
        raise ValueError(f"{path}: two positions have one name")
    return found


def positions() -> list[Position]:
    """All positions of all games."""
    return [position for path in sorted(FOLDER.glob("*.toml")) for position in read(path)]


def write(path: Path, counts: Iterable[tuple[int, ...]]) -> None:
    """Put the counts of all positions of a file, in order, into it; all else stays as it is."""
    text = path.read_text(encoding="utf-8")
    rest = iter(counts)

    def line(_: re.Match[str]) -> str:
        return f"counts = [{', '.join(f'{n:_}' for n in next(rest))}]"

    text = re.sub(r"^counts = \[.*?\]", line, text, flags=re.MULTILINE | re.DOTALL)
    path.write_text(text, encoding="utf-8")


def recount(position: Position, depth: int) -> Position:
    """A position with its counts up to a depth made anew; prints them."""
    counter = Counter(position)
    made = list(position.counts)
    for n in range(1, min(depth, len(made)) + 1):
        start = time.perf_counter()
        made[n - 1] = counter.count(n)
        spent = time.perf_counter() - start
        was = position.counts[n - 1]
        note = "" if made[n - 1] == was else f"  was {was:,}"
        name = f"{position.game}/{position.name}"
        print(f"{name:50} {n:3} {made[n - 1]:14,} {spent:9.2f} s{note}", flush=True)
    return position._replace(counts=tuple(made))


def main() -> None:
    parser = argparse.ArgumentParser(description="Counts of action sequences from fixed positions.")
    parser.add_argument("names", nargs="*", help="a game, or a position as game/position")
    parser.add_argument("--depth", type=int, default=99, help="no sequences longer than this")
    parser.add_argument("--write", action="store_true", help="put the numbers into the files")
    parser.add_argument("--divide", action="store_true", help="by first action, of one position")
    asked = parser.parse_args()
    every = positions()
    wanted = [
        each
        for each in every
        if not asked.names or {each.game, f"{each.game}/{each.name}"} & set(asked.names)
    ]
    if not wanted:
        parser.error("no position has such a name")
    if asked.depth < 1:
        parser.error("a sequence has one action or more")
    if asked.divide:
        if len(wanted) > 1:
            parser.error("--divide takes one position")
        for text, number in Counter(wanted[0]).divide(min(asked.depth, len(wanted[0].counts))):
            print(f"{text:60} {number:14,}")
        return
    made = {(p.game, p.name): recount(p, asked.depth) for p in wanted}
    if not asked.write:
        raise SystemExit(any(made[p.game, p.name] != p for p in wanted))
    for path in sorted(FOLDER.glob("*.toml")):
        write(path, [made.get((p.game, p.name), p).counts for p in read(path)])


if __name__ == "__main__":
    main()
