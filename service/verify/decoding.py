"""Events and actions from their stored bytes: protobuf in, the engine's dataclasses out.

A message and its dataclass have the same field names; what the annotations of the dataclass say
(``engine.fields``) decides how a field is read.  A private value is a zero in the public bytes and
lies in a slot: cards are a byte each, numbers nine (a mark and the value) or eight in lists, all
little-endian; texts and bytes are themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from engine.access import ACCESS_EVENTS
from engine.account import ACCOUNT_EVENTS
from engine.actions import COMMON_ACTIONS, HOUSE_ACTIONS, Action
from engine.events import COMMON_EVENTS, HOUSE_EVENTS, Event
from engine.fields import FieldInfo, FieldKind, describe
from engine.games import GAMES
from engine.tournament.all_events import ALL_TOURNAMENT_EVENTS
from engine.visibility import EVERYONE, Private
from service.pb import (
    access_events_pb2,
    account_events_pb2,
    games_pb2,
    table_events_pb2,
    tournament_events_pb2,
)
from service.verify.findings import Bad
from service.verify.records import Fact

__all__ = [
    "action_of",
    "event_of",
    "fields_of",
    "name_of",
    "public_event",
    "tournament_action_of",
]

Opened = Mapping[int, bytes]
"""What slots hold, by field."""

_LISTS: Final = {FieldKind.INTS, FieldKind.TEXTS, FieldKind.CARDS, FieldKind.VALUE}


def _snake(name: str) -> str:
    return re.sub(r"(?<=.)([A-Z])", r"_\1", name).lower()


def _family(
    message: Any, kinds: Sequence[type[Any]], base: int = 0
) -> dict[int, tuple[type[Any], type[Message]]]:
    """Stored type numbers of the members of a family: the number of its field, and the game's."""
    by_name = {_snake(kind.__name__): kind for kind in kinds}
    return {
        base + field.number: (by_name[field.name], GetMessageClass(field.message_type))
        for field in message.DESCRIPTOR.fields
    }


def _of_game(outer: Any, key: str) -> Any:
    return GetMessageClass(outer.DESCRIPTOR.fields_by_name[key].message_type)


@cache
def _events() -> dict[int, tuple[type[Any], type[Message]]]:
    found = {
        **_family(table_events_pb2.CommonEvent, COMMON_EVENTS),
        **_family(table_events_pb2.HouseEvent, HOUSE_EVENTS),
        **_family(account_events_pb2.AccountEvent, ACCOUNT_EVENTS),
        **_family(access_events_pb2.AccessEvent, ACCESS_EVENTS),
        **_family(tournament_events_pb2.TournamentEvent, ALL_TOURNAMENT_EVENTS, 1000),
    }
    for key, game in GAMES.items():
        found |= _family(_of_game(games_pb2.Event, key), game.EVENTS, game.NUMBER)
    return found


@cache
def _actions() -> dict[tuple[str, str], type[Any]]:
    found: dict[tuple[str, str], type[Any]] = {
        ("common", _snake(kind.__name__)): kind for kind in COMMON_ACTIONS
    }
    found |= {("house", _snake(kind.__name__)): kind for kind in HOUSE_ACTIONS}
    for key, game in GAMES.items():
        found |= {(key, _snake(kind.__name__)): kind for kind in game.ACTIONS}
    return found


def name_of(stored_type: int) -> str:
    """The name of a stored event type; empty where it is not known."""
    known = _events().get(stored_type)
    return known[0].__name__ if known else ""


def _message(fact: Fact) -> tuple[type[Any], Any]:
    known = _events().get(fact.type)
    if known is None or fact.revision != 1:
        raise Bad("an event of an unknown form", found=f"type {fact.type} rev. {fact.revision}")
    message = known[1]()
    try:
        message.ParseFromString(fact.public)
    except DecodeError:
        raise Bad(f"the public bytes of {known[0].__name__} cannot be read") from None
    return known[0], message


def fields_of(fact: Fact) -> dict[str, Any]:
    """The public fields of an event as protobuf writes them in JSON; none if it is unreadable."""
    try:
        _, message = _message(fact)
    except Bad:
        return {}
    told: dict[str, Any] = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return told


def public_event(fact: Fact) -> Event:
    """An event of which only public fields matter; what is sealed stays hidden."""
    return _event(fact, {})


def event_of(fact: Fact, opened: Opened) -> Event:
    """An event with what its slots hold; raises ``Bad``."""
    return _event(fact, opened)


def _event(fact: Fact, opened: Opened) -> Event:
    kind, message = _message(fact)
    slots = {slot.field: slot for slot in fact.slots}
    if len(slots) != len(fact.slots):
        raise Bad(f"two slots of {kind.__name__} are of one field")
    values: list[Any] = []
    for info in describe(kind):
        value = _read(message, info)
        if info.private:
            slot = slots.pop(_number(message, info), None)
            if slot is None:
                value = Private(value, EVERYONE)
            elif slot.field in opened:
                public = value if isinstance(value, tuple) and any(value) else None
                inside = _unsealed(info, opened[slot.field])
                value = Private(inside, slot.audience, public=public)
            else:
                value = Private(value, slot.audience, shown=not slot.sealed)
        values.append(value)
    if slots:
        raise Bad(f"a slot belongs to no private field of {kind.__name__}", found=sorted(slots))
    event: Event = kind(*values)
    return event


