"""Accounts and tournaments: dataclasses and protobuf say the same, on the wire and on disk."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.account import ACCOUNT_EVENTS
from engine.errors import Malformed
from engine.tournament.actions import TOURNAMENT_ACTIONS
from engine.tournament.all_events import ALL_TOURNAMENT_EVENTS
from service.codec.tournaments import (
    tournament_action_from_wire,
    tournament_action_to_wire,
    tournament_event_from_wire,
    tournament_event_to_wire,
)
from service.pb import tournament_actions_pb2, tournament_events_pb2
from tests.codec.samples import values_of
from tests.codec.test_codec import name
from tests.service.harness import CODEC

FEW = settings(max_examples=8, deadline=None)


@pytest.mark.parametrize("kind", [*ACCOUNT_EVENTS, *ALL_TOURNAMENT_EVENTS], ids=name)
@given(data=st.data())
@FEW
def test_every_event_comes_back_from_the_disk(kind, data):
    """Store, load: the same event."""
    event = data.draw(values_of(kind))
    assert CODEC.load_event(CODEC.store_event(event)) == event


@pytest.mark.parametrize("kind", ALL_TOURNAMENT_EVENTS, ids=name)
@given(data=st.data())
@FEW
def test_every_event_of_a_tournament_comes_back_from_the_wire(kind, data):
    """A client decodes what happened."""
    event = data.draw(values_of(kind))
    assert tournament_event_from_wire(tournament_event_to_wire(event)) == event


@pytest.mark.parametrize("kind", TOURNAMENT_ACTIONS, ids=name)
@given(data=st.data())
@FEW
def test_every_action_of_a_tournament_comes_back_from_the_wire(kind, data):
    """They are stored as they are sent: absent parameters stay absent."""
    action = data.draw(values_of(kind))
    assert tournament_action_from_wire(tournament_action_to_wire(action)) == action


def test_what_is_not_set_is_malformed():
    with pytest.raises(Malformed):
        tournament_action_from_wire(tournament_actions_pb2.TournamentAction())
    with pytest.raises(Malformed):
        tournament_event_from_wire(tournament_events_pb2.TournamentEvent())
