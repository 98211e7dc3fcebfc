"""Values of any dataclass that has a wire form, drawn field by field."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.fields import FieldInfo, FieldKind, describe
from engine.visibility import EVERYONE, SERVER, Private, seats_only

EXAMPLES = [6, pytest.param(50, marks=pytest.mark.long)]
"""Values of each class, at all times and in ``make test-all``."""

CARDS = st.integers(1, 52)
SMALL = st.integers(-(2**31), 2**31 - 1)
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=20)
WHOLE = {"owed"}
"""Sums that are never negative: twice the chips of a table need 64 bits without a sign."""
AUDIENCES = st.sampled_from([SERVER, EVERYONE, seats_only(0), seats_only(1, 3)])


def _plain(info: FieldInfo) -> st.SearchStrategy[Any]:
    match info.kind:
        case FieldKind.INT:
            return st.integers(0, 2**64 - 2) if info.name in WHOLE else SMALL
        case FieldKind.BOOL:
            return st.booleans()
        case FieldKind.TEXT:
            return TEXT
        case FieldKind.BYTES:
            return st.binary(max_size=40)
        case FieldKind.WORD:
            assert info.item is not None
            return st.sampled_from(list(info.item))
        case FieldKind.WORDS:
            assert info.item is not None
            words = [*info.item, None] if info.gaps else list(info.item)
            return st.lists(st.sampled_from(words), max_size=4).map(tuple)
        case FieldKind.CARD:
            return CARDS
        case FieldKind.INTS:
            return st.lists(SMALL, max_size=6).map(tuple)
        case FieldKind.TEXTS:
            return st.lists(TEXT, max_size=6).map(tuple)
        case FieldKind.CARDS:
            return st.lists(CARDS, max_size=6).map(tuple)
        case FieldKind.GROUPS:
            return st.lists(st.lists(CARDS, max_size=4).map(tuple), max_size=4).map(tuple)
        case FieldKind.VALUE:
            return st.tuples(st.integers(0, 8), *[st.integers(0, 14)] * 5)
        case FieldKind.RECORD:
            assert info.item is not None
            return values_of(info.item)
        case FieldKind.RECORDS:
            assert info.item is not None
            return st.lists(values_of(info.item), max_size=3).map(tuple)
        case FieldKind.PAIRS:
            return st.lists(st.tuples(st.integers(0, 9), SMALL), max_size=4).map(tuple)
        case FieldKind.OPTIONS:
            return st.lists(st.tuples(TEXT, TEXT), max_size=4).map(tuple)
        case FieldKind.MAP:
            return st.dictionaries(TEXT, TEXT, max_size=4)
        case _:
            raise NotImplementedError(info.kind)


def _in_part(cards: list[int]) -> Private[tuple[int, ...]]:
    """Cards of one seat of which everybody has seen the first."""
    return Private(tuple(cards), seats_only(2), public=(cards[0], *(0 for _ in cards[1:])))


@cache  # hypothesis looks a strategy over once, if it is the same one again
def values_of(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Any value of a class of events, actions or views."""
    drawn: dict[str, st.SearchStrategy[Any]] = {}
    for info in describe(kind):
        strategy = _plain(info)
        if info.optional:
            listed = info.kind in {FieldKind.CARDS, FieldKind.INTS}
            strategy = strategy if listed else st.none() | strategy
        if info.private:
            whole = st.builds(Private, strategy, AUDIENCES, st.just(True), st.none())
            in_part = st.lists(CARDS, min_size=1, max_size=6).map(_in_part)
            strategy = whole | in_part if info.kind is FieldKind.CARDS else whole
        drawn[info.name] = strategy
    return st.builds(kind, **drawn)


def holds(law: Callable[[Any], None], kind: type[Any], examples: int) -> None:
    """A law for so many values of a class."""
    settings(max_examples=examples, deadline=None)(given(values_of(kind))(law))()
