"""Royal Casino on the wire and on disk: nothing is lost, nothing is told by length."""

from __future__ import annotations

from random import Random
from typing import Any

from engine.events import Event
from engine.games import GAMES
from engine.games.royal_casino import actions as a
from engine.games.royal_casino import events as e
from engine.kernel import Groups, Names, Offer, OneCard
from engine.script import event_text
from engine.visibility import AUDITOR, OBSERVER, redact, seat_viewer
from service.bots.look import Look
from service.bots.random_offer import random_action
from service.client.offers import first_action, offer_text
from service.codec import Codec
from service.rpc.messages import _offer
from tests.games.royal_casino.tables import GAME, drawn_position, placed
from tests.laws.samples import covers
from tests.laws.walks import walk

CODEC = Codec(GAMES)
VIEWERS = (OBSERVER, seat_viewer(0), seat_viewer(1) | OBSERVER, AUDITOR)


def lives() -> list[Any]:
    return [one for seed in range(30) for one in walk(Random(seed), GAME, 60) if not one.reason]


def test_events_come_back_from_disk() -> None:
    """Private values too, with their audiences."""
    kinds: set[type[Event]] = set()
    for one in lives():
        for event in one.events:
            assert CODEC.load_event(CODEC.store_event(event)) == event
            kinds.add(type(event))
    assert kinds >= {e.DealStarted, e.HandDealt, e.CardsCaptured, e.BuildCreated, e.DealScored}


def test_events_views_and_actions_come_back_from_the_wire() -> None:
    """What a viewer was sent reads like what he was to be sent."""
    for one in lives():
        for event in one.events:
            for viewer in VIEWERS:
                again = CODEC.event_from_wire(CODEC.event_to_wire(event, viewer))
                assert event_text(again) == event_text(redact(event, viewer))
        if type(one.action) in GAME.ACTIONS:
            assert CODEC.action_from_wire(CODEC.action_to_wire(one.action)) == one.action
        for viewer in VIEWERS:
            seen = GAME.view(one.after.state, viewer)
            assert CODEC.view_from_wire(CODEC.view_to_wire(seen)) == seen


def test_gaps_in_a_list_of_words_come_back() -> None:
    """7.5.1: locks by side, with none in between."""
    event = e.DealStarted(2, 1, (None, e.Item.BIG_CASINO, None), overtime=False)
    wire = CODEC.event_to_wire(event, OBSERVER)
    assert list(wire.royal_casino.deal_started.locks) == [0, 3, 0]
    assert CODEC.event_from_wire(wire) == event
    assert CODEC.load_event(CODEC.store_event(event)) == event


def offer(limits: tuple[Any, ...]) -> Any:
    return _offer(Offer(a.CaptureCards, limits))


def test_offers_say_groups_and_names() -> None:
    """6.8.7 on the wire, and as people read it."""
    told = offer(
        (
            OneCard("card", (5,)),
            Groups("loose", ((), (1,)), ((2, 3), (4,)), 1, (4,)),
            Names("builds", ("b1", "b2"), 1, ("b2",)),
        )
    )
    card, loose, builds = told.limits
    assert (list(card.cards.cards), card.cards.low, card.cards.high) == ([5], 1, 1)
    assert [list(group.cards) for group in loose.groups.first] == [[], [1]]
    assert [list(group.cards) for group in loose.groups.more] == [[2, 3], [4]]
    assert (loose.groups.low, list(loose.groups.among)) == (1, [4])
    assert (list(builds.names.words), builds.names.low) == (["b1", "b2"], 1)
    assert list(builds.names.must) == ["b2"]
    assert offer_text(told) == (
        "capture_cards card=1 of 6c loose=one of [][2c] and any of [3c 4c][5c] with one of 5c "
        "builds=b2 and any of b1"
    )


def test_any_offer_can_be_taken_by_who_knows_only_offers() -> None:
    """The bot that takes any offer, and the first choice of a client: both are accepted."""
    for seed in range(80):
        rng = Random(seed)
        state = drawn_position(rng)
        (seat,) = GAME.to_act(state)
        offers = GAME.legal_actions(state, seat)
        wire = [_offer(each) for each in offers]
        look = Look(GAME, seat, GAME.view(state, seat_viewer(seat)), wire)
        for action in [first_action(GAME, seat, wire)] + [
            random_action(rng, look, wire) for _ in range(20)
        ]:
            assert any(covers(each, action) for each in offers), action


def test_a_refused_play_says_nothing_of_other_cards() -> None:
    """Neither the reason nor its detail depends on what the caller may not see."""
    base = "dealer 1\nturn 0\nhand 0 8s Kc\nloose 5d 3c\nstock 2c 2d 2h 2s 6c 6d 6h 6s\n"
    one = placed(base + "hand 1 8d Qd")
    two = placed(base + "hand 1 Ac Ad")
    for card in range(54):
        for loose in ((), (5,), (card,)):
            for action in (a.TrailCard(card), a.CaptureCards(card, loose)):
                if card not in {46, 12}:  # 8s, Kc: the seat's own
                    assert one.refused(0, action) == two.refused(0, action)
