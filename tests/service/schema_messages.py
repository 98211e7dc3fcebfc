"""Messages for every method, made from the schema: whatever it allows, likely things most often."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

from engine.tournament.formats import FORMATS
from service import pb
from tests.parlour.wire import WIRE
from tests.service.harness import ALL_GAMES

SERVICES = [
    service
    for module in iter_modules(pb.__path__)
    if module.name.endswith("_service_pb2")
    for service in import_module(f"service.pb.{module.name}").DESCRIPTOR.services_by_name.values()
]
METHODS = [method for service in SERVICES for method in service.methods]
WEIGHTY = [method for method in METHODS if method.name in {"SubmitAction", "Act", "Play"}]
TABLES = ["<parlour>", "<royal>", "<lab>", "<palace>", "<casino>", "<pontoon>"]
OPTIONS = sorted(
    {option.name for game in ALL_GAMES.values() for option in (*game.OPTIONS, *game.START_FACTS)}
    | {"reveal", "auto_start", "min_buy_in", "max_buy_in", "purse"}
)
EDGES = (0, 1, 2, -1, 3, 52, 53, 30, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1, -(2**63), 2**64 - 1)
RANGES = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}


def texts(name: str) -> st.SearchStrategy[str]:
    """Texts for a field of that name, good ones more often than not."""
    anything = st.text(st.characters(exclude_categories=("Cs",)), max_size=70)
    known: dict[str, list[str]] = {
        "table_id": TABLES * 3,
        "tournament_id": ["<tournament>"],
        "format": [*FORMATS],
        "request_id": [f"r{number}" for number in range(40)],
        "game": ["parlour", "royal_flush", "palace_poker", "royal_casino", "pontoon"] * 2,
        "subject": ["ann", "bob", "nobody"],
        "scope": ["step", "round", "game"],
        "position": ["phase LOBBY", "phase DEAL\nround 1", "phase CLOSED", "phase GAME_OVER"],
    }
    if name not in known:
        return anything
    return st.one_of(st.sampled_from(known[name]), st.sampled_from(known[name]), anything)


def numbers(field: Any) -> st.SearchStrategy[int]:
    low, high = RANGES[field.cpp_type]
    usual = st.integers(max(low, -2), 5)
    edges = st.sampled_from([each for each in EDGES if low <= each <= high])
    return st.one_of(usual, usual, edges, st.integers(low, high))


@st.composite
def extensions(draw: st.DrawFn) -> AnyMessage:
    """An ``Any``: of the game from outside, of something else, or broken."""
    packed = AnyMessage()
    packed.Pack(draw(messages(WIRE.action.DESCRIPTOR)))
    match draw(st.integers(0, 5)):
        case 0:
            packed.type_url = draw(st.text(max_size=30))
        case 1:
            packed.value = draw(st.binary(max_size=30))
    return packed


def values(field: Any) -> st.SearchStrategy[Any]:
    if field.cpp_type in RANGES:
        return numbers(field)
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return st.binary(max_size=40) if field.type == field.TYPE_BYTES else texts(field.name)
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return st.booleans()
    if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        return st.integers(-1, 9)
    if field.cpp_type == FieldDescriptor.CPPTYPE_DOUBLE:
        return st.floats()
    if field.message_type.full_name == "google.protobuf.Any":
        return extensions()
    return messages(field.message_type)


@st.composite
def messages(draw: st.DrawFn, descriptor: Descriptor) -> Any:
    """Any message of a type: of each oneof one member at most, every field there or not."""
    message = GetMessageClass(descriptor)()
    chosen = [draw(st.sampled_from(list(oneof.fields))) for oneof in descriptor.oneofs]
    for field in descriptor.fields:
        if field.containing_oneof and field not in chosen:
            continue
        if not draw(st.sampled_from((True, True, True, False))):
            continue
        if field.message_type and field.message_type.GetOptions().map_entry:
            pairs = st.dictionaries(st.sampled_from(OPTIONS) | st.text(max_size=9), texts(""))
            getattr(message, field.name).update(draw(pairs.filter(lambda found: len(found) < 4)))
        elif field.is_repeated:
            items = draw(st.lists(values(field), max_size=4))
            getattr(message, field.name).extend(items)
        elif field.message_type:
            part = getattr(message, field.name)
            part.SetInParent()
            part.CopyFrom(draw(values(field)))
        else:
            setattr(message, field.name, draw(values(field)))
    return message


CALLS = st.lists(
    st.sampled_from(METHODS + 4 * WEIGHTY).flatmap(
        lambda method: st.tuples(
            st.just(method), messages(method.input_type), st.integers(0, 6), st.booleans()
        )
    ),
    min_size=1,
    max_size=8,
)
