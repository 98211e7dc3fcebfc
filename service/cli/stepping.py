"""Going through a recorded table: step by step on a terminal, all steps in a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from engine.errors import Unknown
from engine.games import GAMES
from service.cli.console import Output
from service.cli.draw import drawing
from service.cli.tapes import Step, Tape, hand_at
from service.cli.telling import shortened

__all__ = ["Stepping"]

_ASK: Final = "[dim]Enter: next step, b: back, s N: step, h N: hand, v N: version, q: leave [/]"


class Stepping:
    """Where the reader stands: a hand, and a step of it."""

    def __init__(self, tape: Tape, hand: int, version: int = 0) -> None:
        """Raises ``Unknown`` for a hand that was not played."""
        self._tape = tape
        self._out = Output()
        self._hand = hand
        self._steps = tape.steps(hand)
        self._at = _first(self._steps, version)

    @property
    def rest(self) -> Sequence[Step]:
        """The steps from here to the end of the hand."""
        return self._steps[self._at :]

    def show(self) -> None:
        """Show the steps; on a terminal each waits for what the reader wants next."""
        if not (self._out.is_terminal and self._out.is_interactive):
            while True:
                self._show_step()
                if self._at + 1 == len(self._steps):
                    return
                self._at += 1
        self._show_step()
        while True:
            try:
                typed = self._out.input(_ASK).strip().lower()
            except EOFError:
                return
            if typed in {"q", "quit"} or (not typed and not self._has_more()):
                return
            if self._go(typed):
                self._show_step()

    def _has_more(self) -> bool:
        return self._at + 1 < len(self._steps)

    def _go(self, typed: str) -> bool:
        """Go where the reader wants; whether that is somewhere."""
        match typed.split():
            case []:
                self._at += 1
            case ["b"]:
                self._at = max(0, self._at - 1)
            case ["s", number] if number.isdecimal() and 1 <= int(number) <= len(self._steps):
                self._at = int(number) - 1
            case ["h", number] if number.isdecimal():
                return self._turn_to(int(number), 0)
            case ["v", number] if number.isdecimal():
                return self._turn_to(None, int(number))
            case _:
                self._out.print(f"no: there are steps 1 to {len(self._steps)} in this hand")
                return False
        return True

    def _turn_to(self, hand: int | None, version: int) -> bool:
        try:
            found = hand_at(self._tape, version) if hand is None else hand
            steps = self._steps if found == self._hand else self._tape.steps(found)
        except Unknown as error:
            self._out.print(f"no: {error}", markup=False)
            return False
        self._hand, self._steps, self._at = found, steps, _first(steps, version)
        return True

    def _show_step(self) -> None:
        out, step = self._out, self._steps[self._at]
        who = "the host" if step.seat < 0 else f"seat {step.seat}"
        place = f"Step {self._at + 1} of {len(self._steps)}"
        out.print(f"[bold]{place}[/] · {who}: {step.action or 'acts'}")
        out.lines((f"  {shortened(line)}" for line in step.events), style="dim")
        out.print()
        rules = GAMES.get(self._tape.game)
        if step.view is None or rules is None:
            out.print(Text(step.text))
        else:
            out.print(drawing(rules, step.view, out.faces))
        out.print()


def _first(steps: Sequence[Step], version: int) -> int:
    """The step that leads to a version, or the last one before it."""
    reached = [number for number, step in enumerate(steps) if step.version >= version]
    return reached[0] if reached else len(steps) - 1
