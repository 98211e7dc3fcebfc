"""Complete exports as lines of JSON: the record as it is stored, readable and verifiable.

The first line says what it is, then comes a line for every commit, the last one holds the signed
note.  docs/auditing.md documents every member.
"""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from service.codec import Codec
from service.exports.decoded import (
    actor_of,
    base64,
    events_of,
    kind_of,
    name_of,
    public_fields,
)
from service.pb import export_service_pb2 as pb

__all__ = ["CompleteLines"]


class CompleteLines:
    """Writes the lines of a complete export of ``table``, or of the whole store for none."""

    def __init__(self, codec: Codec, table: str = "") -> None:
        self._codec = codec
        self._scope = f"table {table}" if table else "store"

    def first(self, key: str, checkpoint: str) -> bytes:
        """The line that says what it is, and what verifies it."""
        told = {"type": "export", "format": 1, "kind": "complete", "scope": self._scope}
        return _line({**told, "key": key, "checkpoint": checkpoint})

    def commit(self, commit: pb.StoredCommit) -> bytes:
        """The line of a commit."""
        kind, actor = actor_of(commit)
        told: dict[str, Any] = {
            "type": "commit",
            "position": commit.position,
            "stream": str(UUID(bytes=commit.stream)),
            "kind": kind_of(commit),
            "version": commit.version,
            "count": commit.count,
            "command": commit.command.hex(),
            "group": commit.group.hex(),
            "digest": commit.digest.hex(),
            "actor_kind": kind,
            "actor": actor,
            "seat": commit.seat,
            "action": base64(commit.action),
            "received_at": commit.received_at,
            "recorded_at": commit.recorded_at,
            "hand": commit.hand,
            "epoch": commit.epoch,
            "rules": commit.rules,
        }
        found = events_of(commit)
        if found is None:
            told["body"] = base64(commit.body)
        else:
            told["salt"] = found[0].hex()
            told["events"] = [
                {
                    "version": version,
                    "type": event.type,
                    "revision": event.revision,
                    "name": name_of(self._codec, event.type),
                    "public": base64(event.public),
                    "fields": public_fields(self._codec, event),
                    "slots": [
                        {"field": field, "audience": audience, "sealed": base64(sealed)}
                        for field, audience, sealed in event.slots
                    ],
                }
                for version, event in enumerate(found[1], commit.version - commit.count + 1)
            ]
        told["hash"] = commit.hash.hex()
        told["inclusion"] = [base64(each) for each in commit.inclusion]
        return _line(told)

    @staticmethod
    def last(note: str) -> bytes:
        """The line of the note on all of it."""
        return _line({"type": "end", "note": note})


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
