"""Pontoon on the wire, on disk and in scripts: nothing is lost, nothing is told by length."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.events import TableOpened
from engine.games import GAMES
from engine.games.pontoon import actions as a
from engine.games.pontoon import events as e
from engine.script import Recorded, event_text, export, run_text
from engine.visibility import AUDITOR, EVERYONE, OBSERVER, Private, redact, seat_viewer, seats_only
from service.codec import Codec
from tests.games.pontoon.tables import GAME, options
from tests.laws.walks import Attempt, walk

CODEC = Codec(GAMES)
VIEWERS = (OBSERVER, seat_viewer(0), seat_viewer(1) | OBSERVER, AUDITOR)


def life(seed: int, length: int) -> list[Attempt]:
    return [one for one in walk(Random(seed), GAME, length, options) if not one.reason]


@pytest.fixture(scope="module")
def lives() -> list[Attempt]:
    return [one for seed in range(40) for one in life(seed, 120)]


def test_events_come_back_from_disk(lives: list[Any]) -> None:
    """Private values too, with their audiences, and what of them is public."""
    in_part = 0
    for one in lives:
        for event in one.events:
            assert CODEC.load_event(CODEC.store_event(event)) == event
            in_part += isinstance(event, e.CardsReturned) and event.cards.public is not None
    assert in_part


def test_events_read_alike_over_the_wire(lives: list[Any]) -> None:
    for one in lives:
        for event in one.events:
            for viewer in VIEWERS:
                again = CODEC.event_from_wire(CODEC.event_to_wire(event, viewer))
                assert event_text(again) == event_text(redact(event, viewer))


def test_views_and_actions_come_back_from_the_wire(lives: list[Any]) -> None:
    for one in lives:
        if type(one.action) in GAME.ACTIONS:
            assert CODEC.action_from_wire(CODEC.action_to_wire(one.action)) == one.action
        for viewer in VIEWERS:
            seen = GAME.view(one.after.state, viewer)
            assert CODEC.view_from_wire(CODEC.view_to_wire(seen)) == seen


def test_no_length_tells_a_card() -> None:
    """Whatever lies face down, and whatever of it is public."""
    lengths: set[tuple[int, int]] = set()
    for card in range(1, 53):
        cards = Private((card, 7, card), seats_only(1), public=(0, 7, 0))
        form = CODEC.store_event(e.CardsReturned(1, 1, cards))
        (slot,) = form.private
        assert slot.data is not None
        lengths.add((len(form.public), len(slot.data)))
        dealt = CODEC.store_event(e.CardDealt(1, 1, Private(card, seats_only(1))))
        lengths.add((len(dealt.public), -1))
    assert len(lengths) == 2


def test_what_is_public_lies_in_the_public_bytes_alone() -> None:
    event = e.CardsReturned(1, 1, Private((5, 7, 9), seats_only(1), public=(0, 7, 0)))
    assert redact(event, OBSERVER).cards.value == (0, 7, 0)
    assert redact(event, seat_viewer(1)) is event
    assert event_text(redact(event, OBSERVER)) == "CardsReturned seat=1 hand=1 cards=??,8c,??"
    loaded = CODEC.load_event(CODEC.store_event(event))
    assert loaded == event
    whole = e.CardsReturned(0, None, Private((5, 7), EVERYONE))
    assert CODEC.load_event(CODEC.store_event(whole)) == whole


@pytest.mark.parametrize("seed", range(16))
def test_recorded_deals_export_as_scripts(seed: int) -> None:
    """hand_script 2.4: from ``open_table`` on, and from the position in which a deal starts."""
    tried = life(seed, 120)
    record = [Recorded(one.actor, one.action, one.events) for one in tried]
    (opened,) = tried[0].events
    assert isinstance(opened, TableOpened)
    starts = [place for place, one in enumerate(tried) if isinstance(one.action, a.StartDeal)]
    texts = [export(GAME, record)]
    if starts:
        before = tried[starts[-1]].before.state
        texts.append(export(GAME, record[starts[-1] :], before=before, options=opened.options))
    for text in texts:
        for _, failure in run_text(text, "exported.hand"):
            assert failure is None, str(failure)
