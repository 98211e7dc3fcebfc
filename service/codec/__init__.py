"""Between the engine's dataclasses and protobuf, on the wire and on disk."""

from __future__ import annotations

from service.codec.registry import Codec, Extension, PrivateValue, StoredForm, snake_case

__all__ = ["Codec", "Extension", "PrivateValue", "StoredForm", "snake_case"]
