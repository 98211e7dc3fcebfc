"""What a viewer sees of a table, as lines of JSON.

``wire`` of an event is the message ``kartejo.v1.Event`` byte for byte as the service sent it, and
``fields`` says the same in words.  Nothing else is in the file than the viewer was sent.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from service.codec import Codec
from service.exports.decoded import base64, fields_of
from service.pb import games_pb2
from service.pb import replay_service_pb2 as replay_pb
from service.pb import table_service_pb2 as pb

__all__ = ["SeenLines", "event_told"]


class SeenLines:
    """Writes the lines of an export of one table, as ``viewer`` sees it."""

    def __init__(self, codec: Codec, table: pb.Table, viewer: str) -> None:
        self._codec = codec
        self._table = table
        self._viewer = viewer
        self._digest = sha256()
        self._commits = 0

    def first(self) -> bytes:
        """The line that says what it is."""
        table = self._table
        return self._line(
            {
                "type": "export",
                "format": 1,
                "kind": "seen",
                "viewer": self._viewer,
                "table": table.table_id,
                "game": table.game,
                "options": {option.name: option.value for option in table.options},
                "house_options": {option.name: option.value for option in table.house_options},
                "lab": table.lab,
            }
        )

    def commit(self, step: replay_pb.ReplayTableResponse) -> bytes:
        """The line of a commit."""
        self._commits += 1
        return self._line(
            {
                "type": "commit",
                "version": step.version,
                "hand": step.hand,
                "seat": step.seat,
                "action": step.action,
                "recorded_at": step.record_time.ToMicroseconds(),
                "seats": list(step.seats),
                "sees_all": step.sees_all,
                "events": [
                    {
                        "version": each.version,
                        "name": type(self._codec.event_from_wire(each.event)).__name__,
                        "wire": base64(each.event.SerializeToString(deterministic=True)),
                        "fields": event_told(each.event),
                    }
                    for each in step.events
                ],
            }
        )

    def last(self) -> bytes:
        """The line that tells whether the file is whole."""
        digest = self._digest.hexdigest()
        return self._line({"type": "end", "commits": self._commits, "sha256": digest})

    def _line(self, value: dict[str, Any]) -> bytes:
        line = json.dumps(value, separators=(",", ":")).encode() + b"\n"
        self._digest.update(line)
        return line


def event_told(wire: games_pb2.Event) -> dict[str, Any]:
    """The fields of an event of whatever family."""
    family: Any = getattr(wire, str(wire.WhichOneof("family")))
    kind = family.WhichOneof("event") if "event" in family.DESCRIPTOR.oneofs_by_name else None
    return fields_of(family if kind is None else getattr(family, kind))
