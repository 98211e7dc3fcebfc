"""Protobuf messages put together from parts that are bytes already.

A message on the wire is its fields one after the other, in any order.  What many callers get
alike is made and serialised once, and put into each one's message as it is.  Nothing here writes a
field twice: readers differ in what they make of that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

__all__ = ["number_field", "number_of", "numbers_field", "part", "part_of", "tag", "varint"]

_SEVEN_BITS: Final = 0x7F
_MORE: Final = 0x80
_NUMBER: Final = 0
_BYTES: Final = 2
"""Wire types: a number of variable length, and bytes with their length before them."""


_ONE_BYTE: Final = tuple(bytes((value,)) for value in range(_MORE))


def varint(value: int) -> bytes:
    """A number from 0 up in as many bytes as it takes, seven bits in each."""
    if value < _MORE:
        return _ONE_BYTE[value]
    digits = bytearray()
    while value >= _MORE:
        digits.append(value & _SEVEN_BITS | _MORE)
        value >>= 7
    digits.append(value)
    return bytes(digits)


def tag(number: int, *, is_number: bool) -> bytes:
    """What stands before a field of bytes, or of a number of variable length."""
    return varint(number << 3 | (_NUMBER if is_number else _BYTES))


@cache
def part_of(number: int) -> Callable[[bytes], bytes]:
    """What writes one field that holds a message, a text or bytes.

    >>> part_of(1)(b"ab")
    b'\\n\\x02ab'
    """
    head = tag(number, is_number=False)
    heads = tuple(head + length for length in _ONE_BYTE)

    def put(data: bytes) -> bytes:
        size = len(data)
        return (heads[size] if size < _MORE else head + varint(size)) + data

    return put


def part(number: int, data: bytes) -> bytes:
    """A field that holds a message, a text or bytes.

    >>> part(1, b"ab")
    b'\\n\\x02ab'
    """
    return part_of(number)(data)


@cache
def number_of(number: int) -> Callable[[int], bytes]:
    """What writes one field that holds a number from 0 up; of 0, as of an absent one, nothing.

    >>> number_of(2)(300)
    b'\x10\xac\x02'
    """
    head = tag(number, is_number=True)
    small = (b"", *[head + _ONE_BYTE[value] for value in range(1, _MORE)])

    def put(value: int) -> bytes:
        return small[value] if value < _MORE else head + varint(value)

    return put


def number_field(number: int, value: int) -> bytes:
    """A field that holds a number from 0 up; of 0, which is what an absent one says, nothing.

    >>> number_field(2, 300)
    b'\x10\xac\x02'
    """
    return number_of(number)(value)


def numbers_field(number: int, values: Sequence[int]) -> bytes:
    """A field that holds several numbers from 0 up, packed; of none, nothing.

    >>> numbers_field(7, [0, 3])
    b':\\x02\\x00\\x03'
    """
    return part_of(number)(b"".join(map(varint, values))) if values else b""
