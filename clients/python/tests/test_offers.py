"""Actions made from names and offers."""

from __future__ import annotations

from random import Random

import pytest

from kartejo_client import action, game_of, is_asked, limits, offers_of, random_action
from kartejo_client.pb import common_pb2 as common
from kartejo_client.pb import table_service_pb2 as pb

L = common.Limit


def a_state(game: str, *offers: common.Offer) -> pb.TableState:
    state = pb.TableState(offers=offers)
    getattr(state.view, game).SetInParent()
    return state


def an_offer(name: str, *limits: common.Limit, **fields: object) -> common.Offer:
    return common.Offer(action=name, limits=limits, **fields)  # type: ignore[arg-type]


def test_an_action_without_parameters_is_there_all_the_same() -> None:
    assert action("palace_poker", "stay").palace_poker.HasField("stay")
    assert action("common", "leave_seat").common.WhichOneof("action") == "leave_seat"


def test_zero_is_said() -> None:
    assert action("palace_poker", "bet", target=0).palace_poker.bet.HasField("target")


def test_one_card_is_a_number_or_a_list_of_one() -> None:
    for card in (5, [5]):
        assert action("royal_casino", "trail_card", card=card).royal_casino.trail_card.card == 5


@pytest.mark.parametrize(
    ("family", "name", "values", "told"),
    [
        ("bridge", "bid", {}, "'bridge' is no game; there are common, house"),
        ("royal_flush", "bet", {}, "'bet' is no action of royal_flush; there are start_game"),
        ("palace_poker", "bet", {"seat": 1}, "'seat' is no parameter of bet; there are target, am"),
        ("palace_poker", "stay", {"seat": 1}, "'seat' is no parameter of stay; there are none"),
    ],
)
def test_a_wrong_name_is_told_with_the_right_ones(family, name, values, told) -> None:
    with pytest.raises(ValueError, match=told):
        action(family, name, **values)


def test_what_a_state_asks() -> None:
    state = a_state("pontoon", an_offer("stick"), an_offer("twist_card"))
    assert game_of(state) == "pontoon"
    assert not is_asked(state, 0)
    state.decision.seats.append(0)
    assert is_asked(state, 0)
    assert not is_asked(state, 1)
    assert [offer.action for offer in offers_of(state, "stick")] == ["stick"]
    assert offers_of(state, "buy_card") == []


def test_what_is_avoided_is_done_only_where_nothing_else_is_offered() -> None:
    state = a_state("royal_flush", an_offer("abandon_game"), an_offer("gather_piles"))
    for seed in range(20):
        drawn = random_action(state, Random(seed), {"abandon_game"}).royal_flush
        assert drawn.HasField("gather_piles")
    drawn = random_action(state, Random(0), {"abandon_game", "gather_piles"}).royal_flush
    assert drawn.WhichOneof("action") is not None


def test_limits_have_names() -> None:
    found = limits(an_offer("bet", L(field="target"), L(field="amount", range=L.Range(high=9))))
    assert list(found) == ["target", "amount"]
    assert found["amount"].range.high == 9


def test_every_value_of_a_range_is_drawn_and_no_other() -> None:
    limit = L(field="amount", range=L.Range(low=2, high=4))
    state = a_state("palace_poker", an_offer("raise", limit))
    drawn = {
        getattr(random_action(state, Random(seed)).palace_poker, "raise").amount
        for seed in range(50)
    }
    assert drawn == {2, 3, 4}


def test_amounts_together_stay_within_their_budget() -> None:
    state = a_state(
        "pontoon",
        an_offer(
            "buy_card",
            L(field="amount", range=L.Range(low=10, high=100)),
            L(field="shoot_bet", range=L.Range(high=100)),
            together=[common.Budget(fields=["amount", "shoot_bet"], weights=[1, 2], most=150)],
        ),
    )
    for seed in range(100):
        bought = random_action(state, Random(seed)).pontoon.buy_card
        assert bought.amount >= 10
        assert bought.amount + 2 * bought.shoot_bet <= 150


def test_as_many_cards_as_may_be() -> None:
    limit = L(field="discard", cards=L.Cards(cards=[7, 8, 9], low=1, high=2))
    state = a_state("palace_poker", an_offer("muster", limit))
    counts = set()
    for seed in range(50):
        cards = list(random_action(state, Random(seed)).palace_poker.muster.discard)
        assert set(cards) <= {7, 8, 9}
        assert len(set(cards)) == len(cards)
        counts.add(len(cards))
    assert counts == {1, 2}


def test_words_and_lists_of_words() -> None:
    state = a_state(
        "royal_casino",
        an_offer(
            "capture_cards",
            L(field="card", cards=L.Cards(cards=[3], low=1, high=1)),
            L(field="builds", names=L.Names(words=["A", "B", "C"], low=2, must=["A"])),
        ),
    )
    drawn = set()
    for seed in range(50):
        taken = random_action(state, Random(seed)).royal_casino.capture_cards
        assert taken.card == 3
        drawn.add("".join(sorted(taken.builds)))
    assert drawn == {"AB", "AC", "ABC"}


def test_groups_share_no_card_and_hold_what_they_must() -> None:
    def cards(*groups: list[int]) -> list[common.CardList]:
        return [common.CardList(cards=group) for group in groups]

    groups = L.Groups(first=cards([1, 2], [3]), more=cards([2, 4], [5], [6]), low=2, among=[5, 2])
    state = a_state(
        "royal_casino",
        an_offer("build_cards", L(field="loose", groups=groups)),
    )
    drawn = {
        tuple(random_action(state, Random(seed)).royal_casino.build_cards.loose)
        for seed in range(300)
    }
    assert drawn == {
        *((1, 2), (1, 2, 5), (1, 2, 6), (1, 2, 5, 6)),
        *((2, 3, 4), (2, 3, 4, 5), (2, 3, 4, 6), (2, 3, 4, 5, 6), (3, 5), (3, 5, 6)),
    }
