"""Palace Poker on a terminal: the seats around the pot, clockwise, one's own at the bottom.

A seat shows its banner before its palace (backs, or its owner's cards), its soldiers below, then
chips.  Where the output is too narrow for the round, seats are listed one below the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from engine.cards import HIDDEN
from engine.games.palace_poker.state import Phase
from engine.games.palace_poker.view import PalacePokerView
from service.cli.draw.cards import Faces
from service.cli.words import counted, ordinal, seat_name

__all__ = ["draw_palace_poker"]

WIDTH: Final = 23
"""Least columns of a seat."""

_IDLE: Final = {
    Phase.NONE: "no table yet",
    Phase.IDLE: "between hands",
    Phase.SETUP: "the cards are being dealt",
    Phase.CLOSED: "the table is closed",
}


def draw_palace_poker(view: PalacePokerView, faces: Faces, me: int | None) -> RenderableType:
    """The table; ``me``: the seat that looks at it, at the bottom."""
    return _Drawing(view, faces, me)


class _Drawing(NamedTuple):
    view: PalacePokerView
    faces: Faces
    me: int | None

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        view = self.view
        yield self._title()
        seats = [seat for seat, name in enumerate(view.players) if name]
        if not seats:
            yield Text("  nobody sits here yet", "dim")
            return
        bottom, top = _around(seats, self.me)
        cells = {seat: self._seat(seat) for seat in seats}
        width = max(WIDTH, *(len(line) + 1 for cell in cells.values() for line in cell))
        if len(top) * width > options.max_width:
            for seat in _clockwise(seats, self.me):
                yield from (line for line in cells[seat] if line)
            yield self._middle()
            return
        if top:
            yield _row([cells[seat] for seat in top], width)
        yield self._middle()
        yield _row([cells[seat] for seat in bottom], width)

    def _title(self) -> Text:
        view = self.view
        told = [f"Hand {view.hand_no}"] if view.hand_no else []
        if view.phase in _IDLE:
            told.append(_IDLE[view.phase])
        elif view.actor is not None:
            name = seat_name(view.actor, self.me)
            told.append(f"{name} {'are' if view.actor == self.me else 'is'} to act")
            if view.forced:
                told.append("must bet or fold")
        return Text(" · ".join(told), "bold")

    def _middle(self) -> Text:
        """Pot, piles and the battle, between the rows."""
        view = self.view
        told = Text("  ")
        if not view.order:
            return told
        told.append(f"pot {view.pot}", "bold yellow")
        told.append(f" · draw pile {len(view.draw)} · discards {len(view.discard)}", "dim")
        if view.battle is not None and view.turn is not None:
            attacker = seat_name(view.turn, self.me)
            defender = seat_name(view.battle.defender, self.me, object=True)
            verb = "attack" if view.turn == self.me else "attacks"
            owes = view.battle.to_call
            told.append(f" · {attacker} {verb} {defender}, {owes} to call", "bold")
        return told

    def _seat(self, seat: int) -> list[Text]:
        """Five lines."""
        view, faces = self.view, self.faces
        is_in = seat in view.in_hand
        mark = (">" if not faces.symbols else "▸") if seat == view.actor else " "
        style = "bold cyan" if seat == self.me else "bold" if is_in or not view.order else "dim"
        name = Text(f"{mark} ").append(seat_name(seat, self.me), style)
        if seat == view.dealer:
            name.append(" (dealer)", "dim")
        stack = Text(f"  {counted(view.stacks[seat], 'chip')}")
        if view.order and view.paid[seat]:
            star = "*" if seat in view.capped else ""
            stack.append(f", {view.paid[seat]}{star} in pot", "dim")
        return [name, self._hand(seat), self._soldiers(seat), stack, self._standing(seat)]

    def _hand(self, seat: int) -> Text:
        view, faces = self.view, self.faces
        if not view.banners[seat]:
            return Text("")
        banner = Text("  [").append_text(faces.card(view.banners[seat])).append("] ")
        palace = view.palaces[seat]
        # An eliminated player's cards are gone; one in the hand has three, shown or not.
        return banner.append_text(faces.cards(palace or (HIDDEN,) * 3))

    def _soldiers(self, seat: int) -> Text:
        soldiers = self.view.soldiers[seat]
        return Text("  ").append_text(self.faces.cards(soldiers)) if soldiers else Text("")

    def _standing(self, seat: int) -> Text:
        view = self.view
        told: list[str] = []
        if seat in view.in_hand:
            told.append(f"price {view.prices[seat]}")
            if seat in view.quiet:
                told.append("quiet")
        elif view.order and view.exits[seat]:
            told.append(f"{ordinal(view.exits[seat])} to go")
        elif view.order and seat not in view.out:
            told.append("not dealt in")
        if seat in view.leaving:
            told.append("leaving")
        elif seat in view.out:
            told.append("sits out")
        return Text("  " + " · ".join(told), "dim")


def _row(cells: Sequence[Sequence[Text]], width: int) -> Table:
    grid = Table.grid(padding=0)
    for _ in cells:
        grid.add_column(width=width, no_wrap=True)
    for line in zip(*cells, strict=True):
        grid.add_row(*line)
    return grid


def _clockwise(seats: Sequence[int], me: int | None) -> list[int]:
    """Seats from one's own on, or from the lowest."""
    start = seats.index(me) if me in seats else 0
    return [*seats[start:], *seats[:start]]


def _around(seats: Sequence[int], me: int | None) -> tuple[list[int], list[int]]:
    """Bottom row and top row, each from left to right.

    Who sits at the bottom has his left neighbour on the left of the screen: clockwise is from
    right to left at the bottom, from left to right at the top.
    """
    order = _clockwise(seats, me)
    below = max(1, len(order) // 2)
    before = (below - 1) // 2
    turned = order[len(order) - before :] + order[: len(order) - before]
    return turned[:below][::-1], turned[below:]
