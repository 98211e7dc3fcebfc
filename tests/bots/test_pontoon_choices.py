"""The Pontoon bots: legal, sensible, and blind to what their seat is not shown."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.games import GAMES
from engine.games.pontoon import actions as a
from engine.games.pontoon.state import State
from engine.games.pontoon.view import PontoonView
from engine.kernel import HOST
from engine.notation import lines_of_text
from engine.visibility import seat_viewer
from service.bots import Look, bot_of
from service.bots.pontoon_odds import Odds, Total, total_of
from tests.bots.kitchen import Kitchen
from tests.games.pontoon.tables import cards

PONTOON = GAMES["pontoon"]
START = {"min_players_to_start": "2", "max_seats": "5"}

PLAYING = """
phase PLAYER_TURNS
deal 1
stacks 0=1000 1=400 2=400
banker 0
bank_hand Kd 9h
hands 1 1[8c 3c]
hands 2 1[Qc 9s]
bets 1=20 2=40
"""


def table(seats: int, seed: int, **options: str) -> Kitchen:
    return Kitchen(PONTOON, seats, seed, {**START, **options}, 2_000)


def deals(kitchen: Kitchen, names: list[str], count: int, seed: int = 0) -> None:
    """Some deals, the bank passing as it may."""
    bots = [bot_of(PONTOON, name, seed + seat) for seat, name in enumerate(names)]
    steps = 0
    while kitchen.state.deals < count and steps < 100 * count:
        steps += 1
        acting = PONTOON.to_act(kitchen.state)
        if not acting:
            if not PONTOON.can_start(kitchen.state):
                break
            kitchen.do(HOST, a.StartGame())
            continue
        (seat,) = acting
        kitchen.do(seat, bots[seat](kitchen.look(seat)))


def placed(text: str) -> Kitchen:
    kitchen = table(0, 1)
    kitchen.state = PONTOON.place(kitchen.state, lines_of_text(PONTOON.NUMBERED, text))
    return kitchen


def choice(text: str, seat: int, name: str = "sensible") -> object:
    return bot_of(PONTOON, name, 1)(placed(text).look(seat))


@pytest.mark.parametrize(
    ("shoot", "mode"),
    [
        ("true", "full_cover"),
        ("false", "table_stakes"),
        pytest.param("false", "full_cover", marks=pytest.mark.long),
        pytest.param("true", "table_stakes", marks=pytest.mark.long),
    ],
)
def test_bots_do_everything_and_nothing_illegal(shoot: str, mode: str) -> None:
    done: Counter[type] = Counter()
    for seed in range(6):
        kitchen = table(5, seed, shoot=shoot, cover_mode=mode)
        names = ["random", "sensible", "random", "sensible", "random"]
        deals(kitchen, names, 12, seed)
        done.update(type(action) for _, action in kitchen.actions)
    for kind in (a.StartDeal, a.PlaceBet, a.BuyCard, a.TwistCard, a.Stick, a.BankerStay):
        assert done[kind] > 10, kind
    if shoot == "true":
        for kind in (a.FormKitty, a.PlaceShootBet, a.PassShootBet):
            assert done[kind] > 5, kind


@pytest.mark.parametrize("tables", [20, pytest.param(60, marks=pytest.mark.long)])
def test_sense_gains_more_than_chance(tables: int) -> None:
    """Two of each against one bank that a sensible player holds throughout."""
    gain: Counter[int] = Counter()
    for seed in range(tables):
        options = {"first_banker": "nominated", "nominated_seat": "0", "bank_passes": "never"}
        kitchen = table(5, seed, bank_sale="off", **options)
        deals(kitchen, ["sensible", "sensible", "random", "sensible", "random"], 6, seed)
        for seat, (_, chips) in PONTOON.players(kitchen.state).items():
            gain[seat] += chips - 2_000
    assert gain[1] + gain[3] > gain[2] + gain[4] + tables * 6 * 10, gain


def test_a_bot_sees_its_view_and_no_more() -> None:
    """Other hands and the stock changed behind the backs: the same action."""
    for seed in range(20):
        kitchen = table(4, seed)
        deals(kitchen, ["sensible"] * 4, 1, seed)
        state: State = kitchen.state
        while state.deal is None or len(state.deal.bank) < 2:
            (seat,) = PONTOON.to_act(kitchen.state)
            kitchen.do(seat, bot_of(PONTOON, "sensible", 1)(kitchen.look(seat)))
            state = kitchen.state
        (seat,) = PONTOON.to_act(state)
        look = kitchen.look(seat)
        moved = state._replace(stock=state.stock[::-1])
        assert PONTOON.view(moved, seat_viewer(seat)) == look.view
        kitchen.state = moved
        for name in ("random", "sensible"):
            one, two = (bot_of(PONTOON, name, 3)(each) for each in (look, kitchen.look(seat)))
            assert one == two


def test_it_buys_on_eleven_and_sticks_on_nineteen() -> None:
    assert choice(PLAYING, 1) == a.BuyCard(40, 0)
    assert choice(PLAYING.replace("8c 3c", "Kc 9c"), 1) == a.Stick()
    assert choice(PLAYING.replace("8c 3c", "Kc 2c"), 1) == a.TwistCard(0), "12 must go on"


def test_it_splits_aces_and_keeps_tens() -> None:
    assert choice(PLAYING.replace("8c 3c", "Ac Ah"), 1) == a.SplitHand()
    assert choice(PLAYING.replace("8c 3c", "Tc Th"), 1) == a.Stick()


def test_it_declares_what_must_be_declared() -> None:
    assert choice(PLAYING.replace("8c 3c", "Ac Jh"), 1) == a.DeclarePontoon()


def test_the_banker_weighs_who_is_against_him() -> None:
    """He draws to what beats him for certain, and stays on what beats the others."""
    bank = PLAYING.replace("PLAYER_TURNS", "BANKER_TURN").replace("Kd 9h", "Kd 4h")
    twisted = bank.replace("8c 3c", "8c 3c 9c") + "closed 1.1 2.1\n"
    assert choice(twisted, 0) == a.BankerDraw()
    high = twisted.replace("Kd 4h", "Kd Th")
    assert choice(high, 0) == a.BankerStay()


def test_the_odds_of_the_next_card_count_what_is_seen() -> None:
    """What lies open, and the seat's own hand, cannot come any more."""
    text = PLAYING.replace("8c 3c", "Kc 5h 5s") + "closed 1.1\n"
    view = PONTOON.view(placed(text).state, seat_viewer(2))
    assert isinstance(view, PontoonView)
    odds = Odds(view)
    # Seat 2 sees its own queen and nine, and the twisted five.
    assert sum(odds.unseen.values()) == 52 - 3
    assert (odds.unseen[10], odds.unseen[9], odds.unseen[5]) == (15, 3, 3)
    assert dict(odds.next())[10] == pytest.approx(15 / 49)
    assert sum(odds.banker().values()) == pytest.approx(1)
    assert sum(odds.stuck(Total(0, False, 0), 2).values()) == pytest.approx(1)
    assert odds.held(total_of(cards("Kc 9c"))) > odds.held(total_of(cards("Kc 6c")))


def test_bids_stop_where_a_bank_is_not_worth_it() -> None:
    kitchen = table(3, 1, shoot="true")
    text = """
        phase AUCTION
        deal 2
        stacks 0=500 1=500 2=500
        banker 0
        auction_used yes
        bidders 1 2
        turn 1
    """
    kitchen.state = PONTOON.place(kitchen.state, lines_of_text(PONTOON.NUMBERED, text))
    bots = [bot_of(PONTOON, "sensible", seat) for seat in range(3)]
    while kitchen.state.auction:
        (seat,) = PONTOON.to_act(kitchen.state)
        kitchen.do(seat, bots[seat](kitchen.look(seat)))
    bids = [action.amount for _, action in kitchen.actions if isinstance(action, a.BidForBank)]
    assert 0 < len(bids) < 10
    assert bids == sorted(bids)


def test_a_look_of_another_game_is_not_played() -> None:
    other = Look(PONTOON, 0, GAMES["royal_flush"].view(GAMES["royal_flush"].initial(), 1), [])
    with pytest.raises(TypeError):
        bot_of(PONTOON, "sensible", 1)(other)
