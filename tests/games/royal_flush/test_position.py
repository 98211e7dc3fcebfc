"""Positions: what may be left out, and what cannot arise.  royal_flush 12.0.3, 12.0.6."""

from __future__ import annotations

from random import Random

import pytest

from engine.cards import PACK, card_name
from engine.games.royal_flush import actions as a
from engine.games.royal_flush.state import Phase
from engine.kernel import PositionError
from engine.table import MAX_CHIPS
from tests.games.royal_flush.tables import Play, cards, placed

DECK = " ".join(card_name(card) for card in PACK)
HAND = "Th Ah Jh Kh Qh"


def test_lines_may_come_in_any_order_and_defaults_may_be_stated() -> None:
    """12.0.6, 12.0.4."""
    text = f"""
        tally 0 0 0
        claimed Th
        stock {HAND} 2c
        result none
        stacks 0=0
        next none
        round 2
        players 0=p0
        phase DEAL
    """
    assert placed(text).state == placed(f"phase DEAL\nround 2\nstock {HAND} 2c\nclaimed Th").state


def test_unnamed_cards_lie_first_in_the_discard() -> None:
    """12.0.6: in canonical order, before those that are named."""
    play = placed(f"phase DEAL\nround 2\nstock {HAND} 2c\nclaimed Th\ndiscard 9s 3c")
    discard = play.seen().discard
    assert discard[-2:] == cards("9s 3c")
    assert list(discard[:-2]) == sorted(discard[:-2])
    assert len(discard) == 46


def test_without_a_deck_line_the_deck_was_in_canonical_order() -> None:
    """12.0.6."""
    play = placed(f"phase DEAL\nround 2\nstock {HAND} 2c\nclaimed Th")
    assert play.state.deck == PACK
    assert not play.state.revealed


def test_a_finished_game_without_a_tally_is_the_only_one() -> None:
    """12.0.6."""
    won = placed(f"phase GAME_OVER\nround 5\npile 1 {HAND}\nclaimed Th\nresult won")
    lost = placed(f"phase GAME_OVER\nround 5\npile 1 {HAND} 2c\nclaimed Th\nresult lost")
    left = placed(f"phase GAME_OVER\nround 2\nstock {HAND}\nclaimed Th\nresult abandoned")
    tallies = [play.fields()["tally"] for play in (won, lost, left)]
    assert tallies == ["1 0 0", "0 1 0", "0 0 1"]
    assert won.seen().deck == PACK
    running = placed(f"phase DEAL\nround 2\nstock {HAND}\nclaimed Th")
    assert running.state.won + running.state.lost + running.state.abandoned == 0


def test_the_line_of_an_empty_pile_may_be_left_out() -> None:
    """12.0.6, 12.0.3."""
    with_line = f"phase GATHER\nround 4\npile 1 {HAND}\npile 2\nclaimed Th"
    without = f"phase GATHER\nround 4\npile 1 {HAND}\nclaimed Th"
    assert placed(with_line).state == placed(without).state
    assert placed(without).fields()["pile 2"] == ""


@pytest.mark.parametrize("phase", ["LOBBY", "CLOSED"])
def test_a_table_before_its_first_game(phase: str) -> None:
    """4.1: all zones are empty."""
    play = placed(f"phase {phase}\nstacks none")
    assert play.state.deck == ()
    assert play.seen().discard == ()


