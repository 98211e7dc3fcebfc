"""Cards on a terminal: rank and suit, red suits in red, backs for faces that are not shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from rich.text import Text

from engine.cards import HIDDEN, RANKS, SUITS, Card, rank_of, suit_of

__all__ = ["Faces"]

_SYMBOLS: Final = "♣♦♥♠"
_STYLES: Final = ("bold", "bold red", "bold red", "bold")


class Faces(NamedTuple):
    """How faces are written: with ``symbols``, or in letters where the output knows no others."""

    symbols: bool = True

    @classmethod
    def for_encoding(cls, encoding: str) -> Faces:
        """The faces that an output of this encoding can show."""
        try:
            (_SYMBOLS + "▒").encode(encoding)
        except (UnicodeEncodeError, LookupError):
            return cls(symbols=False)
        return cls()

    def suit(self, suit: int) -> Text:
        """A suit's sign."""
        return Text((_SYMBOLS if self.symbols else SUITS)[suit], _STYLES[suit])

    def card(self, card: Card) -> Text:
        """A card, two columns wide, three for a ten.

        >>> Faces().card(52).plain, Faces(symbols=False).card(22).plain, Faces().card(0).plain
        ('A♠', '10d', '▒▒')
        """
        if card == HIDDEN:
            return Text("▒▒" if self.symbols else "##", "blue")
        rank = RANKS[rank_of(card)].replace("T", "10")
        return Text(rank, _STYLES[suit_of(card)]).append_text(self.suit(suit_of(card)))

    def cards(self, cards: Iterable[Card]) -> Text:
        """Cards in a row."""
        return Text(" ").join(self.card(card) for card in cards)
