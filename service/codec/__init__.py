"""Between the engine's dataclasses and protobuf, on the wire and on disk."""

from __future__ import annotations

from service.codec.registry import REVISION, Codec, Extension, PrivateValue, StoredForm, snake_case

__all__ = ["REVISION", "Codec", "Extension", "PrivateValue", "StoredForm", "snake_case"]
