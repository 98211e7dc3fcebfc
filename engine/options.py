"""Options of tables: described as data, read from text, written as text.

Options travel as text (hand_script 2.7: ``true``/``false``, ``none``, lists with commas), so that
one lobby serves every game and an unknown option meets the refusal of the specification, not a
type error of the transport.  The description serves parsing, the catalogue and the documentation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from engine.cards import RANKS, SUITS, card_name, parse_card
from engine.errors import Refused
from engine.events import Pairs

__all__ = [
    "CLOCK_OPTIONS",
    "Kind",
    "Option",
    "Value",
    "parse_options",
    "parse_value",
    "stored_options",
    "text_of",
]

Value = int | bool | str | tuple[int, ...] | None

MAX_AMOUNT: Final = 2**63 - 1
"""No amount of chips, and no sum of the chips of a table, exceeds this (rules C2)."""


class Kind(StrEnum):
    """What an option's value is."""

    INT = "int"
    BOOL = "bool"
    WORD = "word"
    SUIT = "suit"
    RANK = "rank"
    CARDS = "cards"


@dataclass(frozen=True, slots=True)
class Option:
    """One option: ``low``/``high`` bound an int or the length of a list, ``words`` the words.

    A ``default`` of None that is not ``nullable``: the game computes it from other options.
    """

    name: str
    kind: Kind
    default: Value
    meaning: str
    low: int = 0
    high: int = MAX_AMOUNT
    words: tuple[str, ...] = ()
    nullable: bool = False

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        kinds = {
            Kind.INT: f"an integer {self.low} to {self.high}",
            Kind.BOOL: "true or false",
            Kind.WORD: "one of " + ", ".join(self.words),
            Kind.SUIT: "one of c, d, h, s",
            Kind.RANK: "one of " + ", ".join(RANKS),
            Kind.CARDS: f"{self.low} to {self.high} different cards, with commas between them",
        }
        return kinds[self.kind] + (", or none" if self.nullable else "")


CLOCK_OPTIONS: Final = (
    Option("turn_seconds", Kind.INT, 30, "seconds for a decision", low=5, high=600),
    Option("time_bank_seconds", Kind.INT, 60, "reserve of each seat, seconds", low=0, high=600),
)
"""The clock lengths of rules C9: options of every table."""


def _read_int(text: str) -> int:
    if not text.removeprefix("-").isdecimal() or not text.isascii() or len(text) > 20:
        raise ValueError(text)
    return int(text)


def _read_cards(text: str) -> tuple[int, ...]:
    cards = tuple(sorted(parse_card(name) for name in text.split(",")))
    if len(set(cards)) != len(cards):
        raise ValueError("a card is named twice")
    return cards


def parse_value(option: Option, text: str) -> Value:
    """The value of an option from its text; raises ``ValueError`` when it is out of range.

    >>> parse_value(CLOCK_OPTIONS[0], "45")
    45
    """
    if text == "none" or (text == "-" and option.nullable):
        if not option.nullable:
            raise ValueError("none is no value here")
        return None
    match option.kind:
        case Kind.INT:
            number = _read_int(text)
            if not option.low <= number <= option.high:
                raise ValueError("out of range")
            return number
        case Kind.BOOL:
            return {"true": True, "yes": True, "false": False, "no": False}[text]
        case Kind.WORD:
            if text not in option.words:
                raise ValueError("unknown word")
            return text
        case Kind.SUIT:
            if len(text) != 1 or text not in SUITS:
                raise ValueError("no suit")
            return text
        case Kind.RANK:
            if len(text) != 1 or text not in RANKS:
                raise ValueError("no rank")
            return text
        case Kind.CARDS:
            cards = _read_cards(text)
            if not option.low <= len(cards) <= option.high:
                raise ValueError("wrong number of cards")
            return cards


def text_of(value: Value) -> str:
    """The text of a value, as it stands in events and scripts.

    >>> text_of((13, 14)), text_of(None), text_of(True)
    ('Ac,2d', 'none', 'true')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(card_name(card) for card in value)
    return str(value)


def parse_options(
    options: Sequence[Option], given: Mapping[str, str]
) -> tuple[dict[str, Value], Pairs]:
    """All values by name, and all as text in the order of ``options``.

    Raises ``Refused(INVALID_OPTIONS)`` naming the first option that is unknown, of the wrong
    type or out of range.
    """
    known = [option.name for option in options]
    for name in given:
        if name not in known:
            names = ", ".join(known) or "no options"
            raise Refused("INVALID_OPTIONS", option=name, expected=names)
    values: dict[str, Value] = {}
    for option in options:
        values[option.name] = option.default
        if option.name in given:
            try:
                values[option.name] = parse_value(option, given[option.name])
            except (ValueError, KeyError):
                raise Refused(
                    "INVALID_OPTIONS", option=option.name, expected=option.expected
                ) from None
    return values, tuple((name, text_of(value)) for name, value in values.items())


def stored_options(options: Sequence[Option], given: Mapping[str, str]) -> dict[str, Value]:
    """The values of options that stand in a recorded event.

    They were valid when they were written, and facts are believed: bounds and words of today do
    not hold for them, an option that is gone is left out, one that is new has its default.
    """
    values: dict[str, Value] = {}
    for option in options:
        text = given.get(option.name)
        values[option.name] = option.default if text is None else _believe(option, text)
    return values


def _believe(option: Option, text: str) -> Value:
    if text == "none":
        return None
    match option.kind:
        case Kind.INT:
            return int(text)
        case Kind.BOOL:
            return text == "true"
        case Kind.CARDS:
            return _read_cards(text)
        case Kind.WORD | Kind.SUIT | Kind.RANK:
            return text
