"""Options as text.  hand_script 2.7; rules C5, C9."""

from __future__ import annotations

import pytest

from engine.errors import Refused
from engine.house_options import HOUSE_OPTIONS, read_house_options
from engine.options import (
    CLOCK_OPTIONS,
    MAX_AMOUNT,
    Kind,
    Option,
    Value,
    parse_options,
    parse_value,
    text_of,
)

INT = Option("n", Kind.INT, 3, "a number", low=-5, high=10)
FLAG = Option("flag", Kind.BOOL, False, "a switch")
WORD = Option("word", Kind.WORD, "red", "a word", words=("red", "blue"))
SUIT = Option("suit", Kind.SUIT, None, "a suit", nullable=True)
RANK = Option("rank", Kind.RANK, None, "a rank", nullable=True)
CARDS = Option("cards", Kind.CARDS, None, "cards", low=2, high=3, nullable=True)
ALL = (INT, FLAG, WORD, SUIT, RANK, CARDS)


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (INT, "-5", -5),
        (INT, "10", 10),
        (INT, "0", 0),
        (FLAG, "true", True),
        (FLAG, "yes", True),
        (FLAG, "false", False),
        (FLAG, "no", False),
        (WORD, "blue", "blue"),
        (SUIT, "h", "h"),
        (SUIT, "none", None),
        (SUIT, "-", None),
        (RANK, "T", "T"),
        (CARDS, "As,2c", (1, 52)),
        (CARDS, "none", None),
    ],
)
def test_values_are_read(option: Option, text: str, value: Value) -> None:
    assert parse_value(option, text) == value
    assert type(parse_value(option, text)) is type(value)


@pytest.mark.parametrize(
    ("option", "text"),
    [
        (INT, "-6"),
        (INT, "11"),
        (INT, ""),
        (INT, "-"),
        (INT, "--1"),
        (INT, "+1"),
        (INT, " 1"),
        (INT, "1.0"),
        (INT, "0x1"),
        (INT, "1_0"),
        (INT, "٣"),
        (INT, "none"),
        (INT, "0" * 21),
        (FLAG, "True"),
        (FLAG, "1"),
        (FLAG, ""),
        (WORD, "green"),
        (WORD, "RED"),
        (WORD, ""),
        (SUIT, "x"),
        (SUIT, "cd"),
        (SUIT, ""),
        (RANK, "10"),
        (RANK, "t"),
        (RANK, ""),
        (CARDS, "As"),
        (CARDS, "As,As"),
        (CARDS, "As,2c,3c,4c"),
        (CARDS, "As 2c"),
        (CARDS, "As,,2c"),
        (CARDS, ""),
    ],
)
def test_other_texts_are_refused_by_the_name_of_their_option(option: Option, text: str) -> None:
    with pytest.raises(Refused) as no:
        parse_options(ALL, {option.name: text})
    assert no.value.reason == "INVALID_OPTIONS"
    assert no.value.detail == {"option": option.name, "expected": option.expected}


def test_all_options_come_back_in_their_order_and_read_back_the_same() -> None:
    given = {"cards": "As,2c", "flag": "yes", "n": "-1"}
    values, texts = parse_options(ALL, given)
    assert texts == (
        ("n", "-1"),
        ("flag", "true"),
        ("word", "red"),
        ("suit", "none"),
        ("rank", "none"),
        ("cards", "2c,As"),
    )
    assert parse_options(ALL, dict(texts)) == (values, texts)


def test_an_unknown_option_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(Refused, match="flag") as no:
        parse_options(ALL, {"colour": "red"})
    assert no.value.detail["option"] == "colour"
    with pytest.raises(Refused, match="no options"):
        parse_options((), {"colour": "red"})


def test_an_unknown_option_comes_before_a_bad_value() -> None:
    """The answer does not depend on the order in which a map is read."""
    for given in ({"n": "x", "colour": "red"}, {"colour": "red", "n": "x"}):
        with pytest.raises(Refused) as no:
            parse_options(ALL, given)
        assert no.value.detail["option"] == "colour"


@pytest.mark.parametrize("option", [*ALL, *CLOCK_OPTIONS, *HOUSE_OPTIONS])
def test_defaults_read_back_and_say_what_is_expected(option: Option) -> None:
    assert parse_value(option, text_of(option.default)) == option.default
    assert option.expected


def test_the_clock_has_the_lengths_of_the_common_rules() -> None:
    """C9."""
    turn, bank = CLOCK_OPTIONS
    assert (turn.low, turn.high, turn.default) == (5, 600, 30)
    assert (bank.low, bank.high, bank.default) == (0, 600, 60)


def test_house_options_and_the_one_combination_they_refuse() -> None:
    """C12."""
    options, texts = read_house_options({})
    assert dict(texts)["purse"] == "free"
    assert (options.min_buy_in, options.max_buy_in) == (0, MAX_AMOUNT)
    assert read_house_options({"min_buy_in": "5", "max_buy_in": "5"})[0].max_buy_in == 5
    with pytest.raises(Refused) as no:
        read_house_options({"min_buy_in": "6", "max_buy_in": "5"})
    assert no.value.detail["option"] == "min_buy_in"
