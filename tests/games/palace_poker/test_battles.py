"""Battles: amounts, who is shown what, who is out.  palace_poker 4.4, 5.8–5.10, 6.7–6.10."""

from __future__ import annotations

import pytest

from engine.actions import TimeOut
from engine.games.palace_poker import actions as a
from engine.games.palace_poker import events as e
from engine.kernel import HOST, Range
from tests.games.palace_poker.tables import cards, named, placed, seen_by

TIED = """
    banner 0 9h
    banner 1 9c
    banner 2 5s
    palace 0 Kd 6s 2d
    palace 1 Ks 6d 2s
    palace 2 Jc Jd 3h
"""
"""THREE with hands of seats 0 and 1 that end in a total tie."""


def amounts(offers: dict[str, list[tuple[Range, ...]]], name: str) -> list[tuple[int, int]]:
    """Least and greatest amount of the offers of a name."""
    return [(limits[-1].low, limits[-1].high) for limits in offers[name]]


def test_a_price_counts_all_soldiers_of_its_own_side() -> None:
    """5.8.2: void ones too."""
    play = placed("soldiers 0 2d 3d 4d\nsoldiers 1 5c")
    assert play.do(0, a.Bet(1)) == [
        "BattleDeclared attacker=0 defender=1 paid=40 excess=0 short=false to_call=20"
    ]


def test_limit_amounts_are_exact() -> None:
    """6.7.4, 6.9.2: 0, left out, or the amount itself."""
    for amount in (None, 0, 10):
        assert placed("").do(0, a.Bet(1, amount))[0].startswith("BattleDeclared")
    play = placed("soldiers 1 Jd")
    assert play.refused(0, a.Bet(1, 11)) == "AMOUNT_NOT_ALLOWED"
    assert amounts(play.offered(0), "Bet") == [(10, 10), (10, 10)]
    play.do(0, a.Bet(1, 10))
    assert amounts(play.offered(1), "Raise") == [(20, 20)]
    assert play.refused(1, a.Raise(10)) == "AMOUNT_NOT_ALLOWED"
    assert play.do(1, a.Raise(20)) == ["BattleRaised seat=1 called=20 raised=20"]


def test_a_soldierless_raise_is_an_option() -> None:
    """5.8.6, A13."""
    play = placed("", soldierless_raise="twice_small_bet", big_bet="30")
    play.do(0, a.Bet(1))
    assert amounts(play.offered(1), "Raise") == [(20, 20)]
    play = placed("soldiers 1 Jd", soldierless_raise="twice_small_bet", big_bet="30")
    play.do(0, a.Bet(1))
    assert amounts(play.offered(1), "Raise") == [(30, 30)]


@pytest.mark.parametrize(("own", "other", "step"), [(100, 13, 3), (13, 100, 3), (21, 100, 10)])
def test_a_limit_raise_shrinks_to_what_both_can_pay(own: int, other: int, step: int) -> None:
    """6.9.2, A40, 10.5."""
    play = placed(f"stacks 0={other} 1={own} 2=100")
    play.do(0, a.Bet(1))
    assert amounts(play.offered(1), "Raise") == [(step, step)]


def test_raises_go_on_until_the_chips_or_the_cap_end_them() -> None:
    """5.8.4, A14, 6.9.1."""
    play = placed("stacks 0=65 1=65 2=100")
    play.do(0, a.Bet(1))
    for seat in (1, 0, 1, 0):
        play.do(seat, a.Raise())
    assert play.line("battle") == "defender=1 to_call=10 raises=4 unmatched=10"
    assert play.do(1, a.Raise()) == ["BattleRaised seat=1 called=10 raised=10"]
    assert play.do(0, a.Raise()) == ["BattleRaised seat=0 called=10 raised=5"]
    assert play.refused(1, a.Raise()) == "OPPONENT_ALL_IN"
    capped = placed("", max_raises="2")
    capped.do(0, a.Bet(1))
    capped.do(1, a.Raise())
    capped.do(0, a.Raise())
    assert capped.refused(1, a.Raise(-1)) == "BAD_PARAMETER"
    assert capped.refused(1, a.Raise(1)) == "RAISE_CAP_REACHED"


def test_the_order_of_a_raises_tests() -> None:
    """6.9.1: cap, opponent all in, chips, amount."""
    play = placed("stacks 0=10 1=100 2=100", max_raises="1")
    play.do(0, a.Bet(1))
    assert play.refused(1, a.Raise(1)) == "OPPONENT_ALL_IN"
    play = placed("stacks 0=100 1=10 2=100")
    play.do(0, a.Bet(1))
    assert play.refused(1, a.Raise(77)) == "INSUFFICIENT_CHIPS"


