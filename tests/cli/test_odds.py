"""``kartejo odds``, as it is typed."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.games.royal_flush.options import read_options
from service.cli.app import app
from service.cli.failures import tell
from service.cli.flush_chances import Simulation, standard_errors

NAMED = ("-o", "target_mode=named_cards", "-o")
SMALL = (*NAMED, "named_cards=2c,3c,4c")


def odds(*words: str) -> str:
    """What is printed by a command that succeeds."""
    result = CliRunner().invoke(app, ["odds", *words])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def json_of(*words: str) -> Any:
    return json.loads(odds(*words, "--json"))


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The line of a command that fails."""
    result = CliRunner().invoke(app, ["odds", *words])
    assert result.exit_code != 0, result.output
    if isinstance(result.exception, Exception):
        tell(result.exception)
        return capsys.readouterr().err
    return result.output


def test_royal_flush_is_told_as_a_fraction_and_a_decimal() -> None:
    assert odds("royal_flush", *SMALL).splitlines() == [
        "exact      21633 / 22100",
        "decimal    0.9788687783",
    ]


def test_a_simulation_is_compared_and_repeats_itself() -> None:
    """Whatever the number of threads: the same seed, the same deals."""
    words = ("royal_flush", *SMALL, "--simulate", "40000")
    one, two = (json_of(*words, "--jobs", jobs)["simulated"] for jobs in ("1", "3"))
    assert one == two
    assert abs(one["standard_errors"]) < 4
    assert one["seed"] == "kartejo"
    other = json_of(*words, "--seed", "another")["simulated"]
    assert other["won"] != one["won"]
    assert "of 40,000 deals of the seed 'x y'" in odds(*words, "--seed", "x y")


def test_deals_of_several_runs_are_those_of_one() -> None:
    """Deals have numbers: what was played before is not played again."""
    options = [read_options({"target_mode": "named_cards", "named_cards": "2c,3c,4c"})[0]]
    (whole,) = Simulation(40_000, "x", 1).play(options)
    (first,) = Simulation(17_001, "x", 2).play(options)
    (rest,) = Simulation(40_000 - 17_001, "x", 2, first=17_001).play(options)
    assert first + rest == whole
    assert Simulation(0, "x", 2, first=40_000).play(options) == [0]


def test_standard_errors_of_what_is_certain() -> None:
    """A game that is always won and was lost once is infinitely far off."""
    assert standard_errors(Fraction(1), 5, 5) == 0
    assert standard_errors(Fraction(1), 4, 5) == float("-inf")


def test_a_battle_has_three_ends() -> None:
    words = ("palace_poker", "Kc", "9d", "--palace", "2c,7h,7s", "--gone", "Qs Qh")
    found = json_of(*words)
    assert found["won"] + found["tied"] + found["lost"] == found["all"] == 14_190
    lines = odds(*words).splitlines()
    assert [line.split()[0] for line in lines] == ["win", "tie", "lose"]


def test_the_next_card_of_a_hand() -> None:
    found = json_of("pontoon", "Kc,4d")
    assert (found["now"], found["left"]) == (14, 50)
    assert found["bust"]["numerator"] + "/" + found["bust"]["denominator"] == "23/50"
    assert sum(found["after"].values()) == 50
    assert "five-card trick" in odds("pontoon", "2c 3c 4c 5c")


def test_the_banker_is_told_what_wins_more() -> None:
    words = ("pontoon", "9c,6d", "--punter", "??,??=10")
    found = json_of(*words)
    assert found["stay"]["decimal"] < found["draw"]["decimal"] < 0
    assert odds(*words).splitlines()[-1] == "drawing wins more"
    declared = json_of("pontoon", "9c,6d", "--punter", "Ac,??=10:pontoon", "--punter", "Kc,9d=5")
    assert declared["stay"]["decimal"] == -25


def test_cards_that_were_not_seen_are_counted() -> None:
    found = json_of("royal_casino", "--hand", "5c,9d,Ts,Ah", "--table", "2c,Jd,Js,6h")
    assert found["cards"] == 44
    assert found["values"]["2"] == 3
    assert found["spades"] == 11
    assert "big_casino" in found["scoring"]
    assert "ace_h" not in found["scoring"]
    assert odds("royal_casino").startswith("52 cards were not seen")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("royal_flush -o target_mode=none", "INVALID_OPTIONS"),
        ("royal_flush -o target_mode", "an option is NAME=VALUE"),
        ("royal_flush --markdown", "goes with --all"),
        ("royal_flush --all -o target_mode=royal_flush", "goes alone"),
        ("royal_flush --simulate -1", "simulate"),
        ("palace_poker Kc Kc", "theirs.banner"),
        ("palace_poker Kc 9c", "banners of one suit"),
        ("palace_poker Kc,Qc 9c", "expected one card"),
        ("palace_poker 10c 9c", "no card is called"),
        ("palace_poker Kc 9d --soldiers Kc", "Kc is in ours.banner too"),
        ("palace_poker Kc 9d --soldiers 2c,3c,4c,5c,6c,7c", "at most 5"),
        ("pontoon Ac,Kd", "takes no more cards"),
        ("pontoon 9c,6d --punter ??,??", "a punter is CARDS=STAKE"),
        ("pontoon 9c,6d --punter ??,??=ten", "a punter is CARDS=STAKE"),
        ("pontoon 9c,6d --punter ??,??=5:best", "a punter is CARDS=STAKE"),
        (f"pontoon 9c,6d --punter ??,??={10**20}", "a punter is CARDS=STAKE"),
        (f"pontoon 9c,6d --punter ??,??={10**19 - 1}", "expected 1 to 9223372036854775807"),
        ("pontoon 9c,6d" + " --punter ??,??,??,??=5" * 7, "at most 500,000,000 are worked out"),
        ("pontoon 9c,6d --punter ??,??=5 --split", "never split"),
        ("pontoon ??,6d", "no card is called"),
        ("royal_casino --hand 2c --table 2c", "in hand too"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_line(
    words: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told in refused(capsys, *words.split())