REFUSED = {
    "no phase": ("round 2", "phase"),
    "an unknown phase": ("phase SHUFFLE", "phase"),
    "no table is no position": ("phase NONE", "phase"),
    "an unknown key": ("phase LOBBY\ntrumps h", "unknown key"),
    "a pile number": ("phase LOBBY\npile 6", "unknown key"),
    "a key twice": ("phase LOBBY\nstacks 0=1\nstacks 0=2", "twice"),
    "a card in two zones": (f"phase DEAL\nround 2\nstock {HAND}\nclaimed Th\ndiscard Th", "two"),
    "a card twice in a zone": (f"phase DEAL\nround 2\nstock {HAND} Th\nclaimed Th", "two"),
    "a card twice in two piles": (
        f"phase SEARCH\nround 4\nnext 1\npile 1 {HAND}\npile 2 Th\nclaimed Th",
        "two",
    ),
    "a claim twice": (f"phase DEAL\nround 2\nstock {HAND}\nclaimed Th Th", "claimed"),
    "a deck with a card twice": (
        f"phase DEAL\nround 2\nstock {HAND}\nclaimed Th\ndeck {DECK[:-2]}Ks",
        "deck",
    ),
    "a short deck": (f"phase DEAL\nround 2\nstock {HAND}\nclaimed Th\ndeck 2c", "deck"),
    "no card": ("phase DEAL\nround 2\nstock Xx", "stock"),
    "a hidden card": (f"phase DEAL\nround 2\nstock {HAND} ??\nclaimed Th", "stock"),
    "running without a player": (
        f"phase DEAL\nstacks none\nround 2\nstock {HAND}\nclaimed Th",
        "player",
    ),
    "running without a round": (f"phase DEAL\nstock {HAND}\nclaimed Th", "round"),
    "round 0": (f"phase DEAL\nround 0\nstock {HAND}\nclaimed Th", "round"),
    "round 6": (f"phase DEAL\nround 6\nstock {HAND}\nclaimed Th", "round"),
    "piles before the deal": (
        f"phase DEAL\nround 2\nstock {HAND}\npile 1 2c\nclaimed Th",
        "pile",
    ),
    "a stock behind the deal": (
        f"phase SEARCH\nround 2\nnext 1\nstock 2c\npile 1 {HAND}\nclaimed Th",
        "stock",
    ),
    "a stock while gathering": (
        f"phase GATHER\nround 2\nstock 2c\npile 1 {HAND}\nclaimed Th",
        "stock",
    ),
    "too many piles": (f"phase SEARCH\nround 5\nnext 1\npile 2 {HAND}\nclaimed Th", "pile 2"),
    "gathering after the last round": (f"phase GATHER\nround 5\npile 1 {HAND}\nclaimed Th", "last"),
    "a searched pile without a claimed card": (
        f"phase SEARCH\nround 4\nnext 2\npile 1 2c\npile 2 {HAND}\nclaimed Th",
        "pile 1",
    ),
    "the same while gathering": (
        f"phase GATHER\nround 4\npile 1 {HAND}\npile 2 2c\nclaimed Th",
        "pile 2",
    ),
    "a wanted card in the discard": (
        "phase DEAL\nround 2\nstock Th Ah Jh Kh\nclaimed Th",
        "discard",
    ),
    "claims of no hand": (f"phase DEAL\nround 2\nstock {HAND} Tc\nclaimed Th Tc", "no hand"),
    "a claim outside the family": (f"phase DEAL\nround 2\nstock {HAND} 2h\nclaimed 2h", "no hand"),
    "nothing claimed after round 1": (
        f"phase DEAL\nround 2\nstock {DECK}",
        "claimed",
    ),
    "a claim before the first deal": (
        f"phase DEAL\nround 1\nstock {DECK}\nclaimed Th",
        "claimed",
    ),
    "a first stock that is not the deck": (
        f"phase DEAL\nround 1\nstock As {DECK[:-3]}",
        "deck",
    ),
    "a part of the deck before the first deal": (
        f"phase DEAL\nround 1\nstock {DECK[3:]}",
        "deck",
    ),
    "given up before the first deal with a claim": (
        f"phase GAME_OVER\nround 1\nstock {DECK}\nclaimed Th\nresult abandoned",
        "claimed",
    ),
    "given up before the first deal with another stock": (
        f"phase GAME_OVER\nround 1\nstock As {DECK[:-3]}\nresult abandoned",
        "deck",
    ),
    "searching without next": (f"phase SEARCH\nround 2\npile 1 {HAND}\nclaimed Th", "next"),
    "next above the piles": (
        f"phase SEARCH\nround 2\nnext 5\npile 1 {HAND}\nclaimed Th",
        "next",
    ),
    "next 0": (f"phase SEARCH\nround 2\nnext 0\npile 1 {HAND}\nclaimed Th", "next"),
    "next outside the search": (
        f"phase GATHER\nround 2\nnext 1\npile 1 {HAND}\nclaimed Th",
        "next",
    ),
    "a result of a running game": (
        f"phase DEAL\nround 2\nstock {HAND}\nclaimed Th\nresult won\ntally 1 0 0",
        "result",
    ),
    "a finished game without a result": (
        f"phase GAME_OVER\nround 5\npile 1 {HAND}\nclaimed Th",
        "result",
    ),
    "an unknown result": ("phase GAME_OVER\nround 5\nresult drawn", "result"),
    "won with a card too many": (
        f"phase GAME_OVER\nround 5\npile 1 {HAND} 2c\nclaimed Th\nresult won",
        "result",
    ),
    "lost with the hand alone": (
        f"phase GAME_OVER\nround 5\npile 1 {HAND}\nclaimed Th\nresult lost",
        "result",
    ),
    "won in round 4": (
        f"phase GAME_OVER\nround 4\npile 1 {HAND}\nclaimed Th\nresult won",
        "result",
    ),
    "won with a stock": (
        f"phase GAME_OVER\nround 5\nstock {HAND}\nclaimed Th\nresult won",
        "result",
    ),
    "a last pile whose first card is not claimed": (
        f"phase GAME_OVER\nround 5\npile 1 {HAND}\nclaimed Ah\nresult won",
        "pile 1",
    ),
    "a result in the lobby": ("phase LOBBY\nresult won", "result"),
    "a tally in the lobby": ("phase LOBBY\ntally 1 0 0", "tally"),
    "a pile in the lobby": ("phase LOBBY\npile 1", "pile"),
    "a card in the lobby": ("phase LOBBY\nstock 2c", "stock"),
    "a round in the lobby": ("phase LOBBY\nround 1", "round"),
    "a tally of two numbers": ("phase LOBBY\ntally 0 0", "tally"),
    "a tally of words": ("phase LOBBY\ntally a b c", "tally"),
    "a finished game that is not counted": (
        f"phase GAME_OVER\nround 5\npile 1 {HAND}\nclaimed Th\nresult won\ntally 0 3 1",
        "tally",
    ),
    "a player of an empty seat": ("phase LOBBY\nstacks none\nplayers 0=ann", "players"),
    "another seat": ("phase LOBBY\nstacks 1=5", "stacks"),
    "two names": ("phase LOBBY\nplayers 0=ann 1=bob", "players"),
    "no chips": ("phase LOBBY\nstacks 0=", "stacks"),
    "negative chips": ("phase LOBBY\nstacks 0=-1", "stacks"),
    "too many chips": (f"phase LOBBY\nstacks 0={MAX_CHIPS + 1}", "stacks"),
    "a player at a closed table": ("phase CLOSED\nstacks 0=5", "closed"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_arise_is_refused(case: str) -> None:
    """12.0.6, one case for each condition."""
    text, why = REFUSED[case]
    with pytest.raises(PositionError, match=why):
        placed(text)


def test_more_chips_than_any_are_refused_and_as_many_are_not() -> None:
    assert placed(f"phase LOBBY\nstacks 0={MAX_CHIPS}").fields()["stacks"] == f"0={MAX_CHIPS}"


@pytest.mark.parametrize("phase", [Phase.DEAL, Phase.SEARCH, Phase.GATHER])
def test_a_game_goes_on_from_any_position(phase: Phase) -> None:
    """A position of every step of a random game ends like the game itself."""
    rng = Random(str(phase))
    deck = tuple(rng.sample(PACK, 52))
    play = Play.started(deck)
    end = Play.started(deck)
    end.do(0, a.AutoPlay("game"))
    while play.state.phase != "GAME_OVER":
        if play.state.phase is phase:
            text = "\n".join(f"{k} {v}" for k, v in play.fields().items() if k not in DERIVED)
            again = placed(text)
            assert again.state == play.state
            again.do(0, a.AutoPlay("game"))
            assert again.state == end.state
        play.do(0, a.AutoPlay("step"))


DERIVED = {"game", "possible", "fixed", "wanted", "in_play", "win_certain"}
