"""Turns, quiet rounds, the final two, refusals in their order.  palace_poker 5.7–5.13, 6."""

from __future__ import annotations

import pytest

from engine.actions import Action, CloseTable, TimeOut
from engine.games.palace_poker import actions as a
from engine.kernel import HOST
from engine.table import MAX_CHIPS
from tests.games.palace_poker.tables import Play, cards, named, placed

TWO = "exits 2=1\nbanner 2 -\npalace 2 -\ndiscard 7h Qc Qd 2s"
"""Seat 2 is out of THREE."""

DEALT_TWO = "stacks 0=100 1=100\ndealer 1\npaid 0=5 1=5\nbanner 2 -\npalace 2 -"
"""THREE, as if two had been dealt in."""


def test_a_turn_fold_can_complete_a_quiet_round() -> None:
    """5.11: who is out no longer counts."""
    play = placed(
        "stacks 0=100 1=100 2=100 3=100\npaid 0=5 1=5 2=5 3=5\ndealer 3\n"
        "banner 3 6s\npalace 3 Jc Jd 2h\nquiet 1 2 3"
    )
    told = play.do(0, a.Fold())
    assert named(told) == [
        "Folded",
        "PlayerEliminated",
        "HandShown",
        "HandShown",
        "HandShown",
        "PotAwarded",
        "HandEnded",
    ]


def test_buying_and_betting_clear_all_marks() -> None:
    """5.11: in the muster of a purchase nothing stands, the muster sets no mark."""
    play = placed("quiet 1 2", decks=[""])
    play.do(0, a.Buy())
    assert play.line("quiet") == ""
    play.do(0, a.Muster(play.seen().soldiers[0]))
    assert (play.line("quiet"), play.line("turn")) == ("", "1")
    play = placed("quiet 1 2")
    play.do(0, a.Bet(1))
    assert play.line("quiet") == ""


def test_a_time_outs_stay_counts_for_the_quiet_round() -> None:
    """5.11, 6.13: otherwise a hand whose players are all away would never end."""
    play = placed("")
    for _ in range(2):
        assert named(play.do(HOST, TimeOut())) == ["TurnTimedOut", "Stayed", "TurnStarted"]
    assert play.do(HOST, TimeOut())[-1].startswith("HandEnded end=SHOWDOWN")


@pytest.mark.parametrize(
    ("lines", "option", "last"),
    [
        (TWO, "after_quiet_round", "TurnStarted seat=0 forced=true"),
        (TWO, "immediate", "TurnStarted seat=0 forced=true"),
        (TWO, "showdown", "HandEnded end=SHOWDOWN"),
        (DEALT_TWO, "after_quiet_round", "TurnStarted seat=0 forced=true"),
        (DEALT_TWO, "immediate", "TurnStarted seat=0 forced=true"),
        (DEALT_TWO, "showdown", "HandEnded end=SHOWDOWN"),
    ],
)
def test_a_quiet_round_of_the_final_two(lines: str, option: str, last: str) -> None:
    """5.12."""
    play = placed(f"{lines}\nquiet 0\nturn 1", final_two=option)
    assert play.do(1, a.Stay())[-1].startswith(last)


@pytest.mark.parametrize(
    ("lines", "option", "forced"),
    [
        (TWO, "after_quiet_round", "false"),
        (TWO, "immediate", "true"),
        (TWO, "showdown", "false"),
        (DEALT_TWO, "after_quiet_round", "false"),
        (DEALT_TWO, "immediate", "false"),
    ],
)
def test_the_first_turn_of_the_final_two(lines: str, option: str, forced: str) -> None:
    """5.12.2: at once only if the hand was dealt to three or more."""
    play = placed(f"{lines}\nphase MUSTER\nsoldiers 0 Ts\nturn 0", final_two=option)
    assert play.do(0, a.Muster())[-1] == f"TurnStarted seat=1 forced={forced}"


