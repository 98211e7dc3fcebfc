"""Protobuf messages of Parlour, built from its dataclasses.

Parlour stands for a game added from outside: its messages are in no file of Kartejo's and travel
as ``extension`` (games.proto).
"""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from engine.fields import FieldInfo, FieldKind, describe
from service.codec import Extension, snake_case
from tests.parlour.actions import ACTIONS
from tests.parlour.events import EVENTS
from tests.parlour.view import ParlourView

__all__ = ["WIRE"]

F = FieldDescriptorProto
PACKAGE = "kartejo.tests.v1"
TYPES = {
    FieldKind.INT: F.TYPE_INT64,
    FieldKind.INTS: F.TYPE_INT64,
    FieldKind.BOOL: F.TYPE_BOOL,
    FieldKind.TEXT: F.TYPE_STRING,
    FieldKind.TEXTS: F.TYPE_STRING,
    FieldKind.CARD: F.TYPE_UINT32,
    FieldKind.CARDS: F.TYPE_UINT32,
    FieldKind.WORD: F.TYPE_ENUM,
    FieldKind.GROUPS: F.TYPE_MESSAGE,
}
LISTS = {FieldKind.INTS, FieldKind.TEXTS, FieldKind.CARDS, FieldKind.GROUPS}


def _add_field(
    file: FileDescriptorProto, message: DescriptorProto, info: FieldInfo, n: int
) -> None:
    field = message.field.add(name=info.name, number=n, type=TYPES[info.kind])
    field.label = F.LABEL_REPEATED if info.kind in LISTS else F.LABEL_OPTIONAL
    if info.kind is FieldKind.GROUPS:
        field.type_name = f".{PACKAGE}.CardList"
    if info.kind is FieldKind.WORD and info.item is not None:
        name = f"Parlour{info.item.__name__}"
        field.type_name = f".{PACKAGE}.{name}"
        if name not in {enum.name for enum in file.enum_type}:
            prefix = snake_case(name).upper()
            enum = file.enum_type.add(name=name)
            enum.value.add(name=f"{prefix}_UNSPECIFIED", number=0)
            for number, member in enumerate(info.item, 1):
                enum.value.add(name=f"{prefix}_{member.name}", number=number)
    if info.optional and info.kind not in LISTS:
        field.proto3_optional = True
        field.oneof_index = len(message.oneof_decl)
        message.oneof_decl.add(name=f"_{info.name}")


def _message(file: FileDescriptorProto, parent: Any, kind: type[Any], name: str) -> None:
    message = parent.add(name=name)
    for number, info in enumerate(describe(kind), 1):
        _add_field(file, message, info, number)


def _family(file: FileDescriptorProto, name: str, word: str, kinds: tuple[type[Any], ...]) -> None:
    family = file.message_type.add(name=name)
    family.oneof_decl.add(name=word)
    for number, kind in enumerate(kinds, 1):
        _message(file, family.nested_type, kind, kind.__name__)
        family.field.add(
            name=snake_case(kind.__name__),
            number=number,
            type=F.TYPE_MESSAGE,
            label=F.LABEL_OPTIONAL,
            type_name=f".{PACKAGE}.{name}.{kind.__name__}",
            oneof_index=0,
        )


def _build() -> Extension:
    file = FileDescriptorProto(name="tests/parlour.proto", package=PACKAGE, syntax="proto3")
    cards = file.message_type.add(name="CardList")
    cards.field.add(name="cards", number=1, type=F.TYPE_UINT32, label=F.LABEL_REPEATED)
    _family(file, "ParlourAction", "action", ACTIONS)
    _family(file, "ParlourEvent", "event", EVENTS)
    _message(file, file.message_type, ParlourView, "ParlourView")
    pool = DescriptorPool()
    pool.Add(file)
    found = [
        GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))
        for name in ("ParlourAction", "ParlourEvent", "ParlourView")
    ]
    return Extension(*found)


WIRE = _build()
