"""Offers as people read them, and what they may type."""

from __future__ import annotations

import pytest

from engine.actions import AddChips
from engine.games import GAMES
from engine.games.royal_flush.actions import AutoPlay, DealPiles, SearchPile
from service.client.offers import BadChoice, choose, first_action, offer_text
from service.pb.common_pb2 import Limit, Offer

GAME = GAMES["royal_flush"]


def ranged(field: str, low: int, high: int) -> Limit:
    return Limit(field=field, range=Limit.Range(low=low, high=high))


OFFERS = (
    Offer(action="search_pile", limits=[ranged("pile", 2, 2)]),
    Offer(
        action="auto_play",
        limits=[Limit(field="scope", words=Limit.Words(words=["step", "round", "game"]))],
    ),
    Offer(action="add_chips", limits=[ranged("amount", 10, 500)]),
    Offer(action="deal_piles"),
)


def test_the_text_of_an_offer_says_what_its_parameters_may_be() -> None:
    assert [offer_text(offer) for offer in OFFERS] == [
        "search_pile pile=2",
        "auto_play scope=step|round|game",
        "add_chips amount=10..500",
        "deal_piles",
    ]


def test_cards_are_offered_by_name() -> None:
    """Card 1 is 2c, card 52 As."""
    some = Limit(field="cards", cards=Limit.Cards(cards=[1, 52], low=1, high=2))
    both = Limit(field="cards", cards=Limit.Cards(cards=[1, 52], low=2, high=2))
    assert offer_text(Offer(action="build", limits=[some])) == "build cards=1 to 2 of 2c,As"
    assert offer_text(Offer(action="build", limits=[both])) == "build cards=2 of 2c,As"


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("", SearchPile(2)),
        ("1", SearchPile(2)),
        ("search_pile", SearchPile(2)),
        ("search_pile pile=4", SearchPile(4)),
        ("2 round", AutoPlay("round")),
        ("auto_play scope=game", AutoPlay("game")),
        ("3 25", AddChips(25)),
        ("  4  ", DealPiles()),
    ],
)
def test_what_may_be_typed(typed: str, action: object) -> None:
    """Out of range is the rules' business: they have a reason for it."""
    assert choose(GAME, 0, OFFERS, typed) == action


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("0", "there are offers 1 to 4"),
        ("5", "there are offers 1 to 4"),
        ("whistle", "whistle is not on offer"),
        ("2", "say scope=step|round|game"),
        ("3", "say amount=10..500"),
        ("1 3 4", "say which parameter: search_pile pile=2"),
        ("2 step game", "not understood: game"),
        ("3 amount=1 amount=2", "not understood: amount=2"),
        ("4 now", "say which parameter: deal_piles"),
        ("4 when=now", "deal_piles has no parameter 'when' (it has no parameters)"),
    ],
)
def test_what_is_not_understood(typed: str, why: str) -> None:
    with pytest.raises(BadChoice) as caught:
        choose(GAME, 0, OFFERS, typed)
    assert str(caught.value) == why


def test_a_bot_without_a_plan_takes_the_first_offer_with_its_least_values() -> None:
    assert first_action(GAME, 0, OFFERS) == SearchPile(2)
    assert first_action(GAME, 0, OFFERS[1:]) == AutoPlay("step")
    assert first_action(GAME, 0, OFFERS[2:]) == AddChips(10)
