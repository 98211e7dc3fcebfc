"""Values of fields as text, and back (hand_script 2.1, 2.7, 2.8).

Everything follows from :mod:`engine.fields`.  A record may say how it is written with a template
in ``NOTATION``, such as ``"{id} {value}/{owner} {cards}"``; without one its fields stand one after
the other.  Only the last field of a record may be a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any, Final, NamedTuple, cast

from engine.cards import card_name, card_names, parse_card
from engine.fields import FieldInfo, FieldKind, describe
from engine.ranking import Category
from engine.visibility import Private

__all__ = ["HIDDEN_TEXT", "Hidden", "field_text", "matches", "read_value", "value_text"]

HIDDEN_TEXT: Final = "??"

Value = Any
"""What a field holds: int, str, tuples of them, enums, records."""


class Hidden(NamedTuple):
    """Nothing but ``??``: the viewer sees none of a field.  ``items``: how many, if it is said."""

    items: int | None = None


_TRUTH: Final = {"true": True, "yes": True, "false": False, "no": False}
_NOTHING: Final = frozenset({"", "-", "none"})


# --- text of values -------------------------------------------------------------------------


def _word_text(value: object) -> str:
    return str(value.value) if isinstance(value, Enum) else str(value)


def _item_text(value: object, write: Callable[[Any], str]) -> str:
    return "-" if value is None else write(value)


def _brackets(items: object, write: Callable[[Any], str]) -> str:
    return "".join(f"[{write(item)}]" for item in cast("tuple[object, ...]", items))


def value_text(info: FieldInfo, value: Value) -> str:
    """A value as scripts write it; ``none`` for None, ``-`` for an empty list.

    >>> from engine.events import SeatTaken
    >>> value_text(describe(SeatTaken)[1], "ann")
    'ann'
    """
    if value is None:
        return "none"
    write = _WRITERS[info.kind]
    if info.kind in _SINGLES:
        return write(value)
    if info.kind is FieldKind.OPTIONS or info.kind is FieldKind.MAP:
        pairs = dict(value).items()
        return ",".join(f"{name}:{text}" for name, text in pairs) or "-"
    if info.kind in _BRACKETED:
        return _brackets(value, write) or "-"
    return ",".join(_item_text(item, write) for item in value) or "-"


def field_text(info: FieldInfo, value: Value) -> str:
    """The text of an event's field: ``??`` where a private value is hidden, one per item."""
    if not info.private:
        return value_text(info, value)
    private = cast("Private[Value]", value)
    if private.shown or _shows_some(private.value):
        return value_text(info, private.value)
    hidden: object = private.value
    if isinstance(hidden, tuple) and hidden:
        return ",".join([HIDDEN_TEXT] * len(cast("tuple[object, ...]", hidden)))
    return HIDDEN_TEXT


def _record_text(record: Any) -> str:
    texts: dict[str, str] = {}
    cls = cast("Any", type(record))
    for info in describe(cls):
        value = getattr(record, info.name)
        text = "-" if value is None else value_text(info, value)
        texts[info.name] = text if info.kind in _SINGLES else text.replace(",", " ")
    return _template(cls).format(**texts).rstrip()


def _template(cls: type[Any]) -> str:
    names = " ".join(f"{{{info.name}}}" for info in describe(cls))
    return cast("str", getattr(cls, "NOTATION", names))


def _hand_value_text(value: tuple[int, ...]) -> str:
    return ",".join((Category(value[0]).name, *map(str, value[1:])))


def _cards_text(cards: tuple[int, ...]) -> str:
    return card_names(cards)


_WRITERS: Final[Mapping[FieldKind, Callable[[Any], str]]] = {
    FieldKind.INT: str,
    FieldKind.INTS: str,
    FieldKind.BOOL: lambda value: "true" if value else "false",
    FieldKind.TEXT: str,
    FieldKind.TEXTS: str,
    FieldKind.BYTES: lambda value: cast("bytes", value).hex(),
    FieldKind.WORD: _word_text,
    FieldKind.WORDS: _word_text,
    FieldKind.CARD: card_name,
    FieldKind.CARDS: card_name,
    FieldKind.GROUPS: _cards_text,
    FieldKind.LISTS: lambda items: " ".join(map(str, items)),
    FieldKind.VALUE: _hand_value_text,
    FieldKind.PAIRS: lambda pair: f"{pair[0]}:{pair[1]}",
    FieldKind.OPTIONS: str,
    FieldKind.MAP: str,
    FieldKind.RECORD: lambda record: f"[{_record_text(record)}]",
    FieldKind.RECORDS: _record_text,
}

_SINGLES: Final = frozenset(
    {
        FieldKind.INT,
        FieldKind.BOOL,
        FieldKind.TEXT,
        FieldKind.BYTES,
        FieldKind.WORD,
        FieldKind.CARD,
        FieldKind.VALUE,
        FieldKind.RECORD,
    }
)
_BRACKETED: Final = frozenset({FieldKind.GROUPS, FieldKind.LISTS, FieldKind.RECORDS})


# --- values of text -------------------------------------------------------------------------


