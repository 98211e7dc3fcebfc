"""Options and start facts of Palace Poker (palace_poker 3, 6.16.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

from engine.errors import Refused
from engine.events import Pairs
from engine.options import (
    CLOCK_OPTIONS,
    Kind,
    Option,
    Value,
    parse_options,
    parse_value,
    stored_options,
    text_of,
)

__all__ = [
    "OPTIONS",
    "START_FACTS",
    "Options",
    "believed_dealer",
    "believed_options",
    "read_options",
    "read_start",
]

OPTIONS = (
    Option(
        "small_bet",
        Kind.INT,
        10,
        "price of a card and unit of battle prices",
        low=1,
        high=1_000_000,
    ),
    Option(
        "big_bet",
        Kind.INT,
        None,
        "limit raise step, no-limit minimum raise; small_bet to 100 times small_bet, "
        "if not given twice small_bet",
        low=1,
        high=100_000_000,
    ),
    Option(
        "ante",
        Kind.INT,
        None,
        "forced payment before the banner is dealt; 0 to small_bet, "
        "if not given half of small_bet, rounded down",
        low=0,
        high=1_000_000,
    ),
    Option(
        "betting_structure",
        Kind.WORD,
        "limit",
        "sizes of opening bets and raises",
        words=("limit", "no_limit"),
    ),
    Option(
        "soldierless_raise",
        Kind.WORD,
        "small_bet",
        "limit raise step of a player without soldiers",
        words=("small_bet", "twice_small_bet"),
    ),
    Option(
        "max_raises",
        Kind.INT,
        None,
        "raises allowed in one battle, both players together",
        low=1,
        high=100,
        nullable=True,
    ),
    Option(
        "final_two",
        Kind.WORD,
        "after_quiet_round",
        "when the last two must battle",
        words=("after_quiet_round", "immediate", "showdown"),
    ),
    Option("ace_low_straight", Kind.BOOL, True, "A 2 3 4 5 is a straight"),
    Option(
        "max_turns",
        Kind.INT,
        None,
        "turns after which a hand ends as if a quiet round were complete",
        low=4,
        high=100_000,
        nullable=True,
    ),
    Option(
        "battle_reveal",
        Kind.WORD,
        "combatants",
        "who sees palace cards shown in a battle",
        words=("combatants", "all"),
    ),
    Option("max_seats", Kind.INT, 10, "seats at the table", low=2, high=10),
    *CLOCK_OPTIONS,
)

START_FACTS = (
    Option("dealer", Kind.INT, None, "seat that deals the first hand", high=9, nullable=True),
)


class Options(NamedTuple):
    """The options a running table looks at; the clock's are read by the service.

    ``soldierless_step``: chips of a limit raise without soldiers (5.8.6).
    """

    small_bet: int
    big_bet: int
    ante: int
    no_limit: bool
    soldierless_step: int
    max_raises: int | None
    final_two: str
    ace_low: bool
    max_turns: int | None
    reveal_all: bool
    max_seats: int


def _fill_in(values: dict[str, Value]) -> None:
    """The options that follow ``small_bet`` where they are not given (3.1)."""
    small = cast("int", values["small_bet"])
    for name, default in (("big_bet", 2 * small), ("ante", small // 2)):
        if values[name] is None:
            values[name] = default


def _within(values: Mapping[str, Value], name: str, low: int, high: int) -> None:
    """Hold an option to a range that follows ``small_bet`` (3.1)."""
    value = values[name]
    if not isinstance(value, int) or not low <= value <= high:
        raise Refused("INVALID_OPTIONS", option=name, expected=f"an integer {low} to {high}")


def read_options(given: Mapping[str, str]) -> tuple[Options, Pairs]:
    """The options, and their full text for ``TableOpened``.

    Raises ``Refused(INVALID_OPTIONS)`` (3.2).

    >>> options, texts = read_options({"small_bet": "25"})
    >>> options.big_bet, options.ante, texts[1]
    (50, 12, ('big_bet', '50'))
    """
    values, _ = parse_options(OPTIONS, given)
    small = cast("int", values["small_bet"])
    _fill_in(values)
    _within(values, "big_bet", small, 100 * small)
    _within(values, "ante", 0, small)
    return _options(values), tuple((name, text_of(value)) for name, value in values.items())


def believed_options(stored: Mapping[str, str]) -> Options:
    """The options of a recorded table."""
    values = stored_options(OPTIONS, stored)
    _fill_in(values)
    return _options(values)


def believed_dealer(stored: Mapping[str, str]) -> int | None:
    """The seat that a recorded table was opened with as its first dealer."""
    return cast("int | None", stored_options(START_FACTS, stored)["dealer"])


def _options(values: Mapping[str, Value]) -> Options:
    small = cast("int", values["small_bet"])
    twice = values["soldierless_raise"] == "twice_small_bet"
    return Options(
        small_bet=small,
        big_bet=cast("int", values["big_bet"]),
        ante=cast("int", values["ante"]),
        no_limit=values["betting_structure"] == "no_limit",
        soldierless_step=2 * small if twice else small,
        max_raises=cast("int | None", values["max_raises"]),
        final_two=str(values["final_two"]),
        ace_low=bool(values["ace_low_straight"]),
        max_turns=cast("int | None", values["max_turns"]),
        reveal_all=values["battle_reveal"] == "all",
        max_seats=cast("int", values["max_seats"]),
    )


def read_start(given: Mapping[str, str], seats: int) -> tuple[int | None, Pairs]:
    """The seat that is to deal the first hand, if one is named, and the facts' full text.

    Raises ``Refused(BAD_PARAMETER)`` for anything but a seat of the table (6.16.1).
    """
    (fact,) = START_FACTS
    dealer: Value = None
    try:
        if given.keys() - {fact.name}:
            raise ValueError("no such start fact")
        if fact.name in given:
            dealer = parse_value(fact, given[fact.name])
            if dealer is not None and cast("int", dealer) >= seats:
                raise ValueError("no seat of the table")
    except ValueError:
        expected = f"a seat 0 to {seats - 1}"
        raise Refused("BAD_PARAMETER", field=fact.name, expected=expected) from None
    return cast("int | None", dealer), ((fact.name, text_of(dealer)),)
