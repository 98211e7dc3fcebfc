"""Sitting down, leaving, adding chips, in every phase.  palace_poker 6.12, 6.16, 9, 10.8."""

from __future__ import annotations

import pytest

from engine.actions import (
    Action,
    AddChips,
    CloseTable,
    LeaveSeat,
    OpenTable,
    SitIn,
    SitOut,
    TakeSeat,
    TimeOut,
)
from engine.games.palace_poker import actions as a
from engine.kernel import HOST
from engine.table import MAX_CHIPS
from tests.games.palace_poker.tables import Play, named, placed


def test_before_there_is_a_table() -> None:
    """Nothing but ``open_table`` is accepted."""
    play = Play()
    for actor, action in (
        (0, TakeSeat("ann", 5)),
        (0, LeaveSeat()),
        (0, SitIn()),
        (0, AddChips(5)),
        (0, a.Stay()),
        (HOST, a.StartHand()),
        (HOST, TimeOut()),
        (HOST, CloseTable()),
    ):
        assert play.refused(actor, action) == "WRONG_PHASE"


def test_the_order_of_refusals_of_a_seat() -> None:
    """6.16.2."""
    play = Play.seated({0: 10, 1: MAX_CHIPS - 20}, max_seats="3")
    for chips in (None, 0, -1, MAX_CHIPS + 1, True):
        assert play.refused(9, TakeSeat("p0", chips)) == "BAD_PARAMETER"
    assert play.refused(9, TakeSeat("p0", 1)) == "ALREADY_SEATED"
    assert play.refused(3, TakeSeat("ann", 1)) == "SEAT_OUT_OF_RANGE"
    assert play.refused(-1, TakeSeat("ann", 1)) == "SEAT_OUT_OF_RANGE"
    assert play.refused(1, TakeSeat("ann", 99)) == "SEAT_TAKEN"
    assert play.refused(2, TakeSeat("ann", 11)) == "BAD_PARAMETER"
    play.do(2, TakeSeat("ann", 10))
    assert play.refused(0, AddChips(1)) == "BAD_PARAMETER"
    play.do(1, LeaveSeat())
    play.do(0, AddChips(1))
    play.do(HOST, CloseTable())
    assert play.refused(2, TakeSeat("ann", 0)) == "BAD_PARAMETER"
    assert play.refused(2, TakeSeat("ann", 1)) == "TABLE_CLOSED"


def test_chips_in_the_pot_belong_to_the_sum() -> None:
    """6.16.2, C2."""
    play = placed(f"stacks 0=100 1=100 2={MAX_CHIPS - 220}")
    assert play.refused(3, TakeSeat("ann", 6)) == "BAD_PARAMETER"
    play.do(3, TakeSeat("ann", 5))


@pytest.mark.parametrize("action", [LeaveSeat(), SitOut(), SitIn(), AddChips(5)])
def test_only_who_sits_there_and_does_not_leave(action: Action) -> None:
    """6.16.2."""
    play = placed("")
    assert play.refused(3, action) == "NOT_SEATED"
    assert play.refused(10, action) == "NOT_SEATED"
    play.do(1, LeaveSeat())
    assert play.refused(1, action) == "ALREADY_LEAVING"


def test_chips_are_not_added_by_who_was_dealt_in_even_if_he_is_out() -> None:
    """6.16.2, 9.1."""
    play = placed("")
    play.do(3, TakeSeat("ann", 5))
    play.do(3, AddChips(5))
    play.do(0, a.Fold())
    assert play.refused(0, AddChips(5)) == "IN_HAND"
    assert play.refused(1, AddChips(0)) == "BAD_PARAMETER"


def test_sitting_out_while_dealt_in() -> None:
    """6.16.3: the hand is played to its end."""
    play = placed("", decks=["", ""])
    play.do(0, SitOut())
    assert play.line("out") == "0"
    play.do(0, a.Stay())
    for seat in (1, 2):
        play.do(seat, a.Fold())
    play.do(HOST, a.StartHand())
    assert play.seen().order == (2, 1)


def test_leaving_without_being_dealt_in() -> None:
    """6.12: at once, in every phase."""
    play = placed("")
    play.do(3, TakeSeat("ann", 5))
    assert play.do(3, LeaveSeat()) == ["SeatLeft seat=3 chips=5"]
    play.do(0, a.Bet(1))
    play.do(3, TakeSeat("ann", 5))
    assert play.do(3, LeaveSeat()) == ["SeatLeft seat=3 chips=5"]


