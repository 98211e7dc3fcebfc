"""What is wrong with a script itself is told with file, line and column (hand_script 2.2, 2.8)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import strategies as st

from engine.script import NoShuffle, ScriptedShuffler, ScriptError, parse, run_text
from tests.examples import examples

HANDS = Path(__file__).parents[1] / "hands" / "royal_flush"
SAMPLES = [
    (HANDS / name).read_text(encoding="utf-8")
    for name in ("e17_illegal_actions.hand", "e20_second_game.hand", "s01_notation.hand")
]

TABLE = "game: royal_flush\nseats: 0=100\nstart:\ndeck:\n"
"""Four lines; what a case adds begins on line 5."""

CASES = {
    # the header
    "no game line": ("seats: 0=1", 1, 1, "without a game: line"),
    "first script without a game": ("0: deal_piles", 1, 1, "begins with a game: line"),
    "unknown game": ("game: whist", 1, 7, "no game 'whist'"),
    "game not named": ("game:", 1, 6, "id of one game"),
    "two games": ("game: royal_flush pontoon", 1, 19, "id of one game"),
    "second game line": ("game: royal_flush\ngame: royal_flush", 2, 1, "a second game: line"),
    "second seats line": (TABLE.replace("start:", "seats: 0=1"), 3, 1, "a second seats: line"),
    "unknown option": ("game: royal_flush\nopts: speed=3", 2, 7, "has no option 'speed'"),
    "option out of range": ("game: royal_flush\nopts: turn_seconds=4", 2, 7, "5 to 600"),
    "option of the wrong kind": ("game: royal_flush\nopts: target_suit=x", 2, 7, "c, d, h, s"),
    "option twice": (
        "game: royal_flush\nopts: target_rank=K target_rank=K",
        2,
        21,
        "'target_rank' is named twice",
    ),
    "option without value": ("game: royal_flush\nopts: target_rank", 2, 7, "expected name=value"),
    "options that do not go together": (
        "game: royal_flush\nopts: search_style=card_by_card",
        2,
        1,
        "the header is refused: INVALID_OPTIONS",
    ),
    "seats without chips": ("game: royal_flush\nseats: 0", 2, 8, "expected name=value"),
    "seats that are words": ("game: royal_flush\nseats: ann=5", 2, 8, "expected seat=chips"),
    "chips that are words": ("game: royal_flush\nseats: 0=all", 2, 8, "expected seat=chips"),
    "seat twice": ("game: royal_flush\nseats: 0=1 00=2", 2, 12, "seat 0 is named twice"),
    "no seats": ("game: royal_flush\nseats:", 2, 7, "expected seat=chips"),
    "seat that the table has not": ("game: royal_flush\nseats: 0=1 1=1", 2, 1, "SEAT_OUT_OF_RANGE"),
    "start entry": ("game: royal_flush\nseats: 0=1\nstart: bank=0", 3, 8, "no entries"),
    "start without seats": ("game: royal_flush\nstart:\ndeck:", 2, 1, "SEATS_NOT_FULL"),
    "start without a deck": ("game: royal_flush\nseats: 0=1\nstart:", 3, 1, "no deck: line"),
    "card twice in a deck": ("game: royal_flush\ndeck: 2c 3c | 2c", 2, 15, "2c is named twice"),
    "no card": ("game: royal_flush\ndeck: 2c 1c", 2, 10, "no card is called '1c'"),
    "hidden card in a deck": ("game: royal_flush\ndeck: ??", 2, 7, "no card is called"),
    "given and seats": (
        "game: royal_flush\nseats: 0=1\ngiven: phase LOBBY",
        2,
        1,
        "exclude each other",
    ),
    "given and start": (
        "game: royal_flush\ngiven: phase LOBBY\nstart:",
        3,
        1,
        "exclude each other",
    ),
    "given nothing": ("game: royal_flush\ngiven:", 2, 7, "expected a position line"),
    "unknown position key": (
        "game: royal_flush\ngiven: phase LOBBY\ngiven: pot 3",
        3,
        8,
        "unknown key 'pot'",
    ),
    "position key twice": (
        "game: royal_flush\ngiven: phase LOBBY\ngiven: stacks 0=1\ngiven: stacks 0=2",
        4,
        8,
        "'stacks' occurs twice",
    ),
    "impossible position": (
        "game: royal_flush\ngiven: phase DEAL\ngiven: round 7",
        3,
        8,
        "round: '7' is no integer 1 to 5",
    ),
    "header line after a step": (TABLE + "0: deal_piles\ndeck:", 6, 1, "after the first step"),
    "header line in a continuation": (
        TABLE + "---\nseats: 0=5\n0: deal_piles",
        6,
        1,
        "no header lines of its own",
    ),
    # steps
    "no step nor check": (TABLE + "deal the cards", 5, 1, "neither a step nor a check"),
    "unknown key": (TABLE + "  dealer: deal_piles", 5, 3, "unknown key 'dealer'"),
    "no action": (TABLE + "0:", 5, 3, "expected an action"),
    "unknown action": (TABLE + "0: deal_cards", 5, 4, "no action 'deal_cards'"),
    "host action by a seat": (TABLE + "0: start_game", 5, 4, "an action of the host"),
    "seat's action by the host": (TABLE + "host: deal_piles", 5, 7, "an action of a seat"),
    "unknown parameter": (TABLE + "0: search_pile pile=1 card=2c", 5, 23, "no parameter 'card'"),
    "surplus parameter": (TABLE + "0: deal_piles pile=1", 5, 15, "it has no parameters"),
    "parameter twice": (TABLE + "0: search_pile pile=1 pile=1", 5, 23, "named twice"),
    "parameter without value": (TABLE + "0: search_pile 1", 5, 16, "expected name=value"),
    "no reason": (TABLE + "0: deal_piles !", 5, 15, "one reason"),
    "two reasons": (TABLE + "0: deal_piles ! A B", 5, 15, "one reason"),
    "small reason": (TABLE + "0: deal_piles ! wrong_phase", 5, 15, "one reason"),
    "step before the table": ("game: royal_flush\n0: deal_piles", 2, 1, "no table yet"),
    "step after a refused opening": (
        "game: royal_flush\nhost: open_table x=1 ! INVALID_OPTIONS\n0: deal_piles",
        3,
        1,
        "no table yet",
    ),
    "shuffle without a deck": (
        "game: royal_flush\nseats: 0=1\nhost: start_game",
        3,
        1,
        "no deck: line is left",
    ),
    "second shuffle without a deck": (
        TABLE + "0: abandon_game\nhost: start_game",
        6,
        1,
        "no deck: line is left",
    ),
    # checks
    "check before the table": ("game: royal_flush\n= phase LOBBY", 2, 1, "no table yet"),
    "event of the header": (TABLE + "> GameStarted", 5, 1, "no step before"),
    "types of the header": (TABLE + ">> GameStarted", 5, 1, "no step before"),
    "unknown event": (TABLE + "0: deal_piles\n> PilesDelt", 6, 3, "no event 'PilesDelt'"),
    "event of the house": (TABLE + "0: deal_piles\n> EpochOpened", 6, 3, "no event"),
    "unknown type": (TABLE + "0: deal_piles\n>> PilesDealt Dealt", 6, 15, "no event 'Dealt'"),
    "unknown field": (TABLE + "0: deal_piles\n> PilesDealt piles=5", 6, 14, "no field 'piles'"),
    "field twice": (TABLE + "0: deal_piles\n> PilesDealt round=1 round=1", 6, 22, "named twice"),
    "word for a number": (TABLE + "0: deal_piles\n> PilesDealt round=one", 6, 14, "an integer"),
    "word for a card": (TABLE + "0: deal_piles\n> CardFound card=10c", 6, 13, "no card is called"),
    "no such reason": (
        TABLE + "0: abandon_game\n> GameAbandoned reason=BORED",
        6,
        17,
        "one of PLAYER, TIME_OUT, LEFT",
    ),
    "option of an event": (
        "game: royal_flush\nhost: open_table\n> TableOpened target_suit=x",
        3,
        15,
        "target_suit",
    ),
    "empty check": (TABLE + "=", 5, 1, "something to check"),
    "unknown line": (TABLE + "= pot none", 5, 3, "has a key 'pot'"),
    "unknown numbered line": (TABLE + "= pile 9 none", 5, 3, "has a key 'pile 9'"),
    "unknown line of a view": (TABLE + "view 0: = pot none", 5, 11, "has a key 'pot'"),
    "unknown viewer": (TABLE + "view ann: = phase DEAL", 5, 6, "no seat is called 'ann'"),
    "seat beyond all seats": (TABLE + "view 30: = phase DEAL", 5, 6, "no seat is called '30'"),
    "view of nothing": (TABLE + "view 0: phase DEAL", 5, 9, "expected = line or > event"),
    "view of types": (TABLE + "0: deal_piles\nview 0: >> PilesDealt", 6, 9, "expected = line"),
    "unknown legal action": (TABLE + "legal 0: deal", 5, 10, "no seat has an action 'deal'"),
    "legal host action": (TABLE + "legal 0: start_game", 5, 10, "no seat has an action"),
    "legal of nobody": (TABLE + "legal observer:", 5, 7, "no seat is called 'observer'"),
    "plays of a game without": (TABLE + "plays 0: total=1", 5, 1, "does not list its plays"),
}


@pytest.mark.parametrize(("text", "line", "column", "message"), CASES.values(), ids=CASES)
def test_error_has_its_place(text: str, line: int, column: int, message: str):
    """Editors and people jump to the place: it has to be the right one."""
    with pytest.raises(ScriptError) as caught:
        run_text(text, "bad.hand")
    assert message in caught.value.message
    assert (caught.value.at.line, caught.value.at.column) == (line, column)
    assert str(caught.value) == f"bad.hand:{line}:{column}: {caught.value.message}"


def test_a_deck_with_cards_that_are_not_shuffled_is_an_error_of_its_line():
    """A game may shuffle a part of the pack; its deck: line names cards of that part only."""
    shuffler = ScriptedShuffler([(9, 5)])
    with pytest.raises(NoShuffle) as caught:
        shuffler.shuffle("RESHUFFLE", (1, 5, 7))
    assert caught.value.deck == 0
    assert ScriptedShuffler([(7, 5)]).shuffle("RESHUFFLE", (1, 5, 7)) == (7, 5, 1)


def test_all_errors_but_few_show_before_anything_is_played():
    """A script of a thousand steps is not played to find a misspelt word at its end."""
    with pytest.raises(ScriptError):
        parse(TABLE + "0: deal_piles\n" * 3 + "0: gahter_piles", "late.hand")


@examples(80, 800, st.data())
def test_no_text_makes_anything_but_an_error_with_a_place(data: st.DataObject):
    """Scripts come from strangers: whatever they hold, the answer is a verdict or a ScriptError."""
    text = data.draw(st.sampled_from(SAMPLES))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 8))
        other = data.draw(st.text("0123456789²-?,|[]=!>#: \n\r\t\x0bahdTKnoe", max_size=6))
        text = text[:start] + other + text[start + length :]
    try:
        run_text(text, "odd.hand")
    except ScriptError as error:
        at = error.at
    else:
        return
    assert 1 <= at.line <= text.count("\n") + 1
    assert 1 <= at.column <= len(text.split("\n")[at.line - 1]) + 1


@pytest.mark.parametrize("line", ["9" * 5000 + ": deal_piles", "legal ²:", "view ²: = phase DEAL"])
def test_numbers_that_are_none(line: str):
    """Digits that Python does not read as an integer, and integers that are too long to be one."""
    with pytest.raises(ScriptError):
        run_text(TABLE + line, "odd.hand")


def test_chips_that_are_too_long_for_a_number():
    with pytest.raises(ScriptError, match="expected seat=chips"):
        parse("game: royal_flush\nseats: 0=" + "9" * 5000, "odd.hand")


def test_lines_end_where_editors_end_them():
    """A carriage return belongs to the line, a vertical tab does not end one."""
    with pytest.raises(ScriptError) as caught:
        parse("game: royal_flush\r\n# a\x0bb\u2028c\r\nseats: 0=1\r\n0: deal\r\n", "crlf.hand")
    assert (caught.value.at.line, caught.value.at.column) == (4, 4)
