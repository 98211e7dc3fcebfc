"""The two forms in which messages travel over HTTP: binary and JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import structlog
from google.protobuf.message import DecodeError, Message

from engine.errors import Malformed
from service.host.faults import report
from service.rpc.status import internal_status
from service.rpc.unreadable import NO_MESSAGE, Unreadable
from service.web import json_form
from service.web.faults import as_connect_error
from service.web.json_form import Kinds

__all__ = ["Reply", "codecs_for"]

log = structlog.get_logger(__name__)


class Reply(NamedTuple):
    """An answer of a servicer: a message of ``kind``, or one that is bytes already."""

    message: Any
    kind: type[Message]
    write: Callable[[Any], bytes]


class _Binary:
    @staticmethod
    def name() -> str:
        return "proto"

    @staticmethod
    def encode(message: Reply) -> bytes:
        return message.write(message.message)

    @staticmethod
    def decode(data: bytes | bytearray, message_class: type[Message]) -> Message | Unreadable:
        try:
            return message_class.FromString(bytes(data))
        except DecodeError:
            return NO_MESSAGE


class _Json:
    def __init__(self, kinds: Kinds) -> None:
        self._kinds = kinds

    @staticmethod
    def name() -> str:
        return "json"

    def encode(self, message: Reply) -> bytes:
        made = message.message
        try:
            whole = message.kind.FromString(made) if isinstance(made, bytes) else made
            return json_form.shown(whole, self._kinds)
        except Exception as error:  # noqa: BLE001 the library would tell its text
            report(log.bind(call=message.kind.DESCRIPTOR.name), "call_failed", error)
            raise as_connect_error(internal_status()) from None

    def decode(self, data: bytes | bytearray, message_class: type[Message]) -> Message | Unreadable:
        try:
            return json_form.read(bytes(data), message_class, self._kinds)
        except Malformed as error:
            return Unreadable(error)


def codecs_for(kinds: Kinds) -> tuple[_Binary, _Json]:
    """Both; JSON with the kinds of message that an ``Any`` may hold."""
    return _Binary(), _Json(kinds)
