"""Write down for the browser's verifier how stored messages are read.

``.venv/bin/python tools/page_schema.py`` makes service/web/pages/verify/schema.js from the
contract; with ``--check`` it only says whether that is out of date.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from engine.access import ACCESS_EVENTS
from engine.account import ACCOUNT_EVENTS
from engine.events import COMMON_EVENTS, HOUSE_EVENTS
from engine.fields import FieldKind, describe
from engine.games import GAMES
from engine.tournament.all_events import ALL_TOURNAMENT_EVENTS
from service.codec import Codec
from service.pb import export_service_pb2, games_pb2, replay_service_pb2

WRITTEN: Final = Path(__file__).parents[1] / "service" / "web" / "pages" / "verify" / "schema.js"

SCALARS: Final = {
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_INT64: "int64",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_UINT32: "uint32",
    FieldDescriptor.TYPE_UINT64: "uint64",
}

READ: Final[tuple[Any, ...]] = (
    games_pb2.Event,
    export_service_pb2.ExportCommitsRequest,
    export_service_pb2.ExportCommitsResponse,
    replay_service_pb2.ReplayTableRequest,
    replay_service_pb2.ReplayTableResponse,
)
"""What is read and asked, with all that it holds; stored events beside."""

HEAD: Final = """\
// Made by tools/page_schema.py from the contract: do not edit.

/**
 * Messages, by name: their fields as [number, name, type].  "?" before a type: whether it is there
 * can be told; "[]": a list; "enum ": a number with a name; "value": what a
 * hand is worth; a capital letter: a message.
 * @type {Record<string, [number, string, string][]>}
 */
"""
ENUMS: Final = """
/** Names of numbers. @type {Record<string, Record<string, string>>} */
"""
WORDS: Final = """
/** Words of scripts that are other ones than the names end with. @type {Record<string, string>} */
"""
NOTATIONS: Final = """
/** How scripts write records, by their message. @type {Record<string, string>} */
"""
PRIVATE: Final = """
/** Numbers of events of which a 0 says that they are hidden. @type {Record<string, string[]>} */
"""
EVENTS: Final = """
/**
 * Stored events by their type number: [name, message].
 * @type {Record<string, [string, string]>}
 */
"""


def _name(descriptor: Any) -> str:
    return str(descriptor.full_name).removeprefix("kartejo.v1.")


def _type(field: FieldDescriptor, values: AbstractSet[str]) -> str:
    if field.full_name in values:
        return "[]value"
    if field.message_type is not None:
        base = _name(field.message_type)
    elif field.enum_type is not None:
        base = f"enum {_name(field.enum_type)}"
    else:
        base = SCALARS[field.type]
    if field.is_repeated:
        return f"[]{base}"
    return f"?{base}" if field.has_presence else base


def _reached(roots: Iterator[Descriptor]) -> tuple[dict[str, Descriptor], dict[str, Any]]:
    """All messages that the roots hold, and their enums."""
    messages: dict[str, Descriptor] = {}
    enums: dict[str, Any] = {}
    waiting = list(roots)
    while waiting:
        message = waiting.pop()
        if _name(message) in messages:
            continue
        messages[_name(message)] = message
        for field in message.fields:
            if field.message_type is not None:
                waiting.append(field.message_type)
            elif field.enum_type is not None:
                enums[_name(field.enum_type)] = field.enum_type
    return messages, enums


def _words(kind: type[Any], message: Descriptor) -> dict[str, str]:
    """What scripts call the members of an event's enums, where that is not how they are named."""
    found: dict[str, str] = {}
    for info in describe(kind):
        enum = message.fields_by_name[info.word].enum_type
        if enum is None or info.item is None:
            continue
        prefix = enum.values[0].name.removesuffix("UNSPECIFIED")
        members: Any = info.item
        told = {f"{prefix}{each.name}": str(each.value) for each in members}
        found |= {name: word for name, word in told.items() if word != name.removeprefix(prefix)}
    return found


def _notations(kind: type[Any], message: Descriptor) -> dict[str, str]:
    """The notation of the records of an event."""
    found: dict[str, str] = {}
    for info in describe(kind):
        if info.kind in {FieldKind.RECORD, FieldKind.RECORDS} and info.item is not None:
            names = " ".join(f"{{{each.name}}}" for each in describe(info.item))
            record = message.fields_by_name[info.word].message_type
            found[_name(record)] = getattr(info.item, "NOTATION", names)
    return found


def schema() -> str:
    """The module."""
    codec = Codec(GAMES)
    of_games = (kind for game in GAMES.values() for kind in game.EVENTS)
    kinds = [*COMMON_EVENTS, *HOUSE_EVENTS, *ACCOUNT_EVENTS, *ACCESS_EVENTS]
    kinds += [*ALL_TOURNAMENT_EVENTS, *of_games]
    events: dict[int, list[Any]] = {}
    words: dict[str, str] = {}
    notations: dict[str, str] = {}
    values: set[str] = set()
    private: dict[str, list[str]] = {}
    roots: list[Any] = [kind.DESCRIPTOR for kind in READ]
    for kind in kinds:
        number = codec.type_of(kind)
        message: Any = codec.public_message(number, 1, b"").DESCRIPTOR
        roots.append(message)
        events[number] = [kind.__name__, _name(message)]
        words |= _words(kind, message)
        notations |= _notations(kind, message)
        numbers = [each for each in describe(kind) if each.private and each.kind is FieldKind.INT]
        if numbers:
            private[_name(message)] = [each.word for each in numbers]
        values |= {
            message.fields_by_name[info.word].full_name
            for info in describe(kind)
            if info.kind is FieldKind.VALUE
        }
    messages, enums = _reached(iter(roots))
    told = {
        name: [[field.number, field.name, _type(field, values)] for field in message.fields]
        for name, message in sorted(messages.items())
    }
    names = {
        name: {str(value.number): value.name for value in enum.values}
        for name, enum in sorted(enums.items())
    }
    parts = (
        (HEAD, "MESSAGES", told),
        (ENUMS, "ENUMS", names),
        (WORDS, "WORDS", dict(sorted(words.items()))),
        (NOTATIONS, "NOTATIONS", dict(sorted(notations.items()))),
        (PRIVATE, "PRIVATE", dict(sorted(private.items()))),
        (EVENTS, "EVENTS", {str(number): each for number, each in sorted(events.items())}),
    )
    return "".join(said + _export(name, entries) for said, name, entries in parts)


def _export(name: str, entries: Mapping[str, object]) -> str:
    lines = "".join(
        f"  {json.dumps(key)}: {json.dumps(value, separators=(', ', ': '))},\n"
        for key, value in entries.items()
    )
    return f"export const {name} = {{\n{lines}}};\n"


def main() -> None:
    """Write it, or say that it is out of date."""
    now = schema()
    if "--check" in sys.argv[1:]:
        if not WRITTEN.exists() or WRITTEN.read_text(encoding="utf-8") != now:
            raise SystemExit(f"{WRITTEN.name} is out of date: run tools/page_schema.py")
        return
    WRITTEN.write_text(now, encoding="utf-8")


if __name__ == "__main__":
    main()
