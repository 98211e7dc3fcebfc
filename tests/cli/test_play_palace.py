"""``kartejo play palace_poker``: against bots, with people, and looking on."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

from service.client import Client, Endpoint
from service.client.records import get_table
from tests.cli.conftest import SECONDS, Commands
from tests.cli.test_terminal import Terminal
from tests.commands import environment, quick
from tests.service.harness import run


def table_of(shown: str) -> str:
    found = re.search(r"table (\S+), seat \d", shown)
    assert found is not None, shown
    return found[1]


def shown(terminal: Terminal, words: str) -> None:
    """Wait until some words have been shown, now or before."""
    if words not in terminal.shown:
        terminal.until(words)


async def _asked(kartejo: Commands, table: str) -> int:
    """The seat that is to act."""
    endpoint = Endpoint.read(kartejo.data)
    assert endpoint is not None
    token = (kartejo.data.parent / f"{kartejo.data.name}-secrets" / "admin.token").read_text()
    async with Client(endpoint, token.strip()) as client:
        (seat,) = (await get_table(client, table)).state.decision.seats
        return seat


def test_a_person_plays_against_bots(kartejo: Commands) -> None:
    """The offers with amounts, a refusal explained, the story of the hand; the table stays."""
    typed = "\nbet 9\nbet 0\ndance\n" + "fold\n" * 3 + "q\n"
    told = kartejo("play", "palace_poker", "--bots", "2", typed=typed).ok().out
    assert "--- Hand 1: You, Seat 1 and Seat 2 ---" in told
    assert re.search(r"\d  bet target=[12] amount=\d+ +attack Seat [12] \[.+\] for \d+", told) or (
        "give up the battle" in told
    )
    assert "no: " in told
    assert "no: dance is not on offer" in told
    assert re.search(r"You (fold|give up the battle)\.", told)
    assert "The hand is over: " in told
    assert "Hand 1 · between hands" in told
    table = table_of(told)
    assert f"Go on: kartejo play --table {table} --bots 2" in told
    again = kartejo("play", "--table", table, "--bots", "2", typed="\nfold\nq\n").ok().out
    assert "--- Hand 2: " in again


def test_only_as_many_bots_as_there_are_seats(kartejo: Commands) -> None:
    reason, told = kartejo.fails("play", "palace_poker", "-o", "max_seats=2", "--bots", "2")[0], ""
    assert reason == "SEAT_TAKEN", told
    assert kartejo.fails("play", "palace_poker", "--bots", "1", "--bot", "deep")[0] == "NOT_FOUND"
    assert kartejo.fails("play", "palace_poker", "--watch")[0] == "NO_TABLE"


def test_a_table_that_nobody_comes_to_play_at_is_closed(kartejo: Commands) -> None:
    """No chips, no such bot, too few seats: the lobby does not go on to show what is left."""
    game = ("play", "palace_poker", "-o", "max_seats=7")
    assert kartejo.fails(*game, "--chips", "0")[0] == "BAD_PARAMETER"
    assert kartejo.fails(*game, "--bots", "8")[0] == "SEAT_TAKEN"
    assert kartejo.fails(*game, "--bots", "1", "--bot", "deep")[0] == "NOT_FOUND"
    played = table_of(kartejo(*game, typed="q\n").ok().out)
    listed = kartejo.tables("--game", "palace_poker", "--most", "10")
    assert [one["table"] for one in listed if one["seat_count"] == 7] == [played]


def test_chips_from_accounts_are_for_people(kartejo: Commands, tmp_path: Path) -> None:
    """Bots have none: no usual company, and a refusal before anybody has paid."""
    carla = tmp_path / "carla.token"
    kartejo("token", "carla", "--output", str(carla)).ok()
    kartejo("account", "credit", "carla", "50").ok()
    own = ("--token-file", str(carla))
    game = ("play", "palace_poker", "--house", "purse=account", "--chips", "20", *own)
    reason, told = kartejo.fails(*game, "--bots", "2")
    assert reason == "NO_ACCOUNT"
    assert "bots have no accounts" in told
    assert kartejo("account", "show", "carla").ok().out == "50 chips\n"
    table = table_of(kartejo(*game, typed="q\n").ok().out)
    assert kartejo("account", "show", "carla").ok().out == "30 chips\n"
    assert kartejo.fails("play", "--table", table, "--bots", "1", *own)[0] == "NO_ACCOUNT"
    left = kartejo("play", "--table", table, *own, typed="leave\n").ok().out
    assert "You have left the table." in left
    assert kartejo("account", "show", "carla").ok().out == "50 chips\n"


def test_the_way_back_to_a_table_is_with_the_same_token(kartejo: Commands, tmp_path: Path) -> None:
    """What is told to be typed leads to the same seat."""
    bob = tmp_path / "bob.token"
    kartejo("token", "bob", "--output", str(bob)).ok()
    told = kartejo("play", "palace_poker", "--bots", "0", "--token-file", str(bob), typed="q\n")
    again = re.search(r"Go on: kartejo (play --table \S+ --token-file \S+)", told.ok().out)
    assert again is not None, told.out
    assert "seat 0" in kartejo(*again[1].split(), typed="q\n").ok().out


def test_who_would_be_left_out_of_the_next_hand_is_told(kartejo: Commands) -> None:
    told = kartejo("play", "palace_poker", "--bots", "1", typed="sit_out\nsit_in\nq\n").ok().out
    assert told.count("You sit out: sit_in takes part again.") == 1
    stakes = ("-o", "small_bet=1000", "-o", "ante=1000")
    poor = kartejo("play", "palace_poker", "--bots", "1", *stakes, typed="\nfold\nq\n").ok().out
    assert poor.count("You have no chips: add_chips N brings some.") == 1


def test_two_people_and_somebody_who_looks_on(kartejo: Commands, tmp_path: Path) -> None:
    """Three processes at one table: the others' moves are told to each."""
    bob = tmp_path / "bob.token"
    eve = tmp_path / "eve.token"
    kartejo("token", "bob", "--output", str(bob)).ok()
    kartejo("token", "eve", "--output", str(eve)).ok()
    first = Terminal(kartejo.data, "play", "palace_poker", "--bots", "0", "-o", "turn_seconds=300")
    processes: list[subprocess.Popen[str] | subprocess.Popen[bytes]] = [first.process]
    try:
        shown(first, "Enter starts the next hand, q leaves:")
        table = table_of(first.shown)
        first.type("\n")
        shown(first, "too few players are here who have chips")
        second = Terminal(kartejo.data, "play", "--table", table, "--token-file", str(bob))
        processes.append(second.process)
        shown(second, "the host starts the next hand")
        assert "seat 1" in second.shown
        shown(first, "Seat 1 sits down with 1000 chips.")
        watcher = subprocess.Popen(
            [*quick(), "play", "--table", table, "--watch", "--token-file", str(eve)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=environment(kartejo.data),
        )
        processes.append(watcher)
        assert watcher.stdout is not None
        while "Seat 1" not in watcher.stdout.readline():
            pass
        first.type("\n")
        shown(first, "--- Hand 1: You and Seat 1 ---")
        shown(second, "--- Hand 1: Seat 0 and You ---")
        asked = run(_asked(kartejo, table))
        mover, other = (first, second) if asked == 0 else (second, first)
        shown(mover, "your turn (")
        mover.type("stay\n")
        shown(mover, "You stay.")
        shown(other, "stays.")
        shown(other, "your turn (")
        other.type("leave\n")
        shown(other, "You have left the table.")
        assert other.end() == 0
        shown(mover, "The hand is over: one player is left.")
        mover.type("q\n")
        assert mover.end() == 0
        told = ""
        while "leaves with" not in told:
            told += watcher.stdout.readline()
        assert "Seat 0 to act" not in told
        assert "stays." in told
        assert not re.search(r"\[\S+\] (?!▒▒ ▒▒ ▒▒)\S", told), "an observer sees no palace"
    finally:
        for process in processes:
            process.kill()
            process.communicate(timeout=SECONDS) if process.stdout else process.wait(SECONDS)


def test_the_clock_goes_on_while_somebody_mistypes(kartejo: Commands) -> None:
    """Every prompt tells the seconds that are left, not those there were at first."""
    person = Terminal(kartejo.data, "play", "palace_poker", "--bots", "1", "-o", "max_seats=2")
    clock = re.compile(r"your turn \((\d+) s\), q leaves:")
    try:
        shown(person, "Enter starts the next hand, q leaves:")
        person.type("\n")
        seconds = int(clock.findall(person.until(clock))[-1])
        until = time.monotonic() + 20
        now = seconds
        while now >= seconds:
            assert time.monotonic() < until, person.shown
            person.type("dance\n")
            now = int(clock.findall(person.until(clock))[-1])
    finally:
        person.process.kill()
        person.process.wait(SECONDS)


def test_time_runs_out_while_somebody_thinks(kartejo: Commands) -> None:
    """The others go on meanwhile; what is typed then answers what is asked then."""
    clock = ("-o", "turn_seconds=5", "-o", "time_bank_seconds=0", "-o", "max_seats=2")
    person = Terminal(kartejo.data, "play", "palace_poker", "--bots", "1", *clock)
    try:
        shown(person, "Enter starts the next hand, q leaves:")
        person.type("\n")
        shown(person, "your turn (")
        shown(person, "Your time is over.")
        shown(person, "(the house acted)")
        person.type("leave\n")
        shown(person, "You have left the table.")
        assert person.end() == 0
        assert "Traceback" not in person.shown
    finally:
        person.process.kill()
        person.process.wait(SECONDS)
