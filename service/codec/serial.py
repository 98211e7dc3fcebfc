"""A dataclass straight to the bytes of its message, without a message in between.

What is stored and what players are sent comes this way: to fill a message field by field and to
have it serialised takes three times as long.  The bytes are those that protobuf writes
deterministically (fields by number, lists packed, maps by key); a test holds every class there is
to that.  Whether a class and its message match is settled before, by ``service.codec.fields``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from engine.fields import FieldInfo, FieldKind, describe
from service.codec.wire import part_of, tag, varint

__all__ = ["Write", "attributes", "compile_serial", "enum_numbers", "inner_fields"]

Write = Callable[[Any], bytes]
"""The bytes of a value; of a field with its number before it, none where it is left out."""

_BOUNDS: Final = {
    FieldDescriptor.TYPE_INT32: (-(1 << 31), 1 << 31),
    FieldDescriptor.TYPE_INT64: (-(1 << 63), 1 << 63),
    FieldDescriptor.TYPE_UINT32: (0, 1 << 32),
    FieldDescriptor.TYPE_UINT64: (0, 1 << 64),
    FieldDescriptor.TYPE_BOOL: (0, 2),
}
_64_BITS: Final = (1 << 64) - 1


def compile_serial(kind: type[Any], descriptor: Any) -> Write:
    """What writes values of a class as messages of a descriptor, whose fields are the class's."""
    fields = descriptor.fields_by_name
    infos = sorted(describe(kind), key=lambda info: fields[info.word].number)
    values = attributes([info.name for info in infos])
    writers = [_field(info, fields[info.word]) for info in infos]

    def write(value: Any) -> bytes:
        return b"".join([put(each) for put, each in zip(writers, values(value), strict=True)])

    return write


def attributes(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """A function that reads all those attributes of a value at once."""
    if len(names) != 1:
        return attrgetter(*names) if names else lambda _: ()
    get = attrgetter(names[0])
    return lambda value: (get(value),)


def enum_numbers(info: FieldInfo, field: Any) -> dict[Any, int]:
    """The numbers of enum members: matched by name, behind the prefix that protobuf asks for."""
    words = field.enum_type
    if info.item is None or words is None:
        raise TypeError(f"{info.name}: an enum on one side only")
    prefix = words.values_by_number[0].name.removesuffix("UNSPECIFIED")
    numbers = {member: words.values_by_name[prefix + member.name].number for member in info.item}
    if len(numbers) + 1 != len(words.values):
        raise TypeError(f"{info.name}: the enums differ")
    return numbers


def inner_fields(field: Any) -> list[Any]:
    """The fields of the message that a field holds, by number."""
    if field.message_type is None:
        raise TypeError(f"{field.name}: expected a message")
    return sorted(field.message_type.fields, key=lambda each: each.number)


def _field(info: FieldInfo, field: Any) -> Write:
    write = _of_kind(info, field)
    if info.private:
        return lambda private: write(private.value)
    return write


def _of_kind(info: FieldInfo, field: Any) -> Write:
    match info.kind:
        case FieldKind.INT | FieldKind.CARD | FieldKind.BOOL:
            return _number(field)
        case FieldKind.TEXT | FieldKind.BYTES:
            return _text(field)
        case FieldKind.WORD:
            return _word(info, field)
        case FieldKind.INTS | FieldKind.CARDS | FieldKind.VALUE:
            return _numbers(field)
        case FieldKind.WORDS:
            return _words(info, field)
        case FieldKind.TEXTS:
            return _each(field, str.encode)
        case FieldKind.GROUPS | FieldKind.LISTS:
            (inner,) = inner_fields(field)
            return _each(field, _numbers(inner))
        case FieldKind.PAIRS | FieldKind.OPTIONS:
            one, two = map(_plain, inner_fields(field))
            return _each(field, lambda row: one(row[0]) + two(row[1]))
        case FieldKind.MAP:
            return _map(field)
        case FieldKind.RECORD:
            return _record(info, field)
        case FieldKind.RECORDS:
            return _each(field, compile_serial(_item(info), field.message_type))


def _plain(field: Any) -> Write:
    return _text(field) if field.type == FieldDescriptor.TYPE_STRING else _number(field)


def _integer(field: Any) -> Write:
    """A number as a varint; a negative one is its 64 bits.  Raises ``ValueError``."""
    low, high = _BOUNDS[field.type]

    def write(value: int) -> bytes:
        if not low <= value < high:
            raise ValueError(f"{field.full_name}: {value} is out of range")
        return varint(value & _64_BITS)

    return write


def _number(field: Any) -> Write:
    integer, head = _integer(field), tag(field.number, is_number=True)
    small = tuple(head + varint(value) for value in range(128))
    absent = None if field.has_presence else 0

    def write(value: int | None) -> bytes:
        if value is absent or value is None:
            return b""
        if 0 <= value < 128:
            return small[value] if value or absent is None else b""
        return head + integer(value)

    return write


def _text(field: Any) -> Write:
    put, has_presence = part_of(field.number), field.has_presence

    def write(value: str | bytes | None) -> bytes:
        if value is None or not (value or has_presence):
            return b""
        return put(value.encode() if isinstance(value, str) else value)

    return write


def _word(info: FieldInfo, field: Any) -> Write:
    head = tag(field.number, is_number=True)
    numbers = enum_numbers(info, field)
    written = {member: head + varint(number) for member, number in numbers.items()}
    return {**written, None: b""}.__getitem__


def _numbers(field: Any) -> Write:
    """A packed list; most are of cards, which are bytes already."""
    integer, put = _integer(field), part_of(field.number)

    def write(values: Iterable[int] | None) -> bytes:
        if not values:
            return b""
        try:
            packed = bytes(values)
        except ValueError:
            packed = b"\xff"
        return put(packed if packed.isascii() else b"".join(map(integer, values)))

    return write


def _words(info: FieldInfo, field: Any) -> Write:
    """A packed list of enum members; 0 stands where it has a gap."""
    put = part_of(field.number)
    numbers = {**enum_numbers(info, field), **({None: 0} if info.gaps else {})}

    def write(values: Iterable[Any]) -> bytes:
        return put(b"".join([varint(numbers[each]) for each in values])) if values else b""

    return write


def _each(field: Any, row: Write) -> Write:
    """A field that comes once for every item of a list."""
    put = part_of(field.number)

    def write(rows: Iterable[Any] | None) -> bytes:
        return b"".join([put(row(each)) for each in rows]) if rows else b""

    return write


def _map(field: Any) -> Write:
    put, key, value = part_of(field.number), part_of(1), part_of(2)

    def write(entries: Any) -> bytes:
        # As protobuf's runtime has it, a name comes after those that begin with it.
        names = sorted(entries, key=lambda name: name.encode() + b"\xff")
        return b"".join([put(key(each.encode()) + value(entries[each].encode())) for each in names])

    return write


def _record(info: FieldInfo, field: Any) -> Write:
    put, inner = part_of(field.number), compile_serial(_item(info), field.message_type)
    return lambda value: b"" if value is None else put(inner(value))


def _item(info: FieldInfo) -> type[Any]:
    if info.item is None:
        raise TypeError(f"{info.name}: a record on one side only")
    return info.item
