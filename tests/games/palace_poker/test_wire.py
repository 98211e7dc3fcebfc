"""Palace Poker on the wire and on disk: nothing is lost, nothing is told by length."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.events import Event
from engine.games import GAMES
from engine.games.palace_poker import actions as a
from engine.games.palace_poker import events as e
from engine.kernel import Range
from engine.script import event_text
from engine.visibility import AUDITOR, EVERYONE, OBSERVER, Private, redact, seat_viewer
from service.codec import Codec
from service.rpc.messages import _offer
from tests.games.palace_poker.tables import GAME, placed
from tests.laws.walks import walk

CODEC = Codec(GAMES)
VIEWERS = (OBSERVER, seat_viewer(0), seat_viewer(1) | OBSERVER, AUDITOR)


def lives() -> list[Any]:
    return [one for seed in range(30) for one in walk(Random(seed), GAME, 60) if not one.reason]


def test_events_come_back_from_disk() -> None:
    """Private values too, with their audiences."""
    kinds = set()
    for one in lives():
        for event in one.events:
            assert CODEC.load_event(CODEC.store_event(event)) == event
            kinds.add(type(event))
    assert kinds >= set(GAME.EVENTS) - {e.UncalledReturned}


def test_events_read_alike_over_the_wire() -> None:
    """What a viewer was sent reads like what he was to be sent."""
    for one in lives():
        for event in one.events:
            for viewer in VIEWERS:
                again = CODEC.event_from_wire(CODEC.event_to_wire(event, viewer))
                assert event_text(again) == event_text(redact(event, viewer))


def test_views_and_actions_come_back_from_the_wire() -> None:
    for one in lives():
        if type(one.action) in GAME.ACTIONS:
            assert CODEC.action_from_wire(CODEC.action_to_wire(one.action)) == one.action
        for viewer in VIEWERS:
            seen = GAME.view(one.after.state, viewer)
            assert CODEC.view_from_wire(CODEC.view_to_wire(seen)) == seen


def resolved(value: tuple[int, ...], count: int | None, audience: int) -> Event:
    told = (Private(value, audience), Private(count, audience))
    return e.BattleResolved(0, 1, 0, e.DecidedBy.HAND, 1, told[0], told[0], told[1], told[1])


@pytest.mark.parametrize("viewer", [OBSERVER, seat_viewer(2)])
def test_hidden_values_have_one_length(viewer: int) -> None:
    """On the wire and on disk, whatever they are; only shown ones may differ."""
    one = resolved((0, 2, 0, 0, 0, 0), None, 1 << 31 | 3)
    other = resolved((8, 14, 0, 0, 0, 0), 9, 1 << 31 | 3)
    texts = [CODEC.event_to_wire(event, viewer).SerializeToString() for event in (one, other)]
    assert texts[0] == texts[1]
    forms = [CODEC.store_event(event) for event in (one, other)]
    assert forms[0].public == forms[1].public
    lengths = [[len(value.data or b"") for value in form.private] for form in forms]
    assert lengths[0] == lengths[1]


def test_a_shown_none_is_not_a_hidden_number() -> None:
    """The counts are none unless the values are equal (6.14)."""
    event = resolved((1, 14, 0, 0, 0, 0), None, EVERYONE)
    again = CODEC.event_from_wire(CODEC.event_to_wire(event, OBSERVER))
    assert "attacker_count=none" in event_text(again)
    hidden = CODEC.event_from_wire(
        CODEC.event_to_wire(resolved((1, 14, 0, 0, 0, 0), None, 1 << 31), OBSERVER)
    )
    assert "attacker_count=??" in event_text(hidden)


def test_offers_say_what_an_amount_stands_for_that_is_left_out() -> None:
    """6.1.2, 6.7.4."""
    play = placed("")
    (bet, _) = [o for o in GAME.legal_actions(play.state, 0) if o.action is a.Bet]
    assert bet.limits == (Range("target", 1, 1), Range("amount", 10, 10, 10))
    target, amount = _offer(bet).limits
    assert not target.range.HasField("standard")
    assert amount.range.standard == 10
