"""clients/python: its own tests at a service of ours, and what only we can do to a service."""

from __future__ import annotations

import asyncio
import importlib.util
import shutil
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path
from types import ModuleType

import pytest

import kartejo_client as k
from kartejo_client.pb import table_service_pb2 as pb
from kartejo_client.pb.game_service_pb2 import ListGamesRequest
from service.rpc.calls import Speed
from tests.clients.stage import PLAYERS, own_tests, token
from tests.commands import ROOT, environment
from tests.faults.process import Process
from tests.service.harness import run, running
from tests.service.test_clocks import until

LIBRARY = ROOT / "clients" / "python"
STEP = k.action("royal_flush", "auto_play", scope="step")


def the_bot() -> ModuleType:
    """examples/bot.py."""
    found = importlib.util.spec_from_file_location("bot", LIBRARY / "examples" / "bot.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_its_own_tests_hold(dsn: str) -> None:
    async def scenario() -> None:
        async with Process(dsn) as service:
            pytest = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
            await own_tests(service, LIBRARY, pytest)

    run(scenario(), 140)


def test_it_can_be_installed_by_itself(tmp_path: Path) -> None:
    """As its README.md says; what is there is typed."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    source = shutil.copytree(LIBRARY, tmp_path / "source")  # building writes beside the source
    alone = ("--no-deps", "--no-build-isolation", "--target", str(tmp_path / "there"))
    subprocess.run([*pip, *alone, str(source)], check=True, env=environment(None))
    uses = "import kartejo_client as k; k.action('royal_flush', 'auto_play'); print(k.__file__)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, 'there'); {uses}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()).is_relative_to(tmp_path / "there")
    assert (tmp_path / "there" / "kartejo_client" / "py.typed").is_file()


def test_too_many_calls_wait_as_long_as_they_are_told_to(dsn: str) -> None:
    """Most are refused at first, and told when to come again; each is answered in the end."""

    async def scenario() -> None:
        async with running(dsn, speed=Speed(of_caller=20, of_connection=0)) as service:
            address, ann = f"127.0.0.1:{service.server.port}", service.token("ann")
            async with k.AsyncClient(address, ann, patience=k.Patience(total=0)) as hasty:
                asked = [hasty.call(hasty.games.ListGames, ListGamesRequest()) for _ in range(60)]
                ends = await asyncio.gather(*asked, return_exceptions=True)
            refused = [end for end in ends if isinstance(end, k.Exhausted)]
            assert refused
            assert all(end.retry_seconds for end in refused)
            async with k.AsyncClient(address, ann) as patient:
                asked = [patient.call(patient.games.ListGames, ListGamesRequest()) for _ in ends]
                assert len(await asyncio.gather(*asked)) == len(ends)

    run(scenario())


def test_the_bot_is_short() -> None:
    lines = (LIBRARY / "examples" / "bot.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 60


@pytest.mark.long
def test_clients_go_on_when_a_service_is_killed_and_nothing_happens_twice(dsn: str) -> None:
    """Bots play on, a watch has neither gap nor repetition, each answered call is stored once."""
    bot = the_bot()

    def play(address: str, table_id: str, seat: int) -> int:
        with k.Client(address, token(PLAYERS[seat])) as client:
            answered: int = bot.play(client, table_id, seat, 1_000, 3)
            return answered

    async def scenario() -> None:
        async with Process(dsn) as service:
            address = f"127.0.0.1:{service.port}"
            async with k.AsyncClient(address, token("ann")) as ann:
                house = {"auto_start": "true"}
                made = await ann.create_table("palace_poker", house_options=house)
                shared = made.table.table_id
                bots = [asyncio.to_thread(play, address, shared, seat) for seat in range(3)]
                playing = asyncio.gather(*bots)

                state = (await ann.create_table("royal_flush")).state
                seen: list[pb.WatchTableResponse] = []

                async def follow() -> None:
                    async with aclosing(ann.watch_table(state.table_id)) as watch:
                        async for news in watch:
                            seen.append(news)  # noqa: PERF401 - it is read meanwhile

                async def caught_up() -> bool:
                    return bool(seen) and seen[-1].version == state.version

                watching = asyncio.create_task(follow())
                state = (await ann.take_seat(state.table_id, 0)).state
                commits = 2
                for move in range(24):
                    if move in {6, 15}:  # the next call meets nobody
                        await service.kill()
                        starting = asyncio.create_task(service.start())
                    if k.is_asked(state, 0):
                        state = (await ann.act(state, 0, STEP)).state
                    else:
                        state = (await ann.start_hand(state.table_id)).state
                    commits += 1
                    if move in {6, 15}:
                        await starting
                assert sum(await playing) > 0
                assert not (await ann.get_table(shared)).table.seats
                await until(caught_up)
                watching.cancel()
                stored = [news.version for news in seen if news.events]
                assert stored[-1] == state.version
                assert stored == sorted(set(stored))
                events = [event.version for news in seen for event in news.events]
                assert events == list(range(1, state.version + 1))
                assert len(stored) == commits

    run(scenario())
