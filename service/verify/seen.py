"""Exports of what a viewer saw: whole, without gaps, and saying the same twice.

Nobody signed them: they prove nothing to a third party, and are checked against accidents.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from hashlib import sha256
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError

from service.pb import games_pb2
from service.verify.findings import Bad, Report
from service.verify.lines import Line, require_written

__all__ = ["SeenReading"]


class SeenReading:
    """The lines after the first one; raises ``Bad``."""

    def __init__(self, report: Report, first: Line, text: bytes) -> None:
        self.report = report
        report.kind = "seen"
        report.scope = f"table {first.get('table')} as {first.get('viewer')} sees it"
        self._digest = sha256(text)
        self._version = 0
        self._commits = 0
        require_written(text, first)

    def commit(self, line: Line, text: bytes) -> None:
        """A commit: its events continue those before it, and their words fit their bytes."""
        before, self._version = self._version, line.get("version") or 0
        self._digest.update(text)
        self._commits += 1
        require_written(text, line)
        events = line.get("events")
        if not isinstance(events, list) or not events:
            raise Bad("a commit without events")
        for number, event in enumerate(events, before + 1):
            if not isinstance(event, dict) or event.get("version") != number:
                found = event.get("version") if isinstance(event, dict) else event
                raise Bad("versions have a gap", number, found)
            told = _told(event.get("wire"))
            if event.get("fields") != told:
                raise Bad("an event is not what its bytes say", told, event.get("fields"))
            self.report.counts["events"] += 1
        if self._version != before + len(events):
            raise Bad("versions have a gap", before + len(events), self._version)

    def end(self, line: Line, text: bytes) -> None:
        """The last line: how many there are, and their digest."""
        self.report.counts["commits"] = self._commits
        right = {"type": "end", "commits": self._commits, "sha256": self._digest.hexdigest()}
        require_written(text, right)
        del line


def _told(wire: Any) -> dict[str, Any]:
    """The fields of an event from its bytes."""
    event = games_pb2.Event()
    try:
        event.ParseFromString(b64decode(wire, validate=True))
    except (DecodeError, TypeError, ValueError, binascii.Error):
        raise Bad("the bytes of an event cannot be read") from None
    family: Any = getattr(event, event.WhichOneof("family") or "", None)
    if family is None:
        raise Bad("an event of no family")
    kind = family.WhichOneof("event") if "event" in family.DESCRIPTOR.oneofs_by_name else None
    told: dict[str, Any] = MessageToDict(
        family if kind is None else getattr(family, kind),
        preserving_proto_field_name=True,
        always_print_fields_with_no_presence=True,
    )
    return told
