"""From a secret to an order of cards: pure, exact, and the same in every language.

The ChaCha20 key stream (RFC 8439; nonce of twelve zero bytes, block counter from 0) is read as
16-bit little-endian draws.  Fisher–Yates from the last index down: for i = n-1 … 1 the next draw
d picks j = d mod (i+1), draws with d ≥ ⌊65536/(i+1)⌋·(i+1) being skipped, and items i and j change
places.  Index 0 of the result is the top of the pile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Final, Protocol

from engine._native import ffi, lib
from engine.cards import PACK, Card

__all__ = ["KEY_BYTES", "MAX_ITEMS", "MAX_LOTS", "Shuffler", "lots", "order"]

KEY_BYTES: Final = 32
MAX_ITEMS: Final = 255
MAX_LOTS: Final = 65_536

_shuffle: Final = lib.kj_shuffle
_from_buffer: Final = ffi.from_buffer
_PACK_BYTES: Final = bytes(PACK)
_BLOCK: Final = Struct("<32H")
_TO_TUPLE: Final = tuple(Struct(f"{n}B").unpack for n in range(MAX_ITEMS + 1))
"""By size; quicker than ``tuple``, which asks for one item after the other."""


class Shuffler(Protocol):
    """Who supplies orders: a recorded secret, or the ``deck:`` lines of a hand script (C8)."""

    def shuffle(self, purpose: str, pile: tuple[Card, ...]) -> tuple[Card, ...]:
        """The pile, given in canonical order, in its new order from the top.

        ``purpose`` is the word of the specification that ``DeckShuffled`` will carry.
        """
        ...


def order(key: bytes, pile: Sequence[int]) -> tuple[int, ...]:
    """The order that a 32-byte key gives a pile; index 0 is the top.

    The items, at most 255 of them, are any integers 0…255, cards as a rule in canonical order.

    Raises ``ValueError`` for a key of another length, a longer pile or other items.

    >>> order(bytes(32), range(1, 8))
    (3, 7, 4, 6, 2, 5, 1)
    """
    if len(key) != KEY_BYTES:
        raise ValueError(f"a key has {KEY_BYTES} bytes, this one {len(key)}")
    items = bytearray(_PACK_BYTES if pile is PACK else pile)
    n = len(items)
    if n > MAX_ITEMS:
        raise ValueError(f"a pile has at most {MAX_ITEMS} items, this one {n}")
    _shuffle(key, _from_buffer(items), n)
    return _TO_TUPLE[n](items)


def lots(key: bytes, count: int) -> tuple[int, ...]:
    """The numbers from 0 to ``count`` - 1, at most 65,536 of them, in the order a key gives them.

    What :func:`order` gives of them, and the same way beyond what a pile may have: the seats of a
    large field are drawn by it.  Raises ``ValueError`` for another length of key or more numbers.

    >>> lots(bytes(32), 7)
    (2, 6, 3, 5, 1, 4, 0)
    """
    if count <= MAX_ITEMS:
        return order(key, range(count))
    if len(key) != KEY_BYTES or count > MAX_LOTS:
        raise ValueError(f"a key has {KEY_BYTES} bytes, and there are at most {MAX_LOTS} lots")
    items = list(range(count))
    draws = _draws(key)
    for last in range(count - 1, 0, -1):
        pick = -1
        while pick < 0:
            pick = lib.kj_pick(next(draws), last + 1)
        items[last], items[pick] = items[pick], items[last]
    return tuple(items)


def _draws(key: bytes) -> Iterator[int]:
    """The key stream in 16-bit draws."""
    block = ffi.new("uint8_t[64]")
    counter = 0
    while True:
        lib.kj_chacha20_block(key, counter, bytes(12), block)
        yield from _BLOCK.unpack(ffi.buffer(block))
        counter += 1
