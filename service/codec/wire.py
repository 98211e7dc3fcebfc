"""Protobuf messages put together from parts that are bytes already.

A message on the wire is its fields one after the other, in any order.  What many callers get
alike is made and serialised once, and put into each one's message as it is.  Nothing here writes a
field twice: readers differ in what they make of that.
"""

from __future__ import annotations

from typing import Final

__all__ = ["number_field", "part"]

_SEVEN_BITS: Final = 0x7F
_MORE: Final = 0x80
_NUMBER: Final = 0
_BYTES: Final = 2
"""Wire types: a number of variable length, and bytes with their length before them."""


_ONE_BYTE: Final = tuple(bytes((value,)) for value in range(_MORE))


def _varint(value: int) -> bytes:
    if value < _MORE:
        return _ONE_BYTE[value]
    digits = bytearray()
    while value >= _MORE:
        digits.append(value & _SEVEN_BITS | _MORE)
        value >>= 7
    digits.append(value)
    return bytes(digits)


def part(number: int, data: bytes) -> bytes:
    """A field that holds a message, a text or bytes.

    >>> part(1, b"ab")
    b'\\n\\x02ab'
    """
    return _varint(number << 3 | _BYTES) + _varint(len(data)) + data


def number_field(number: int, value: int) -> bytes:
    """A field that holds a number from 0 up; of 0, which is what an absent one says, nothing.

    >>> number_field(2, 300)
    b'\\x10\\xac\\x02'
    """
    return _varint(number << 3 | _NUMBER) + _varint(value) if value else b""
