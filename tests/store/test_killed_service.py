"""kill -9 of the service: its database goes with it, and what it acknowledged is there."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from uuid import UUID

from service.store.embedded import launch
from service.store.postgres import Store
from tests.pg import copied
from tests.store.lines import check_log, run

ROOT = Path(__file__).parents[2]
SERVICE = """
import asyncio, sys
from pathlib import Path
from service.store.embedded import launch
from service.store.migrate import migrate
from service.store.postgres import Store
from tests.store.lines import Line

async def session(store):
    line = Line()
    while True:
        (stored,) = await store.append([line.next(2)])
        line.took(stored)
        print("stored", stored.stream, stored.version, stored.hash.hex(), flush=True)

async def main(dsn):
    async with Store(dsn) as store:
        await asyncio.gather(*(session(store) for _ in range(8)))

server = launch(Path(sys.argv[1]), initdb=("-N",), allow_temporary=True)
migrate(server.conninfo)
asyncio.run(main(server.service_conninfo))
"""


def acknowledged_until_killed(home: Path, number: int) -> dict[tuple[UUID, int], str]:
    """Run the service until it has acknowledged ``number`` commits, then kill it."""
    service = subprocess.Popen(
        [sys.executable, "-c", SERVICE, str(home)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    told: dict[tuple[UUID, int], str] = {}
    assert service.stdout is not None
    with service.stdout:
        for line in service.stdout:
            # Log lines come between; the last line may be cut.
            if line.startswith("stored ") and line.endswith("\n"):
                _, stream, version, digest = line.split()
                told[UUID(stream), int(version)] = digest
            if len(told) == number:
                service.kill()
    service.wait()
    assert len(told) >= number
    return told


def test_killed_service_loses_nothing_acknowledged(pg_folder: Path, made_home: Path) -> None:
    """Twice on the same folder: the second life goes on from the first."""
    folder = Path(tempfile.mkdtemp(prefix="killed-", dir=pg_folder))
    folder.chmod(0o711)
    home = copied(made_home, folder / "home")
    told = acknowledged_until_killed(home, 100)
    told |= acknowledged_until_killed(home, 100)

    async def scenario(dsn: str) -> None:
        async with Store(dsn) as store:
            log = await check_log(store)
            stored = {(commit.stream, commit.version): commit.hash.hex() for commit in log}
            assert stored.items() >= told.items()
            # At most what was in flight, one commit a session, was stored and not told.
            assert len(stored) - len(told) <= 2 * 8

    with launch(home, allow_temporary=True) as server:
        run(scenario(server.service_conninfo))
