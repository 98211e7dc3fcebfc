"""Royal Flush as people see it."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from engine.actions import OpenTable, TakeSeat
from engine.cards import parse_card
from engine.games import GAMES
from engine.games.royal_flush.actions import AutoPlay, DealPiles, SearchPile, StartGame
from engine.kernel import HOST, View
from engine.script import ScriptedShuffler
from engine.visibility import AUDITOR, OBSERVER
from service.cli.draw import Faces, drawing

GAME = GAMES["royal_flush"]
SYMBOLS = Faces()
NAMES = "7s 5h 4d 9d 8d Td 4h 7c 9h 2s 9c 2h Jh 8h 6d Ah Th Qc"
DECK = tuple(map(parse_card, NAMES.split()))


def drawn(view: View, faces: Faces = SYMBOLS) -> str:
    file = StringIO()
    Console(file=file, width=100, soft_wrap=True).print(drawing(GAME, view, faces))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def after(*actions: object) -> object:
    state = GAME.initial()
    shuffler = ScriptedShuffler([DECK])
    for actor, action in ((HOST, OpenTable()), (0, TakeSeat("ann", 5)), (HOST, StartGame())):
        _, state = GAME.decide(state, actor, action, shuffler)
    for action in actions:
        _, state = GAME.decide(state, 0, action, shuffler)  # type: ignore[arg-type]
    return state


def test_piles_are_columns_and_found_cards_lie_on_top() -> None:
    view = GAME.view(after(DealPiles(), SearchPile(1)), OBSERVER)
    assert drawn(view).splitlines()[:4] == [
        "Game 1 · round 1 of 5 · pile 2 is to be searched",
        " pile 1  pile 2  pile 3  pile 4  pile 5",
        "    10♦      ▒▒      ▒▒      ▒▒      ▒▒",
        "     ▒▒      ▒▒      ▒▒      ▒▒      ▒▒",
    ]
    assert drawn(view).splitlines()[-4:] == [
        "     10      11      10      10      10",
        "   found  10♦",
        "    hand  10♦ J♦ Q♦ K♦ A♦",
        " discard  1 card: ♣ 0  ♦ 0  ♥ 0  ♠ 1",
    ]


def test_no_drawing_shows_what_its_view_hides() -> None:
    """Before the first search every face is a back; the auditor's drawing has them all."""
    state = after(DealPiles())
    assert drawn(GAME.view(state, OBSERVER)).count("▒▒") == 52
    assert "▒▒" not in drawn(GAME.view(state, AUDITOR))


def test_a_stock_shows_its_size() -> None:
    assert "  ▒▒  stock of 52\n" in drawn(GAME.view(after(), OBSERVER))
    assert "  7♠ 5♥ 4♦ 9♦ 8♦ 10♦ 4♥ 7♣ 9♥ 2♠ 9♣ 2♥ J♥\n" in drawn(GAME.view(after(), AUDITOR))


def test_the_end_says_how_it_ended() -> None:
    told = drawn(GAME.view(after(AutoPlay("game")), OBSERVER))
    assert told.startswith("Game 1 · round 5 of 5 · game over\n")
    assert ("Won: exactly the hand is left." in told) != ("Lost: more than" in told)
    assert "  so far  " in told


def test_an_output_that_knows_no_symbols_gets_letters() -> None:
    assert Faces.for_encoding("utf-8").symbols
    assert not Faces.for_encoding("ascii").symbols
    assert not Faces.for_encoding("no such encoding").symbols
    view = GAME.view(after(DealPiles(), SearchPile(1)), OBSERVER)
    piles = drawn(view, Faces(symbols=False)).partition("\n")[2]
    assert piles.isascii()
    assert "10d      ##" in piles


def test_before_the_first_game_there_is_nothing_on_the_table() -> None:
    _, state = GAME.decide(GAME.initial(), HOST, OpenTable(), ScriptedShuffler())
    assert drawn(GAME.view(state, OBSERVER)) == "waiting for the first game"