def test_no_limit_openings() -> None:
    """6.7.5: the excess is what the defender can match beyond his price; 0 if he cannot pay it."""
    play = placed("stacks 0=500 1=25 2=5", betting_structure="no_limit")
    assert amounts(play.offered(0), "Bet") == [(10, 25), (10, 10)]
    assert play.refused(0, a.Bet(2, 11)) == "BET_TOO_LARGE"
    assert play.refused(0, a.Bet(1, 9)) == "BET_TOO_SMALL"
    assert play.refused(0, a.Bet(1, 501)) == "INSUFFICIENT_CHIPS"
    assert play.do(0, a.Bet(1, 25)) == [
        "BattleDeclared attacker=0 defender=1 paid=25 excess=15 short=false to_call=25"
    ]
    assert play.refused(1, a.Raise()) == "INSUFFICIENT_CHIPS"


def test_a_short_attack_in_no_limit_has_one_amount() -> None:
    """6.7.5, 10.3."""
    play = placed("stacks 0=7 1=100 2=100", betting_structure="no_limit")
    assert amounts(play.offered(0), "Bet") == [(7, 7), (7, 7)]
    assert play.refused(0, a.Bet(1, 8)) == "INSUFFICIENT_CHIPS"
    play.do(0, a.Bet(1))
    assert play.line("battle") == "defender=1 to_call=7 raises=0 unmatched=0"
    assert play.seen().capped == (0,)


def test_no_limit_raises() -> None:
    """6.9.3: the minimum stays the big bet; less only if there is not more."""
    play = placed("", betting_structure="no_limit")
    play.do(0, a.Bet(1))
    assert amounts(play.offered(1), "Raise") == [(20, 90)]
    play.do(1, a.Raise())
    assert amounts(play.offered(0), "Raise") == [(20, 70)]
    play.do(0, a.Raise(60))
    assert amounts(play.offered(1), "Raise") == [(10, 10)]
    assert play.refused(1, a.Raise(9)) == "RAISE_TOO_SMALL"
    assert play.refused(1, a.Raise(11)) == "RAISE_TOO_LARGE"
    play.do(1, a.Raise(10))
    assert play.refused(0, a.Raise()) == "OPPONENT_ALL_IN"
    told = play.do(0, a.Fold())
    assert told[:2] == [
        "BattleFolded seat=0 winner=1 auto=false",
        "UncalledReturned seat=1 amount=10",
    ]


def test_an_excess_goes_back_when_the_defender_folds() -> None:
    """5.8.7, A11."""
    play = placed("", betting_structure="no_limit")
    play.do(0, a.Bet(1, 60))
    told = play.do(1, a.Fold())
    assert "UncalledReturned seat=0 amount=50" in told
    assert play.line("stacks") == "0=90 1=100 2=100"


@pytest.mark.parametrize(
    ("reveal", "sees"), [("combatants", (True, True, False)), ("all", (True, True, True))]
)
def test_a_winning_examiner_and_a_tie_show_both_palaces(
    reveal: str, sees: tuple[bool, ...]
) -> None:
    """4.4."""
    play = placed(TIED, battle_reveal=reveal)
    play.do(0, a.Bet(1))
    play.do(1, a.Call())
    for seat, sees_all in enumerate(sees):
        first, second = seen_by(play, seat, e.PalaceRevealed)
        assert ("cards=??" in first) is not sees_all
        assert ("cards=??" in second) is not sees_all
        (resolved,) = seen_by(play, seat, e.BattleResolved)
        assert ("attacker_count=1" in resolved) is sees_all
        assert ("defender_value=HIGH_CARD,13" in resolved) is sees_all


@pytest.mark.parametrize(("reveal", "observes"), [("combatants", False), ("all", True)])
def test_a_losing_examiner_shows_nothing(reveal: str, observes: bool) -> None:
    """4.4: neither his palace nor what it was worth; the winner does not learn it either."""
    play = placed("soldiers 0 2c Tc", battle_reveal=reveal)
    play.do(0, a.Bet(1))
    play.do(1, a.Call())
    assert len([event for event in play.events if isinstance(event, e.PalaceRevealed)]) == 1
    for seat in (0, 1, 2, None):
        (resolved,) = seen_by(play, seat, e.BattleResolved)
        knows_winner = seat in {0, 1} or observes
        assert ("attacker_value=HIGH_CARD,14" in resolved) is knows_winner
        assert ("defender_value=PAIR,13" in resolved or "defender_value=HIGH" in resolved) is (
            seat == 1
        )
    own, other = (seen_by(play, seat, e.PalaceRevealed)[0] for seat in (1, 2))
    assert "cards=Ah,Ad,4s" in own
    assert ("cards=??" in other) is not observes


