"""Stored commits in words: names of events, their public fields, ids and bytes as text."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Final
from uuid import UUID

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from engine.errors import Corrupt
from service.codec import Codec
from service.pb import export_service_pb2 as pb
from service.store.commit import StoredEvent, salt_of, unpack_body

__all__ = ["actor_of", "base64", "events_of", "fields_of", "kind_of", "name_of", "public_fields"]

_KINDS: Final = {1: "table", 2: "account", 3: "tournament", 4: "access"}
_ACTORS: Final = {1: "player", 2: "host", 3: "service", 4: "process", 5: "auditor"}


def kind_of(commit: pb.StoredCommit) -> str:
    """What the commit's stream is about, as a word."""
    return _KINDS.get(commit.kind, str(commit.kind))


def actor_of(commit: pb.StoredCommit) -> tuple[str, str | None]:
    """What kind of actor gave the command, and his id."""
    actor = str(UUID(bytes=commit.actor)) if commit.actor else None
    return _ACTORS.get(commit.actor_kind, str(commit.actor_kind)), actor


def base64(data: bytes) -> str:
    """Bytes as text."""
    return b64encode(data).decode()


def events_of(commit: pb.StoredCommit) -> tuple[bytes, tuple[StoredEvent, ...]] | None:
    """Salt and events of a commit; None where its body is not a list of events."""
    try:
        return salt_of(commit.body), unpack_body(commit.body)
    except Corrupt:
        return None


def name_of(codec: Codec, stored_type: int) -> str:
    """The name of a stored event type; empty where it is not known."""
    try:
        return codec.event_kind(stored_type).__name__
    except Corrupt:
        return ""


def public_fields(codec: Codec, event: StoredEvent) -> dict[str, Any]:
    """The public fields of a stored event; none where its bytes cannot be read."""
    try:
        return fields_of(codec.public_message(event.type, event.revision, event.public))
    except Corrupt:
        return {}


def fields_of(message: Message) -> dict[str, Any]:
    """A message's fields as protobuf writes them in JSON, zeros included."""
    fields: dict[str, Any] = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return fields
