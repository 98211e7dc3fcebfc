"""Positions and views: their lines, and what cannot arise.  palace_poker 4, 12.0."""

from __future__ import annotations

import pytest

from engine.cards import PACK
from engine.games.palace_poker import actions as a
from engine.kernel import PositionError
from engine.table import MAX_CHIPS
from engine.visibility import OBSERVER, seat_viewer
from tests.games.palace_poker.tables import GAME, THREE, Play, cards, placed

MUSTER = "phase MUSTER\nsoldiers 0 Ts"
BATTLE = "phase BATTLE\nactor 1\nbattle defender=1 to_call=10 raises=0 unmatched=0"
OUT = "exits 2=1\nbanner 2 -\npalace 2 -\ndiscard 7h Qc Qd 2s"


def test_unnamed_cards_lie_under_those_of_draw() -> None:
    """12.0: in canonical order, and the draw line tells no more than it must."""
    play = placed("draw As 2c")
    draw = play.seen().draw
    assert draw[:2] == cards("As 2c")
    assert list(draw[2:]) == sorted(draw[2:])
    assert play.line("draw") == "As"
    assert placed("").line("draw") == ""
    assert placed("draw 2h 2c").line("draw") == "2h"


def test_lines_may_come_in_any_order_and_say_none() -> None:
    """12.0."""
    turned = "\n".join(reversed(THREE.strip().splitlines()))
    assert placed(turned, base="").state == placed("").state
    assert placed("quiet none\nsoldiers 1 none\nbattle none\ndiscard none").state == (
        placed("").state
    )


def test_a_table_between_hands() -> None:
    """12.0: without a line there is nothing."""
    assert placed("", base="").state == Play.seated({}).state
    play = placed("stacks 0=7 4=0\nplayers 4=zoe\nout 0\ndealer 9\nhand 3", base="")
    assert play.seen().players[4] == "zoe"
    lines = GAME.lines(play.seen())
    assert lines == [
        ("hand", "3"),
        ("players", "4=zoe"),
        ("stacks", "0=7 4=0"),
        ("out", "0"),
        ("dealer", "9"),
    ]


def test_keys_stand_in_their_order() -> None:
    """12.0."""
    play = placed(
        "players 1=ann\nout 1\nleaving 2\nsoldiers 0 Ts\nquiet 1\nturns 7\ndraw As 2c\n"
        "discard 9s 3c\nstacks 0=0 1=100 2=100 3=4\npaid 0=2* 1=5 2=5"
    )
    keys = [key for key, _ in GAME.lines(play.seen())]
    assert keys == [
        "phase",
        "hand",
        "players",
        "stacks",
        "out",
        "leaving",
        "dealer",
        "paid",
        "banner 0",
        "banner 1",
        "banner 2",
        "palace 0",
        "palace 1",
        "palace 2",
        "soldiers 0",
        "quiet",
        "turns",
        "turn",
        "draw",
        "discard",
    ]
    assert play.line("discard") == "3c 9s"
    assert play.line("paid") == "0=2* 1=5 2=5"


REFUSED = {
    "unknown key": "pot 15",
    "phase": "phase SETUP",
    "integer": "turns -1",
    "seat": "quiet 10",
    "twice": "quiet 1 1",
    "hand": "hand 0",
    "one player": "exits 1=1 2=2\nbanner 1 -\nbanner 2 -\npalace 1 -\npalace 2 -",
    "one suit": "banner 1 8c\nbanner 2 7c",
    "dealer": "dealer none",
    "dealer not dealt in": "stacks 0=1 1=1 2=1 3=1\ndealer 3",
    "turn": "turn none",
    "turn not dealt in": "stacks 0=1 1=1 2=1 3=1\nturn 3",
    "turn of one who is out": f"{OUT}\nturn 2",
    "turn word": "turn 0 quickly",
    "actor in turn": "actor 1",
    "actor out": f"{OUT}\n{MUSTER}\nactor 2",
    "actor musters for T": f"{MUSTER}\nactor 1\nsoldiers 1 Js",
    "muster of nothing": "phase MUSTER",
    "actor leaves": "leaving 0",
    "leaver not dealt in": "stacks 0=1 1=1 2=1 3=1\nleaving 3",
    "nobody there": "out 5",
    "player nobody": "players 5=ann",
    "same player": "players 1=p0",
    "paid nobody": "paid 0=5 1=5 2=5 3=5",
    "capped with chips": "paid 0=5* 1=5 2=5",
    "too many chips": f"stacks 0={MAX_CHIPS} 1=1 2=1",
    "exit not dealt in": "exits 5=1",
    "exit zero": f"{OUT}\nexits 2=0",
    "exit gap": f"{OUT}\nexits 2=2",
    "no banner": "banner 1 none",
    "two banners": "banner 1 8d 9d",
    "banner of one out": f"{OUT}\nbanner 2 6s",
    "palace of one out": f"{OUT}\npalace 2 3d 4d 5d",
    "soldiers of one out": f"{OUT}\nsoldiers 2 3d",
    "two palace cards": "palace 1 Kc Kh",
    "six soldiers": "soldiers 0 Ts Js 2c 3c 4c 5c",
    "six soldiers of another": f"{MUSTER}\nsoldiers 1 Js 2c 3c 4c 5c 6c",
    "card twice": "soldiers 0 Ah",
    "no card": "soldiers 0 1c",
    "hidden card": "draw ??",
    "mark of one out": f"{OUT}\nquiet 2",
    "all marked": "quiet 0 1 2",
    "mark in a muster": f"{MUSTER}\nquiet 1",
    "mark in a battle": f"{BATTLE}\nquiet 1",
    "forced with three": "turn 0 forced",
    "forced muster": f"{OUT}\n{MUSTER}\nturn 0 forced",
    "battle in a turn": "battle defender=1 to_call=10 raises=0 unmatched=0",
    "no battle": "phase BATTLE",
    "half a battle": "phase BATTLE\nactor 1\nbattle defender=1 to_call=10",
    "battle with oneself": "phase BATTLE\nbattle defender=0 to_call=10 raises=0 unmatched=0",
    "defender out": f"{OUT}\nphase BATTLE\nactor 1\n"
    "battle defender=2 to_call=10 raises=0 unmatched=0",
    "defender nowhere": "phase BATTLE\nactor 1\nbattle defender=11 to_call=10 raises=0 unmatched=0",
    "one suit in battle": f"{BATTLE}\nbanner 1 8c",
    "attacker out": f"{OUT}\nphase BATTLE\nturn 2\nactor 1\n"
    "battle defender=1 to_call=10 raises=0 unmatched=0",
    "wrong side to act": "phase BATTLE\nbattle defender=1 to_call=10 raises=0 unmatched=0",
    "unmatched beyond the call": f"{BATTLE[:-1]}11",
    "raise and call differ": "phase BATTLE\nbattle defender=1 to_call=10 raises=1 unmatched=5",
    "unmatched never paid": "phase BATTLE\nbattle defender=1 to_call=10 raises=1 unmatched=10",
}


