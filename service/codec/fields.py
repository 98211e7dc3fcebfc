"""One dataclass ↔ one protobuf message, by field name, compiled once per class.

The engine's dataclasses are the truth; a message that lacks a field, or has one more, is refused
when the pair is compiled, which is at start-up (and in a test for every pair there is).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from engine.errors import Corrupt, Malformed
from engine.fields import FieldInfo, FieldKind, describe
from engine.visibility import Private
from service.codec.serial import Write, attributes, compile_serial, enum_numbers, inner_fields

__all__ = ["Pair", "compile_pair"]

Put = Callable[[Any, Any], None]
Get = Callable[[Any], Any]


class _Field(NamedTuple):
    info: FieldInfo
    number: int
    put: Put
    get: Get


class _Writer(NamedTuple):
    """How a field is written.  ``sparse``: what is false in Python is what an unset field says."""

    private: bool
    sparse: bool
    put: Put


class Pair(NamedTuple):
    """A dataclass and its message.

    A message is read by ``attributes``, all at once; then the values at ``lists`` become tuples,
    and what ``others`` tell of is read in a way of its own.  ``private``: the private fields and
    their places.  ``serial`` writes the bytes of a value's message; private fields go in as they
    are (redact first).
    """

    kind: type[Any]
    message: type[Message]
    fields: tuple[_Field, ...]
    values: Callable[[Any], tuple[Any, ...]]
    writers: tuple[_Writer, ...]
    attributes: Callable[[Any], tuple[Any, ...]]
    lists: tuple[int, ...]
    others: tuple[tuple[int, Get], ...]
    private: tuple[tuple[int, _Field], ...]
    serial: Write

    def encode(self, value: object) -> Message:
        """The message of a value; private fields go in as they are (redact first)."""
        message = self.message()
        self.write(message, value)
        return message

    def write(self, message: Message, value: object) -> None:
        """Fill a message."""
        for item, (private, sparse, put) in zip(self.values(value), self.writers, strict=True):
            part = item.value if private else item
            if part or not sparse:
                put(message, part)

    def read(self, message: Message) -> list[Any]:
        """What the fields of a message hold; what is private is not wrapped yet."""
        values = [*self.attributes(message)]
        for place in self.lists:
            values[place] = _tuple_of(values[place])
        for place, get in self.others:
            values[place] = get(message)
        return values

    def decode(self, message: Message, audiences: Mapping[int, int] | None = None) -> Any:
        """The value of a message.

        ``audiences``: by field number, of the private fields that are shown; the others are
        taken to be hidden ones (as in a message received from the service).
        """
        values = self.read(message)
        for place, field in self.private:
            audience = audiences.get(field.number, 0) if audiences else 0
            values[place] = Private(values[place], audience, shown=bool(audience))
        return self.kind(*values)


def compile_pair(kind: type[Any], message: type[Message]) -> Pair:
    """Match a dataclass with a message; raises ``TypeError`` if they do not fit."""
    descriptor = message.DESCRIPTOR
    infos = describe(kind)
    names = {info.word for info in infos}
    theirs = {field.name for field in descriptor.fields}
    if names != theirs:
        raise TypeError(
            f"{kind.__name__} and {descriptor.full_name} differ in {sorted(names ^ theirs)}"
        )
    fields = tuple(_compile(info, descriptor.fields_by_name[info.word]) for info in infos)
    writers = tuple(
        _Writer(info.private, _is_sparse(info, descriptor.fields_by_name[info.word]), field.put)
        for info, field in zip(infos, fields, strict=True)
    )
    return Pair(
        kind,
        message,
        fields,
        attributes([info.name for info in infos]),
        writers,
        attributes([info.word for info in infos]),
        tuple(place for place, info in enumerate(infos) if info.kind in _REPEATED),
        tuple(
            (place, field.get)
            for place, (info, field) in enumerate(zip(infos, fields, strict=True))
            if info.kind not in _REPEATED and (info.optional or info.kind not in _PLAIN)
        ),
        tuple((place, field) for place, field in enumerate(fields) if field.info.private),
        compile_serial(kind, descriptor),
    )


def _tuple_of(repeated: Any) -> tuple[Any, ...]:
    """Through a list, which protobuf copies at once; an iterator asks for item after item."""
    return tuple(repeated[:])


def _is_sparse(info: FieldInfo, field: Any) -> bool:
    plain = info.kind in _PLAIN and not info.optional and not field.has_presence
    return plain or info.kind in _LISTS


_SEALED = {
    FieldKind.CARDS,
    FieldKind.VALUE,
    FieldKind.CARD,
    FieldKind.INT,
    FieldKind.INTS,
    FieldKind.BOOL,
    FieldKind.TEXT,
    FieldKind.BYTES,
}
"""What a private field may hold: each has a sealed form below."""

_PLAIN = {FieldKind.INT, FieldKind.BOOL, FieldKind.TEXT, FieldKind.BYTES, FieldKind.CARD}
_REPEATED = {FieldKind.INTS, FieldKind.TEXTS, FieldKind.CARDS, FieldKind.VALUE}
_LISTS = {
    *_REPEATED,
    *(FieldKind.MAP, FieldKind.WORDS, FieldKind.GROUPS, FieldKind.LISTS),
    *(FieldKind.PAIRS, FieldKind.OPTIONS, FieldKind.RECORDS),
}
"""Kinds of which an empty one is written like none."""


def _compile(info: FieldInfo, field: Any) -> _Field:
    name = info.word
    if info.gaps and info.kind is not FieldKind.WORDS:
        raise TypeError(f"{name}: a list of {info.kind} with gaps has no wire form")
    if info.private and info.kind not in _SEALED:
        raise TypeError(f"{name}: a private {info.kind} has no sealed form")
    if info.private and info.optional and info.kind is not FieldKind.INT:
        raise TypeError(f"{name}: a private {info.kind} may not be None")
    put: Put
    get: Get
    if info.kind in _PLAIN:
        put, get = _plain(info, field)
    elif info.kind in _REPEATED:
        # A list that may be None has no such form on the wire: it arrives empty.
        put = lambda m, v: getattr(m, name).extend(v or ())  # noqa: E731
        get = lambda m: _tuple_of(getattr(m, name))  # noqa: E731
    elif info.kind is FieldKind.MAP:
        put = lambda m, v: getattr(m, name).update(v)  # noqa: E731
        get = lambda m: dict(getattr(m, name))  # noqa: E731
    elif info.kind is FieldKind.WORD:
        put, get = _word(info, field)
    elif info.kind is FieldKind.WORDS:
        put, get = _words(info, field)
    elif info.kind in {FieldKind.GROUPS, FieldKind.LISTS}:
        put, get = _groups(name, field)
    elif info.kind in {FieldKind.PAIRS, FieldKind.OPTIONS}:
        put, get = _pairs(name, field)
    elif info.kind in {FieldKind.RECORD, FieldKind.RECORDS}:
        put, get = _records(info, field)
    else:
        raise TypeError(f"{name}: {info.kind} has no wire form")
    return _Field(info, field.number, put, get)


def _plain(info: FieldInfo, field: Any) -> tuple[Put, Get]:
    name = info.word
    if not info.optional:
        return (lambda m, v: setattr(m, name, v)), (lambda m: getattr(m, name))
    if not field.has_presence:
        raise TypeError(f"{name}: a field that may be None must be `optional`")

    def put(message: Any, value: Any) -> None:
        if value is not None:
            setattr(message, name, value)

    def get(message: Any) -> Any:
        return getattr(message, name) if message.HasField(name) else None

    return put, get


def _word(info: FieldInfo, field: Any) -> tuple[Put, Get]:
    """An enum member; 0 says nothing."""
    name = info.word
    numbers = enum_numbers(info, field)
    members = {number: member for member, number in numbers.items()}

    def put(message: Any, value: Any) -> None:
        if value is not None:
            setattr(message, name, numbers[value])

    def get(message: Any) -> Any:
        member = members.get(getattr(message, name))
        if member is None and not info.optional:
            raise Malformed(name, "expected one of " + ", ".join(m.name for m in numbers))
        return member

    return put, get


def _words(info: FieldInfo, field: Any) -> tuple[Put, Get]:
    """A list of enum members; 0 stands where it has a gap."""
    name = info.word
    numbers = {**enum_numbers(info, field), **({None: 0} if info.gaps else {})}
    members = {number: member for member, number in numbers.items()}

    def get(message: Any) -> Any:
        try:
            return tuple(members[number] for number in getattr(message, name))
        except KeyError:
            raise Malformed(name, "expected words that are known") from None

    return (lambda m, v: getattr(m, name).extend(numbers[word] for word in v)), get


def _groups(name: str, field: Any) -> tuple[Put, Get]:
    (inner,) = [each.name for each in inner_fields(field)]

    def put(message: Any, value: Any) -> None:
        rows = getattr(message, name)
        for row in value:
            getattr(rows.add(), inner).extend(row)

    def get(message: Any) -> Any:
        return tuple(tuple(getattr(row, inner)) for row in getattr(message, name))

    return put, get


def _pairs(name: str, field: Any) -> tuple[Put, Get]:
    first, second = [each.name for each in inner_fields(field)]

    def put(message: Any, value: Any) -> None:
        rows = getattr(message, name)
        for one, two in value:
            row = rows.add()
            setattr(row, first, one)
            setattr(row, second, two)

    def get(message: Any) -> Any:
        return tuple((getattr(row, first), getattr(row, second)) for row in getattr(message, name))

    return put, get


def _records(info: FieldInfo, field: Any) -> tuple[Put, Get]:
    name = info.word
    if info.item is None or field.message_type is None:
        raise TypeError(f"{name}: a record on one side only")
    pair = compile_pair(info.item, GetMessageClass(field.message_type))
    if info.kind is FieldKind.RECORDS:

        def put_all(message: Any, value: Any) -> None:
            rows = getattr(message, name)
            for row in value:
                pair.write(rows.add(), row)

        return put_all, lambda m: tuple(pair.decode(row) for row in getattr(m, name))

    def put(message: Any, value: Any) -> None:
        if value is not None:
            getattr(message, name).SetInParent()
            pair.write(getattr(message, name), value)

    def get(message: Any) -> Any:
        if info.optional and not message.HasField(name):
            return None
        return pair.decode(getattr(message, name))

    return put, get


def pack_private(info: FieldInfo, value: Any) -> bytes:
    """The bytes that are sealed: fixed width, so that no length depends on a face."""
    match info.kind:
        case FieldKind.CARDS | FieldKind.VALUE:
            return bytes(value)
        case FieldKind.CARD:
            return bytes((value,))
        case FieldKind.INT:
            return (
                b"\x00" * 9 if value is None else b"\x01" + value.to_bytes(8, "little", signed=True)
            )
        case FieldKind.INTS:
            return b"".join(item.to_bytes(8, "little", signed=True) for item in value)
        case FieldKind.BOOL:
            return bytes((bool(value),))
        case FieldKind.TEXT:
            return bytes(value, "utf-8")
        case FieldKind.BYTES:
            return bytes(value)
        case _:
            raise TypeError(f"{info.name}: a private {info.kind} has no sealed form")


def unpack_private(info: FieldInfo, data: bytes) -> Any:
    """The value of sealed bytes; raises ``Corrupt``."""
    match info.kind:
        case FieldKind.CARDS | FieldKind.VALUE:
            return tuple(data)
        case FieldKind.CARD | FieldKind.BOOL:
            if len(data) != 1:
                raise Corrupt(f"{info.name}: one byte expected")
            return data[0] if info.kind is FieldKind.CARD else bool(data[0])
        case FieldKind.INT:
            if len(data) != 9:
                raise Corrupt(f"{info.name}: nine bytes expected")
            return int.from_bytes(data[1:], "little", signed=True) if data[0] else None
        case FieldKind.INTS:
            if len(data) % 8:
                raise Corrupt(f"{info.name}: eight bytes a number expected")
            steps = range(0, len(data), 8)
            return tuple(int.from_bytes(data[i : i + 8], "little", signed=True) for i in steps)
        case FieldKind.TEXT:
            return data.decode("utf-8")
        case FieldKind.BYTES:
            return data
        case _:
            raise Corrupt(f"{info.name}: a private {info.kind} has no sealed form")
