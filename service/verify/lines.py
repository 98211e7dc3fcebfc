"""The lines of a complete export: read, and held against the one way in which they are written.

A line is a JSON object without blanks whose members stand in the order of docs/auditing.md.  From
its stored bytes follows everything else on it; a line that says more, less or something else is
found, wherever a bit was changed.
"""

from __future__ import annotations

import binascii
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from service.verify.decoding import fields_of, name_of
from service.verify.findings import Bad
from service.verify.records import Fact, Record, Slot

__all__ = ["ACTORS", "KINDS", "Line", "parse", "record_of", "require_written"]

Line = Mapping[str, Any]

KINDS: Final = {1: "table", 2: "account", 3: "tournament", 4: "access"}
ACTORS: Final = {1: "player", 2: "host", 3: "service", 4: "process", 5: "auditor"}
_MOST_DIGITS: Final = 20


def parse(text: bytes) -> Line:
    """The object of a line; raises ``Bad``."""
    if not text.endswith(b"\n"):
        raise Bad("the line ends in the middle")
    try:
        value = json.loads(
            text, parse_int=_integer, parse_float=_no_number, parse_constant=_no_number
        )
    except (ValueError, RecursionError):
        raise Bad("not a line of JSON", found=text[:80].decode("ascii", "replace")) from None
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise Bad("not an object with a type")
    return value


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(text)
    return int(text)


def _no_number(text: str) -> float:
    raise ValueError(text)


def require_written(text: bytes, value: object) -> None:
    """Raises ``Bad`` unless the line is what its content is written as."""
    right = written(value)
    if text == right:
        return
    pairs = zip(text, right, strict=False)
    at = next((i for i, (one, other) in enumerate(pairs) if one != other), len(right))
    low, high = max(0, at - 20), at + 40
    raise Bad(
        f"byte {at + 1} of the line does not follow from what is stored",
        right[low:high].decode("ascii", "replace").strip(),
        text[low:high].decode("ascii", "replace").strip(),
    )


def written(value: object) -> bytes:
    """An object as a line."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def record_of(line: Line, text: bytes) -> Record:
    """The commit of a line; raises ``Bad`` where it is not exactly one."""
    facts: tuple[Fact, ...] | None = None
    salt, body = b"", b""
    if "body" in line:
        body = _base64(line, "body")
    else:
        salt = _hex(line, "salt", 16)
        facts = tuple(_fact(each) for each in _list(line, "events"))
    actor = _get(line, "actor", (str, type(None)))
    record = Record(
        position=_int(line, "position"),
        stream=_uuid(_get(line, "stream", (str,))),
        kind=_named(line, "kind", KINDS),
        version=_int(line, "version"),
        count=_int(line, "count"),
        command=_hex(line, "command", 16),
        group=_hex(line, "group", 16),
        digest=_hex(line, "digest", 32),
        actor_kind=_named(line, "actor_kind", ACTORS),
        actor=None if actor is None else _uuid(actor),
        seat=_int(line, "seat"),
        action=_base64(line, "action"),
        received_at=_int(line, "received_at"),
        recorded_at=_int(line, "recorded_at"),
        hand=_int(line, "hand"),
        epoch=_int(line, "epoch"),
        rules=_int(line, "rules"),
        salt=salt,
        facts=facts,
        body=body,
        hash=_hex(line, "hash", 32),
        inclusion=tuple(map(_decoded, _list(line, "inclusion"))),
    )
    require_written(text, _object(record))
    return record


def _object(record: Record) -> dict[str, Any]:
    """A commit as its line must tell it."""
    told: dict[str, Any] = {
        "type": "commit",
        "position": record.position,
        "stream": str(record.stream),
        "kind": KINDS[record.kind],
        "version": record.version,
        "count": record.count,
        "command": record.command.hex(),
        "group": record.group.hex(),
        "digest": record.digest.hex(),
        "actor_kind": ACTORS[record.actor_kind],
        "actor": None if record.actor is None else str(record.actor),
        "seat": record.seat,
        "action": b64encode(record.action).decode(),
        "received_at": record.received_at,
        "recorded_at": record.recorded_at,
        "hand": record.hand,
        "epoch": record.epoch,
        "rules": record.rules,
    }
    if record.facts is None:
        told["body"] = b64encode(record.body).decode()
    else:
        told["salt"] = record.salt.hex()
        told["events"] = [
            _event(version, fact) for version, fact in enumerate(record.facts, record.base + 1)
        ]
    told["hash"] = record.hash.hex()
    told["inclusion"] = [b64encode(each).decode() for each in record.inclusion]
    return told


def _event(version: int, fact: Fact) -> dict[str, Any]:
    return {
        "version": version,
        "type": fact.type,
        "revision": fact.revision,
        "name": name_of(fact.type),
        "public": b64encode(fact.public).decode(),
        "fields": fields_of(fact),
        "slots": [
            {"field": s.field, "audience": s.audience, "sealed": b64encode(s.sealed).decode()}
            for s in fact.slots
        ],
    }


def _fact(value: Any) -> Fact:
    slots = tuple(
        Slot(_int(slot, "field"), _int(slot, "audience"), _base64(slot, "sealed"))
        for slot in _list(value, "slots")
    )
    return Fact(_int(value, "type"), _int(value, "revision"), _base64(value, "public"), slots)


def _get(line: Any, name: str, kinds: tuple[type, ...]) -> Any:
    value = line.get(name) if isinstance(line, dict) else None
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise Bad(f"{name} is missing or of another kind", found=str(value)[:80])
    return value


def _int(line: Any, name: str) -> int:
    value: int = _get(line, name, (int,))
    if not -(1 << 63) <= value < 1 << 63:
        raise Bad(f"{name} is no number of 64 bits", found=value)
    return value


def _list(line: Any, name: str) -> list[Any]:
    value: list[Any] = _get(line, name, (list,))
    return value


def _base64(line: Any, name: str) -> bytes:
    text: str = _get(line, name, (str,))
    return _decoded(text)


def _decoded(text: object) -> bytes:
    try:
        return b64decode(text, validate=True)  # type: ignore[arg-type]
    except (binascii.Error, TypeError, ValueError):
        raise Bad("not base64", found=str(text)[:80]) from None


def _hex(line: Any, name: str, size: int) -> bytes:
    text: str = _get(line, name, (str,))
    try:
        data = bytes.fromhex(text)
    except ValueError:
        raise Bad(f"{name} is not hexadecimal", found=text[:80]) from None
    if len(data) != size:
        raise Bad(f"{name} has a wrong length", f"{size} bytes", f"{len(data)} bytes")
    return data


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Bad("not the id of a stream or player", found=text[:80]) from None


def _named(line: Any, name: str, names: Mapping[int, str]) -> int:
    text = _get(line, name, (str,))
    found = [number for number, word in names.items() if word == text]
    if not found:
        raise Bad(f"{name} is no word that is known", ", ".join(names.values()), text[:80])
    return found[0]