@pytest.mark.parametrize(
    ("lines", "option", "last"),
    [
        ("", "after_quiet_round", "HandEnded end=SHOWDOWN"),
        (TWO, "after_quiet_round", "TurnStarted seat=1 forced=true"),
        (TWO, "showdown", "HandEnded end=SHOWDOWN"),
    ],
)
def test_the_cap_on_turns_counts_as_a_quiet_round(lines: str, option: str, last: str) -> None:
    """5.13: also after a muster."""
    base = f"{lines}\nphase MUSTER\nsoldiers 0 Ts\nturn 0"
    play = placed(f"{base}\nturns 3", final_two=option, max_turns="4")
    assert play.do(0, a.Muster())[-1].startswith(last)
    play = placed(f"{base}\nturns 2", final_two=option, max_turns="4")
    assert play.do(0, a.Muster())[-1].startswith("TurnStarted seat=1 forced=false")


@pytest.mark.parametrize("action", [a.Stay(), a.Buy(), a.Discard(cards("Ts"))])
def test_a_forced_turn_wants_a_battle(action: Action) -> None:
    """6.1.3: before the action's own tests."""
    play = placed(f"{TWO}\nquiet 0 1\nturn 0 forced\nsoldiers 0 Ts")
    assert play.refused(0, action) == "BATTLE_REQUIRED"
    assert play.refused(0, a.Discard()) == "BATTLE_REQUIRED"
    assert set(play.offered(0)) == {"Bet", "Fold"}


def test_a_forced_bet_without_chips() -> None:
    """5.12.4, 6.7.3: the defender need match nothing."""
    play = placed(f"{TWO}\nquiet 0 1\nturn 0 forced\nstacks 0=0 1=100 2=100")
    assert play.refused(0, a.Bet(1, 1)) == "AMOUNT_NOT_ALLOWED"
    told = play.do(0, a.Bet(1))
    assert told == ["BattleDeclared attacker=0 defender=1 paid=0 excess=0 short=true to_call=0"]
    assert play.refused(1, a.Raise()) == "OPPONENT_ALL_IN"
    told = play.do(HOST, TimeOut())
    assert told[1] == "BattleCalled seat=1 paid=0 short=false auto=true"
    assert told[-1].startswith("HandEnded")


def test_a_forced_fold_leaves_the_other_standing() -> None:
    """5.12.4, A24; also when the time is over (6.13)."""
    for actor, action in ((0, a.Fold()), (HOST, TimeOut())):
        play = placed(f"{TWO}\nquiet 0 1\nturn 0 forced")
        assert play.do(actor, action)[-1].startswith("HandEnded end=LAST_STANDING")


def test_refusals_come_in_their_order() -> None:
    """6.1.3, 6.1.4."""
    play = placed("soldiers 0 Ts Js")
    assert play.refused(8, a.Discard((0,))) == "INVALID_CARD"
    assert play.refused(8, a.Discard((53,))) == "INVALID_CARD"
    assert play.refused(8, a.Discard(None)) == "BAD_PARAMETER"  # type: ignore[arg-type]
    assert play.refused(8, a.Bet(1, -1)) == "BAD_PARAMETER"
    assert play.refused(8, a.Bet(1, MAX_CHIPS + 1)) == "BAD_PARAMETER"
    assert play.refused(8, a.Bet(True)) == "BAD_PARAMETER"
    assert play.refused(8, a.Bet(MAX_CHIPS + 1)) == "BAD_PARAMETER"
    assert play.refused(8, a.Bet(-1)) == "NOT_SEATED"
    assert play.refused(-1, a.Stay()) == "NOT_SEATED"
    assert play.refused(1, a.Call()) == "NOT_YOUR_TURN"
    assert play.refused(0, a.Call()) == "WRONG_PHASE"
    assert play.refused(0, a.Raise(5)) == "WRONG_PHASE"
    assert play.refused(0, a.Muster()) == "WRONG_PHASE"
    assert play.refused(0, a.Discard()) == "DISCARD_EMPTY"
    assert play.refused(0, a.Discard(cards("Ts Ts"))) == "DUPLICATE_CARD"
    assert play.refused(0, a.Discard(cards("Ts Qs Qs"))) == "DUPLICATE_CARD"
    assert play.refused(0, a.Discard(cards("Ts Qs"))) == "NOT_YOUR_SOLDIER"
    assert play.refused(0, a.Discard(cards("9c"))) == "NOT_YOUR_SOLDIER"
    for target in (None, -1, 0, 3, 9, 10, MAX_CHIPS):
        assert play.refused(0, a.Bet(target, 77)) == "INVALID_TARGET"


