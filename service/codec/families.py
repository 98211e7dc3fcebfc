"""Families: the messages whose oneof lists the actions or events of a game, or of all of them.

The name of a oneof field is the class's name in snake case; the number of an event's oneof field,
added to its game's number, is its stored type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from service.codec.fields import Pair, compile_pair
from service.pb import games_pb2

__all__ = ["Extension", "Member", "built_in", "members", "snake_case"]


class Extension(NamedTuple):
    """The messages of a game that is not in games.proto."""

    action: type[Message]
    event: type[Message]
    view: type[Message]


class Member(NamedTuple):
    """One class of a family.

    ``number`` is the stored type of an event; ``place`` the number of its field in the family.
    """

    pair: Pair
    family: str
    field: str
    number: int
    place: int


@cache
def snake_case(name: str) -> str:
    """``PileTurnedUp`` → ``pile_turned_up``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def members(
    family: str, message: type[Message], classes: Iterable[type[Any]], base: int
) -> dict[type[Any], Member]:
    """The classes of a family; raises ``TypeError`` unless they match its oneof one to one."""
    fields: dict[str, Any] = dict(message.DESCRIPTOR.fields_by_name)
    found: dict[type[Any], Member] = {}
    for kind in classes:
        name = snake_case(kind.__name__)
        field = fields.pop(name, None)
        if field is None or field.message_type is None:
            raise TypeError(f"{message.DESCRIPTOR.full_name} has no field {name}")
        pair = compile_pair(kind, GetMessageClass(field.message_type))
        found[kind] = Member(pair, family, name, base + field.number, field.number)
    if fields:
        raise TypeError(
            f"{message.DESCRIPTOR.full_name} has fields without a class: {list(fields)}"
        )
    return found


def built_in(key: str) -> Extension:
    """The messages of a game that is in games.proto; raises ``TypeError`` if it is not."""
    messages = [
        _family_message(outer, key) for outer in (games_pb2.Action, games_pb2.Event, games_pb2.View)
    ]
    if None in messages:
        raise TypeError(f"games.proto has no line for {key}")
    return Extension(*messages)  # type: ignore[arg-type]


def _family_message(outer: type[Message], key: str) -> type[Message] | None:
    field: Any = outer.DESCRIPTOR.fields_by_name.get(key)
    return None if field is None else GetMessageClass(field.message_type)