def test_the_attacker_is_the_examiner_if_he_calls_last() -> None:
    """4.4, 5.8.4."""
    play = placed("soldiers 0 2c Tc")
    play.do(0, a.Bet(1))
    play.do(1, a.Raise())
    told = play.do(0, a.Call())
    assert told[1].startswith("PalaceRevealed owner=1 to=0")
    assert told[2].startswith("PalaceRevealed owner=0 to=1")
    assert "examiner=0" in told[3]


def test_two_out_at_once_share_an_exit_and_the_next_turn_is_left_of_the_attacker() -> None:
    """5.10.1, 5.7.2, 5.7.4: after a total tie there is no muster."""
    four = TIED + "stacks 0=100 1=100 2=100 3=100\npaid 0=5 1=5 2=5 3=5\ndealer 3\n"
    play = placed(four + "banner 3 4d\npalace 3 Th Ts 7c\nturn 1")
    play.do(1, a.Bet(0))
    told = play.do(0, a.Call())
    assert named(told)[-3:] == ["PlayerEliminated", "PlayerEliminated", "TurnStarted"]
    assert play.line("exits") == "0=1 1=1"
    assert play.line("turn") == "2"
    assert play.line("turns") == "1"
    assert play.line("discard") == "9c 2d 6d Kd 9h 2s 6s Ks"
    play.do(2, a.Fold())
    assert play.seen().hand_no == 1
    assert play.seen().stacks == (90, 90, 100, 140, 0, 0, 0, 0, 0, 0)


def test_a_tie_can_leave_players_of_one_suit() -> None:
    """5.10.3: the test comes with the elimination."""
    lines = TIED + (
        "stacks 0=100 1=100 2=100 3=100 4=100\npaid 0=5 1=5 2=5 3=5 4=5\ndealer 4\n"
        "exits 3=1\nbanner 4 4s\npalace 4 Th Td 7c\ndiscard 4d 5d 7d 8d"
    )
    play = placed(lines)
    play.do(0, a.Bet(1))
    told = play.do(1, a.Call())
    assert told[-2] == "PotAwarded cap=none amount=45 shares=2:23,4:22"
    assert "end=SAME_SUIT_SHARE" in told[-1]


def test_the_last_capture_has_no_muster() -> None:
    """5.9.4: more than five soldiers may be held there."""
    lines = "exits 2=1\nbanner 2 -\npalace 2 -\ndiscard 7h Qc Qd 2s\n"
    play = placed(lines + "soldiers 0 2c 3c 4c 5c 6c\nsoldiers 1 2d 3d")
    play.do(0, a.Bet(1))
    told = play.do(1, a.Fold())
    assert named(told) == [
        "BattleFolded",
        "PlayerEliminated",
        "CardsCaptured",
        "PotAwarded",
        "HandEnded",
    ]
    assert told[2] == "CardsCaptured winner=0 loser=1 cards=2d,3d,8d"


def test_captured_cards_come_last_and_the_banner_last_of_all() -> None:
    """5.9.1, 5.9.2: a captured banner may be thrown away, the own one may not."""
    play = placed("soldiers 0 2c\nsoldiers 1 5h 3d")
    play.do(0, a.Bet(1))
    play.do(1, a.Fold())
    assert play.line("soldiers 0") == "2c 5h 3d 8d"
    assert play.refused(0, a.Muster(cards("9c"))) == "NOT_YOUR_SOLDIER"
    assert play.refused(1, a.Muster()) == "NOT_IN_HAND"
    assert play.refused(2, a.Muster()) == "NOT_YOUR_TURN"
    play.do(0, a.Muster(cards("8d 2c")))
    assert play.line("soldiers 0") == "5h 3d"


def test_time_outs_in_a_battle() -> None:
    """6.13: a call if it costs nothing, else a fold."""
    play = placed("stacks 0=100 1=0 2=100")
    play.do(0, a.Bet(1))
    told = play.do(HOST, TimeOut())
    assert told[1] == "BattleCalled seat=1 paid=0 short=true auto=true"
    play = placed("stacks 0=100 1=1 2=100")
    play.do(0, a.Bet(1))
    assert play.do(HOST, TimeOut())[1] == "BattleFolded seat=1 winner=0 auto=true"
    play = placed("")
    play.do(0, a.Bet(1))
    play.do(1, a.Raise())
    told = play.do(HOST, TimeOut())
    assert told[1:3] == [
        "BattleFolded seat=0 winner=1 auto=true",
        "UncalledReturned seat=1 amount=10",
    ]
    assert play.line("phase") == "MUSTER"
    assert play.line("actor") == "1"
    assert named(play.do(HOST, TimeOut())) == ["TurnTimedOut", "MusterCompleted", "TurnStarted"]


def test_a_caller_who_reaches_zero_by_paying_in_full_is_not_capped() -> None:
    """8.3."""
    play = placed("stacks 0=100 1=10 2=100")
    play.do(0, a.Bet(1))
    play.do(1, a.Call())
    assert play.seen().capped == ()
