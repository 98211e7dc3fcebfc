"""Dataclasses and protobuf say the same, on the wire and on disk."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine import events as common
from engine.account import ACCOUNT_EVENTS
from engine.actions import COMMON_ACTIONS, HOUSE_ACTIONS
from engine.errors import Corrupt, Malformed
from engine.events import COMMON_EVENTS, HOUSE_EVENTS, DeckShuffled, EpochClosed
from engine.games import GAMES
from engine.tournament.all_events import ALL_TOURNAMENT_EVENTS
from engine.visibility import AUDITOR, EVERYONE, OBSERVER, SERVER, Private, hide, private_fields
from service.codec import Codec, PrivateValue, StoredForm
from service.codec.fields import compile_pair
from service.pb import games_pb2, table_events_pb2
from tests.codec.samples import EXAMPLES, holds
from tests.service.harness import ALL_GAMES, CODEC

EVENTS = [*COMMON_EVENTS, *HOUSE_EVENTS, *(e for g in ALL_GAMES.values() for e in g.EVENTS)]
ACTIONS = [*COMMON_ACTIONS, *HOUSE_ACTIONS, *(a for g in ALL_GAMES.values() for a in g.ACTIONS)]
VIEWS = [game.VIEW for game in ALL_GAMES.values()]
GOLDEN = Path(__file__).with_name("stored_types.json")


def name(kind: type[Any]) -> str:
    return f"{kind.__module__.split('.')[-2]}.{kind.__name__}"


@pytest.mark.parametrize("kind", EVENTS, ids=name)
@pytest.mark.parametrize("examples", EXAMPLES)
def test_every_event_comes_back_from_the_disk(kind, examples):
    """Store, load: the same event, audiences included."""

    def law(event: Any) -> None:
        assert CODEC.load_event(CODEC.store_event(event)) == event

    holds(law, kind, examples)


@pytest.mark.parametrize("kind", EVENTS, ids=name)
@pytest.mark.parametrize("examples", EXAMPLES)
def test_the_public_bytes_depend_on_no_private_value(kind, examples):
    """Two events that differ in private values alone have equal public bytes (design 4)."""

    def law(event: Any) -> None:
        form = CODEC.store_event(event)
        if any(value.data is not None for value in form.private):
            names = private_fields(kind)
            sealed = [each for each in names if getattr(event, each).audience != EVERYONE]
            assert CODEC.store_event(hide(event, sealed)).public == form.public

    holds(law, kind, examples)


@pytest.mark.parametrize("kind", ACTIONS, ids=name)
@pytest.mark.parametrize("examples", EXAMPLES)
def test_every_action_comes_back_from_the_wire(kind, examples):
    """Absent parameters stay absent, zero stays zero."""

    def law(action: Any) -> None:
        assert CODEC.action_from_wire(CODEC.action_to_wire(action)) == action

    holds(law, kind, examples)


@pytest.mark.parametrize("kind", VIEWS, ids=name)
@pytest.mark.parametrize("examples", EXAMPLES)
def test_every_view_comes_back_from_the_wire(kind, examples):
    """A client decodes what the server meant."""

    def law(view: Any) -> None:
        assert CODEC.view_from_wire(CODEC.view_to_wire(view)) == view

    holds(law, kind, examples)


def test_stored_type_numbers_never_move():
    """An old database must mean the same to new code: numbers are append-only."""
    codec = Codec(GAMES)
    shared = (*COMMON_EVENTS, *HOUSE_EVENTS, *ACCOUNT_EVENTS, *ALL_TOURNAMENT_EVENTS)
    kinds = [*shared, *(e for g in GAMES.values() for e in g.EVENTS)]
    numbers = {name(kind): codec.type_of(kind) for kind in kinds}
    written = json.loads(GOLDEN.read_text())
    assert {each: numbers.get(each) for each in written} == written
    new = sorted(numbers.keys() - written.keys())
    assert not new, "write new events down: .venv/bin/python tools/stored_types.py"


def test_every_card_has_the_same_length():
    """Faces cannot be told apart by size, the hidden one included (trust.md: zero elision)."""
    lengths = {
        len(
            CODEC.event_to_wire(
                DeckShuffled("X", Private((card,) * 5, EVERYONE)), OBSERVER
            ).SerializeToString()
        )
        for card in range(53)
    }
    assert len(lengths) == 1


def test_a_viewer_outside_the_audience_gets_zeros():
    """The wire form is the redacted form."""
    event = DeckShuffled("GAME", Private((5, 9), SERVER))
    seen = CODEC.event_from_wire(CODEC.event_to_wire(event, OBSERVER))
    assert seen.order == Private((0, 0), 0, shown=False)
    full = CODEC.event_from_wire(CODEC.event_to_wire(event, AUDITOR))
    assert full.order.value == (5, 9)


def test_what_opens_an_epoch_is_withheld_from_viewers_only():
    """The secret of a closed epoch lies readable on disk and is redacted on the wire."""
    event = EpochClosed(1, Private(b"secret", SERVER))
    form = CODEC.store_event(event)
    assert form.private == (PrivateValue(2, SERVER, None),)
    assert b"secret" in form.public
    assert b"secret" not in CODEC.event_to_wire(event, OBSERVER).SerializeToString()


@pytest.mark.parametrize(
    "form",
    [
        StoredForm(99, 1, b"", ()),
        StoredForm(2, 2, b"", ()),
        StoredForm(2, 1, b"\xff", ()),
        StoredForm(2, 1, b"", (PrivateValue(1, SERVER, b"x"),)),
    ],
    ids=["type", "revision", "bytes", "slot"],
)
def test_unknown_stored_bytes_are_corrupt(form):
    """Never guessed at."""
    with pytest.raises(Corrupt):
        CODEC.load_event(form)


def test_an_action_that_is_not_set_is_malformed():
    """At both levels of the message, and inside an extension."""
    with pytest.raises(Malformed):
        CODEC.action_from_wire(games_pb2.Action())
    with pytest.raises(Malformed):
        CODEC.action_from_wire(games_pb2.Action(royal_flush={}))
    unknown = games_pb2.Action()
    unknown.extension.type_url = "type.googleapis.com/of.nobody"
    with pytest.raises(Malformed):
        CODEC.action_from_wire(unknown)
    broken = games_pb2.Action()
    broken.extension.type_url = "type.googleapis.com/kartejo.tests.v1.ParlourAction"
    broken.extension.value = b"\xff\xff"
    with pytest.raises(Malformed):
        CODEC.action_from_wire(broken)


def test_a_pair_that_does_not_match_is_refused_at_start_up():
    """A field on one side only."""

    @dataclass(frozen=True, slots=True)
    class SeatTaken(common.Event):
        seat: int

    with pytest.raises(TypeError, match="chips"):
        compile_pair(SeatTaken, table_events_pb2.CommonEvent.SeatTaken)