def action_of(data: bytes) -> Action:
    """The action of its stored bytes; raises ``Bad``."""
    wire = games_pb2.Action()
    try:
        wire.ParseFromString(data)
    except DecodeError:
        raise Bad("the action cannot be read") from None
    family = wire.WhichOneof("family") or ""
    inner: Any = getattr(wire, family) if family else None
    name = inner.WhichOneof("action") if inner is not None and family != "extension" else None
    kind = _actions().get((family, name or ""))
    if kind is None or name is None:
        raise Bad("the action is of no game that is known here", found=family)
    action: Action = _value(kind, getattr(inner, name))
    return action


def tournament_action_of(message: Any, kinds: Sequence[type[Action]]) -> Action:
    """What was asked of a tournament, or reported to it; raises ``Bad``."""
    name = message.WhichOneof("action")
    kind = next((one for one in kinds if _snake(one.__name__) == name), None)
    if kind is None:
        raise Bad("no action of a tournament", found=name)
    action: Action = _value(kind, getattr(message, name))
    return action


def _value(kind: type[Any], message: Any) -> Any:
    return kind(*[_read(message, info) for info in describe(kind)])


def _number(message: Any, info: FieldInfo) -> int:
    return int(message.DESCRIPTOR.fields_by_name[info.word].number)


def _read(message: Any, info: FieldInfo) -> Any:
    """A field of a message as the dataclass holds it."""
    field = message.DESCRIPTOR.fields_by_name[info.word]
    raw = getattr(message, info.word)
    match info.kind:
        case FieldKind.MAP:
            return dict(raw)
        case FieldKind.WORD:
            return _member(info, field, raw)
        case FieldKind.WORDS:
            return tuple(_member(info, field, each) for each in raw)
        case FieldKind.GROUPS | FieldKind.LISTS:
            return tuple(tuple(next(_parts(row))) for row in raw)
        case FieldKind.PAIRS | FieldKind.OPTIONS:
            return tuple(tuple(_parts(row)) for row in raw)
        case FieldKind.RECORDS:
            return tuple(_value(_item(info), row) for row in raw)
        case FieldKind.RECORD:
            there = not info.optional or message.HasField(info.word)
            return _value(_item(info), raw) if there else None
        case kind if kind in _LISTS:
            return tuple(raw)
        case _:
            return None if info.optional and not message.HasField(info.word) else raw


def _item(info: FieldInfo) -> type[Any]:
    if info.item is None:
        raise AssertionError(f"{info.name} has no class for its items")
    return info.item


def _parts(row: Any) -> Any:
    """The values of a small message, in the order of its field numbers."""
    fields = sorted(row.DESCRIPTOR.fields, key=lambda each: each.number)
    return (getattr(row, field.name) for field in fields)


def _member(info: FieldInfo, field: Any, number: int) -> Any:
    """The member of an enum: named like protobuf's, behind the prefix of all of them."""
    values = field.enum_type.values_by_number
    prefix = values[0].name.removesuffix("UNSPECIFIED")
    if number == 0 and (info.optional or info.gaps):
        return None
    if number == 0 or number not in values:
        raise Bad(f"{info.name} holds no word that is known", found=number)
    members: Any = _item(info)
    return members[values[number].name.removeprefix(prefix)]


def _signed(data: bytes) -> int:
    return int.from_bytes(data, "little", signed=True)


def _signed_list(data: bytes) -> tuple[int, ...]:
    if len(data) % 8:
        raise ValueError
    return tuple(_signed(data[at : at + 8]) for at in range(0, len(data), 8))


def _unsealed(info: FieldInfo, data: bytes) -> Any:
    """The value that the bytes of a slot stand for."""
    size = _SIZES.get(info.kind)
    if size is not None and len(data) != size:
        raise Bad(f"{info.name} has a slot of a wrong length", size, len(data))
    try:
        return _UNSEALED[info.kind](data)
    except (KeyError, ValueError):
        raise Bad(f"{info.name} has a slot that cannot be read") from None


_SIZES: Final = {FieldKind.CARD: 1, FieldKind.BOOL: 1, FieldKind.INT: 9}

_UNSEALED: Final[Mapping[FieldKind, Callable[[bytes], Any]]] = {
    FieldKind.CARDS: tuple,
    FieldKind.VALUE: tuple,
    FieldKind.CARD: lambda data: data[0],
    FieldKind.BOOL: lambda data: bool(data[0]),
    FieldKind.INT: lambda data: _signed(data[1:]) if data[0] else None,
    FieldKind.INTS: _signed_list,
    FieldKind.TEXT: lambda data: data.decode(),
    FieldKind.BYTES: bytes,
}
