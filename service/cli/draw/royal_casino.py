"""Royal Casino on a terminal: the others above the table, one's own hand below it.

Beside each hand stand the pile of its side, sweeps and score; on the table lie the loose cards and
below them the builds, each group in brackets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from engine.games.royal_casino.state import Phase
from engine.games.royal_casino.view import BuildView, RoyalCasinoView
from service.cli.draw.cards import Faces
from service.cli.words import counted, listed, seat_name

__all__ = ["draw_royal_casino"]

_IDLE: Final = {
    Phase.NONE: "no table yet",
    Phase.LOBBY: "before the first game",
    Phase.BETWEEN_DEALS: "between deals",
    Phase.GAME_OVER: "the game is over",
    Phase.CLOSED: "the table is closed",
}

LOCKS: Final = {
    "MOST_CARDS": "wins only by most cards",
    "BIG_CASINO": "wins only by the ten of diamonds",
    "LITTLE_CASINO": "wins only by the two of spades",
}
"""What a lock says to people."""


def draw_royal_casino(view: RoyalCasinoView, faces: Faces, me: int | None) -> RenderableType:
    """The table; ``me``: the seat that looks at it, at the bottom."""
    return _Drawing(view, faces, me)


class _Drawing(NamedTuple):
    view: RoyalCasinoView
    faces: Faces
    me: int | None

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        del options
        view = self.view
        yield self._title()
        seats = [seat for seat, name in enumerate(view.players) if name]
        if not seats:
            yield Text("  nobody sits here yet", "dim")
            return
        others = [seat for seat in self._around() if seat in seats and seat != self.me]
        yield self._rows(others)
        if view.phase is Phase.PLAYING:
            yield self._loose()
            yield from map(self._build, view.builds)
        if self.me in seats:
            yield self._rows([self.me])

    def _around(self) -> list[int]:
        """Seats clockwise from one's own left, or from the lowest."""
        count = len(self.view.players)
        start = 0 if self.me is None else self.me + 1
        return [(start + step) % count for step in range(count)]

    def _title(self) -> Text:
        view = self.view
        told = [f"Deal {view.deal_no}"] if view.phase is Phase.PLAYING else [_IDLE[view.phase]]
        if view.turn is not None:
            name = seat_name(view.turn, self.me)
            told.append(f"{name} {'are' if view.turn == self.me else 'is'} to act")
        if view.overtime:
            told.append("overtime")
        if view.result is not None:
            told.append(self._result(view.result.sides))
        if view.pot:
            told.append(f"pot {view.pot}")
        return Text(" · ".join(told), "bold")

    def _result(self, sides: tuple[int, ...]) -> str:
        names = listed([self._side_name(side) for side in sides])
        return f"won by {names}" if len(sides) == 1 else f"shared by {names}"

    def _side_name(self, side: int) -> str:
        seats = range(side, len(self.view.players), len(self.view.scores))
        return listed([seat_name(seat, self.me, object=True) for seat in seats])

    # --- seats --------------------------------------------------------------------------------

    def _rows(self, seats: list[int]) -> Table:
        grid = Table.grid(padding=(0, 3, 0, 0))
        for cards in (
            False,
            True,
            False,
        ):  # in a narrow window, words are wrapped and no card is cut
            grid.add_column(no_wrap=cards, overflow="fold")
        for seat in seats:
            grid.add_row(self._name(seat), self._hand(seat), self._standing(seat))
        return grid

    def _name(self, seat: int) -> Text:
        view, faces = self.view, self.faces
        mark = (">" if not faces.symbols else "▸") if seat == view.turn else " "
        name = Text(f"{mark} ").append(
            seat_name(seat, self.me), "bold cyan" if seat == self.me else "bold"
        )
        roles = ["dealer"] * (seat == view.dealer)
        if self.me is not None and seat != self.me and self._side(seat) == self._side(self.me):
            roles.insert(0, "your partner")
        return name.append(f" ({', '.join(roles)})", "dim") if roles else name

    def _side(self, seat: int) -> int:
        return seat % len(self.view.scores)

    def _hand(self, seat: int) -> Text:
        return self.faces.cards(self.view.hands[seat])

    def _standing(self, seat: int) -> Text:
        """Pile, sweeps and score of the seat's side, chips where there are any, absence."""
        view = self.view
        side = self._side(seat)
        told: list[str] = []
        if view.phase is Phase.PLAYING:
            told.append(f"pile {len(view.piles[side])}")
            if view.sweeps[side]:
                told.append(counted(view.sweeps[side], "sweep"))
        told.append(counted(view.scores[side], "point"))
        lock = view.locks[side]
        if lock is not None:
            told.append(LOCKS[lock])
        if view.stacks[seat]:
            told.append(counted(view.stacks[seat], "chip"))
        if seat in view.leaving:
            told.append("has left")
        elif seat in view.out:
            told.append("sits out")
        return Text(" · ".join(told), "dim")

    # --- the table ----------------------------------------------------------------------------

    def _loose(self) -> Text:
        view = self.view
        told = Text("\n    table ", "bold yellow")
        if view.loose:
            told.append_text(self.faces.cards(view.loose))
        else:
            told.append("no loose card", "dim")
        told.append(f"   stock {len(view.stock)}", "dim")
        return told if view.builds else told.append("\n")

    def _build(self, build: BuildView) -> Text:
        told = Text(f"    {build.id:>5} ", "bold yellow").append(f"{build.value} ", "bold")
        for group in build.groups:
            told.append("[").append_text(self.faces.cards(group)).append("]")
        owner = seat_name(build.owner, self.me, object=True)
        told.append(f" of {owner}", "dim")
        return told.append("\n") if build is self.view.builds[-1] else told
