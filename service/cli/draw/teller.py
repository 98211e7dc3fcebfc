"""Sentences about seats and cards, for whoever hears them."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from engine.cards import Card
from service.cli.draw.cards import Faces
from service.cli.words import seat_name

__all__ = ["Teller"]


class Teller:
    """Tells events to whoever sits at ``me``."""

    def __init__(self, faces: Faces, me: int | None) -> None:
        self._faces = faces
        self.me = me

    def name(self, seat: int) -> str:
        """Somebody at the beginning of a sentence."""
        return seat_name(seat, self.me)

    def whom(self, seat: int) -> str:
        """Somebody within a sentence."""
        return seat_name(seat, self.me, object=True)

    def does(self, seat: int, verb: str, others: str = "") -> str:
        """Name and verb: You buy, Seat 2 buys."""
        told = verb if seat == self.me else others or f"{verb}s"
        return f"{self.name(seat)} {told}"

    def whose(self, seat: int, thing: str) -> str:
        """Somebody's thing, at the beginning of a sentence: Your bank, Seat 2's bank."""
        return f"Your {thing}" if seat == self.me else f"{self.name(seat)}'s {thing}"

    def cards(self, cards: Iterable[Card]) -> Text:
        """Cards in a row."""
        return self._faces.cards(cards)

    def line(self, *parts: str | Text) -> Text:
        """A sentence of words and cards."""
        told = Text()
        for part in parts:
            told = told.append_text(part) if isinstance(part, Text) else told.append(part)
        return told
