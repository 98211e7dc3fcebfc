"""Messages put together from bytes are those that protobuf would have written."""

from __future__ import annotations

import pytest

from engine.errors import Corrupt
from engine.events import EpochOpened, Event, SeatLeft
from engine.visibility import AUDITOR, OBSERVER, seat_viewer
from service.codec.registry import REVISION
from service.codec.wire import number_field, part
from service.pb import common_pb2, games_pb2, table_service_pb2
from tests.codec.samples import EXAMPLES, holds
from tests.codec.test_codec import EVENTS, name
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
