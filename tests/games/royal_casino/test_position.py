"""Positions: what their lines say, and what cannot arise (royal_casino 12.0.1–12.0.3)."""

from __future__ import annotations

from random import Random

import pytest

from engine.cards import PACK
from engine.errors import Refused
from engine.games.royal_casino.actions import TrailCard
from engine.kernel import PositionError
from engine.table import MAX_CHIPS
from engine.visibility import AUDITOR, OBSERVER, seat_viewer
from tests.games.royal_casino.tables import GAME, Play, cards, drawn_position, placed

BASE = """
dealer 1
turn 0
hand 0 8s Kc
hand 1 8d Qd
loose 5d 3c
build b1 8/1 [7d Ac]
"""


def test_a_position_that_says_little() -> None:
    """12.0.1: what is left out has its default, and cards go alternately to the piles."""
    play = placed(BASE)
    seen = play.seen()
    assert seen.players == ("p0", "p1")
    assert seen.stacks == (0, 0)
    assert (seen.deal_no, seen.built, seen.last, seen.own_play) == (1, 1, 1, True)
    assert len(seen.stock) == 8  # four cards for each seat, from the lowest on
    assert seen.stock == cards("2c 2d 2h 2s 3d 3h 3s 4c")
    assert seen.piles[0][:2] == cards("4d 4s")
    assert seen.piles[1][:2] == cards("4h 5c")
    assert set(seen.dealt) == set(PACK) - set(seen.stock)


def test_the_rest_may_be_shared_out() -> None:
    """12.0.3: some under the stock, then so many to each pile."""
    play = placed(BASE + "stock Tc Td\nrest stock=6 piles=30,6")
    assert play.seen().stock == cards("Tc Td 2c 2d 2h 2s 3d 3h")
    assert [len(pile) for pile in play.seen().piles] == [30, 6]
    assert len(placed(BASE + "stock Tc Td Th Ts Jc Jd Jh Js").seen().stock) == 8
    assert placed(BASE + "rest stock=0").line("stock") == ""


def test_keys_stand_in_their_order() -> None:
    """12.0.1; defaults are left out."""
    text = """
    names 0=ann
    stacks 0=5 1=6
    pot 7
    timeouts 1=2
    out 1
    deal 3
    dealer 1
    turn 0
    scores 4 9
    overtime yes
    last 0
    sweeps 1 0
    own_play no
    hand 0 8s
    hand 1 Qd
    loose 5d
    built 4
    """
    lines = GAME.lines(placed(text).seen())
    assert [key for key, _ in lines] == [
        *("names", "stacks", "pot", "timeouts", "out", "deal", "dealer", "turn", "scores"),
        *("overtime", "last", "sweeps", "own_play", "hand 0", "hand 1", "loose", "built"),
        *("stock", "pile 0", "pile 1"),
    ]
    assert GAME.lines(placed("phase LOBBY").seen()) == [("phase", "LOBBY")]
    assert GAME.lines(Play.seated({}).seen()) == [
        ("phase", "LOBBY"),
        ("stacks", "none"),
        ("deal", "0"),
    ]


def test_the_deck_keeps_its_order() -> None:
    """12.0.1: dealt + stock is the deck, however it was dealt."""
    play = Play.dealt(2, ["Kc 2c As"])
    assert play.line("dealt").startswith("Kc 2c As 3c")
    again = placed("\n".join(" ".join(line) for line in GAME.lines(play.seen())))
    assert again.state == play.state


def test_a_view_hides_hands_stock_and_piles() -> None:
    """4.3, 4.4, 12.0.2."""
    play = placed(BASE)
    for viewer, own in ((OBSERVER, -1), (seat_viewer(0), 0), (seat_viewer(1) | OBSERVER, 1)):
        seen = play.seen(viewer)
        assert not any(seen.stock)
        assert len(seen.stock) == 8
        assert not any(card for pile in seen.piles for card in pile)
        assert seen.dealt == ()
        for seat, hand in enumerate(seen.hands):
            assert any(hand) == (seat == own)
            assert len(hand) == 2


