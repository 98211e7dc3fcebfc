"""Playing, listing, replaying and exporting from the command line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.conftest import Commands


class Played(NamedTuple):
    """A table where one hand was played to its end from a terminal."""

    table: str
    shown: str


@pytest.fixture(scope="session")
def played(service: object, request: pytest.FixtureRequest) -> Played:
    kartejo = Commands(Path(service.told["data"]))  # type: ignore[attr-defined]
    typed = "\n\n2 step\nauto_play scope=round\n?\nauto_play game\nq\n"
    told = kartejo("play", "royal_flush", "-o", "turn_seconds=600", typed=typed).ok().out
    found = re.search(r"table (\S+), seat 0", told)
    assert found is not None
    return Played(found[1], told)


def test_a_person_plays_a_whole_game(played: Played) -> None:
    """Offers are numbered, Enter takes the first; a choice may be typed in full."""
    assert "1  deal_piles\n" in played.shown
    assert "2  auto_play scope=step|round|game\n" in played.shown
    assert "game over" in played.shown
    assert f"Go on: kartejo play --table {played.table}" in played.shown


def test_what_is_not_on_offer_is_said_and_asked_again(kartejo: Commands) -> None:
    typed = "\nsing\n9\nsearch_pile\nauto_play\nauto_play loudly\nauto_play scope=step x=1\n1\nq\n"
    told = kartejo("play", "royal_flush", typed=typed).ok().out
    for why in (
        "no: sing is not on offer",
        "no: there are offers 1 to 3",
        "no: search_pile is not on offer",
        "no: say scope=step|round|game",
        "no: that is no value this action takes (BAD_PARAMETER",
        "no: auto_play has no parameter 'x'",
    ):
        assert why in told
    assert "pile 1 is to be searched" in told


def test_play_goes_on_where_the_table_stands(kartejo: Commands, played: Played) -> None:
    """The end of input leaves the program, not the table."""
    told = kartejo("play", "--table", played.table, typed="\n").ok().out
    assert "Game 2" in told
    again = kartejo("play", "--table", played.table).ok().out
    assert "Game 2" in again


def test_the_catalogue_and_the_options_of_a_game(kartejo: Commands) -> None:
    assert "royal_flush" in kartejo("play").ok().out
    options = kartejo("play", "royal_flush", "--options").ok().out
    assert re.search(r"turn_seconds +30 +an integer 5 to 600 +seconds for a decision", options)


def test_options_are_refused_by_the_rules(kartejo: Commands) -> None:
    reason, told = kartejo.fails("play", "royal_flush", "-o", "target_mode=three")
    assert reason == "INVALID_OPTIONS"
    assert "option=target_mode" in told
    assert kartejo.fails("play", "whist")[0] == "NOT_FOUND"
    assert kartejo.fails("play", "royal_flush", "-o", "turn_seconds")[0] == "BAD_OPTION"


def test_tables_are_listed(kartejo: Commands, played: Played) -> None:
    [found] = [t for t in kartejo.tables() if t["table"] == played.table]
    assert played.table in kartejo("tables").ok().out
    assert found["game"] == "royal_flush"
    assert found["seats"]["0"]["chips"] == 1000
    assert len(kartejo("tables", "--most", "1", "--json").ok().json) == 1
    assert kartejo.fails("tables", "--game", "whist")[0] == "NOT_FOUND"


def test_hands_are_listed(kartejo: Commands, played: Played) -> None:
    first = kartejo("replay", played.table, "--json").ok().json[0]
    assert first["hand"] == 1
    assert re.match(r"hand +1 +20..-..-..T", kartejo("replay", played.table).ok().out)


def test_a_hand_is_replayed_step_by_step(kartejo: Commands, played: Played) -> None:
    """The drawing of each step is the one that its player saw."""
    told = kartejo("replay", played.table, "1").ok().out
    assert told.startswith("Step 1 of 5 · the host: start_game\n")
    assert "Step 5 of 5 · seat 0: auto_play\n" in told
    first_pile = re.search(r"pile 2 is to be searched\n(?:.*\n)+?(?=\n)", told)
    assert first_pile is not None
    assert first_pile[0] in played.shown


def test_a_replay_as_json_holds_events_and_positions(kartejo: Commands, played: Played) -> None:
    steps = kartejo("replay", played.table, "1", "--json").ok().json
    assert [step["action"] for step in steps] == [
        "start_game",
        "deal_piles",
        "auto_play",
        "auto_play",
        "auto_play",
    ]
    versions = [step["version"] for step in steps]
    assert versions == sorted(set(versions))
    assert steps[1]["events"] == ["PilesDealt round=1 sizes=11,11,10,10,10"]
    assert steps[1]["state"][0] == "phase SEARCH"


def test_eyes_that_see_more_and_less(kartejo: Commands, played: Played) -> None:
    """The player's own eyes see no pile that was not searched; an auditor's see all."""
    dealt = {
        viewer: kartejo("replay", played.table, "1", "--as", viewer, "--json").ok().json[1]
        for viewer in ("self", "seat 0", "observer", "auditor")
    }
    assert "pile 5 " + " ".join(["??"] * 10) in dealt["self"]["state"]
    assert dealt["self"]["state"] == dealt["observer"]["state"] == dealt["seat 0"]["state"]
    assert not any("??" in line for line in dealt["auditor"]["state"])


def test_what_cannot_be_replayed(kartejo: Commands, played: Played) -> None:
    assert kartejo.fails("replay", "no-table")[0] == "NOT_FOUND"
    assert kartejo.fails("replay", played.table, "99")[0] == "NOT_FOUND"
    assert kartejo("replay", played.table, "1", "--as", "god").code == 2


def test_a_recorded_hand_is_exported_and_reproduces(
    kartejo: Commands, played: Played, tmp_path: Path
) -> None:
    """As auditor, and as the player himself, to whom the game showed the deck at the end."""
    file = tmp_path / "hand.hand"
    text = kartejo("script", "export", played.table, "1").ok().out
    kartejo("script", "export", played.table, "1", "--as", "self", "-o", str(file)).ok()
    assert file.read_text(encoding="utf-8") == text
    assert "0: auto_play scope=game\n" in text
    told = kartejo("script", "run", str(file)).ok().out
    assert told == "1 script in 1 file: every line holds\n"
    assert kartejo("script", "run", "--service", str(file)).ok().out == told


def test_a_running_hand_is_not_exported(kartejo: Commands) -> None:
    """Its shuffle is nobody's to know, not even an auditor's."""
    told = kartejo("play", "royal_flush", typed="\n\nq\n").ok().out
    table = re.search(r"table (\S+), seat 0", told)
    assert table is not None
    for viewer in ("self", "auditor"):
        reason, _ = kartejo.fails("script", "export", table[1], "1", "--as", viewer)
        assert reason == "NOT_EXPORTABLE"
