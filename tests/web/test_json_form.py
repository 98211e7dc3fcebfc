"""Messages as JSON: what is one is read as the standard says, what is none is said by its field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

from engine.errors import Malformed
from service.pb import investigation_service_pb2 as investigations
from service.pb import table_service_pb2 as pb
from service.web.json_form import Kinds, read, shown
from tests.examples import examples
from tests.service.harness import CODEC
from tests.service.schema_messages import METHODS, messages

KINDS: Any = Kinds(CODEC.extended())
ANY_REQUEST = st.sampled_from(METHODS).flatmap(lambda method: messages(method.input_type))


def standard(message: Any) -> bytes | None:
    """The library's JSON; None where a message has none: an ``Any`` that cannot be read."""
    try:
        told = json_format.MessageToDict(message, descriptor_pool=KINDS)
    except (TypeError, ValueError, KeyError, DecodeError, json_format.Error):
        return None
    return json.dumps(told).encode()


@examples(25, 5_000, ANY_REQUEST)
def test_what_is_shown_is_read_again(message):
    """Every message there is, of every method; with the names of the contract too."""
    told = standard(message)
    if told is None:
        return
    again = read(told, type(message), KINDS)
    assert again.SerializeToString(deterministic=True) == message.SerializeToString(
        deterministic=True
    )
    assert json.loads(shown(message, KINDS)) == json.loads(told)
    names = json_format.MessageToDict(
        message, preserving_proto_field_name=True, descriptor_pool=KINDS
    )
    assert read(json.dumps(names).encode(), type(message), KINDS) == again


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)


@st.composite
def spoilt(draw: st.DrawFn) -> tuple[type[Any], bytes]:
    """The JSON of a message, of which one part has become something else."""
    method = draw(st.sampled_from(METHODS))
    message = draw(messages(method.input_type))
    told = json.loads(standard(message) or b"{}")
    place: Any = told
    while isinstance(place, dict | list) and place:
        key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if draw(st.booleans()) or not isinstance(place[key], dict | list):
            place[key] = draw(VALUES)
            break
        place = place[key]
    return GetMessageClass(method.input_type), json.dumps(told).encode()


@examples(25, 5_000, spoilt())
def test_whatever_is_sent_is_a_message_or_malformed(case):
    """Never another error, and never in silence something else than the library reads."""
    kind, data = case
    try:
        found = read(data, kind, KINDS)
    except Malformed:
        return
    assert found == json_format.Parse(data, kind(), descriptor_pool=KINDS)


@pytest.mark.parametrize(
    ("kind", "text", "field", "why"),
    [
        (pb.ListTablesRequest, {"pageSize": "abc"}, "page_size", "a whole number from -2147483648"),
        (pb.ListTablesRequest, {"pageSize": 1.5}, "page_size", "a whole number"),
        (pb.ListTablesRequest, {"page_size": True}, "page_size", "a whole number"),
        (pb.ListTablesRequest, {"pageSize": 2**31}, "page_size", "to 2147483647"),
        (pb.ListTablesRequest, {"includeClosed": 1}, "include_closed", "true or false"),
        (pb.CreateTableRequest, {"options": [1]}, "options", "an object"),
        (pb.CreateTableRequest, {"options": {"a": 1}}, "options[a]", "text in quotes"),
        (pb.SubmitActionRequest, {"action": []}, "action", "an object"),
        (
            pb.SubmitActionRequest,
            {"action": {"house": {"x": 1}}},
            "action.house.x",
            "no such field",
        ),
        (
            pb.SubmitActionRequest,
            {"action": {"house": {"contributeEntropy": {"value": "***"}}}},
            "action.house.contribute_entropy.value",
            "bytes in base64",
        ),
        (
            pb.SubmitActionRequest,
            {"action": {"common": {}, "house": {}}},
            "action.house",
            "only one of common and house",
        ),
        (
            pb.SubmitActionRequest,
            {"action": {"extension": 5}},
            "request",
            "no message of this call",
        ),
        (
            pb.SubmitActionRequest,
            {"action": {"extension": {"@type": "x"}}},
            "request",
            "no message of this call",
        ),
        (investigations.FindHandsRequest, {"since": "noon"}, "since", "a Timestamp as JSON"),
    ],
)
def test_the_field_is_named_with_what_was_expected(kind, text, field, why):
    """By its path in the names of the contract, as every other failure names it."""
    with pytest.raises(Malformed) as caught:
        read(json.dumps(text).encode(), kind, KINDS)
    assert caught.value.field == field
    assert why in caught.value.why


def test_null_is_not_there():
    """As the standard has it; but not in a list, where something should be."""
    assert read(b'{"game":null,"pageSize":null}', pb.ListTablesRequest, KINDS) == (
        pb.ListTablesRequest()
    )
    with pytest.raises(Malformed):
        read(b'{"options":{"a":null}}', pb.CreateTableRequest, KINDS)
