"""Draws the examples in docs/rules/*.md: ``python tools/draw_rules.py [--check]``.

A drawing stands in a fenced block under a comment that says what it shows::

    <!-- draw tests/hands/palace_poker/e20_complete_hand.hand step=3 seat=2 tell=1 -->

The hand script is played up to its ``step``-th accepted step (0: where it begins).  ``seat`` is
whose eyes see it (left out: an observer's), ``tell`` how many of the last steps are told in words
before the table is drawn, ``table=no`` leaves the table out.  With ``--check`` nothing is written;
the exit code says whether every drawing is what its script gives.
"""

from __future__ import annotations

import asyncio
import re
import sys
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from engine.events import Event
from engine.games import GAMES
from engine.kernel import View
from engine.script import LocalStage, parse
from engine.script.model import Step
from engine.script.runner import opening_of
from engine.visibility import OBSERVER, redact, seat_viewer
from service.cli.draw import Faces, drawing
from service.cli.draw.story import STORIES, story

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "rules"
WIDTH = 96
BLOCK = re.compile(r"(<!-- draw (\S+)((?: \w+=\w+)*) -->\n```\n)(.*?)(```\n)", re.DOTALL)


class Wish(NamedTuple):
    """What a comment asks for."""

    step: int = 0
    seat: int | None = None
    tell: int = 0
    table: bool = True

    @classmethod
    def read(cls, words: str) -> Wish:
        """From the words of the comment; raises ``ValueError`` or ``TypeError``."""
        given = dict(word.split("=") for word in words.split())
        table = given.pop("table", "yes") != "no"
        return cls(table=table, **{name: int(text) for name, text in given.items()})


class _Stage(LocalStage):
    """A stage whose table can be looked at."""

    def view(self, viewer: int) -> View:
        return self._game.view(self._state, viewer)


def draw(path: Path, wish: Wish) -> str:
    """The text of a drawing; raises ``ValueError`` if the script has not so many steps."""
    script = next(iter(parse(path.read_text(encoding="utf-8"), str(path), GAMES)))
    game = script.header.game
    steps = [line for line in script.lines if isinstance(line, Step) and line.refusal is None]
    if not 0 <= wish.tell <= wish.step <= len(steps):
        raise ValueError(f"{path.name} has {len(steps)} accepted steps")
    viewer = OBSERVER if wish.seat is None else seat_viewer(wish.seat)
    told: list[Event] = []

    async def play() -> View:
        stage = _Stage(game)
        await stage.open(opening_of(script.header))
        for number, step in enumerate(steps[: wish.step], 1):
            events = await stage.act(step.actor, step.action)
            if number > wish.step - wish.tell:
                told.extend(redact(event, viewer) for event in events)
        return stage.view(viewer)

    view = asyncio.run(play())
    file = StringIO()
    console = Console(file=file, width=WIDTH, color_system=None, highlight=False)
    if game.key in STORIES:
        for sentence in story(game.key, told, Faces(), wish.seat):
            console.print(sentence)
    if told and wish.table:
        console.print()
    if wish.table:
        console.print(drawing(game, view, Faces(), wish.seat))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def redrawn(page: str) -> str:
    """A page with every drawing as its script gives it."""

    def replace(found: re.Match[str]) -> str:
        text = draw(ROOT / found[2], Wish.read(found[3]))
        return f"{found[1]}{text}{found[5]}"

    return BLOCK.sub(replace, page)


def main(arguments: list[str]) -> int:
    """0 if all drawings are, or now are, what they should be."""
    code = 0
    for path in sorted(PAGES.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        fresh = redrawn(page)
        if fresh == page:
            continue
        if arguments == ["--check"]:
            print(f"{path.relative_to(ROOT)}: drawings differ; run tools/draw_rules.py")
            code = 1
        else:
            path.write_text(fresh, encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
