"""Cards, groups and the text of events, written from the specification alone (see ``second``)."""

from __future__ import annotations

from itertools import combinations
from typing import Any

__all__ = ["ITEM_CARDS", "PACK", "No", "divided", "high", "low", "place", "text"]

RANKS = "23456789TJQKA"
SUITS = "cdhs"
PACK = [rank + suit for rank in RANKS for suit in SUITS]
ITEM_CARDS = (
    ("BIG_CASINO", "Td", 2),
    ("LITTLE_CASINO", "2s", 1),
    ("ACE_S", "As", 1),
    ("ACE_C", "Ac", 1),
    ("ACE_H", "Ah", 1),
    ("ACE_D", "Ad", 1),
)


class No(Exception):
    """A refusal."""


def place(card: str) -> int:
    return 4 * RANKS.index(card[0]) + SUITS.index(card[1])  # 2.4


def high(card: str) -> int:
    return RANKS.index(card[0]) + 2  # 2.5


def low(card: str) -> int:
    return 1 if card[0] == "A" else high(card)


def worth(group: list[str]) -> int:
    return high(group[0]) if len(group) == 1 else sum(map(low, group))  # 2.6


def divided(cards: list[str], value: int) -> list[list[str]] | None:
    """6.7, by trying the groups that hold the lowest card in their order."""
    cards = sorted(cards, key=place)
    if not cards:
        return []
    rest = cards[1:]
    tried = [[cards[0], *some] for n in range(len(rest) + 1) for some in combinations(rest, n)]
    for group in sorted(tried, key=lambda group: [place(card) for card in group]):
        if worth(group) == value:
            others = divided([card for card in cards if card not in group], value)
            if others is not None:
                return [group, *others]
    return None


def text(value: Any) -> str:
    """As scripts write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or value == []:
        return "-"
    if isinstance(value, list) and isinstance(value[0], list):
        return "".join(f"[{' '.join(map(text, group))}]" for group in value)
    return ",".join(map(text, value)) if isinstance(value, list) else str(value)