def test_an_eliminated_player_leaves_when_the_hand_ends() -> None:
    """6.12."""
    play = placed("")
    play.do(0, a.Fold())
    assert play.do(0, LeaveSeat()) == ["SeatLeaving seat=0"]
    assert play.line("leaving") == "0"
    assert play.do(1, a.Fold())[-2:] == [
        "HandEnded end=LAST_STANDING stacks=0:100,1:100,2:115",
        "SeatLeft seat=0 chips=100",
    ]
    assert play.line("stacks") == "1=100 2=115"


def test_leaving_on_ones_own_turn() -> None:
    """6.12: the engine folds at once."""
    play = placed("")
    assert named(play.do(0, LeaveSeat())) == [
        "SeatLeaving",
        "Folded",
        "PlayerEliminated",
        "TurnStarted",
    ]
    assert play.line("turn") == "1"


def test_leaving_in_ones_own_muster() -> None:
    """6.12: the first five stay, then the turn ends."""
    play = placed("phase MUSTER\nsoldiers 0 Ts Js 2h 3h 4h 5h")
    assert play.do(0, LeaveSeat()) == [
        "SeatLeaving seat=0",
        "SoldiersDiscarded seat=0 cards=5h",
        "MusterCompleted seat=0 soldiers=Ts,Js,2h,3h,4h auto=true",
        "TurnStarted seat=1 forced=false",
    ]


def test_leaving_when_an_answer_is_due() -> None:
    """6.12: a fold, even where a call would cost nothing."""
    play = placed("stacks 0=100 1=0 2=100")
    play.do(0, a.Bet(1))
    assert named(play.do(1, LeaveSeat())) == [
        "SeatLeaving",
        "BattleFolded",
        "PlayerEliminated",
        "CardsCaptured",
    ]
    assert play.line("actor") == ""


def test_a_leaver_can_be_attacked_and_folds_in_the_same_step() -> None:
    """6.12: he stays attackable."""
    play = placed("")
    play.do(1, LeaveSeat())
    told = play.do(0, a.Bet(1))
    assert named(told) == ["BattleDeclared", "BattleFolded", "PlayerEliminated", "CardsCaptured"]
    assert told[1] == "BattleFolded seat=1 winner=0 auto=true"
    assert play.line("phase") == "MUSTER"


def test_an_attacker_who_leaves_folds_when_it_is_raised() -> None:
    """6.12: until then his battle goes on; won by a fold, he musters and leaves."""
    play = placed("")
    play.do(0, a.Bet(1))
    assert play.do(0, LeaveSeat()) == ["SeatLeaving seat=0"]
    told = play.do(1, a.Raise())
    assert named(told) == [
        "BattleRaised",
        "BattleFolded",
        "UncalledReturned",
        "PlayerEliminated",
        "CardsCaptured",
    ]
    play = placed("soldiers 0 2h 3h 4h 5h 6h")
    play.do(0, a.Bet(1))
    play.do(0, LeaveSeat())
    assert named(play.do(1, a.Fold())) == [
        "BattleFolded",
        "PlayerEliminated",
        "CardsCaptured",
        "SoldiersDiscarded",
        "MusterCompleted",
        "TurnStarted",
    ]


def test_a_leaver_keeps_what_he_can_win() -> None:
    """6.12, 8.6: here all others fold, then he is the last one standing."""
    play = placed("")
    play.do(2, LeaveSeat())
    play.do(0, a.Fold())
    assert play.do(1, a.Fold())[-1] == "SeatLeft seat=2 chips=115"


def test_everybody_leaves() -> None:
    """6.12: several seats are free in ascending order; the last one wins without acting."""
    play = placed("")
    play.do(2, LeaveSeat())
    play.do(1, LeaveSeat())
    told = play.do(0, LeaveSeat())
    assert named(told) == [
        "SeatLeaving",
        "Folded",
        "PlayerEliminated",
        "TurnStarted",
        "Folded",
        "PlayerEliminated",
        "PotAwarded",
        "HandEnded",
        "SeatLeft",
        "SeatLeft",
        "SeatLeft",
    ]
    assert play.line("stacks") == ""
    assert play.refused(HOST, a.StartHand()) == "NOT_ENOUGH_PLAYERS"


def test_closing() -> None:
    """6.16.4."""
    play = Play.seated({1: 7, 3: 9})
    assert play.do(HOST, CloseTable()) == [
        "SeatLeft seat=1 chips=7",
        "SeatLeft seat=3 chips=9",
        "TableClosed reason=HOST",
    ]
    assert play.refused(HOST, OpenTable()) == "WRONG_PHASE"
    assert play.line("phase") == "CLOSED"
