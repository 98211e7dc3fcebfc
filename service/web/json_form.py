"""Messages as JSON, read strictly: what is wrong is said by field, and nothing is guessed.

The library's own reader takes ``[]`` for an empty message, skips what is no base64, and forgets
in which field it was.  So a text is looked through by the schema first, and then read by it.
Names are taken in either form, ``table_id`` or ``tableId``; ``null`` stands for a field that is
not there.
"""

from __future__ import annotations

import json
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterable, Sequence
from typing import Any, Final, NoReturn, TypeVar

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pool import Default
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from engine.errors import Malformed

__all__ = ["Kinds", "is_unicode", "parse", "read", "shown"]

DEEPEST: Final = 50
_LISTED: Final = 12

_INTEGERS: Final = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}

M = TypeVar("M", bound=Message)


class Kinds:
    """The kinds of message that an ``Any`` may hold: the contract's, and those of other games."""

    def __init__(self, others: Iterable[type[Message]] = ()) -> None:
        self._others = {kind.DESCRIPTOR.full_name: kind.DESCRIPTOR for kind in others}

    def FindMessageTypeByName(self, full_name: str) -> Any:  # noqa: N802 - as pools name it
        """Raises ``KeyError``."""
        found = self._others.get(full_name)
        return Default().FindMessageTypeByName(full_name) if found is None else found


def shown(message: Message, kinds: Any) -> bytes:
    """A message as JSON, in the standard form: lowerCamelCase, without what has no value."""
    told = json_format.MessageToDict(message, descriptor_pool=kinds)
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()


def read(data: bytes, kind: type[M], kinds: Any) -> M:
    """The message that a JSON text stands for; raises ``Malformed``."""
    told = parse(data)
    descriptor: Any = kind.DESCRIPTOR
    _check(told, descriptor, "", DEEPEST)
    try:
        return json_format.ParseDict(
            told, kind(), descriptor_pool=kinds, max_recursion_depth=2 * DEEPEST
        )
    except (json_format.ParseError, ValueError, TypeError, AttributeError):
        raise Malformed("request", "this JSON is no message of this call") from None


def parse(data: bytes) -> dict[str, Any]:
    """A JSON object; raises ``Malformed``.

    >>> parse(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    engine.errors.Malformed: request: the field a stands there twice
    """
    try:
        told = json.loads(data.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except UnicodeDecodeError:
        raise Malformed("request", "expected JSON in UTF-8") from None
    except json.JSONDecodeError as error:
        where = f"{error.msg.lower()}, line {error.lineno} column {error.colno}"
        raise Malformed("request", f"no JSON: {where}") from None
    except RecursionError:
        raise Malformed("request", "this JSON is nested too deeply") from None
    except ValueError:  # a number of thousands of digits
        raise Malformed("request", "no JSON: a number is too long") from None
    if not isinstance(told, dict):
        raise Malformed("request", "expected a JSON object: {…}")
    return told


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if not is_unicode(name):
            raise Malformed("request", "expected names that are Unicode")
        if name in found:
            raise Malformed("request", f"the field {name} stands there twice")
        found[name] = value
    return found


def _no_number(name: str) -> NoReturn:
    raise Malformed("request", f"no JSON: {name} is no number")


def _check(told: object, kind: Descriptor, path: str, depth: int) -> None:
    """Raises ``Malformed`` for what is no message of a kind."""
    if not depth:
        raise Malformed(path, "nested too deeply")
    if not isinstance(told, dict):
        raise Malformed(path, "expected an object: {…}")
    names = {name: field for field in kind.fields for name in (field.name, field.json_name)}
    chosen: dict[str, str] = {}
    for name, value in told.items():
        field = names.get(name)
        if field is None:
            known = ", ".join(field.name for field in kind.fields[:_LISTED]) or "none"
            more = ", …" if len(kind.fields) > _LISTED else ""
            raise Malformed(_inside(path, name), f"no such field; expected one of: {known}{more}")
        if value is None:
            continue
        here = _inside(path, field.name)
        choice = field.containing_oneof or field
        if chosen.setdefault(choice.full_name, name) != name:
            raise Malformed(here, f"only one of {chosen[choice.full_name]} and {name} can be given")
        _check_field(value, field, here, depth)


def _check_field(value: object, field: FieldDescriptor, path: str, depth: int) -> None:
    if field.message_type and field.message_type.GetOptions().map_entry:
        if not isinstance(value, dict):
            raise Malformed(path, "expected an object: {…}")
        of_entry = field.message_type.fields_by_name["value"]
        for key, each in value.items():
            _check_value(each, of_entry, f"{path}[{key}]", depth)
    elif field.is_repeated:
        if not isinstance(value, list):
            raise Malformed(path, "expected a list: […]")
        for number, each in enumerate(value):
            _check_value(each, field, f"{path}[{number}]", depth)
    else:
        _check_value(value, field, path, depth)


def _check_value(value: object, field: FieldDescriptor, path: str, depth: int) -> None:
    if field.message_type:
        # Those that come with the library have forms of their own: times, lengths of time, …
        name = field.message_type.full_name
        if not name.startswith("google.protobuf."):
            _check(value, field.message_type, path, depth - 1)
        elif name != "google.protobuf.Any" and not _is_readable(value, field.message_type):
            raise Malformed(path, f"expected a {field.message_type.name} as JSON has it")
    elif field.cpp_type in _INTEGERS:
        low, high = _INTEGERS[field.cpp_type]
        number = _integer(value)
        if number is None or not low <= number <= high:
            raise Malformed(path, f"expected a whole number from {low} to {high}")
    elif why := _why_not(value, field):
        raise Malformed(path, f"expected {why}")


def _integer(value: object) -> int | None:
    if isinstance(value, str) and value.removeprefix("-").isdecimal() and value.isascii():
        return int(value) if len(value) < 22 else None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _why_not(value: object, field: FieldDescriptor) -> str:
    """What a scalar should have been; empty if it is that."""
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return "" if isinstance(value, bool) else "true or false"
    if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        kind: Any = field.enum_type
        known = kind.values_by_name
        there = value in known if isinstance(value, str) else _integer(value) is not None
        return "" if there else f"one of: {', '.join(known)}"
    if field.cpp_type in {FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT}:
        return "" if isinstance(value, int | float) and not isinstance(value, bool) else "a number"
    if not isinstance(value, str):
        return "text in quotes"
    if field.type == FieldDescriptor.TYPE_BYTES:
        return "" if _is_base64(value) else "bytes in base64"
    return "" if is_unicode(value) else "text that is Unicode"


def is_unicode(text: str) -> bool:
    """Whether it can be sent on: JSON may hold half of a character that takes two."""
    return all(not "\ud800" <= each <= "\udfff" for each in text)


def _is_base64(text: str) -> bool:
    plain = text.translate({ord("-"): "+", ord("_"): "/"}).rstrip("=")
    try:
        b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (Base64Error, ValueError):
        return False
    return True


def _is_readable(value: Any, kind: Descriptor) -> bool:
    try:
        json_format.ParseDict(value, GetMessageClass(kind)(), max_recursion_depth=DEEPEST)
    except (json_format.ParseError, ValueError, TypeError, AttributeError):
        return False
    return True


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