def read_value(info: FieldInfo, text: str, *, faces: bool = False) -> Value:
    """The value of a field from its text; raises ``ValueError`` saying what was expected.

    With ``faces`` a ``??`` is a face that is not shown, and :class:`Hidden` when there is nothing
    else.
    """
    if faces and set(text.split(",")) == {HIDDEN_TEXT}:
        count = text.count(HIDDEN_TEXT)
        return Hidden(count if count > 1 else None)
    if info.optional and (text == "none" or (text in _NOTHING and info.kind in _SINGLES)):
        return None
    if info.kind in _SINGLES:
        return _single(info, text, faces)
    if text in _NOTHING:
        return {} if info.kind is FieldKind.MAP else ()
    if info.kind is FieldKind.MAP:
        return dict(_pair(entry) for entry in text.split(","))
    if info.kind in _BRACKETED:
        return tuple(_bracketed(info, inside, faces) for inside in _split_brackets(text))
    return tuple(_listed(info, item, faces) for item in text.split(","))


def _split_brackets(text: str) -> list[str]:
    if not re.fullmatch(r"(\[[^][]*\])+", text):
        raise ValueError("expected groups in brackets")
    return re.findall(r"\[([^][]*)\]", text)


def _int(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,20}", text):
        raise ValueError("expected an integer")
    return int(text)


def _card(text: str, faces: bool) -> int:
    if text == HIDDEN_TEXT and faces:
        return 0
    return parse_card(text)


def _word(item: type[Any] | None, text: str) -> object:
    words = cast("type[Enum]", item)
    for member in words:
        if text == _word_text(member):
            return member
    raise ValueError("expected one of " + ", ".join(map(_word_text, words)))


def _hand_value(text: str) -> tuple[int, ...]:
    name, *ranks = text.split(",")
    if name not in Category.__members__ or len(ranks) != 5:
        raise ValueError("expected a category and five ranks such as PAIR,14,9,4,0,0")
    return Category[name].value, *map(_int, ranks)


def _single(info: FieldInfo, text: str, faces: bool) -> Value:
    match info.kind:
        case FieldKind.INT:
            return _int(text)
        case FieldKind.BOOL:
            if text not in _TRUTH:
                raise ValueError("expected true or false")
            return _TRUTH[text]
        case FieldKind.BYTES:
            return bytes.fromhex(text)
        case FieldKind.WORD:
            return _word(info.item, text)
        case FieldKind.CARD:
            return _card(text, faces)
        case FieldKind.VALUE:
            return _hand_value(text)
        case FieldKind.RECORD:
            inside = _split_brackets(text)
            if len(inside) != 1:
                raise ValueError("expected one group in brackets")
            return _record(cast("type[Any]", info.item), inside[0], faces)
        case _:
            return text


def _pair(text: str) -> tuple[str, str]:
    left, colon, right = text.partition(":")
    if not colon:
        raise ValueError("expected pairs such as 0:100,1:90")
    return left, right


def _listed(info: FieldInfo, text: str, faces: bool) -> Value:
    if info.gaps and text in _NOTHING:
        return None
    match info.kind:
        case FieldKind.INTS:
            return _int(text)
        case FieldKind.CARDS:
            return _card(text, faces)
        case FieldKind.WORDS:
            return _word(info.item, text)
        case FieldKind.PAIRS:
            left, right = _pair(text)
            return _int(left), _int(right)
        case FieldKind.OPTIONS:
            return _pair(text)
        case _:
            return text


def _bracketed(info: FieldInfo, inside: str, faces: bool) -> Value:
    match info.kind:
        case FieldKind.GROUPS:
            return tuple(_card(name, faces) for name in inside.split())
        case FieldKind.LISTS:
            return tuple(map(_int, inside.split()))
        case _:
            return _record(cast("type[Any]", info.item), inside, faces)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """A template as a regular expression: every field a word, the last one the rest."""
    parts = re.split(r"\{(\w+)\}", template)
    names = parts[1::2]
    found = ""
    for index, between in enumerate(parts[::2]):
        last = index >= len(names) - 1
        found += re.escape(between).replace(r"\ ", r"\s*" if last else r"\s+")
        if index < len(names):
            found += f"(?P<{names[index]}>" + (".*)" if last else r"\S+?)")
    return re.compile(found)


def _record(cls: type[Any], text: str, faces: bool) -> Value:
    found = _pattern(_template(cls)).fullmatch(text.strip())
    if found is None:
        raise ValueError(f"expected [{_template(cls)}]")
    values: dict[str, Value] = {}
    for info in describe(cls):
        words = found[info.name]
        if info.kind not in _SINGLES and info.kind not in _BRACKETED:
            words = ",".join(words.split())
        values[info.name] = read_value(info, words, faces=faces)
    return cls(**values)


# --- comparing ------------------------------------------------------------------------------


def matches(info: FieldInfo, expected: Value, actual: Value) -> bool:
    """Whether a field of an event is as expected; ``actual`` may be a private value."""
    shown = True
    if info.private:
        private = cast("Private[Value]", actual)
        actual = private.value
        shown = private.shown or _shows_some(actual)
    if isinstance(expected, Hidden):
        hidden = not shown or _is_faceless(info, actual)
        return hidden and (expected.items is None or len(actual) == expected.items)
    # True == 1 in Python; in a script they are different values.
    alike = isinstance(expected, bool) == isinstance(actual, bool)
    return shown and alike and bool(expected == actual)


def _shows_some(value: Value) -> bool:
    """Whether a list that was redacted is a secret in part only."""
    return isinstance(value, tuple) and any(cast("tuple[object, ...]", value))


def _is_faceless(info: FieldInfo, value: Value) -> bool:
    """A card, or a list of cards, that shows no face."""
    if info.kind is FieldKind.CARD:
        return bool(value == 0)
    return info.kind is FieldKind.CARDS and bool(value) and not any(value)
