"""What the odds of all games share: which cards are left, and how long work tells of itself.

Odds are exact and never guess: they count what is still possible, or they refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from engine.cards import PACK, Card, card_name
from engine.errors import Malformed

__all__ = ["Progress", "require_within", "unseen"]

Progress: TypeAlias = Callable[[float], None]
"""Told again and again which share of the work is done, 0…1.  An exception of it ends the work."""


def unseen(*places: tuple[str, Iterable[Card]]) -> tuple[Card, ...]:
    """The cards of the pack that none of the given places holds, in canonical order.

    A place is its name and its cards.  Raises ``Malformed`` for a number that is no card, and for
    a card in two places, or twice in one.

    >>> len(unseen(("hand", (1, 2)), ("gone", (3,))))
    49
    """
    where: dict[Card, str] = {}
    for name, cards in places:
        for card in cards:
            if card not in PACK:
                raise Malformed(name, f"{card} is no card: expected 1 to 52")
            if card in where:
                other = "twice in it" if where[card] == name else f"in {where[card]} too"
                raise Malformed(name, f"{card_name(card)} is {other}")
            where[card] = name
    return tuple(card for card in PACK if card not in where)


def require_within(field: str, work: int, most: int, what: str) -> None:
    """Raises ``Malformed`` before work of more than ``most`` steps is begun."""
    if work > most:
        raise Malformed(field, f"this takes {work:,} {what}; at most {most:,} are worked out")