@pytest.mark.parametrize("seed", range(40))
def test_positions_drawn_at_random_come_back(seed: int) -> None:
    """parse(format(state)) == state."""
    state = drawn_position(Random(seed))
    assert GAME.place(state, GAME.lines(GAME.view(state, AUDITOR))) == state


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("phase DEALING", "phase: "),
        ("phase NONE", "phase: "),
        ("colour red", "unknown key"),
        ("pot 1\npot 2", "occurs twice"),
        ("stacks 0=1 0=2", "stacks: "),
        ("stacks 2=1", "stacks: "),
        ("stacks 0", "stacks: "),
        ("stacks 0=1", "all seats are taken"),
        ("stacks none", "all seats are taken"),
        ("pot -1", "pot: "),
        (f"pot {MAX_CHIPS + 1}", "pot: "),
        (f"stacks 0=1 1=0\npot {MAX_CHIPS}", "at most"),
        ("names 0=ann 1=ann", "one name at two seats"),
        ("timeouts 5=1", "timeouts: "),
        ("out 0 0", "named twice"),
        ("out 0", "the seat is not there"),
        ("leaving 0", "left has won"),
        ("scores 1", "scores: "),
        ("scores 1 2 3", "scores: "),
        ("overtime perhaps", "overtime: "),
        ("result won 0 TARGET", "the game is not over"),
        ("dealer -", "dealer: "),
        ("turn -", "turn: "),
        ("turn 2", "turn: "),
        ("deal 0", "a running deal is counted"),
        ("hand 0 8s", "hand 1: expected 1"),
        ("hand 0 8s Kc 9c 9d 9h", "one to four"),
        ("hand 0 -", "one to four"),
        ("hand 2 9c", "hand 2: "),
        ("turn 1", "hand 0: expected 1"),
        ("loose 5d 8s", "two places"),
        ("loose 5d 1x", "loose: "),
        ("loose ??", "loose: "),
        ("loose 2c 2d 2h 2s 3c 3d 3h 3s 4c 4d 4h 4s 5c 5d 5h 5s 6c\nrest stock=0", "5.10"),
        ("build b1 9/1 [7d Ac]", "not worth its value"),
        ("build b1 8/1 [7d 2c Ac]", "not worth its value"),
        ("build b1 8/1 [8h]", "two cards or more"),
        ("build b1 8/1 [7d Ac 6h 2c]", "not worth its value"),
        ("build b1 8/2 [7d Ac]", "build b1: "),
        ("build b1 15/1 [7d 8c]", "build b1: "),
        ("build b1 8/1", "build b1: "),
        ("build b1 8/1 7d Ac", "build b1: "),
        ("build b0 8/1 [7d Ac]", "no build such as b1"),
        ("build c1 8/1 [7d Ac]", "no build such as b1"),
        ("hand 1 9d Qd", "holds a card of its value"),
        ("built 0", "built: "),
        ("stock 2c", "stock: "),
        ("rest stock=3", "stock: "),
        ("rest stock=99", "rest: "),
        ("rest stock=8 piles=1,2", "rest: "),
        ("rest stock=8 piles=36", "rest: "),
        ("rest shelf=8", "rest: "),
        ("dealt 2c 3c", "dealt: "),
        ("own_play maybe", "own_play: "),
        ("pile 2 9c", "pile 2: "),
        ("sweeps 1", "sweeps: "),
        ("phase LOBBY\ndealer -", "no deal is running"),
        ("phase CLOSED", "nobody sits"),
    ],
)
def test_what_cannot_arise_is_refused(text: str, why: str) -> None:
    """12.0.3: a line of the test stands in place of the one with its key."""
    changed = [line.split() for line in text.splitlines()]
    size = {"hand": 2, "build": 2, "pile": 2}
    keys = {" ".join(words[: size.get(words[0], 1)]) for words in changed}
    lines = [line for line in BASE.strip().splitlines() if not _key(line) & keys]
    with pytest.raises(PositionError, match=why):
        placed("\n".join([*lines, text]))


