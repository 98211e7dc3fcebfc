"""What the fields of a dataclass hold, read once from its annotations.

Text notation and wire codec both go from here: neither keeps a list of fields of its own.  Cards
are integers at run time, so a field of cards says so with the annotation ``engine.cards.Card``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum, StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    NamedTuple,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from engine.cards import CARD_MARK
from engine.ranking import HAND_VALUE_MARK
from engine.visibility import Private

__all__ = ["REQUIRED", "FieldInfo", "FieldKind", "describe"]


class FieldKind(StrEnum):
    """What a field holds; the Python type stands behind."""

    INT = "int"  # int
    BOOL = "bool"  # bool
    TEXT = "text"  # str
    BYTES = "bytes"  # bytes
    WORD = "word"  # an enum
    CARD = "card"  # Card
    INTS = "ints"  # tuple[int, ...]
    TEXTS = "texts"  # tuple[str, ...]
    WORDS = "words"  # tuple[enum, ...]
    CARDS = "cards"  # tuple[Card, ...]
    GROUPS = "groups"  # tuple[tuple[Card, ...], ...]
    LISTS = "lists"  # tuple[tuple[int, ...], ...]
    VALUE = "value"  # HandValue
    PAIRS = "pairs"  # tuple[tuple[int, int], ...], such as chips by seat
    OPTIONS = "options"  # tuple[tuple[str, str], ...], names and texts of options
    MAP = "map"  # Mapping[str, str]
    RECORD = "record"  # a dataclass or NamedTuple
    RECORDS = "records"  # tuple[dataclass or NamedTuple, ...]


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Final = _Required()
"""The default of a field that has none."""


class FieldInfo(NamedTuple):
    """One field.

    ``optional``: the value (of a private field: the one inside) may be None.  ``private``: it is
    wrapped in ``Private``.
    ``item``: the enum or record class behind WORD, WORDS, RECORD, RECORDS.
    ``gaps``: items of the tuple may be None.  ``default``: a value, or ``REQUIRED``.
    """

    name: str
    kind: FieldKind
    optional: bool = False
    private: bool = False
    item: type[Any] | None = None
    gaps: bool = False
    default: object = REQUIRED

    @property
    def word(self) -> str:
        """The field's name in notation and on the wire; ``from_`` is ``from`` there."""
        return self.name.rstrip("_")


class _Inner(NamedTuple):
    kind: FieldKind
    item: type[Any] | None = None
    gaps: bool = False


_SINGLE: Final[dict[object, FieldKind]] = {
    int: FieldKind.INT,
    bool: FieldKind.BOOL,
    str: FieldKind.TEXT,
    bytes: FieldKind.BYTES,
}

_LIST_OF: Final = {
    FieldKind.INT: FieldKind.INTS,
    FieldKind.TEXT: FieldKind.TEXTS,
    FieldKind.WORD: FieldKind.WORDS,
    FieldKind.CARD: FieldKind.CARDS,
    FieldKind.CARDS: FieldKind.GROUPS,
    FieldKind.INTS: FieldKind.LISTS,
    FieldKind.RECORD: FieldKind.RECORDS,
}

_PAIR_OF: Final[dict[tuple[object, ...], FieldKind]] = {
    (int, int): FieldKind.PAIRS,
    (str, str): FieldKind.OPTIONS,
}


def _without_none(hint: Any) -> tuple[Any, bool]:
    """The annotation without ``| None``, and whether that was there."""
    if get_origin(hint) not in {Union, UnionType}:
        return hint, False
    members = [member for member in get_args(hint) if member is not NoneType]
    if len(members) != 1:
        raise TypeError(f"{hint} is a union of several types")
    return members[0], True


def _inner(hint: Any) -> _Inner:
    origin = get_origin(hint)
    if origin is Annotated:
        if CARD_MARK in hint.__metadata__:
            return _Inner(FieldKind.CARD)
        if HAND_VALUE_MARK in hint.__metadata__:
            return _Inner(FieldKind.VALUE)
        return _inner(get_args(hint)[0])
    if hint in _SINGLE:
        return _Inner(_SINGLE[hint])
    if origin is tuple:
        return _tuple(get_args(hint), hint)
    if origin in {Mapping, dict} and get_args(hint) == (str, str):
        return _Inner(FieldKind.MAP)
    if isinstance(hint, type):
        cls = cast("Any", hint)
        if issubclass(cls, Enum):
            return _Inner(FieldKind.WORD, cls)
        if hasattr(cls, "__dataclass_fields__") or hasattr(cls, "_fields"):
            return _Inner(FieldKind.RECORD, cls)
    raise TypeError(f"no field can be a {hint}")


def _tuple(items: tuple[Any, ...], hint: object) -> _Inner:
    if len(items) != 2 or items[1] is not Ellipsis:
        raise TypeError(f"{hint} is no tuple of any length")
    pair = get_args(items[0]) if get_origin(items[0]) is tuple else ()
    if pair in _PAIR_OF:
        return _Inner(_PAIR_OF[pair])
    bare, gaps = _without_none(items[0])
    inner = _inner(bare)
    kind = _LIST_OF.get(inner.kind)
    if kind is None or inner.gaps:
        raise TypeError(f"no field can be a {hint}")
    return _Inner(kind, inner.item, gaps)


def _defaults(cls: Any) -> dict[str, object]:
    if not is_dataclass(cls):
        given = cast("dict[str, object]", cls._field_defaults)
        return {name: given.get(name, REQUIRED) for name in cls._fields}
    found: dict[str, object] = {}
    for field in fields(cls):
        if field.default is not MISSING:
            found[field.name] = field.default
        elif field.default_factory is not MISSING:
            found[field.name] = field.default_factory()
        else:
            found[field.name] = REQUIRED
    return found


def describe(cls: type[Any]) -> tuple[FieldInfo, ...]:
    """The fields of a dataclass or NamedTuple, in order.

    Raises ``TypeError`` for a field of a type that notation and wire do not know.

    >>> from engine.events import SeatLeft
    >>> [(field.name, field.kind.value) for field in describe(SeatLeft)]
    [('seat', 'int'), ('chips', 'int')]
    """
    return _describe(cast("Any", cls))


@cache
def _describe(cls: Any) -> tuple[FieldInfo, ...]:
    hints = get_type_hints(cls, include_extras=True)
    found: list[FieldInfo] = []
    for name, default in _defaults(cls).items():
        hint, optional = _without_none(hints[name])
        private = get_origin(hint) is Private
        if private:
            hint, empty = _without_none(get_args(hint)[0])
            optional = optional or empty
        try:
            kind, item, gaps = _inner(hint)
        except TypeError as error:
            raise TypeError(f"{cls.__name__}.{name}: {error}") from None
        found.append(FieldInfo(name, kind, optional, private, item, gaps, default))
    return tuple(found)
