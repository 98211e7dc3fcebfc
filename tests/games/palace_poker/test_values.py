"""What hands are worth.  palace_poker 7."""

from __future__ import annotations

import pytest

from engine.cards import to_set
from engine.fields import describe
from engine.games.palace_poker.events import HandShown
from engine.games.palace_poker.judging import judge, showdown_strength
from engine.games.palace_poker.state import new_hand, running
from engine.ranking import hand_value, strength
from engine.script.values import value_text
from tests.games.palace_poker.tables import cards, placed

TABLE = """
    - = HIGH_CARD 0,0,0,0,0 < 2c = HIGH_CARD 2,0,0,0,0
    As = HIGH_CARD 14,0,0,0,0 < 2c 2d = PAIR 2,0,0,0,0
    Ac Kd Qh Js = HIGH_CARD 14,13,12,11,0 < 2c 2d = PAIR 2,0,0,0,0
    Ac Ad = PAIR 14,0,0,0,0 < Ah As 2c = PAIR 14,2,0,0,0
    Ac Ad Kh Ks = TWO_PAIR 14,13,0,0,0 < Ah As Kc Kd 2h = TWO_PAIR 14,13,2,0,0
    Ac Ad Ah Ks Kd = FULL_HOUSE 14,13,0,0,0 < 2c 2d 2h 2s = FOUR_OF_A_KIND 2,0,0,0,0
    9c Tc Jc Qc = HIGH_CARD 12,11,10,9,0 < 9d 9h = PAIR 9,0,0,0,0
    Ah 2c 3d 4s 5h = STRAIGHT 5,0,0,0,0 < 2d 3c 4h 5s 6c = STRAIGHT 6,0,0,0,0
    Ac 2c 3c 4c 5c = STRAIGHT_FLUSH 5,0,0,0,0 > 7c 7d 7h 7s Ac = FOUR_OF_A_KIND 7,14,0,0,0
    9c 9d 9h = THREE_OF_A_KIND 9,0,0,0,0 > 8c 8d 8h As Kd = THREE_OF_A_KIND 8,14,13,0,0
    3c 3d 5h 5s 7c 7d 9h 9s 2c = TWO_PAIR 9,7,5,0,0 = 9c 9d 7h 7s 5c = TWO_PAIR 9,7,5,0,0
"""


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_the_values_of_the_specification(row: str) -> None:
    """7.7."""
    sides = row.split()
    relation = next(i for i, w in enumerate(sides) if w in "<>" or (w == "=" and i > 11))
    worth: list[int] = []
    for side in (sides[:relation], sides[relation + 1 :]):
        at = side.index("=")
        held = cards(" ".join(side[:at])) if side[0] != "-" else ()
        worth.append(strength(to_set(held)))
        (value,) = [info for info in describe(HandShown) if info.name == "value"]
        told = ",".join(side[at + 1 :])
        assert value_text(value, hand_value(worth[-1])) == told
    first, second = worth
    assert {"<": first < second, ">": first > second, "=": first == second}[sides[relation]]


def battle(a: str, d: str) -> tuple[str, ...]:
    """Winner, what decided, values' categories and counts of two hands: banner first."""
    sides = [cards(text) for text in (a, d)]
    hand = new_hand(2, 0b11)._replace(
        banners=tuple(side[0] for side in sides),
        palaces=tuple(side[1:4] for side in sides),
        soldiers=tuple(side[4:] for side in sides),
    )
    found = judge(hand, 0, 1, ace_low=True)
    winner = {0: "A", 1: "D", None: "none"}[found.winner]
    values = [",".join(map(str, v)) for v in (found.attacker_value, found.defender_value)]
    return (winner, found.decided_by, *values, str(found.attacker_count), str(found.defender_count))


def test_cards_of_the_other_banners_suit_are_void_on_both_sides() -> None:
    """7.4: soldiers, palace cards; a captured banner that is a soldier excludes nothing."""
    # A's spades are void against a spade banner, D's hearts against a heart banner; D's club
    # soldier does not make A's clubs void.
    found = battle("Kh As Ad 7c 5s 7d", "8s Qd Qc 3h 2c")
    assert found == ("D", "HAND", "1,7,14,13,0,0", "1,12,8,2,0,0", "None", "None")


def test_a_banner_alone_counts() -> None:
    """7.4: one card at least, since a side's own suit is never void."""
    found = battle("2h As Ks Qs", "3s Ah Kh Qh")
    assert found == ("D", "HAND", "0,2,0,0,0,0", "0,3,0,0,0,0", "None", "None")


def test_own_suit_cards_count_wherever_they_lie() -> None:
    """7.5: used or not; void cards are never of the own suit."""
    found = battle("9h Kd 6s 2h 2s", "9c Ks 6d 2d 2s")
    assert found == ("A", "OWN_SUIT_COUNT", "1,2,13,9,6,0", "1,2,13,9,6,0", "2", "1")
    found = battle("9h Kd 6s 2d", "9c Ks 6d 2s")
    assert found == ("none", "TOTAL_TIE", "0,13,9,6,2,0", "0,13,9,6,2,0", "1", "1")


def test_no_suit_is_void_at_a_showdown() -> None:
    """7.6."""
    hand = running(placed("soldiers 0 2c 3c").state)
    everything = to_set(cards("9c Ah Ad 4s 2c 3c"))
    assert showdown_strength(hand, 0, ace_low=True) == strength(everything)


@pytest.mark.parametrize(("option", "value"), [("true", "4,5,0,0,0,0"), ("false", "0,14,5,4,3,2")])
def test_the_low_ace_is_an_option(option: str, value: str) -> None:
    """7.3."""
    play = placed(
        "banner 0 5c\npalace 0 Ah 2d 3c\nsoldiers 0 4h",
        ace_low_straight=option,
    )
    hand = running(play.state)
    worth = hand_value(showdown_strength(hand, 0, play.state.options.ace_low))
    assert ",".join(map(str, worth)) == value
