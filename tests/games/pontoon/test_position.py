"""Positions of Pontoon: what follows from their lines, what contradicts them.  pontoon 12.0."""

from __future__ import annotations

import pytest

from engine.actions import OpenTable
from engine.games.pontoon.state import Phase
from engine.kernel import HOST, PositionError
from engine.notation import lines_of_text
from engine.script import ScriptedShuffler
from tests.games.pontoon.tables import GAME, PLAYING, placed

BETWEEN = """
    phase BETWEEN_DEALS
    deal 3
    stacks 0=500 1=300 2=300
    banker 0
"""
AUCTION = """
    phase AUCTION
    deal 3
    stacks 0=500 1=300 2=300 3=300
    banker 2
    bidders 3 0 1
    turn 3
"""
SHOOTING = """
    phase SHOOT_BETTING
    deal 1
    stacks 0=500 1=300 2=300
    banker 0
    kitty 50
    bank_hand Kd
    hands 1 1[8c]
    hands 2 1[9c]
    bets 1=20 2=20
"""


def test_no_line_is_the_table_as_it_was_opened() -> None:
    _, opened = GAME.decide(GAME.initial(), HOST, OpenTable(), ScriptedShuffler())
    assert GAME.place(opened, []) == opened
    assert GAME.place(opened, [("phase", "WAITING"), ("sale", "none"), ("stock", "-")]) == opened


def test_lines_may_come_in_any_order() -> None:
    lines = lines_of_text(GAME.NUMBERED, PLAYING)
    state = placed("").state
    assert GAME.place(state, lines[::-1]) == GAME.place(state, lines) == state


def test_punters_are_in_turn_order_whatever_their_seats() -> None:
    """5.2: clockwise from the banker's left."""
    play = placed("""
        stacks 0=100 1=400 2=400 3=100
        banker 1
        hands 0 1[8c 7c]
        hands 1 -
        hands 2 1[Qc 5s]
        hands 3 1[2c 2d]
        bets 0=20 2=40 3=10
    """)
    assert play.seen().punters == (2, 3, 0)
    assert [hand.seat for hand in play.seen().hands] == [2, 3, 0]
    assert play.line("turn") == "2"
    assert play.line("bets") == "2=40 3=10 0=20"


def test_the_turn_of_shoot_bets_follows_from_them_unless_it_is_given() -> None:
    assert placed("", SHOOTING, shoot="true").line("turn") == "1"
    assert placed("shoot 1.1 5", SHOOTING, shoot="true").line("turn") == "2"
    assert placed("turn 2", SHOOTING, shoot="true").line("turn") == "2"


def test_bidders_stand_clockwise_and_the_turn_follows_the_highest_bid() -> None:
    assert placed("", AUCTION, shoot="true").line("bidders") == "3 0 1"
    assert placed("bidders 0 1 3", AUCTION, shoot="true").line("bidders") == "3 0 1"
    text = "turn -\nbid 10 3"
    assert placed(text, AUCTION, shoot="true").line("turn") == "0"


def test_a_turn_that_follows_may_be_given_and_must_fit() -> None:
    assert placed("turn 1").state.phase is Phase.PLAYER_TURNS
    with pytest.raises(PositionError, match="it is 1"):
        placed("turn 2")


def test_cards_that_no_line_names_follow_in_canonical_order() -> None:
    play = placed("stock Qs 6d")
    assert play.seen().stock[:3] == (*play.state.stock[:2], 1)
    assert len(play.seen().stock) == 52 - 6
    assert play.line("stock") == "Qs 6d"


def test_what_a_position_says_of_old_offers() -> None:
    play = placed("offer 3 0 1 5", BETWEEN)
    assert play.line("offers_made") == "3"


def test_what_is_left_out_contradicts_no_phase() -> None:
    """12.0: any key may be left out; where its default cannot be, what alone can be is meant."""
    assert placed("deal -").line("deal") == "1"
    play = placed("phase BANKER_TURN\nhands 1 1[8c 7c] 2[] 3[2c 3c 4c 5c 6c]")
    assert play.line("closed") == "1.1 2.1"
    assert play.line("turn") == "0"
    assert placed("bidders -\nout 1", AUCTION, shoot="true").line("bidders") == "3 0"


