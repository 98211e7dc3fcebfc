"""What README shows is what happens: its commands run, its client is the file, its client plays."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path

from engine.games import GAMES
from service.cli.running import TO_TRY
from service.client import Client, Endpoint
from service.client.sitting import create_table, follow
from service.pb import table_service_pb2 as pb
from tests.cli.conftest import SECONDS, Commands, Served
from tests.commands import ROOT, environment
from tests.service.harness import run

README = (ROOT / "README.md").read_text(encoding="utf-8")
CLIENT = ROOT / "docs" / "examples" / "client.py"


def blocks(language: str) -> list[str]:
    """The code blocks of a language, in order."""
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_client_in_readme_is_the_file() -> None:
    """One text, so that the test of the file is a test of README."""
    (shown,) = blocks("python")
    told = CLIENT.read_text(encoding="utf-8")
    assert told.endswith(shown)


def test_the_client_has_twelve_lines() -> None:
    """Besides its imports."""
    code = CLIENT.read_text(encoding="utf-8").split("TableServiceStub\n", 1)[1]
    assert len([line for line in code.splitlines() if line.strip()]) == 12


def test_the_commands_of_readme_run(service: Served, kartejo: Commands) -> None:
    """Each line of the second block, as it stands, against a running service."""
    first, second = blocks("sh")
    assert [line.split("#")[0].strip() for line in first.strip().splitlines()] == [
        "make serve",
        "make test",
    ]
    lines = [line.split("#")[0].strip() for line in second.strip().splitlines()]
    demo, play, token, client = lines
    assert demo == ".venv/bin/kartejo demo"
    assert kartejo("demo").ok().out.count("the fold agrees") == len(GAMES)
    assert play == ".venv/bin/kartejo play palace_poker"
    told_play = kartejo("play", "palace_poker", typed="q\n").ok().out
    assert "--bots 3" in told_play
    assert token == "export KARTEJO_TOKEN=$(.venv/bin/kartejo token ann --role player)"
    made = kartejo("token", "ann", "--role", "player").ok().out.strip()
    assert client == ".venv/bin/python docs/examples/client.py"
    played = subprocess.run(
        [sys.executable, str(CLIENT)],
        capture_output=True,
        encoding="utf-8",
        env={
            **environment(kartejo.data),
            "KARTEJO_TOKEN": made,
            "KARTEJO_ADDRESS": service.address,
        },
        timeout=SECONDS,
        check=True,
    )
    positions = played.stdout.strip().split("\n\n")
    assert len(positions) == 24
    assert positions[-1].startswith("phase GAME_OVER")


def test_the_replay_in_readme_is_one(service: Served, kartejo: Commands) -> None:
    """Of a worked example, so that its cards are the same each time."""
    example = ROOT / "tests" / "hands" / "royal_flush" / "e06_complete_game_won.hand"
    kartejo("script", "run", str(example), "--service").ok()
    as_teacher = ("--token-file", service.told["lab_admin_token"])
    newest = kartejo.tables(*as_teacher)[0]["table"]
    told = kartejo("replay", newest, "1", "--as", "seat 0", *as_teacher).ok().out
    lines = "".join(f"{line.rstrip()}\n" for line in told.splitlines())
    (shown,) = blocks("text")
    assert shown in lines


def test_serve_and_readme_advise_in_the_same_words() -> None:
    """What each command does, wherever a newcomer reads of it."""
    lines = [line.partition("#") for line in blocks("sh")[1].splitlines()]
    told = {
        line.strip().removeprefix(".venv/bin/kartejo "): what.strip() for line, _, what in lines
    }
    assert {command: told[command] for command, _ in TO_TRY if command in told} == {
        command: what for command, what in TO_TRY if command in told
    }
    assert {"demo", "play palace_poker"} <= set(told)


def test_every_file_that_readme_names_is_there() -> None:
    """Links of README and of the guides lead somewhere."""
    for page in (Path("README.md"), *(p.relative_to(ROOT) for p in ROOT.glob("docs/**/*.md"))):
        text = (ROOT / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
            assert (ROOT / page.parent / target).exists(), f"{page}: {target}"


def test_the_example_of_a_seat_plays_with_accounts(service: Served, kartejo: Commands) -> None:
    """docs/clients.md: two of them at a table that takes chips from accounts."""
    seat = ROOT / "docs" / "examples" / "palace_seat.py"
    house = {"purse": "account", "auto_start": "true", "min_buy_in": "500"}
    admin = (kartejo.data.parent / f"{kartejo.data.name}-secrets" / "admin.token").read_text()
    endpoint = Endpoint.parse(service.address)

    async def made() -> str:
        async with Client(endpoint, admin.strip()) as host:
            options = {"betting_structure": "no_limit", "max_seats": "6"}
            return (await create_table(host, "palace_poker", options, house)).table.table_id

    async def closed(table: str) -> None:
        async with Client(endpoint, admin.strip()) as host:
            async with aclosing(follow(host, table)) as news:
                async for each in news:
                    view = each.state.view.palace_poker
                    if view.hand_no >= 2 and not each.state.decision.hand:
                        break
            request = pb.CloseTableRequest(request_id="c", table_id=table)
            await host.call(host.tables.CloseTable, request)

    table = run(made())
    processes = []
    for number, name in enumerate(("fay", "gus")):
        kartejo("account", "credit", name, "5000").ok()
        token = kartejo("token", name, "--role", "player").ok().out.strip()
        processes.append(
            subprocess.Popen(
                [sys.executable, str(seat), table, str(number), "1000"],
                stdout=subprocess.PIPE,
                encoding="utf-8",
                env={
                    **environment(kartejo.data),
                    "KARTEJO_TOKEN": token,
                    "KARTEJO_ADDRESS": service.address,
                },
            )
        )
    run(closed(table))
    for process in processes:
        out, _ = process.communicate(timeout=SECONDS)
        assert process.returncode == 0
        assert "palace 0 " in out
        assert out.count("?? ?? ??") > 0
    balances = [
        kartejo("account", "show", name, "--json").ok().json["balance"] for name in ("fay", "gus")
    ]
    assert sum(balances) == 10_000
