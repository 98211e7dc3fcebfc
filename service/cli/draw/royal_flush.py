"""Royal Flush on a terminal: piles as columns, the found card on top, the discard in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from engine.cards import HIDDEN, SUITS, Card, suit_of
from engine.games.royal_flush.state import Phase, Result
from engine.games.royal_flush.view import RoyalFlushView
from service.cli.draw.cards import Faces
from service.cli.words import counted

__all__ = ["draw_royal_flush"]

_DOING: Final = {
    Phase.NONE: "no table yet",
    Phase.LOBBY: "waiting for the first game",
    Phase.DEAL: "the stock is to be dealt",
    Phase.SEARCH: "pile {pile} is to be searched",
    Phase.GATHER: "the piles are to be gathered",
    Phase.GAME_OVER: "game over",
    Phase.CLOSED: "the table is closed",
}
_ENDED: Final = {
    Result.WON: ("Won: exactly the hand is left.", "bold green"),
    Result.LOST: ("Lost: more than the hand is left.", "bold red"),
    Result.ABANDONED: ("Given up.", "bold yellow"),
}


def draw_royal_flush(view: RoyalFlushView, faces: Faces) -> RenderableType:
    """The table, its captions below."""
    return Group(_title(view), *_table(view, faces), *_captions(view, faces))


def _title(view: RoyalFlushView) -> Text:
    doing = _DOING[view.phase].format(pile=view.next_pile)
    told = [doing]
    if view.game_no:
        told = [f"Game {view.game_no}", f"round {view.round} of 5", doing]
    return Text(" · ".join(told), "bold")


def _table(view: RoyalFlushView, faces: Faces) -> Iterator[RenderableType]:
    if view.stock:
        back = faces.card(HIDDEN)
        yield Text("  ").append_text(back).append(f"  stock of {len(view.stock)}")
        if any(view.stock):
            yield from _rows("  ", view.stock, faces)
    if view.piles:
        yield _piles(view, faces)


def _piles(view: RoyalFlushView, faces: Faces) -> Table:
    """A column a pile, the card on top first."""
    grid = Table(box=None, pad_edge=True, padding=(0, 1), show_header=True, header_style="dim")
    for number in range(1, len(view.piles) + 1):
        style = "bold yellow" if number == view.next_pile else ""
        grid.add_column(Text(f"pile {number}", style), justify="right", no_wrap=True)
    for row in zip_longest(*view.piles):
        grid.add_row(*("" if card is None else faces.card(card) for card in row))
    grid.add_row(*(Text(str(len(pile)), "dim") for pile in view.piles))
    return grid


def _rows(indent: str, cards: Iterable[Card], faces: Faces, width: int = 13) -> Iterator[Text]:
    listed = list(cards)
    for start in range(0, len(listed), width):
        yield Text(indent).append_text(faces.cards(listed[start : start + width]))


def _captions(view: RoyalFlushView, faces: Faces) -> Iterator[Text]:
    if view.claimed:
        yield _caption("found").append_text(faces.cards(view.claimed))
    if view.fixed:
        yield _caption("hand").append_text(faces.cards(view.fixed))
    elif view.game_no and view.possible > 1:
        yield _caption("hand").append(f"{view.possible} hands are possible")
    if view.discard:
        by_suit = Counter(suit_of(card) for card in view.discard)
        told = _caption("discard").append(f"{counted(len(view.discard), 'card')}: ")
        suits = [
            faces.suit(suit).append(f" {by_suit[suit]}", "not bold default")
            for suit in range(len(SUITS))
        ]
        yield told.append_text(Text("  ").join(suits))
    if view.result is not None:
        yield Text(*_ENDED[view.result])
    elif view.win_certain:
        yield Text("This game can no longer be lost.", "green")
    if view.won or view.lost or view.abandoned:
        tally = f"{view.won} won, {view.lost} lost, {view.abandoned} given up"
        yield _caption("so far").append(tally)


def _caption(word: str) -> Text:
    return Text().append(f"{word:>8}  ", "dim")
