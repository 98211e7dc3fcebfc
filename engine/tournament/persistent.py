"""Collections that share what did not change: a change costs the same in a field of any size.

A tuple of thousands of entrants would be copied for each of them that moves.  These are trees of
tuples with 32 branches: a change copies one tuple on each of the two to four levels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar
from zlib import crc32

__all__ = ["Named", "Numbered", "lowest", "members"]

T = TypeVar("T")
Node = tuple[Any, ...]

_BITS: Final = 5
_WIDTH: Final = 1 << _BITS
_MASK: Final = _WIDTH - 1
_NAME_LEVELS: Final = 3
_EMPTY: Final[Node] = (None,) * _WIDTH


def _read(node: Node | None, shift: int, at: int) -> Any:
    while node is not None and shift:
        node = node[at >> shift & _MASK]
        shift -= _BITS
    return None if node is None else node[at & _MASK]


def _written(node: Node | None, shift: int, at: int, item: object) -> Node:
    here = _EMPTY if node is None else node
    place = at >> shift & _MASK
    inner = _written(here[place], shift - _BITS, at, item) if shift else item
    return (*here[:place], inner, *here[place + 1 :])


def _changed(old: Node | None, new: Node | None, shift: int, base: int) -> Iterator[int]:
    if new is None or new is old:
        return
    for place, (was, now) in enumerate(zip(old or _EMPTY, new, strict=True)):
        at = base + (place << shift)
        if shift:
            yield from _changed(was, now, shift - _BITS, at)
        elif now is not was:
            yield at


@dataclass(frozen=True, slots=True)
class Numbered(Generic[T]):
    """Items numbered from 0, without gaps.

    >>> numbered = Numbered().add("a").add("b").put(0, "c")
    >>> len(numbered), numbered[0], list(numbered)
    (2, 'c', ['c', 'b'])
    """

    _size: int = 0
    _shift: int = 0
    _root: Node = _EMPTY

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, at: int) -> T:
        if not 0 <= at < self._size:
            raise IndexError(f"{at} is none of {self._size}")
        item: T = _read(self._root, self._shift, at)
        return item

    def __iter__(self) -> Iterator[T]:
        for at in range(self._size):
            yield self[at]

    def put(self, at: int, item: T) -> Numbered[T]:
        """With another item at ``at``."""
        if not 0 <= at < self._size:
            raise IndexError(f"{at} is none of {self._size}")
        return Numbered(self._size, self._shift, _written(self._root, self._shift, at, item))

    def add(self, item: T) -> Numbered[T]:
        """With one item more."""
        root, shift = self._root, self._shift
        if self._size >> shift + _BITS:  # full: one level more
            root, shift = (root, *_EMPTY[1:]), shift + _BITS
        return Numbered(self._size + 1, shift, _written(root, shift, self._size, item))

    def since(self, before: Numbered[T]) -> Iterator[int]:
        """Numbers of the items that ``before``, which these were made of, has not, ascending.

        >>> first = Numbered().add("a").add("b")
        >>> list(first.put(1, "c").add("d").since(first))
        [1, 2]
        """
        root, shift = before._root, before._shift
        while shift < self._shift:
            root, shift = (root, *_EMPTY[1:]), shift + _BITS
        yield from _changed(root, self._root, shift, 0)


@dataclass(frozen=True, slots=True)
class Named(Generic[T]):
    """Items by name; names that share a checksum share a leaf.

    >>> named = Named().put("ann", 3).put("bob", 4).put("ann", 5)
    >>> named.get("ann"), named.get("bob"), named.get("cid")
    (5, 4, None)
    """

    _root: Node = _EMPTY

    def get(self, name: str) -> T | None:
        """The item of a name."""
        for key, item in self._leaf(name):
            if key == name:
                found: T = item
                return found
        return None

    def put(self, name: str, item: T) -> Named[T]:
        """With an item for the name, in place of the one it had."""
        others = [pair for pair in self._leaf(name) if pair[0] != name]
        leaf = tuple(sorted([*others, (name, item)], key=lambda pair: pair[0]))
        return Named(_written(self._root, _BITS * (_NAME_LEVELS - 1), crc32(name.encode()), leaf))

    def _leaf(self, name: str) -> tuple[tuple[str, Any], ...]:
        leaf: tuple[tuple[str, Any], ...] | None = _read(
            self._root, _BITS * (_NAME_LEVELS - 1), crc32(name.encode())
        )
        return leaf or ()


def members(bits: int) -> Iterator[int]:
    """The numbers in a set that is kept as the bits of an integer, ascending.

    >>> list(members(0b1010))
    [1, 3]
    """
    while bits:
        yield lowest(bits)
        bits &= bits - 1


def lowest(bits: int) -> int:
    """The lowest number in such a set, which must hold one."""
    return (bits & -bits).bit_length() - 1
