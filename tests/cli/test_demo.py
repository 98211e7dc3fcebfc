"""``kartejo demo``: what was stored is what was seen, also when the service is killed meanwhile."""

from __future__ import annotations

import asyncio
import subprocess
import time

import pytest

from engine.games import GAMES
from service.client import Client, Endpoint
from service.client.records import hands, list_tables
from tests.cli.conftest import SECONDS, Background, Commands, Served
from tests.commands import environment, quick
from tests.service.harness import run


def test_a_demonstration_is_verified(kartejo: Commands) -> None:
    told = kartejo("demo", "--hands", "2").ok().out
    assert "Game 2 · round 5 of 5 · game over\n" in told
    assert "Hand 2 · between hands\n" in told
    replayed = "Replayed: every event and every position as they were seen; the fold agrees.\n"
    assert "the game is over · " in told
    assert told.count(replayed) == len(GAMES)


def test_as_json_for_programs(kartejo: Commands) -> None:
    told = kartejo("demo", "--json").ok().json
    assert told["verified"] is True
    assert [each["game"] for each in told["games"]] == sorted(GAMES, reverse=True)
    for each in told["games"]:
        assert each["faults"] == []
        steps = kartejo("replay", each["table"], "1", "--json").ok().json
        assert len(steps) == each["actions"]


def test_a_game_that_is_not_there(kartejo: Commands) -> None:
    assert kartejo.fails("demo", "--game", "whist")[0] == "NOT_FOUND"


def test_without_a_service_it_starts_one_and_ends_it(alone: Commands) -> None:
    told = alone("demo", "--game", "royal_flush", "--json", "--temporary-data")
    assert told.code == 0, told.err
    assert "starting one for the demo" in told.err
    assert told.json["verified"] is True
    assert alone.fails("tables")[0] == "NO_SERVICE"


@pytest.mark.long
@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_killed_service_keeps_every_acknowledged_action_once(alone: Commands, game: str) -> None:
    """kill -9 in the middle, started again: the demo goes on and finds nothing different."""
    served = Served(alone.data, "--listen", "127.0.0.1:0")
    with Background(
        [*quick(), "demo", "--game", game, "--json", "--hands", "16", "--pause", "0.01"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(alone.data),
    ) as demo:
        for finished in (1, 3):
            run(_played(alone, finished))
            served.kill()
            served = Served(alone.data, "--listen", served.address)
        out, err = demo.communicate(timeout=SECONDS)
    assert demo.returncode == 0, err
    assert '"verified": true' in out
    served.stop()


async def _played(kartejo: Commands, finished: int) -> None:
    """Wait until the demonstration's table has more than ``finished`` hands."""
    endpoint = Endpoint.read(kartejo.data)
    assert endpoint is not None
    token = (kartejo.data.parent / f"{kartejo.data.name}-secrets" / "admin.token").read_text()
    until = time.monotonic() + SECONDS
    async with Client(endpoint, token.strip(), patience=10.0) as client:
        while time.monotonic() < until:
            tables = await list_tables(client)
            if tables and len(await hands(client, tables[0].table_id)) > finished:
                return
            await asyncio.sleep(0.1)
    raise AssertionError("the demonstration does not play")
