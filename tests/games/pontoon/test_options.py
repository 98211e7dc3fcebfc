"""Options of Pontoon tables: what goes together, and what each of them does.  pontoon 3."""

from __future__ import annotations

import pytest

from engine.actions import OpenTable
from engine.errors import Refused
from engine.events import TableOpened
from engine.games.pontoon import actions as a
from engine.kernel import HOST, PositionError
from engine.script import ScriptedShuffler
from tests.games.pontoon.tables import GAME, Play, placed

WRONG = [
    {"whist": "1"},
    {"shoot": "maybe"},
    {"min_bet": "0"},
    {"min_bet": "-1"},
    {"min_bet": "101"},
    {"max_bet": "9"},
    {"max_bet": "9223372036854775808"},
    {"max_seats": "1"},
    {"max_seats": "9"},
    {"max_seats": "4"},
    {"min_players_to_start": "1"},
    {"min_players_to_start": "9"},
    {"min_players_to_continue": "6"},
    {"min_players_to_continue": "1"},
    {"first_banker": "nominated"},
    {"first_banker": "cut", "nominated_seat": "1"},
    {"nominated_seat": "1"},
    {"first_banker": "nominated", "nominated_seat": "8"},
    {"first_banker": "nominated", "nominated_seat": "5", "max_seats": "5"},
    {"stick_min": "14"},
    {"stick_min": "17"},
    {"split_rule": "tens"},
    {"cover_mode": "none"},
    {"bank_sale": "sometimes"},
    {"bank_passes": "never"},
    {"bank_passes": "never", "bank_sale": "off"},
    {"bank_passes": "never", "first_banker": "nominated", "nominated_seat": "0"},
    {"first_to_bet": "8"},
    {"first_to_bet": "5", "max_seats": "5"},
    {"first_to_bet": "-1"},
    {"max_deals": "-1"},
    {"turn_seconds": "4"},
]


@pytest.mark.parametrize("options", WRONG, ids=str)
def test_what_does_not_go_together(options: dict[str, str]) -> None:
    with pytest.raises(Refused) as no:
        GAME.decide(GAME.initial(), HOST, OpenTable(options), ScriptedShuffler())
    assert no.value.reason == "INVALID_OPTIONS"
    assert no.value.detail["option"]


def test_every_option_is_written_down() -> None:
    """An option without effect on a running table is still part of its record (3.1)."""
    (event,), state = GAME.decide(GAME.initial(), HOST, OpenTable(), ScriptedShuffler())
    assert isinstance(event, TableOpened)
    assert dict(event.options)["nominated_seat"] == "none"
    assert [name for name, _ in event.options] == [option.name for option in GAME.OPTIONS]
    assert event.start == ()
    assert state.phase == "WAITING"


def test_there_are_no_start_facts() -> None:
    with pytest.raises(Refused) as no:
        GAME.decide(GAME.initial(), HOST, OpenTable({}, {"bank": "0"}), ScriptedShuffler())
    assert no.value.reason == "BAD_PARAMETER"


def test_a_script_starts_with_a_bank_or_without_any() -> None:
    facts, performed = GAME.script_start({"bank": "2"})
    assert facts == {"first_banker": "nominated", "nominated_seat": "2"}
    assert performed == (a.StartGame(),)
    for entries in ({}, {"dealer": "1"}, {"bank": "1", "dealer": "1"}):
        with pytest.raises(PositionError):
            GAME.script_start(entries)


def test_no_second_opening() -> None:
    assert Play.seated({0: 5}).refused(HOST, OpenTable()) == "WRONG_PHASE"


@pytest.mark.parametrize("pair", ["Ac Ad", "9c 9d", "Kc Kh", "Kc Qd", "9c 9d 2h"])
@pytest.mark.parametrize("rule", ["any_pair", "aces_only"])
def test_which_pairs_may_be_split(pair: str, rule: str) -> None:
    """6.5, A14."""
    play = placed(f"hands 1 1[{pair}]", split_rule=rule)
    is_pair = pair[0] == pair[3] and len(pair) == 5
    offered = "SplitHand" in play.offered(1)
    assert offered == (is_pair and (rule == "any_pair" or pair[0] == "A"))


def test_who_is_nominated_stays_so_for_ever_or_only_at_first() -> None:
    """9.1, 9.8."""
    later = "phase WAITING\ndeal 3\nstacks 0=500 1=500 2=500"
    nominated = {"first_banker": "nominated", "nominated_seat": "1"}
    by_rule = placed(later, "", ["2c As 3c"], **nominated)
    by_rule.do(HOST, a.StartGame())
    assert by_rule.line("banker") == "1"  # the ace was cut there
    again = placed(later, "", ["As 2c 3c"], **nominated)
    again.do(HOST, a.StartGame())
    assert again.line("banker") == "0"
    fixed = placed(later, "", bank_passes="never", bank_sale="off", **nominated)
    fixed.do(HOST, a.StartGame())
    assert fixed.line("banker") == "1"


@pytest.mark.parametrize(
    ("first", "order"),
    [("none", [2, 3, 0]), ("0", [0, 2, 3]), ("1", [2, 3, 0]), ("3", [3, 0, 2]), ("4", [0, 2, 3])],
)
def test_from_which_seat_on_the_turn_goes_round(first: str, order: list[int]) -> None:
    """5.2; an empty seat and the banker's own are passed over."""
    between = "phase BETWEEN_DEALS\nbanker 1\nstacks 0=500 1=500 2=500 3=500"
    play = placed(between, "", min_players_to_start="2", max_seats="5", first_to_bet=first)
    play.do(1, a.StartDeal())
    punters = [punter.seat for punter in play.state.deal.punters]
    assert punters == order
    assert GAME.to_act(play.state) == (order[0],)
