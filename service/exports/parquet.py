"""Exports as two Parquet tables, commits and events, in a folder; for analysis.

Needs pyarrow (the extra ``parquet``).  Rows are written in groups, so memory does not grow with
them.  docs/auditing.md documents the columns.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, Self
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

from service.codec import Codec
from service.exports.decoded import actor_of, events_of, kind_of, name_of, public_fields
from service.exports.seen import event_told
from service.pb import export_service_pb2 as pb
from service.pb import replay_service_pb2 as replay_pb

__all__ = ["COMPLETE", "SEEN", "ParquetFolder"]

ROWS: Final = 5_000
"""Rows of a group."""

_WHEN: Final = pa.timestamp("us", tz="UTC")
_SLOTS: Final = pa.list_(
    pa.struct([("field", pa.int32()), ("audience", pa.uint32()), ("sealed", pa.binary())])
)

COMPLETE: Final = {
    "commits": pa.schema(
        [
            ("position", pa.int64()),
            ("stream", pa.string()),
            ("kind", pa.string()),
            ("version", pa.int64()),
            ("count", pa.int64()),
            ("command", pa.binary()),
            ("group", pa.binary()),
            ("digest", pa.binary()),
            ("actor_kind", pa.string()),
            ("actor", pa.string()),
            ("seat", pa.int32()),
            ("action", pa.binary()),
            ("received_at", _WHEN),
            ("recorded_at", _WHEN),
            ("hand", pa.int64()),
            ("epoch", pa.int64()),
            ("rules", pa.int32()),
            ("body", pa.binary()),
            ("hash", pa.binary()),
        ]
    ),
    "events": pa.schema(
        [
            ("position", pa.int64()),
            ("stream", pa.string()),
            ("version", pa.int64()),
            ("type", pa.int32()),
            ("revision", pa.int32()),
            ("name", pa.string()),
            ("public", pa.binary()),
            ("fields", pa.string()),
            ("slots", _SLOTS),
        ]
    ),
}
"""Tables of a complete export."""

SEEN: Final = {
    "commits": pa.schema(
        [
            ("version", pa.int64()),
            ("hand", pa.int64()),
            ("seat", pa.int32()),
            ("action", pa.string()),
            ("recorded_at", _WHEN),
        ]
    ),
    "events": pa.schema(
        [
            ("version", pa.int64()),
            ("commit", pa.int64()),
            ("hand", pa.int64()),
            ("name", pa.string()),
            ("wire", pa.binary()),
            ("fields", pa.string()),
        ]
    ),
}
"""Tables of what a viewer saw."""


class ParquetFolder:
    """Writes ``commits.parquet``, ``events.parquet`` and ``export.json`` into a folder."""

    def __init__(self, folder: Path, schemas: dict[str, Any], codec: Codec) -> None:
        self._folder = folder
        self._codec = codec
        self._schemas = schemas
        self._rows: dict[str, list[dict[str, Any]]] = {name: [] for name in schemas}
        self._files = {
            name: pq.ParquetWriter(folder / f"{name}.parquet", schema, compression="zstd")
            for name, schema in schemas.items()
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def commit(self, commit: pb.StoredCommit) -> None:
        """A commit as it is stored, and its events."""
        kind, actor = actor_of(commit)
        stream = str(UUID(bytes=commit.stream))
        row = {
            field.name: getattr(commit, field.name)
            for field in commit.DESCRIPTOR.fields
            if field.name not in {"stream", "kind", "actor", "actor_kind"}
        }
        row |= {"stream": stream, "kind": kind_of(commit), "actor_kind": kind, "actor": actor}
        self._add("commits", row)
        found = events_of(commit)
        base = commit.version - commit.count
        for version, event in enumerate(found[1] if found else (), base + 1):
            self._add(
                "events",
                {
                    "position": commit.position,
                    "stream": stream,
                    "version": version,
                    "type": event.type,
                    "revision": event.revision,
                    "name": name_of(self._codec, event.type),
                    "public": event.public,
                    "fields": _json(public_fields(self._codec, event)),
                    "slots": [
                        {"field": field, "audience": audience, "sealed": sealed}
                        for field, audience, sealed in event.slots
                    ],
                },
            )

    def seen(self, step: replay_pb.ReplayTableResponse) -> None:
        """A commit as a viewer saw it, and its events."""
        self._add(
            "commits",
            {
                "version": step.version,
                "hand": step.hand,
                "seat": step.seat,
                "action": step.action,
                "recorded_at": step.record_time.ToMicroseconds(),
            },
        )
        for each in step.events:
            self._add(
                "events",
                {
                    "version": each.version,
                    "commit": step.version,
                    "hand": step.hand,
                    "name": type(self._codec.event_from_wire(each.event)).__name__,
                    "wire": each.event.SerializeToString(deterministic=True),
                    "fields": _json(event_told(each.event)),
                },
            )

    def end(self, about: dict[str, Any]) -> None:
        """Everything was written; ``about`` says what it is."""
        for name in self._rows:
            self._flush(name)
        (self._folder / "export.json").write_text(_json(about) + "\n", encoding="utf-8")

    def _add(self, name: str, row: dict[str, Any]) -> None:
        self._rows[name].append(row)
        if len(self._rows[name]) >= ROWS:
            self._flush(name)

    def _flush(self, name: str) -> None:
        rows, self._rows[name] = self._rows[name], []
        self._files[name].write_table(pa.Table.from_pylist(rows, schema=self._schemas[name]))


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))
