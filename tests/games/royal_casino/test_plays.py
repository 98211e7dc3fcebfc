"""What may be played: the list, the offers and the checks say the same (royal_casino 6.4–6.8)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, product
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

from engine.actions import Action
from engine.errors import Refused
from engine.games.royal_casino import actions as a
from engine.games.royal_casino.state import State
from engine.kernel import Groups, Limit, Names, OneCard, Range, Words
from engine.script import ScriptedShuffler
from tests.examples import examples
from tests.games.royal_casino.tables import GAME, cards, drawn_position, placed
from tests.laws.samples import covers

SEEDS = st.integers(0, 2**32 - 1)
ALL = 10**6


def listed(state: State, seat: int) -> list[Action]:
    return [play.action for play in GAME.listing(state, seat, ALL).plays]


def reason(state: State, seat: int, action: Action) -> str:
    """Why an action is refused, empty if it is not."""
    try:
        GAME.decide(state, seat, action, ScriptedShuffler())
    except Refused as no:
        return no.reason
    return ""


def subsets(items: Any) -> Iterator[tuple[Any, ...]]:
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


def conceivable(state: State, seat: int) -> Iterator[Action]:
    """Every play with the seat's cards, any loose cards, any builds and any value."""
    deal = state.deal
    assert deal is not None
    ids = [f"b{build.number}" for build in deal.builds]
    for card in deal.hands[seat]:
        yield a.TrailCard(card)
        for loose in subsets(deal.loose):
            yield from (a.CaptureCards(card, loose, builds) for builds in subsets(ids))
            for value, base in product(range(2, 15), [None, *ids]):
                yield a.BuildCards(card, value, loose, base)


def expanded(limit: Limit) -> list[Any]:
    """Every value of a parameter."""
    match limit:
        case OneCard(_, several):
            return list(several)
        case Range(_, low, high):
            return list(range(low, high + 1))
        case Words(_, words):
            return list(words)
        case Groups():
            return list(limit.unions())
        case Names(_, words, low, must):
            return [some for some in subsets(words) if len(some) >= low and set(must) <= set(some)]
    raise AssertionError(limit)


def offered(state: State, seat: int) -> list[Action]:
    """Every action that the offers stand for."""
    found: list[Action] = []
    for offer in GAME.legal_actions(state, seat):
        fields = [limit.field for limit in offer.limits]
        every = product(*map(expanded, offer.limits))
        found += [offer.action(**dict(zip(fields, values, strict=True))) for values in every]
    return found


def bare(action: Action) -> tuple[Any, ...]:
    """An action whatever the order of its lists."""
    match action:
        case a.TrailCard(card):
            return ("trail", card)
        case a.CaptureCards(card, loose, builds):
            return ("capture", card, tuple(sorted(loose)), tuple(sorted(builds)))
        case a.BuildCards(card, value, loose, base):
            return ("build", card, value, tuple(sorted(loose)), base)
    raise AssertionError(action)


@examples(40, 150, SEEDS, same=True)
def test_every_listed_play_is_accepted(seed: int) -> None:
    """6.8: and each is offered, in positions of any size."""
    rng = Random(seed)
    state = drawn_position(rng)
    (seat,) = GAME.to_act(state)
    plays = listed(state, seat)
    assert plays, "there is always a legal play (5.8)"
    offers = GAME.legal_actions(state, seat)
    for action in rng.sample(plays, min(len(plays), 60)):
        assert not reason(state, seat, action), action
        assert any(covers(offer, action) for offer in offers), action


@examples(20, 60, SEEDS, same=True)
def test_every_accepted_play_is_listed(seed: int) -> None:
    """All conceivable plays of a small position are tried."""
    state = drawn_position(Random(seed), most_loose=5)
    (seat,) = GAME.to_act(state)
    accepted = [bare(x) for x in conceivable(state, seat) if not reason(state, seat, x)]
    assert sorted(map(repr, accepted)) == sorted(repr(bare(x)) for x in listed(state, seat))


@examples(40, 150, SEEDS, same=True)
def test_the_offers_stand_for_the_listed_plays(seed: int) -> None:
    """6.8.7: the compact form says the same as the list, each play once."""
    state = drawn_position(Random(seed), most_loose=9)
    (seat,) = GAME.to_act(state)
    told = sorted(repr(bare(action)) for action in offered(state, seat))
    assert told == sorted(repr(bare(action)) for action in listed(state, seat))


@examples(20, 60, SEEDS, st.integers(0, 40), same=True)
def test_a_list_is_cut_at_its_limit(seed: int, limit: int) -> None:
    """6.8.7: the numbers stay exact."""
    state = drawn_position(Random(seed))
    (seat,) = GAME.to_act(state)
    whole, some = GAME.listing(state, seat, ALL), GAME.listing(state, seat, limit)
    assert not whole.truncated
    assert whole.total == len(whole.plays)
    assert some.counts == whole.counts
    assert some.plays == whole.plays[:limit]
    assert some.truncated == (whole.total > limit)


def test_who_is_not_to_act_has_no_plays() -> None:
    """12.0.6; and nobody has while no deal is running."""
    state = drawn_position(Random(7))
    (seat,) = GAME.to_act(state)
    for other in (*range(len(state.seats)), 9):
        if other != seat:
            assert GAME.listing(state, other, 5).total == 0
            assert GAME.legal_actions(state, other) == ()
    lobby = placed("phase LOBBY").state
    assert GAME.listing(lobby, 0, 5) == ((("trails", 0), ("captures", 0), ("builds", 0)), ())


WORST = """
    dealer 1
    turn 0
    hand 0 Kc Ac Ad Ah
    hand 1 Kd 9d Ks Qd
    loose 2c 2d 2h 2s 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kh As
"""


@pytest.mark.parametrize(
    ("rule", "total"), [("no_trail_only", 44_821), ("must_take_equal", 41_335)]
)
def test_the_worst_position_has_as_many_plays_as_the_rules_say(rule: str, total: int) -> None:
    """6.8.6; its offers stay short."""
    state = placed(WORST + "rest stock=8 piles=0,20", equal_card_rule=rule).state
    found = GAME.listing(state, 0, 3)
    assert found.total == total
    assert found.truncated
    assert len(found.plays) == 3
    assert len(GAME.legal_actions(state, 0)) <= 20


def test_offers_name_groups_in_short() -> None:
    """6.8.7, in the position of e22: may trail, G(cv) and builds, groups with the card, bases."""
    state = placed(
        """
        dealer 1
        turn 0
        hand 0 Ac 6d 7s
        hand 1 9c Qd 6h
        loose 5h Ad
        build b1 6/1 [2c 4c]
        """
    ).state
    six, seven, ace = cards("6d 7s Ac")
    five, other = cards("5h Ad")
    told = [(offer.action, offer.limits) for offer in GAME.legal_actions(state, 0)]
    taken = (OneCard("card", (six,)), Groups("loose", (), ((five, other),), 1, ()))
    built = (OneCard("card", (ace,)), Range("value", 7, 7), Groups("loose", (), ()))
    assert told[0] == (a.TrailCard, (OneCard("card", (six, seven)),))
    assert told[1] == (a.CaptureCards, (*taken, Names("builds", ("b1",))))
    assert told[2] == (a.CaptureCards, (taken[0], Names("builds", ("b1",), 1)))
    assert (a.BuildCards, (*built, Words("base", ("b1",)))) in told