def test_before_between_and_after_the_hands() -> None:
    """6.1.3: TABLE_CLOSED before WRONG_PHASE before NOT_SEATED."""
    play = Play.seated({0: 9})
    assert play.refused(5, a.Stay()) == "WRONG_PHASE"
    assert play.refused(5, a.Bet(1, -1)) == "BAD_PARAMETER"
    play.do(HOST, CloseTable())
    assert play.refused(5, a.Stay()) == "TABLE_CLOSED"
    assert play.refused(5, a.Raise(-1)) == "BAD_PARAMETER"
    for action in (a.StartHand(), TimeOut(), CloseTable()):
        assert play.refused(HOST, action) == "WRONG_PHASE"


def test_buying_needs_a_card_first_and_then_the_chips() -> None:
    """6.5: no short purchases; the price is the small bet, whatever one holds."""
    play = placed("stacks 0=9 1=100 2=100")
    assert play.refused(0, a.Buy()) == "INSUFFICIENT_CHIPS"
    assert set(play.offered(0)) == {"Stay", "Bet", "Fold"}
    play = placed("stacks 0=10 1=100 2=100\nsoldiers 0 Ts Js 2h 3h 4h\ndraw Qs")
    assert play.do(0, a.Buy()) == ["SoldierBought seat=0 card=Qs paid=10"]
    assert play.refused(0, a.Muster()) == "TOO_MANY_SOLDIERS"
    (limits,) = play.offered(0)["Muster"]
    assert limits[0][2:] == (1, 6)
    play.do(0, a.Muster(cards("Qs")))
    assert play.line("soldiers 0") == "Ts Js 2h 3h 4h"


def test_a_time_out_in_a_muster_keeps_the_first_five() -> None:
    """6.13."""
    play = placed("phase MUSTER\nsoldiers 0 Ts Js 2h 3h 4h 5h 6h")
    assert play.do(HOST, TimeOut()) == [
        "TurnTimedOut seat=0",
        "SoldiersDiscarded seat=0 cards=5h,6h",
        "MusterCompleted seat=0 soldiers=Ts,Js,2h,3h,4h auto=true",
        "TurnStarted seat=1 forced=false",
    ]
    play = placed("phase MUSTER\nsoldiers 0 Ts")
    assert named(play.do(HOST, TimeOut())) == ["TurnTimedOut", "MusterCompleted", "TurnStarted"]


def test_a_player_without_chips_goes_on() -> None:
    """10.6: he may stay, discard and fold, be attacked and call."""
    play = placed("stacks 0=0 1=100 2=100\nsoldiers 0 Ts")
    assert set(play.offered(0)) == {"Stay", "Discard", "Fold"}
    play.do(0, a.Stay())
    play.do(1, a.Bet(0))
    assert set(play.offered(0)) == {"Call", "Fold"}
    assert play.refused(0, a.Raise()) == "INSUFFICIENT_CHIPS"
    assert play.do(0, a.Call())[0] == "BattleCalled seat=0 paid=0 short=true auto=false"


def test_same_suit_players_are_no_targets() -> None:
    """6.7.2: refused after the target, before the chips."""
    play = placed("banner 1 8c\npalace 1 Kd Kh 3s\nstacks 0=0 1=100 2=100")
    assert play.refused(0, a.Bet(1)) == "SAME_BANNER_SUIT"
    assert play.refused(0, a.Bet(2)) == "NO_CHIPS"
    rich = placed("banner 1 8c\npalace 1 Kd Kh 3s")
    assert [limits[0][1] for limits in rich.offered(0)["Bet"]] == [2]


def test_five_soldiers_are_thrown_away_at_once() -> None:
    """6.4: up to all of them, in the order of the request; the pile is a set."""
    play = placed("soldiers 0 Ts Js 2h 3h 4h")
    told = play.do(0, a.Discard(cards("4h Ts 2h Js 3h")))
    assert told[0] == "SoldiersDiscarded seat=0 cards=4h,Ts,2h,Js,3h"
    assert play.line("discard") == "2h 3h 4h Ts Js"
