"""Tables as people see them: a drawing for each game, position notation for any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from engine.games.palace_poker.view import PalacePokerView
from engine.games.pontoon.view import PontoonView
from engine.games.royal_casino.view import RoyalCasinoView
from engine.games.royal_flush.view import RoyalFlushView
from engine.kernel import AnyGame, View
from engine.notation import text_of_lines
from service.cli.draw.cards import Faces
from service.cli.draw.palace_poker import draw_palace_poker
from service.cli.draw.pontoon import draw_pontoon
from service.cli.draw.royal_casino import draw_royal_casino
from service.cli.draw.royal_flush import draw_royal_flush

__all__ = ["DRAWINGS", "Faces", "drawing"]

Draw = Callable[[Any, Faces, int | None], RenderableType]
"""Draws a view for whoever sits at a seat (None: for somebody without a seat)."""

DRAWINGS: Final[Mapping[type[View], Draw]] = {
    PalacePokerView: draw_palace_poker,
    PontoonView: draw_pontoon,
    RoyalCasinoView: draw_royal_casino,
    RoyalFlushView: lambda view, faces, _: draw_royal_flush(view, faces),
}


def drawing(game: AnyGame, view: View, faces: Faces, me: int | None = None) -> RenderableType:
    """The table of a view; a game without a drawing shows its position text."""
    draw = DRAWINGS.get(type(view))
    if draw is None:
        return Text(text_of_lines(game.lines(view)))
    return draw(view, faces, me)
