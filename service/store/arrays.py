"""PostgreSQL's binary arrays, packed column by column.

An append sends nineteen arrays; psycopg packs lists element by element, which took a quarter of
an append's time.  Format: five i32 (dimensions 1, has nulls, element type, length, first index 1),
then per element an i32 length and its bytes; length -1 is NULL.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from struct import Struct
from typing import ClassVar, Final, TypeVar
from uuid import UUID

from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Dumper
from psycopg.pq import Format

__all__ = ["Packed", "byteas", "int2s", "int4s", "int8s", "register", "uuids"]

_HEAD: Final = Struct(">iiIii")
_LENGTH: Final = Struct(">i")
_INT2: Final = Struct(">ih")
_INT4: Final = Struct(">ii")
_INT8: Final = Struct(">iq")
_NULL: Final = _LENGTH.pack(-1)
_UUID_HEAD: Final = _LENGTH.pack(16)


class Packed(bytes):
    """An array ready to be sent; each subclass is one type."""

    __slots__ = ()
    array_oid: ClassVar[int]
    element_oid: ClassVar[int]


P = TypeVar("P", bound=Packed)


class _Int2s(Packed):
    __slots__ = ()
    array_oid, element_oid = 1005, 21


class _Int4s(Packed):
    __slots__ = ()
    array_oid, element_oid = 1007, 23


class _Int8s(Packed):
    __slots__ = ()
    array_oid, element_oid = 1016, 20


class _Byteas(Packed):
    __slots__ = ()
    array_oid, element_oid = 1001, 17


class _Uuids(Packed):
    __slots__ = ()
    array_oid, element_oid = 2951, 2950


def _pack(kind: type[P], length: int, elements: Iterable[bytes], nulls: bool = False) -> P:
    head = _HEAD.pack(1, nulls, kind.element_oid, length, 1)
    return kind(b"".join((head, *elements)))


def int2s(values: Sequence[int]) -> Packed:
    """``smallint[]``; raises ``struct.error`` outside its range."""
    return _pack(_Int2s, len(values), map(_INT2.pack, repeat(2), values))


def int4s(values: Sequence[int]) -> Packed:
    """``integer[]``; raises ``struct.error`` outside its range."""
    return _pack(_Int4s, len(values), map(_INT4.pack, repeat(4), values))


def int8s(values: Sequence[int]) -> Packed:
    """``bigint[]``; raises ``struct.error`` outside its range."""
    return _pack(_Int8s, len(values), map(_INT8.pack, repeat(8), values))


def byteas(values: Sequence[bytes]) -> Packed:
    """``bytea[]``."""
    lengths = map(_LENGTH.pack, map(len, values))
    return _pack(_Byteas, len(values), chain.from_iterable(zip(lengths, values, strict=True)))


def uuids(values: Sequence[UUID | None]) -> Packed:
    """``uuid[]``, where ``None`` is NULL."""
    elements = [_NULL if value is None else _UUID_HEAD + value.bytes for value in values]
    return _pack(_Uuids, len(values), elements, nulls=None in values)


def _dumper(kind: type[Packed]) -> type[Dumper]:
    class PackedDumper(Dumper):
        """Sends what was packed as it is."""

        format = Format.BINARY
        oid = kind.array_oid

        def dump(self, obj: Packed) -> Buffer:
            """The bytes themselves."""
            return obj

    return PackedDumper


_DUMPERS: Final = [(kind, _dumper(kind)) for kind in (_Int2s, _Int4s, _Int8s, _Byteas, _Uuids)]


def register(connection: AdaptContext) -> None:
    """Teach ``connection`` to send packed arrays."""
    for kind, dumper in _DUMPERS:
        connection.adapters.register_dumper(kind, dumper)
