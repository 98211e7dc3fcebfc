"""Rebuilds every projection, a commit a transaction: ``python -m tests.projections.rebuilder DSN``.

Prints a line after each step, so that a test knows when to kill it.
"""

from __future__ import annotations

import asyncio
import sys

from service.projections import runner as module
from service.projections.runner import Runner
from service.store import progress
from service.store.progress import Build
from service.world import RealWorld
from tests.projections.log import PROJECTIONS
from tests.store.lines import fast


def told(build: Build) -> None:
    print(build.position, flush=True)


async def main(dsn: str) -> None:
    module.BATCH = 1  # type: ignore[misc]
    progress.HOLD_SECONDS = 0.0  # type: ignore[misc]
    async with fast(dsn) as store:
        for projection in PROJECTIONS:
            # Those that an earlier process has come to the end of are not begun again.
            runner = Runner(RealWorld(), store, projection)
            builds = await runner._progress.builds(projection.NAME)
            if max(build.number for build in builds if build.state != "retired") < 2 or (
                builds[-1].state == "building"
            ):
                await runner.rebuild(told)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
