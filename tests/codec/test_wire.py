"""Messages put together from bytes are those that protobuf would have written."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import Corrupt
from engine.events import DeckShuffled, EpochOpened, Event, SeatLeft
from engine.visibility import AUDITOR, EVERYONE, OBSERVER, Private, seat_viewer
from service.codec.fields import Pair
from service.codec.registry import REVISION
from service.codec.wire import number_field, part
from service.pb import common_pb2, games_pb2, table_service_pb2
from tests.codec.samples import EXAMPLES, holds
from tests.codec.test_codec import ACTIONS, EVENTS, VIEWS, name
from tests.service.harness import CODEC

LENGTHS = [0, 1, 127, 128, 16_383, 16_384, 70_000]
NUMBERS = [0, 1, 127, 128, 16_383, 16_384, 2**31, 2**63 - 1]


@pytest.mark.parametrize("length", LENGTHS)
def test_a_part_is_a_field_of_bytes_at_every_length(length):
    """Lengths of one byte, of two and of three; the field's own number of two bytes as well."""
    text = "x" * length
    data = part(1, text.encode()) + part(5, b"")
    read = table_service_pb2.TableState.FromString(data)
    assert read == table_service_pb2.TableState(table_id=text, decision=common_pb2.Decision())
    any_field = games_pb2.Event.DESCRIPTOR.fields_by_name["royal_flush"].number
    inner = part(200, text.encode())
    assert games_pb2.Event.FromString(part(any_field, inner)).HasField("royal_flush")
    assert part(200, text.encode()) in part(any_field, inner)


@pytest.mark.parametrize("value", NUMBERS)
def test_a_number_is_written_as_protobuf_writes_it(value):
    """Zero is an absent field, as everywhere in proto3."""
    assert number_field(1, value) == table_service_pb2.TableEvent(version=value).SerializeToString()


@pytest.mark.parametrize("kind", EVENTS, ids=name)
@pytest.mark.parametrize("examples", EXAMPLES)
def test_an_event_that_hides_nothing_is_sent_as_it_is_stored(kind, examples):
    """Of all games, of one that is an extension too, for every viewer."""
    holds(sent_as_stored, kind, examples)


def sent_as_stored(event: Event) -> None:
    kind = type(event)
    form = CODEC.store_event(event)
    if form.private or kind.__module__ == "engine.account":
        return
    sent = CODEC.event_as_stored(form.type, form.revision, form.public)
    if kind is EpochOpened:  # what is private in it leaves for nobody, whatever its audience
        assert sent is None
        return
    assert sent is not None
    read = games_pb2.Event.FromString(sent)
    for viewer in (OBSERVER, AUDITOR, seat_viewer(3)):
        assert read == CODEC.event_to_wire(event, viewer)


def test_an_event_of_another_form_is_not_sent_as_it_is_stored():
    """A viewer gets the form of today."""
    form = CODEC.store_event(SeatLeft(1, 5))
    assert CODEC.event_as_stored(form.type, form.revision, form.public)
    assert CODEC.event_as_stored(form.type, form.revision + 1, form.public) is None


def test_an_event_of_a_type_that_was_never_written_is_damage():
    """It is not sent on as something else."""
    with pytest.raises(Corrupt, match="event type 99999"):
        CODEC.event_as_stored(99_999, REVISION, b"")


@pytest.mark.parametrize("kind", [*EVENTS, *ACTIONS, *VIEWS], ids=name)
@pytest.mark.parametrize("examples", EXAMPLES)
def test_the_bytes_of_a_value_are_those_of_its_message(kind, examples):
    """Byte for byte: what was stored before is what would be stored of it now."""
    holds(written_as_its_message, kind, examples)


def written_as_its_message(value: Any) -> None:
    kind = type(value)
    pair = pair_of(kind)
    assert pair.serial(value) == pair.encode(value).SerializeToString(deterministic=True)
    if kind in ACTIONS:
        sent = CODEC.action_to_wire(value).SerializeToString(deterministic=True)
        assert CODEC.action_bytes(value) == sent
    elif kind in VIEWS:
        assert games_pb2.View.FromString(CODEC.view_bytes(value)) == CODEC.view_to_wire(value)
    else:
        for viewer in (OBSERVER, AUDITOR, seat_viewer(3)):
            read = games_pb2.Event.FromString(CODEC.event_bytes(value, viewer))
            assert read == CODEC.event_to_wire(value, viewer)


@pytest.mark.parametrize("value", [-1, -(2**31), 127, 128, 2**31 - 1])
def test_a_number_of_a_list_is_written_as_protobuf_writes_it(value):
    """Those that fit into a byte go another way than the others; negative ones take ten bytes."""
    event = DeckShuffled("X", Private((1, 0, value), EVERYONE))
    pair = pair_of(DeckShuffled)
    if value < 0:  # a list of cards has no sign
        with pytest.raises(ValueError, match="out of range"):
            pair.serial(event)
    else:
        assert pair.serial(event) == pair.encode(event).SerializeToString(deterministic=True)


@pytest.mark.parametrize("chips", [2**63, -(2**63) - 1])
def test_a_number_that_does_not_fit_its_field_is_not_written(chips):
    """As protobuf refuses it: nothing is cut off."""
    pair = pair_of(SeatLeft)
    with pytest.raises(ValueError):
        pair.encode(SeatLeft(0, chips))
    with pytest.raises(ValueError, match="out of range"):
        pair.serial(SeatLeft(0, chips))


def pair_of(kind: type[Any]) -> Pair:
    known = {**CODEC._event, **CODEC._action}
    return known[kind].pair if kind in known else CODEC._view[kind][1]
