"""clients/typescript, once ``make test-clients`` has built it: it wants Node and npm."""

from __future__ import annotations

import asyncio
import json
import shutil
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from pathlib import Path

import pytest

import kartejo_client as k
from tests.clients.stage import own_tests, settings, token
from tests.commands import ROOT
from tests.docs.blocks import blocks
from tests.faults.process import Process
from tests.service.harness import run
from tests.service.test_clocks import until

LIBRARY = ROOT / "clients" / "typescript"
BOT = LIBRARY / "dist" / "examples" / "bot.js"

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def node() -> str:
    """Node, which has built the library."""
    found = shutil.which("node")
    assert found, "there is no node: install Node 20 or newer"
    return found


def test_the_bot_is_short() -> None:
    lines = (LIBRARY / "examples" / "bot.ts").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 60


@pytest.mark.parametrize("page", ["clients/typescript/README.md", "docs/clients.md"])
def test_what_pages_show_is_typed_and_works(dsn: str, node: str, tmp_path: Path, page: str) -> None:
    """Compiled as strictly as the library, which they import as others do who installed it."""
    (shown,) = (block for block in blocks(page) if block.language == "ts")
    installed = tmp_path / "node_modules" / "@kartejo"
    installed.mkdir(parents=True)
    (installed / "client").symlink_to(LIBRARY)
    types = str(LIBRARY / "node_modules" / "@types")
    rules = {
        "extends": str(LIBRARY / "tsconfig.json"),
        "compilerOptions": {"rootDir": ".", "outDir": ".", "typeRoots": [types]},
        "include": ["page.ts"],
        "exclude": [],
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps(rules), encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    compiler = LIBRARY / "node_modules" / "typescript" / "bin" / "tsc"

    async def scenario() -> None:
        async with Process(dsn, web=True) as service:
            text = shown.text.replace("http://127.0.0.1:50180", service.url)
            (tmp_path / "page.ts").write_text(text, encoding="utf-8")
            env = {**settings(service), "KARTEJO_TOKEN": token("ann")}
            for command in ((compiler, "-p", tmp_path), (tmp_path / "page.js",)):
                running = await asyncio.create_subprocess_exec(
                    node, *command, env=env, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT
                )
                told, _ = await running.communicate()
                assert running.returncode == 0, told.decode()

    run(scenario(), 300)


def test_its_own_tests_hold(dsn: str, node: str) -> None:
    async def scenario() -> None:
        async with Process(dsn, web=True) as service:
            tests = sorted(map(str, (LIBRARY / "dist" / "test").glob("*.test.js")))
            await own_tests(service, LIBRARY, (node, "--test", *tests))

    run(scenario(), 300)


def test_a_bot_goes_on_when_the_service_is_killed(dsn: str, node: str) -> None:
    """It plays two solitaires; each of its decisions is stored once."""

    async def scenario() -> None:
        async with Process(dsn, web=True) as service:
            address = f"127.0.0.1:{service.port}"
            async with k.AsyncClient(address, token("ann")) as ann:
                table_id = (await ann.create_table("royal_flush")).table.table_id
                env = {**settings(service), "KARTEJO_TOKEN": token("ann")}
                bot = await asyncio.create_subprocess_exec(
                    *(node, str(BOT), table_id, "0", "0", "4"),
                    env=env,
                    stdin=DEVNULL,
                    stdout=PIPE,
                    stderr=STDOUT,
                )

                async def plays() -> bool:
                    return (await ann.get_table(table_id)).state.decision.hand > 0

                try:
                    await until(plays)
                    await service.kill()
                    await service.start()
                    told, _ = await bot.communicate()
                finally:
                    if bot.returncode is None:
                        bot.kill()
                        await bot.wait()
                assert bot.returncode == 0, told.decode()
                assert not (await ann.get_table(table_id)).table.seats
                commits = 0
                async for news in ann.watch_table(table_id):
                    if news.live:
                        break
                    commits += 1
                # Made, sat down, four starts, left.
                assert told.decode() == f"{commits - 7} decisions answered\n"

    run(scenario(), 300)
