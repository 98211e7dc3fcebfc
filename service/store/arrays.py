"""PostgreSQL's binary arrays, packed column by column.

An append sends nineteen arrays; psycopg packs lists element by element, which took a quarter of
an append's time.  Elements of one length are joined by that length, which stands before each.
Format: five i32 (dimensions 1, has nulls, element type, length, first index 1),
then per element an i32 length and its bytes; length -1 is NULL.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from struct import Struct, unpack_from
from typing import ClassVar, Final, TypeVar
from uuid import UUID

from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Dumper
from psycopg.pq import Format

__all__ = ["Packed", "byteas", "int2s", "int4s", "int8s", "read_int4s", "register", "uuids"]

_HEAD: Final = Struct(">iiIii")
_LENGTH: Final = Struct(">i")
_INT2: Final = Struct(">h")
_INT4: Final = Struct(">i")
_INT8: Final = Struct(">q")
_NULL: Final = _LENGTH.pack(-1)


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


def _head(kind: type[P], length: int, *, nulls: bool = False) -> bytes:
    return _HEAD.pack(1, nulls, kind.element_oid, length, 1)


def _alike(kind: type[P], size: int, elements: Sequence[bytes]) -> P:
    """An array of elements that all have ``size`` bytes."""
    return kind(_LENGTH.pack(size).join((_head(kind, len(elements)), *elements)))


def int2s(values: Sequence[int]) -> Packed:
    """``smallint[]``; raises ``struct.error`` outside its range."""
    return _alike(_Int2s, 2, [*map(_INT2.pack, values)])


def int4s(values: Sequence[int]) -> Packed:
    """``integer[]``; raises ``struct.error`` outside its range."""
    return _alike(_Int4s, 4, [*map(_INT4.pack, values)])


def int8s(values: Sequence[int]) -> Packed:
    """``bigint[]``; raises ``struct.error`` outside its range."""
    return _alike(_Int8s, 8, [*map(_INT8.pack, values)])


def byteas(values: Sequence[bytes]) -> Packed:
    """``bytea[]``."""
    lengths = [*map(len, values)]
    if len(set(lengths)) == 1:
        return _alike(_Byteas, lengths[0], values)
    pairs = zip(map(_LENGTH.pack, lengths), values, strict=True)
    return _Byteas(b"".join((_head(_Byteas, len(values)), *chain.from_iterable(pairs))))


def uuids(values: Sequence[UUID | None]) -> Packed:
    """``uuid[]``, where ``None`` is NULL."""
    if None not in values:
        return _alike(_Uuids, 16, [value.bytes for value in values if value])
    size = _LENGTH.pack(16)
    elements = [_NULL if value is None else size + value.bytes for value in values]
    return _Uuids(b"".join((_head(_Uuids, len(values), nulls=True), *elements)))


def read_int4s(data: bytes | None) -> tuple[int, ...]:
    """The elements of an ``integer[]`` of one dimension and without NULLs; NULL has none."""
    if data is None or len(data) < _HEAD.size:
        return ()
    (length,) = _LENGTH.unpack_from(data, 12)
    return unpack_from(">" + "4xi" * length, data, _HEAD.size)


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