BROKEN = [
    ("phase NONSENSE", "", "none of"),
    ("colour red", "", "unknown key"),
    ("stacks 0=1000 1=400", "", "nobody sits at seat 2"),
    ("stacks 0=1000 1=400 2=x", "", "no integer"),
    ("stacks 0=1000 1=400 1=5 2=4", "", "each seat once"),
    ("players 1=ann 2=ann", "", "one name at two seats"),
    ("players 5=ann", "", "nobody sits at seat 5"),
    ("out 5", "", "nobody sits at seat 5"),
    ("out 1 1", "", "named twice"),
    ("out 1", "", "is in the deal"),
    ("out_next 1 2\nhands 2 -\nbets 1=20", "", "would be out at once"),
    ("leaving 1", "", "the rules act for him"),
    ("hands 2 -\nbets 1=20\nleaving 2", "", "free at once"),
    ("banker -", "", "a running deal has one"),
    ("banker 5", "", "nobody sits at seat 5"),
    ("banker 9", "", "no integer"),
    ("kitty 5", "", "this table has none"),
    ("vacated 1", "", "a deal ends the interval"),
    ("auction_used yes", "", "a deal ends the interval"),
    ("reshuffle perhaps", "", "yes or no"),
    ("deal 0", "", "a running deal has a number"),
    ("bank_hand Kd", "", "two cards"),
    ("bank_hand Kd 8c", "", "two places"),
    ("hands 1 1[8c 7x]", "", "no card"),
    ("hands 1 8c 7c", "", "expected hands"),
    ("hands 1 5[8c 7c]", "", "expected hands"),
    ("hands 1 2[8c 7c]", "", "count from 1"),
    ("hands 1 1[8c 7c] 1[8d 7d]", "", "count from 1"),
    ("hands 1 1[8c]", "", "no such cards"),
    ("hands 1 1[8c 7c Tc]", "", "no such cards"),
    ("hands 1 -\nhands 2 -\nbets -", "", "a deal has a punter"),
    ("hands 0 1[2c 3c]", "", "he is the banker"),
    ("bets 1=20", "", "seat 2 has bet"),
    ("bets 1=20 2=40 3=5", "", "has no hand"),
    ("bought 1.1 20", "", "more prices than cards"),
    ("bought 1.2 20", "", "there is no hand"),
    ("bought 1 20", "", "is not seat.hand"),
    ("hands 1 1[8c 2c 3c]\nbought 1.1 41", "", "no such price"),
    ("hands 1 1[8c 2c 3c 4c]\nbought 1.1 20 30", "", "no such price"),
    ("hands 1 1[]\nbought 1.1 20", "", "has bust"),
    ("hands 1 1[]\nclosed 1.1", "", "closed by itself"),
    ("hands 1 1[2c 3c 4c 5c 6c]\nclosed 1.1", "", "closed by itself"),
    ("closed 1.1 2.1", "", "a hand is open"),
    ("closed 1.1 1.1", "", "named twice"),
    ("closed 3.1", "", "there is no hand"),
    ("phase BANKER_TURN\nclosed 1.1", "", "no hand is open"),
    ("phase BANKER_TURN\nhands 1 1[]\nhands 2 1[]", "", "all have bust"),
    ("phase BANKER_TURN\nclosed 1.1 2.1\nbank_hand Kd 9h 8s", "", "not bust"),
    ("phase BETTING", "", "one hand of one card"),
    ("shoot 1.1 5", "", "more than the kitty"),
    ("sale 0 5", "", "another player"),
    ("sale 1", "", "expected 2 numbers"),
    ("sale 1 5\noffer 1 0 2 5", "", "a sale is agreed"),
    ("offer 1 1 2 5", "", "not with the banker"),
    ("offer 1 0 1 5\noffer 2 0 1 6", "", "two of one sender"),
    ("offer 0 0 1 5", "", "count from 1"),
    ("offer 1 0 5 5", "", "nobody sits at seat 5"),
    ("offers_made 2147483648", "", "at most"),
    ("bidders 1", "", "no auction"),
    ("bid 5 1", "", "no auction"),
    ("stacks 0=9223372036854775807 1=1 2=1", "", "at most"),
    ("bank_hand Kd 9h", BETWEEN, "no deal is running"),
    ("closed 1.1", BETWEEN, "no deal is running"),
    ("out 0", BETWEEN, "not active"),
    ("leaving 1", BETWEEN, "free at once"),
    ("vacated 5", BETWEEN, "nobody sits at seat 5"),
    ("phase WAITING\nbanker -\nvacated 1", BETWEEN, "without a banker"),
    ("phase WAITING\nbanker -\nauction_used yes", BETWEEN, "no banker"),
    ("phase WAITING\noffer 1 0 1 5", BETWEEN, "none is open now"),
    ("phase CLOSED", BETWEEN, "none any more"),
    ("phase AUCTION", BETWEEN, "no auctions"),
]
SHOOT_BROKEN = [
    ("phase SHOOT_BETTING\nturn 0", SHOOTING, "not a punter"),
    ("shoot 2.1 5\nturn 1", SHOOTING, "in turn order"),
    ("shoot 1.1 5\nshoot 2.1 5", SHOOTING, "somebody is to decide"),
    ("shoot 1.1 30 20", SHOOTING, "one shoot bet"),
    ("shoot 1.1 51", SHOOTING, "more than the kitty"),
    ("phase BETTING", SHOOTING, "still to bet"),
    ("phase BETTING\nbets 2=20", SHOOTING, "in turn order"),
    ("phase BETTING\nbets 1=20\nshoot 1.1 5", SHOOTING, "not before"),
    ("phase BETTING\nbets 1=20\nstacks 0=500 1=300 2=0", SHOOTING, "is to bet"),
    ("kitty 5\nphase WAITING\nbanker -\nbidders -\nturn -", AUCTION, "the banker's"),
    ("kitty 5", AUCTION, "dry"),
    ("bidders 0 1 2", AUCTION, "cannot bid"),
    ("out 1", AUCTION, "cannot bid"),
    ("bid 5 2", AUCTION, "has not passed"),
    ("bid 5 3", AUCTION, "has not the highest bid"),
    ("bid 301 1", AUCTION, "more than the bidder has"),
    ("bidders -\nturn -\nout 0 1 3", AUCTION, "has not the highest bid"),
]


@pytest.mark.parametrize(("text", "base", "why"), BROKEN)
def test_what_contradicts_itself(text: str, base: str, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        placed(text, base or PLAYING)


@pytest.mark.parametrize(("text", "base", "why"), SHOOT_BROKEN)
def test_what_contradicts_itself_in_shoot_pontoon(text: str, base: str, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        placed(text, base, shoot="true")


def test_a_key_occurs_once() -> None:
    state = placed("").state
    with pytest.raises(PositionError, match="occurs twice"):
        GAME.place(state, [("deal", "1"), ("deal", "1")])