@pytest.mark.parametrize("lines", REFUSED.values(), ids=REFUSED)
def test_what_cannot_arise_is_refused(lines: str) -> None:
    """12.0."""
    with pytest.raises(PositionError):
        placed(lines)


@pytest.mark.parametrize(
    "lines", ["phase IDLE\npaid 0=5", "phase CLOSED\nstacks 0=5", "phase IDLE\ndraw 2c", "phase X"]
)
def test_without_a_hand_there_is_nothing_of_one(lines: str) -> None:
    """12.0: no key from ``paid`` on; nobody sits at a closed table."""
    with pytest.raises(PositionError):
        placed(lines, base="")


def test_a_key_twice() -> None:
    """12.0."""
    opened = Play.seated({}).state
    with pytest.raises(PositionError, match="occurs twice"):
        GAME.place(opened, [("phase", "IDLE"), ("phase", "IDLE")])


def test_positions_that_are_what_they_seem_not() -> None:
    """12.0: more than five soldiers in a muster; a winner who musters on another's turn."""
    placed("phase MUSTER\nsoldiers 0 Ts Js 2c 3c 4c 5c")
    placed("phase MUSTER\nexits 0=1\nbanner 0 -\npalace 0 -\nactor 1\nsoldiers 1 Js 9c")
    placed(BATTLE)
    placed(
        f"{OUT}\nphase BATTLE\nturn 0 forced\nactor 1\n"
        "battle defender=1 to_call=0 raises=0 unmatched=0"
    )


def test_views_hide_palaces_and_piles() -> None:
    """4.2, 12.0: hidden piles keep their size and have no tail to leave out."""
    play = placed("discard 9s 3c")
    for viewer in (seat_viewer(0), OBSERVER, seat_viewer(0) | OBSERVER):
        assert play.line("draw", viewer) == " ".join(["??"] * 38)
        assert play.line("discard", viewer) == "?? ??"
        assert play.line("palace 1", viewer) == "?? ?? ??"
        assert play.line("banner 1", viewer) == "8d"
    assert play.line("palace 0", seat_viewer(0)) == "Ah Ad 4s"
    assert play.line("palace 0", OBSERVER) == "?? ?? ??"


def test_what_was_shown_is_not_kept_in_views() -> None:
    """4.4, 4.5: not after the battle, not in a later hand."""
    play = placed("soldiers 0 2c Tc")
    play.do(0, a.Bet(1))
    play.do(1, a.Call())
    assert play.line("palace 0", seat_viewer(1)) == "?? ?? ??"
    assert play.line("discard", seat_viewer(1)) == "?? ?? ??"


def test_views_tell_prices_pot_and_amounts_to_call() -> None:
    """4.2."""
    play = placed("soldiers 0 2c Tc")
    play.do(0, a.Bet(1))
    seen = play.seen(OBSERVER)
    assert seen.prices == (30, 10, 10, 0, 0, 0, 0, 0, 0, 0)
    assert seen.pot == 45
    assert seen.battle
    assert seen.battle.to_call == 10
    assert len(seen.draw) == len(PACK) - 3 - 9 - 2