def test_there_are_twelve_builds_at_most() -> None:
    """6.8.6: three for each seat.  The list of plays has room for sixteen."""
    groups = [f"[{low}{suit} {high}{suit}]" for low, high in ("2J", "3T", "49") for suit in "cdhs"]
    text = "dealer 1\nturn 0\nhand 0 Kc\nhand 1 Kh"
    for number, group in enumerate(groups, 1):
        text += f"\nbuild b{number} 13/1 {group}"
    found = GAME.listing(placed(text).state, 0, 3)
    assert found.total == 1 + 2**12 - 1  # the king is trailed, or takes some of them
    with pytest.raises(PositionError, match="more than 12"):
        placed(text + "\nbuild b13 13/1 [5c 8c]")


def test_a_table_too_full_for_the_list_is_refused_by_name() -> None:
    """Only a position with more pairs than 5.10 knows leads there; the game goes on."""
    play = placed(
        """
        dealer 1
        turn 0
        hand 0 Kc Qs
        hand 1 As Jd
        loose 2c 2d 2h 2s 3c 3d 3h 3s 4c 4d 4h 4s 5c 5d 5h 5s
        """
    )
    play.do(0, TrailCard(*cards("Kc")))
    with pytest.raises(Refused) as no:
        GAME.listing(play.state, 1, 5)
    assert no.value.reason == "PLAYS_NOT_LISTED"
    assert GAME.listing(play.state, 0, 5).total == 0  # not to act
    assert GAME.legal_actions(play.state, 1)
    play.do(1, TrailCard(*cards("Jd")))
    assert len(play.seen().loose) == 18


def _key(line: str) -> set[str]:
    words = line.split()
    return {" ".join(words[:2]) if words[0] in {"hand", "build", "pile"} else words[0]}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("phase LOBBY\ndealer 0", "before the first game"),
        ("phase LOBBY\nscores 1 0", "before the first game"),
        ("phase LOBBY\npot 1", "paid out"),
        ("phase LOBBY\nleaving 0", "free at once"),
        ("phase BETWEEN_DEALS", "dealer: "),
        ("phase BETWEEN_DEALS\ndealer 0\nturn 0", "no deal is running"),
        ("phase BETWEEN_DEALS\ndealer 0\nown_play yes", "no deal is running"),
        ("phase BETWEEN_DEALS\ndealer 0\nsweeps 1 0", "no deal is running"),
        ("phase GAME_OVER\nresult won 0 TARGET", "dealer: "),
        ("phase GAME_OVER\ndealer 0", "result: "),
        ("phase GAME_OVER\ndealer 0\nresult won 0,1 TARGET", "result: "),
        ("phase GAME_OVER\ndealer 0\nresult drawn 0 DEAL_CAP", "result: "),
        ("phase GAME_OVER\ndealer 0\nresult drawn 1,0 DEAL_CAP", "result: "),
        ("phase GAME_OVER\ndealer 0\nresult won 2 TARGET", "result: "),
        ("phase GAME_OVER\ndealer 0\nresult won 0 LUCK", "result: "),
        ("phase GAME_OVER\ndealer 0\nresult lost 0 TARGET", "result: "),
    ],
)
def test_tables_without_a_deal_that_cannot_be(text: str, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        placed(text)


@pytest.mark.parametrize(
    "text",
    [
        "phase LOBBY\nstacks none",
        "phase BETWEEN_DEALS\ndealer 0\nturn -\nloose -\nown_play no\nsweeps 0 0\nbuilt 0",
        "phase GAME_OVER\ndealer 1\nresult drawn 0,1 ABANDONED\nout 0 1\ntimeouts 0=3",
        "phase CLOSED\nstacks none\ndealer 1\nresult won 0 TARGET",
    ],
)
def test_tables_without_a_deal(text: str) -> None:
    """Keys that describe a deal may say that there is none."""
    state = placed(text).state
    assert GAME.place(state, GAME.lines(GAME.view(state, AUDITOR))) == state
