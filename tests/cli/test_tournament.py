"""``kartejo tournament``: run from a file, looked at, led; what cannot be is told precisely."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from service.cli.failures import CommandError
from service.cli.options import Where
from service.cli.structures import read_structure
from service.cli.tournament_running import Wish, run_tournament
from service.cli.tournament_telling import telling_for
from service.pb import tournament_service_pb2 as pb
from service.pb.tournament_events_pb2 import TournamentStructure
from tests.cli.conftest import SECONDS, Commands
from tests.service.harness import run

SERIES = """
name = "Small patience"
game = "royal_flush"
format = "series"
table_size = 1
buy_in = 10
fee = 1
start_at = 2030-01-01T00:00:00Z

[settings]
games = 1
"""

FIVE = TournamentStructure(max_entrants=5)


@pytest.fixture
def series(tmp_path: Path) -> Path:
    """The file of a tournament that is soon over."""
    path = tmp_path / "series.toml"
    path.write_text(SERIES)
    return path


def eventually(holds: Callable[[], bool]) -> None:
    """Lists follow the log, and tables are closed after the payout."""
    until = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < until


def test_a_demonstration_is_played_to_the_payout(kartejo: Commands) -> None:
    """Bots register, play, are moved and paid over gRPC; then it is listed and shown."""
    lines = kartejo("tournament", "demo", "--bots", "4", "--json").ok().out.splitlines()
    begin, *events, end, verdict = [json.loads(line) for line in lines]
    assert verdict == {"verified": True, "wrong": []}
    versions = [event["version"] for event in events]
    assert versions == sorted(set(versions))
    names = [event["event"] for event in events]
    assert names.count("EntryMade") == 4
    assert names.count("EntryOut") == 4
    assert "MoneyAwarded" in names
    assert end["phase"] == "finished"
    assert [row["place"] for row in end["standings"]] == [1, 2, 3, 4]
    assert sum(row["prize"] for row in end["standings"]) == end["prize_pool"] == 400
    id_ = begin["tournament"]
    eventually(lambda: not kartejo("tournament", "show", id_, "--json").ok().json["tables"])
    shown = kartejo("tournament", "show", id_, "--json").ok().json
    assert shown["standings"] == end["standings"]

    def listed() -> bool:
        rows = kartejo("tournament", "list", "--over", "--json").ok().json
        return [row["entries"] for row in rows if row["tournament"] == id_] == [4]

    eventually(listed)
    # Whoever comes late is told how it ended.
    late = kartejo("tournament", "watch", id_).ok().out
    assert "finished · 4 entered" in late


def test_a_file_is_run_with_bots(kartejo: Commands, series: Path) -> None:
    told = kartejo("tournament", "run", str(series), "--bots", "2").ok().out
    lines = told.splitlines()
    assert lines[0].startswith("Small patience: royal_flush, series, tournament ")
    assert "play begins: 2 have entered" in lines
    assert "finished" in lines
    assert any(line.startswith("finished · 2 entered") for line in lines)


def test_led_by_its_host_and_entered_by_a_player(kartejo: Commands, series: Path) -> None:
    """A run that nobody enters goes on without its command; its host cancels it."""

    async def create() -> str:
        where = Where(None, None, None, kartejo.data)
        async with where.client() as client:
            request = pb.CreateTournamentRequest(request_id="led", structure=read_structure(series))
            answer = await client.call(client.tournaments.CreateTournament, request)
            return answer.tournament.tournament_id

    id_ = run(create())
    eventually(lambda: id_ in kartejo("tournament", "list", "--game", "royal_flush").ok().out)
    kartejo("account", "credit", "tina", "30").ok()
    token = kartejo("token", "tina", "--role", "player").ok().out.strip()
    entered = kartejo("tournament", "enter", id_, KARTEJO_TOKEN=token).ok().out
    assert entered == "entry 0: entered\n"
    reason, _ = kartejo.fails("tournament", "lead", id_, "start", KARTEJO_TOKEN=token)
    assert reason == "PERMISSION_DENIED"
    for asked, refused in (
        (("--add-on",), "UNKNOWN_ACTION"),
        (("--choice", "aces"), "UNKNOWN_ACTION"),
        (("--again",), "STILL_IN"),
        (("--leave", "--again"), "BAD_USAGE"),
    ):
        told = kartejo.fails("tournament", "enter", id_, *asked, KARTEJO_TOKEN=token)
        assert told[0] == refused
    left = kartejo("tournament", "enter", id_, "--leave", KARTEJO_TOKEN=token).ok().out
    assert left == "entry 0: withdrawn\n"
    again = kartejo("tournament", "enter", id_, KARTEJO_TOKEN=token).ok().out
    assert again == "entry 1: entered\n"
    (row,) = json.loads(kartejo("tournament", "show", id_, "--json").ok().out)["standings"]
    why = ("--player", row["player"], "--reason", "two hands")
    assert kartejo("tournament", "lead", id_, "exclude", *why).ok().out.startswith("registering")
    told = kartejo.fails("tournament", "enter", id_, KARTEJO_TOKEN=token)
    assert told[0] == "DISQUALIFIED"
    assert kartejo.fails("tournament", "lead", id_, "exclude")[0] == "BAD_USAGE"
    done = kartejo("tournament", "lead", id_, "cancel", "--reason", "rain").ok().out
    assert done.startswith("cancelled · ")
    assert kartejo.fails("tournament", "lead", id_, "resume")[0] == "NOT_RUNNING"


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        (Wish(FIVE, bots=1), "--bots: expected 2 to 5"),
        (Wish(FIVE, entries=6), "--entries: expected 2 to 5"),
        (Wish(FIVE, bots=6), "--bots: expected at most max_entrants, 5"),
        (Wish(FIVE, bots=6, entries=2), "--bots: expected at most max_entrants, 5"),
    ],
)
def test_what_there_is_no_room_for_is_not_even_asked_for(
    tmp_path: Path, wish: Wish, told: str
) -> None:
    """It would be left to itself, with the money of those who had entered."""
    nowhere = Where(None, None, None, tmp_path)
    with pytest.raises(CommandError, match=told) as caught:
        run(run_tournament(nowhere, wish, telling_for(as_json=True)))
    assert caught.value.reason == "BAD_OPTION"


def test_what_is_not_there(kartejo: Commands, tmp_path: Path) -> None:
    assert kartejo.fails("tournament", "watch", "nothing")[0] == "NOT_FOUND"
    assert kartejo.fails("tournament", "run", str(tmp_path / "none.toml"))[0] == "SYSTEM"
    bad = tmp_path / "bad.toml"
    bad.write_text(SERIES.replace("games = 1", "games = 0"))
    reason, told = kartejo.fails("tournament", "run", str(bad))
    assert reason == "MALFORMED"
    assert "structure.settings.games" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name =", "is no TOML"),
        ("nam = 1", "nam: expected one of name, game"),
        ("name = 1", "name: expected a text"),
        ("stack = true", "stack: expected a whole number"),
        ("stack = '1'", "stack: expected a whole number"),
        ("stack = 9223372036854775808", "stack: expected a whole number"),
        ("table_size = 2147483648", "table_size: expected a smaller number"),
        ("levels = 3", "levels: expected a list"),
        ("levels = [3]", "levels[0]: expected a table"),
        ("[[levels]]\nminuts = 3", "levels[0].minuts: expected one of options, minutes"),
        ("[[levels]]\noptions = { bet = 1.5 }", "levels[0].options.bet: expected a number"),
        ("options = 3", "options: expected a table"),
        ("[[payouts]]\nentries = 1\nshares = ['all']", "payouts[0].shares[0]: expected a whole"),
        ("add_on = []", "add_on: expected a table"),
    ],
)
def test_a_file_that_says_something_else_names_the_field(
    tmp_path: Path, text: str, told: str
) -> None:
    path = tmp_path / "structure.toml"
    path.write_text(text)
    with pytest.raises(CommandError) as error:
        read_structure(path)
    assert error.value.reason == "BAD_STRUCTURE"
    assert told in str(error.value)


def test_times_are_told_in_milliseconds(series: Path) -> None:
    structure = read_structure(series)
    assert structure.start_at == 1_893_456_000_000
    assert [(each.name, each.value) for each in structure.settings] == [("games", "1")]
