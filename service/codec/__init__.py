"""Between the engine's dataclasses and protobuf, on the wire and on disk."""

from __future__ import annotations

from service.codec.families import Extension, snake_case
from service.codec.registry import Codec, PrivateValue, StoredForm

__all__ = ["Codec", "Extension", "PrivateValue", "StoredForm", "snake_case"]
