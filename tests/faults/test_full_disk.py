"""The disk is full: nothing is acknowledged that is not stored, and space alone heals it."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest

from tests.faults.conftest import Plan
from tests.faults.honest import Pulse
from tests.faults.small_disk import small_disk
from tests.faults.stage import stage
from tests.service.harness import run


@pytest.mark.long
@pytest.mark.parametrize("shim", [False, True], ids=["small", "shim"])
def test_a_party_survives_a_full_disk(pg_folder: Path, plan: Plan, shim: bool):
    """Filled three times under load; the service is never restarted."""

    async def scenario():
        folder = Path(tempfile.mkdtemp(prefix="disk-", dir=pg_folder))
        folder.chmod(0o711)
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
