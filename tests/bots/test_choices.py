"""Bots choose what the rules accept, alike from alike, and from nothing but their view."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from engine.errors import Refused
from engine.games import GAMES
from engine.games.palace_poker import actions as a
from engine.games.palace_poker.view import PalacePokerView
from engine.kernel import HOST
from engine.notation import lines_of_text
from engine.visibility import seat_viewer
from service.bots import BadBot, Look, bot_of, bots_for
from service.bots.palace_odds import Odds
from tests.bots.kitchen import PALACE, Kitchen

OPTIONS = (
    {},
    {"betting_structure": "no_limit"},
    {"betting_structure": "no_limit", "final_two": "immediate", "small_bet": "37"},
    {"final_two": "showdown", "max_raises": "2", "max_turns": "30"},
    {"soldierless_raise": "twice_small_bet", "ante": "0"},
)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", ["random", "sensible"])
def test_what_a_bot_does_is_always_accepted(name: str, options: dict[str, str]) -> None:
    """Two to ten seats, short stacks among them: no refusal in any hand."""
    for seats in (2, 3, 6, 10):
        table = Kitchen(PALACE, seats, seats, {**options, "max_seats": str(seats)}, chips=230)
        bots = [bot_of(PALACE, name, seed) for seed in range(seats)]
        for _ in range(4):
            table.play(bots)


@pytest.mark.parametrize("name", ["random", "sensible"])
def test_the_same_seed_plays_the_same_hands(name: str) -> None:
    def played() -> list[tuple[int, object]]:
        table = Kitchen(PALACE, 4, 7)
        bots = [bot_of(PALACE, name, seed) for seed in range(4)]
        for _ in range(3):
            table.play(bots)
        return table.actions

    assert played() == played()


def test_random_bots_try_everything_there_is() -> None:
    table = Kitchen(PALACE, 4, 1, {"betting_structure": "no_limit"}, chips=2_000)
    bots = [bot_of(PALACE, "random", seed) for seed in range(4)]
    for _ in range(60):
        table.play(bots)
    done = Counter(type(action) for _, action in table.actions)
    for kind in (a.Stay, a.Discard, a.Buy, a.Muster, a.Bet, a.Call, a.Raise, a.Fold):
        assert done[kind] > 10, kind
    amounts = {action.amount for _, action in table.actions if isinstance(action, a.Bet)}
    assert len(amounts) > 30


def test_a_sensible_bot_does_everything_too() -> None:
    """Attacks, purchases, musters, calls, raises and folds all occur."""
    table = Kitchen(PALACE, 5, 2, chips=2_000)
    bots = [bot_of(PALACE, "sensible", seed) for seed in range(5)]
    for _ in range(60):
        table.play(bots)
    done = Counter(type(action) for _, action in table.actions)
    for kind in (a.Stay, a.Buy, a.Muster, a.Bet, a.Call, a.Raise, a.Fold):
        assert done[kind] > 5, done


@pytest.mark.parametrize("structure", ["limit", "no_limit"])
def test_sense_wins_chips_from_chance(structure: str) -> None:
    """One sensible player among three random ones, 150 hands with even stacks every time."""
    gain = 0
    for hand in range(150):
        table = Kitchen(PALACE, 4, hand, {"betting_structure": structure, "max_seats": "4"}, 1_000)
        bots = [bot_of(PALACE, "sensible" if s == 1 else "random", hand + s) for s in range(4)]
        table.play(bots)
        gain += table.game.players(table.state)[1][1] - 1_000
    assert gain > 150 * 10, gain


def test_a_bot_sees_its_view_and_no_more() -> None:
    """Other palaces and piles changed behind the backs: the same action."""
    for seed in range(20):
        table = Kitchen(PALACE, 4, seed)
        table.do(HOST, a.StartHand())
        (seat,) = PALACE.to_act(table.state)
        look = table.look(seat)
        hand = table.state.hand
        others = [s for s in range(4) if s != seat]
        palaces = list(hand.palaces)
        first, second = others[0], others[1]
        palaces[first], palaces[second] = palaces[second], palaces[first]
        moved = table.state._replace(
            hand=hand._replace(palaces=tuple(palaces), draw=hand.draw[::-1])
        )
        assert PALACE.view(moved, seat_viewer(seat)) == look.view
        table.state = moved
        for name in ("random", "sensible"):
            one, two = (bot_of(PALACE, name, 3)(each) for each in (look, table.look(seat)))
            assert one == two


POSITION = """
phase TURN
hand 1
stacks 0=500 1=500 2=500
dealer 2
paid 0=5 1=5 2=5
banner 0 Kh
banner 1 2c
banner 2 9d
palace 0 Kd Kc 4s
palace 1 3c 7c 8s
palace 2 5h 6s Td
turn 0
"""


def placed(text: str) -> Kitchen:
    table = Kitchen(PALACE, 3, 1, {"max_seats": "3"})
    table.state = PALACE.place(table.state, lines_of_text(PALACE.NUMBERED, text))
    return table


def test_the_suits_excluded_count() -> None:
    """A pair of kings is a pair against a diamond banner only: Kc is void against clubs."""
    view = PALACE.view(placed(POSITION.replace("Kd Kc 4s", "Kc 4d 6h")).state, seat_viewer(0))
    assert isinstance(view, PalacePokerView)
    odds = Odds(view, 0, Random(1))
    assert odds.win((), 2) > odds.win((), 1) + 0.15
    assert odds.win((), 2, 0.25) < odds.win((), 2), "who attacks holds more than chance"


def test_a_straight_from_the_ace_counts_where_the_table_counts_it() -> None:
    """Ah 2h 3h 4s 5s beats a pair, or is ace high (option ``ace_low_straight``)."""
    text = POSITION.replace("banner 0 Kh", "banner 0 Ah").replace("Kd Kc 4s", "2h 4s 5s")
    text = text.replace("palace 1 3c 7c 8s", "palace 1 7c 8s 9s")
    text += "soldiers 0 3h\nsoldiers 1 7d 7s\nsoldiers 2 6d 6c\n"
    view = PALACE.view(placed(text).state, seat_viewer(0))
    assert isinstance(view, PalacePokerView)
    with_it = Odds(view, 0, Random(1)).win(view.soldiers[0], 1)
    without = Odds(view, 0, Random(1), ace_low=False).win(view.soldiers[0], 1)
    assert with_it > without + 0.2
    look = placed(text).look(0)
    looks = [look._replace(options={"ace_low_straight": told}) for told in ("true", "false")]
    bold = [isinstance(bot_of(PALACE, "sensible", 1)(each), a.Bet) for each in looks]
    assert bold == [True, False]


def test_it_attacks_with_kings_and_stays_with_nothing() -> None:
    assert isinstance(bot_of(PALACE, "sensible", 1)(placed(POSITION).look(0)), a.Bet)
    weak = POSITION.replace("palace 0 Kd Kc 4s", "palace 0 2h 4d 5s").replace("Kh", "7h")
    for seed in range(10):
        assert not isinstance(bot_of(PALACE, "sensible", seed)(placed(weak).look(0)), a.Bet)


def test_nobody_is_weighed_whom_it_may_not_attack() -> None:
    """The same banner suit: no battle, so no chance either."""
    text = POSITION.replace("banner 2 9d", "banner 2 9h").replace("5h", "5d")
    view = PALACE.view(placed(text).state, seat_viewer(0))
    assert isinstance(view, PalacePokerView)
    odds = Odds(view, 0, Random(1))
    assert (odds.may_fight(1), odds.may_fight(2)) == (True, False)
    assert list(odds.all(())) == [1]


@pytest.mark.parametrize("name", ["random", "sensible"])
def test_royal_flush_is_played_to_its_end(name: str) -> None:
    table = Kitchen(GAMES["royal_flush"], 1, 4)
    table.play([bot_of(table.game, name, 5)])
    assert table.game.can_start(table.state)


def test_a_bot_that_does_not_exist() -> None:
    assert list(bots_for("palace_poker")) == ["random", "sensible"]
    with pytest.raises(BadBot, match="there are random, sensible"):
        bot_of(PALACE, "clever", 1)


def test_a_refused_action_is_the_kernels_to_refuse() -> None:
    """The kitchen passes on what the rules say: the tests above would see a refusal."""
    table = Kitchen(PALACE, 2, 1)
    table.do(HOST, a.StartHand())
    (seat,) = PALACE.to_act(table.state)
    with pytest.raises(Refused):
        table.do(1 - seat, a.Stay())
    assert isinstance(table.look(seat), Look)
