"""Words of a Pontoon position, one line at a time (pontoon 12.0)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from engine.cards import parse_card
from engine.games.pontoon.state import Cards, Hand
from engine.kernel import PositionError
from engine.options import MAX_AMOUNT

__all__ = ["Label", "Reading"]

T = TypeVar("T")

Label = tuple[int, int]
"""A hand: seat and number."""

_PLAIN: Final = frozenset(
    {
        "phase",
        "deal",
        "players",
        "stacks",
        "out",
        "out_next",
        "leaving",
        "banker",
        "kitty",
        "reshuffle",
        "vacated",
        "auction_used",
        "offers_made",
        "sale",
        "bidders",
        "bid",
        "turn",
        "bank_hand",
        "bets",
        "closed",
        "stock",
    }
)
_NUMBERED: Final = frozenset({"offer", "hands", "bought", "shoot"})
_NOTHING: Final = frozenset({"", "none", "-"})
_TRUTH: Final = {"": False, "no": False, "false": False, "yes": True, "true": True}


class Reading:
    """The lines of a position by key: known keys only, each once; without those that say none."""

    def __init__(self, given: Sequence[tuple[str, str]], seats: int) -> None:
        self._seats = seats
        self._found: dict[str, str] = {}
        seen: set[str] = set()
        for key, value in given:
            word, _, number = key.partition(" ")
            if word in _NUMBERED:
                self._check_number(key, word, number)
            elif key not in _PLAIN:
                raise PositionError(f"unknown key {key!r}")
            if key in seen:
                raise PositionError(f"key {key!r} occurs twice")
            seen.add(key)
            if value.strip() not in _NOTHING:
                self._found[key] = value.strip()

    def _check_number(self, key: str, word: str, number: str) -> None:
        if word == "offer":
            self.whole(key, number)
        elif word == "hands":
            self.seat(key, number)
        else:
            self.label(key, number)

    def has(self, *words: str) -> str:
        """The first key of these words that says something, else nothing."""
        return next((key for key in self._found if key.split()[0] in words), "")

    def numbered(self, word: str) -> list[str]:
        """What follows a word in the keys that begin with it."""
        return [key.partition(" ")[2] for key in self._found if key.split()[0] == word]

    def text(self, key: str) -> str:
        """The value of a line, empty if it is left out."""
        return self._found.get(key, "")

    def whole(self, key: str, text: str, high: int = MAX_AMOUNT) -> int:
        """An integer from 0 on."""
        if not re.fullmatch(r"[0-9]{1,19}", text) or int(text) > high:
            raise PositionError(f"{key}: {text!r} is no integer 0 to {high}")
        return int(text)

    def number(self, key: str) -> int:
        """The integer of a line, 0 if it is left out."""
        return self.whole(key, self._found.get(key, "0"))

    def numbers(self, key: str, count: int) -> list[int]:
        """As many integers as a line has; raises ``PositionError`` for another count."""
        words = self.text(key).split()
        if len(words) != count:
            raise PositionError(f"{key}: expected {count} numbers")
        return [self.whole(key, word) for word in words]

    def truth(self, key: str) -> bool:
        """``yes`` or ``no``."""
        text = self.text(key)
        if text not in _TRUTH:
            raise PositionError(f"{key}: expected yes or no")
        return _TRUTH[text]

    def seat(self, key: str, text: str) -> int:
        """A seat of the table."""
        return self.whole(key, text, self._seats - 1)

    def seat_or_none(self, key: str) -> int | None:
        """The seat of a line, None if it is left out."""
        return self.seat(key, self._found[key]) if key in self._found else None

    def seats(self, key: str) -> tuple[int, ...]:
        """Seats, each once."""
        found = tuple(self.seat(key, word) for word in self.text(key).split())
        if len(set(found)) != len(found):
            raise PositionError(f"{key}: a seat is named twice")
        return found

    def label(self, key: str, text: str) -> Label:
        """``P.h``."""
        seat, dot, number = text.partition(".")
        if not dot:
            raise PositionError(f"{key}: {text!r} is not seat.hand")
        return self.seat(key, seat), self.whole(key, number, 4)

    def labels(self, key: str) -> frozenset[Label]:
        """Hands, each once."""
        words = self.text(key).split()
        found = frozenset(self.label(key, word) for word in words)
        if len(found) != len(words):
            raise PositionError(f"{key}: a hand is named twice")
        return found

    def by_seat(self, key: str, read: Callable[[str], T]) -> dict[int, T]:
        """``P=value`` pairs."""
        found: dict[int, T] = {}
        for word in self.text(key).split():
            name, equals, value = word.partition("=")
            seat = self.seat(key, name)
            if not equals or not value or seat in found:
                raise PositionError(f"{key}: {word!r} is not seat=value, each seat once")
            found[seat] = read(value)
        return found

    def amounts(self, key: str) -> dict[int, int]:
        """``P=number`` pairs."""
        return self.by_seat(key, lambda text: self.whole(key, text))

    def by_label(self, word: str) -> dict[Label, tuple[int, ...]]:
        """The lines ``word P.h``: amounts of hands."""
        found: dict[Label, tuple[int, ...]] = {}
        for number in self.numbered(word):
            key = f"{word} {number}"
            amounts = tuple(self.whole(key, text) for text in self.text(key).split())
            found[self.label(key, number)] = amounts
        return found

    def cards(self, key: str) -> Cards:
        """Cards, as they stand."""
        return self._cards(key, self.text(key))

    def _cards(self, key: str, text: str) -> Cards:
        try:
            return tuple(parse_card(name) for name in text.split())
        except ValueError as error:
            raise PositionError(f"{key}: {error}") from None

    def hands(self, seat: str) -> tuple[Hand, ...]:
        """``h[card …] h[…] …``: the hands of a punter in play order; ``h[]`` has bust."""
        key = f"hands {seat}"
        text = self.text(key)
        if not re.fullmatch(r"(\s*[1-4]\s*\[[^][]*\])+\s*", text):
            raise PositionError(f"{key}: expected hands such as 1[8c Kc] 2[8d]")
        found: list[Hand] = []
        for number, inside in re.findall(r"([1-4])\s*\[([^][]*)\]", text):
            cards = self._cards(key, inside)
            found.append(Hand(int(number), cards, bust=not cards))
        return tuple(found)
