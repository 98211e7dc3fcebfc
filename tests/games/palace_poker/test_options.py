"""Options and start facts.  palace_poker 3, 6.16.1."""

from __future__ import annotations

import pytest

from engine.actions import OpenTable
from engine.errors import Refused
from engine.events import TableOpened
from engine.games.palace_poker.options import OPTIONS, read_options
from engine.kernel import HOST
from engine.script import export
from engine.script.stage import ScriptedShuffler
from tests.games.palace_poker.tables import GAME, Play


def test_defaults_follow_the_small_bet() -> None:
    """3.1."""
    options, _ = read_options({"small_bet": "25"})
    assert (options.big_bet, options.ante) == (50, 12)
    options, _ = read_options({"small_bet": "1"})
    assert (options.big_bet, options.ante) == (2, 0)
    options, _ = read_options({})
    assert (options.small_bet, options.big_bet, options.ante) == (10, 20, 5)
    assert options.soldierless_step == 10
    assert read_options({"soldierless_raise": "twice_small_bet"})[0].soldierless_step == 20


@pytest.mark.parametrize(
    "given",
    [
        {"small_bet": "0"},
        {"small_bet": "1000001"},
        {"big_bet": "9"},
        {"big_bet": "1001"},
        {"small_bet": "30", "big_bet": "20"},
        {"ante": "11"},
        {"ante": "-1"},
        {"big_bet": "none"},
        {"ante": "none"},
        {"betting_structure": "pot_limit"},
        {"soldierless_raise": "big_bet"},
        {"max_raises": "0"},
        {"max_raises": "101"},
        {"final_two": "never"},
        {"ace_low_straight": "maybe"},
        {"max_turns": "3"},
        {"max_turns": "100001"},
        {"battle_reveal": "nobody"},
        {"max_seats": "1"},
        {"max_seats": "11"},
        {"turn_seconds": "4"},
        {"time_bank_seconds": "601"},
        {"jokers": "2"},
    ],
)
def test_what_is_out_of_range_is_refused(given: dict[str, str]) -> None:
    """3.2."""
    with pytest.raises(Refused) as no:
        read_options(given)
    assert no.value.reason == "INVALID_OPTIONS"


def test_the_ends_of_all_ranges_are_accepted() -> None:
    """3.2: no combination of values in range is invalid."""
    low = {o.name: str(o.low) for o in OPTIONS if o.kind == "int"} | {"big_bet": "1", "ante": "0"}
    high = {o.name: str(o.high) for o in OPTIONS if o.kind == "int"}
    for given in (low, high):
        options, texts = read_options(given)
        assert dict(texts).items() >= given.items()
        assert read_options(dict(texts)) == (options, texts)


def test_the_event_tells_every_option_with_its_value() -> None:
    """6.14: what is not given is told too, so that no default can move under a recording."""
    play = Play.seated({}, small_bet="25")
    (opened,) = play.events
    assert isinstance(opened, TableOpened)
    assert [name for name, _ in opened.options] == [option.name for option in OPTIONS]
    assert dict(opened.options)["ante"] == "12"
    assert opened.start == (("dealer", "none"),)


@pytest.mark.parametrize("start", [{"dealer": "4"}, {"dealer": "-1"}, {"dealer": "x"}, {"a": "0"}])
def test_a_first_dealer_who_is_no_seat(start: dict[str, str]) -> None:
    """6.16.1."""
    play = Play()
    assert play.refused(HOST, OpenTable({"max_seats": "4"}, start)) == "BAD_PARAMETER"
    assert play.refused(HOST, OpenTable({"ante": "99"}, start)) == "INVALID_OPTIONS"
    play.do(HOST, OpenTable({"max_seats": "4"}, {"dealer": "3"}))
    assert play.refused(HOST, OpenTable({"ante": "99"}, start)) == "WRONG_PHASE"
    assert play.seen().dealer == 2


def test_an_exported_position_names_options_that_follow_others() -> None:
    """A big bet of 20 is the default beside a small bet of 10 only."""
    options = {"small_bet": "5", "big_bet": "20"}
    events, state = GAME.decide(GAME.initial(), HOST, OpenTable(options, {}), ScriptedShuffler())
    (opened,) = events
    assert isinstance(opened, TableOpened)
    text = export(GAME, [], before=state, options=opened.options)
    assert "big_bet=20" in text
