"""Structures of tournaments as files: TOML with the names of the contract."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from service.cli.failures import CommandError
from service.pb.common_pb2 import OptionValue
from service.pb.tournament_events_pb2 import TournamentStructure

__all__ = ["read_structure"]

_HINT: Final = "docs/tournaments has a file for each format to begin with"

_LOW, _HIGH = -(2**63), 2**63 - 1


def read_structure(path: Path) -> TournamentStructure:
    """The structure in a file; raises ``CommandError`` that names the field.

    What each field may be is the service's to say.
    """
    try:
        with path.open("rb") as file:
            told = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CommandError("BAD_STRUCTURE", f"{path} is no TOML: {error}", _HINT) from None
    structure = TournamentStructure()
    _fill(structure, told, path, "")
    return structure


def _fill(message: Any, told: Mapping[str, object], path: Path, at: str) -> None:
    fields = message.DESCRIPTOR.fields_by_name
    for name, value in told.items():
        where = f"{at}{name}"
        field = fields.get(name)
        if field is None:
            raise _wrong(path, where, "one of " + ", ".join(fields))
        if field.message_type is OptionValue.DESCRIPTOR:
            _fill_options(getattr(message, name), value, path, where)
        elif field.message_type is not None and field.is_repeated:
            for number, item in enumerate(_list(value, path, where)):
                _fill_part(getattr(message, name).add(), item, path, f"{where}[{number}]")
        elif field.message_type is not None:
            part = getattr(message, name)
            part.SetInParent()
            _fill_part(part, value, path, where)
        elif field.is_repeated:
            items = _list(value, path, where)
            getattr(message, name).extend(
                _scalar(field, item, path, f"{where}[{number}]")
                for number, item in enumerate(items)
            )
        else:
            _put(message, field, value, path, where)


def _fill_part(part: Any, value: object, path: Path, where: str) -> None:
    if not isinstance(value, dict):
        raise _wrong(path, where, "a table of names and values")
    _fill(part, value, path, f"{where}.")


def _fill_options(options: Any, value: object, path: Path, where: str) -> None:
    """Options by name, as text."""
    if not isinstance(value, dict):
        raise _wrong(path, where, "a table of names and values")
    for name, item in value.items():
        if isinstance(item, bool):
            options.add(name=name, value=str(item).lower())
        elif isinstance(item, (int, str)):
            options.add(name=name, value=str(item))
        else:
            raise _wrong(path, f"{where}.{name}", "a number, a text, true or false")


def _put(message: Any, field: FieldDescriptor, value: object, path: Path, where: str) -> None:
    scalar = _scalar(field, value, path, where)
    try:
        setattr(message, field.name, scalar)
    except ValueError:
        raise _wrong(path, where, "a smaller number") from None


def _scalar(field: FieldDescriptor, value: object, path: Path, where: str) -> int | str:
    is_text = field.cpp_type == FieldDescriptor.CPPTYPE_STRING
    match value:
        case str() if is_text:
            return value
        case datetime() if not is_text:  # its zone: that of this machine, unless it is told
            return int(value.astimezone(UTC).timestamp() * 1000)
        case int() if not is_text and not isinstance(value, bool) and _LOW <= value <= _HIGH:
            return value
        case _:
            raise _wrong(path, where, "a text" if is_text else "a whole number")


def _list(value: object, path: Path, where: str) -> list[object]:
    if not isinstance(value, list):
        raise _wrong(path, where, "a list")
    return value


def _wrong(path: Path, where: str, expected: str) -> CommandError:
    return CommandError("BAD_STRUCTURE", f"{path}: {where}: expected {expected}", _HINT)
