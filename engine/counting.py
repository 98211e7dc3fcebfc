"""Counting what lies on a table: nothing is lost, and nothing comes from nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from engine.kernel import AnyGame, View

__all__ = ["cards_lying", "chips_lying"]


def cards_lying(game: AnyGame, seen: View) -> list[int]:
    """The faces in all zones of a view; that of AUDITOR shows every card."""
    return [card for zone in game.CARD_ZONES for card in _faces(_zone(seen, zone))]


def chips_lying(game: AnyGame, state: Any, seen: View) -> int:
    """All chips of a table, on stacks and elsewhere."""
    stacks = sum(chips for _, chips in game.players(state).values())
    return stacks + sum(int(getattr(seen, zone)) for zone in game.CHIP_ZONES)


def _zone(value: object, path: str) -> object:
    """What a field holds; behind a dot, that field of each item of a list."""
    name, _, rest = path.partition(".")
    found: Any = getattr(value, name)
    return tuple(_zone(item, rest) for item in found) if rest else found


def _faces(value: Any) -> Iterator[int]:
    if isinstance(value, tuple):
        for item in cast("tuple[object, ...]", value):
            yield from _faces(item)
    elif value:
        yield value
