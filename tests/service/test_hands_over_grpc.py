"""Every hand script, played over gRPC on lab tables, ends as it does in process."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.games import GAMES
from engine.script import ScriptError, ScriptFailure, parse, run_local, run_text
from engine.script import run as run_script
from service.client import Client, Endpoint, LabStage
from service.identity import LAB_ISSUER, Role
from tests.service.harness import run, running

HANDS = Path(__file__).parents[1] / "hands"
FILES = {game: sorted((HANDS / game).glob("*.hand")) for game in GAMES}
# Checks that are made to fail: the first of their kind in a file.
SPOILERS = (
    (r"(?m)^= (\w+) .*$", r"= \1 spoiled"),
    (r"(?m)^>> .*$", ">> TableClosed"),
    (r"(?m)^(view \S+: = \w+) .*$", r"\1 spoiled"),
    (r"(?m)^0: (\w+)", r"1: \1"),
    (r"(?m) ! [A-Z_]+", " ! NO_SUCH_REASON"),
    (r"(?m)^plays (\d+): .*$", r"plays \1: Kc:9d"),
    (r"(?m)^(legal \d+): .*$", r"\1: leave_seat"),
)


async def verdicts(client: Client, text: str, name: str) -> list[str | None]:
    """What became of each script of a text: None, or the failure's line and words."""
    told: list[str | None] = []
    for script in parse(text, name, GAMES):
        try:
            await run_script(script, LabStage(client, script.header.game))
        except (ScriptFailure, ScriptError) as failure:
            told.append(str(failure))
        else:
            told.append(None)
    return told


def local(text: str, name: str) -> list[str | None]:
    """The same in process."""
    try:
        return [failure and str(failure) for _, failure in run_text(text, name)]
    except ScriptError as error:
        return [str(error)]


LONG_TO_SPOIL = {"pontoon", "royal_casino"}
"""Games with so many scripts that they are spoiled by `make test-all` only."""


def spoiled(game: str) -> dict[str, str]:
    """The first script of each file, in which something does not hold."""
    texts: dict[str, str] = {}
    for path in FILES[game]:
        text = path.read_text(encoding="utf-8").partition("\n---\n")[0]
        for number, (pattern, replacement) in enumerate(SPOILERS):
            other = re.sub(pattern, replacement, text, count=1)
            if other != text:
                texts[f"{path.stem} spoiled {number}"] = other
    return texts


def lab_client(service: object) -> Client:
    token = service.token("teacher", Role.ADMIN, issuer=LAB_ISSUER)  # type: ignore[attr-defined]
    return Client(Endpoint.parse(service.address), token)  # type: ignore[attr-defined]


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_script_holds_over_grpc(dsn, game, every):
    """Worked examples of the game's specification, each on lab tables of its own."""

    async def scenario():
        async with running(dsn) as service, lab_client(service) as client:
            assert len(FILES[game]) >= 20
            for path in FILES[game][::every]:
                told = await verdicts(client, path.read_text(encoding="utf-8"), str(path))
                assert told == [None] * len(run_local(path)), path.name

    run(scenario())


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=[pytest.mark.long] if game in LONG_TO_SPOIL else [])
        for game in sorted(GAMES)
    ],
)
def test_a_script_that_does_not_hold_fails_alike_over_grpc(dsn, game):
    """The same line, the same words, whichever line was spoiled."""

    async def scenario():
        async with running(dsn) as service, lab_client(service) as client:
            texts = spoiled(game)
            assert len(texts) > 40
            failed = 0
            for name, text in texts.items():
                expected = local(text, name)
                assert await verdicts(client, text, name) == expected, name
                failed += expected != [None]
            assert failed > 30

    run(scenario())
