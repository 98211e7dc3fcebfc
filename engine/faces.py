"""Which cards an event shows, read from the annotations of its fields."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from engine.fields import FieldInfo, FieldKind, describe

__all__ = ["faces"]


@cache
def _with_cards(kind: Any) -> tuple[FieldInfo, ...]:
    """The fields of a class that hold cards, themselves or in records."""
    return tuple(field for field in describe(kind) if _holds_cards(field))


def _holds_cards(field: FieldInfo) -> bool:
    if field.kind in {FieldKind.RECORD, FieldKind.RECORDS}:
        item: Any = field.item
        return bool(_with_cards(item))
    return field.kind in {FieldKind.CARD, FieldKind.CARDS, FieldKind.GROUPS}


def faces(value: object) -> frozenset[int]:
    """The cards that an event names, as far as it was not redacted.

    >>> from engine.events import DeckShuffled
    >>> from engine.visibility import OBSERVER, SERVER, Private, redact
    >>> shuffled = DeckShuffled("GAME", Private((7, 9), SERVER))
    >>> sorted(faces(shuffled)), sorted(faces(redact(shuffled, OBSERVER)))
    ([7, 9], [])
    """
    return frozenset(card for card in _cards(value) if card)


def _cards(value: object) -> Iterable[int]:
    kind: Any = type(value)
    for field in _with_cards(kind):
        held: Any = getattr(value, field.name)
        if field.private:
            held = held.value
        if held is None:
            continue
        match field.kind:
            case FieldKind.CARD:
                yield held
            case FieldKind.CARDS:
                yield from held
            case FieldKind.GROUPS:
                for group in held:
                    yield from group
            case FieldKind.RECORD:
                yield from _cards(held)
            case _:
                for record in held:
                    yield from _cards(record)
