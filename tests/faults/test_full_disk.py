"""The disk is full: nothing is acknowledged that is not stored, and space alone heals it."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.errors import Unavailable
from service.store import embedded
from service.store.embedded import EmbeddedServer, keep_alive
from service.store.postgres import Store
from tests.faults.conftest import Plan
from tests.faults.honest import Pulse
from tests.faults.small_disk import small_disk
from tests.faults.stage import stage
from tests.service.harness import run


@pytest.mark.long
@pytest.mark.parametrize("shim", [False, True], ids=["small", "shim"])
def test_a_party_survives_a_full_disk(pg_folder: Path, plan: Plan, shim: bool):
    """Filled three times under load; the service is never restarted."""
    folder = Path(tempfile.mkdtemp(prefix="disk-", dir=pg_folder))
    folder.chmod(0o711)

    async def scenario():
        async with small_disk(folder, shim=shim) as disk, stage(disk, plan) as on:
            for number in range(3):
                await disk.fill()
                while await goes_on(on.people.pulse):
                    pass
                await asyncio.sleep(2)  # let it be full for a while
                await on.healing(f"disk full, time {number + 1}", disk.free())

    run(scenario(), 100)


async def goes_on(pulse: Pulse) -> bool:
    """Whether anything is still acknowledged: what fits into files that are there already."""
    count = pulse.count
    await asyncio.sleep(1)
    return pulse.count > count


@pytest.mark.long
def test_an_embedded_server_that_dies_of_a_full_disk_is_not_given_up(
    durable_pg: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
):
    """It is tried again for as long as there is no space; without one, not for so long."""
    monkeypatch.setattr(embedded, "GIVE_UP_SECONDS", 0.2)
    full = shutil.disk_usage(durable_pg.home)._replace(free=0)
    monkeypatch.setattr(embedded.shutil, "disk_usage", lambda _: full)
    control = durable_pg.home / "postgres" / "global" / "pg_control"

    async def scenario():
        durable_pg.kill()
        hidden = control.rename(control.with_name("hidden"))
        keeping = asyncio.create_task(keep_alive(durable_pg))
        tried: set[int] = set()
        while len(tried) < 5:
            assert not keeping.done()
            tried.add(durable_pg.pid)
            await asyncio.sleep(0.05)
        hidden.rename(control)
        async with reached(durable_pg) as store:
            assert await store.position() == 0
        keeping.cancel()

    run(scenario(), 60)


@asynccontextmanager
async def reached(server: EmbeddedServer) -> AsyncGenerator[Store, None]:
    """The store as soon as it can be reached."""
    while True:
        try:
            async with Store(server.service_conninfo) as store:
                yield store
                return
        except Unavailable:
            await asyncio.sleep(0.1)
