"""`kartejo serve --workers`: a party goes on when one of the workers is killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from service.identity import KeyRing, SecretFiles
from service.store.embedded import EmbeddedServer
from service.world import SteppedWorld
from tests.cli.test_workers import until, workers_of
from tests.faults.checker import check
from tests.faults.conftest import Plan
from tests.faults.party import party
from tests.faults.server import SEED
from tests.service.harness import MASTER, run

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def served(dsn: str, folder: Path, workers: int) -> AsyncGenerator[tuple[int, str], None]:
    """The real command with the keys of these tests: its process id and its address."""
    KeyRing.load(SecretFiles.beside(folder).token_keys, SteppedWorld(seed=SEED))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "service.cli", "serve", "--json", "--database", dsn),
        *("--data", str(folder), "--listen", "127.0.0.1:0", "--workers", str(workers)),
        cwd=ROOT,
        env={**os.environ, "KARTEJO_MASTER_KEY": MASTER.hex()},
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60):
            told = b""
            while True:
                told += await process.stdout.readline()
                try:
                    address = json.loads(told)["address"]
                    break
                except ValueError:
                    continue
        yield process.pid, str(address)
    finally:
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(60):
            await process.wait()


@pytest.mark.long
def test_a_party_survives_the_loss_of_a_worker(
    durable_pg: EmbeddedServer, pg_folder: Path, plan: Plan
):
    """kill -9 of one of two, three times; the other serves, and a new one takes its place."""
    folder = Path(tempfile.mkdtemp(dir=pg_folder)) / "home"
    folder.mkdir()

    async def scenario():
        async with (
            served(durable_pg.service_conninfo, folder, 2) as (keeper, address),
            party([address]) as people,
        ):
            for _ in range(3):
                await people.acknowledged(60)
                await until(lambda: len(workers_of(keeper)) == 2)
                os.kill(min(workers_of(keeper)), signal.SIGKILL)
            await people.acknowledged(60)
            await check(people, durable_pg.service_conninfo)
            pauses = [b - a for a, b in pairwise(people.pulse.times)]
            plan.told("one of two workers killed", f"nobody served for {max(pauses):4.1f} s")

    run(scenario(), 100)
