"""Appends, keeps the tiles and signs as fast as it can: ``python -m tests.transparency.worker``.

Arguments: the database, and the folder for the signer's file.  It says when it has begun; a test
kills it.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from uuid import uuid4

from service.projections import runner as module
from service.projections.runner import Runner
from service.store import progress
from service.transparency.tiles import LogTiles
from service.world import RealWorld
from tests.store.lines import fast
from tests.transparency.growing import Log


async def main(dsn: str, folder: Path) -> None:
    module.PACE_SECONDS = 0.0  # type: ignore[misc]
    module.IDLE_SECONDS = 0.02  # type: ignore[misc]
    progress.HOLD_SECONDS = 0.1  # type: ignore[misc]
    async with fast(dsn) as store:
        log = Log(store)
        signer = log.signer(folder)

        async def always() -> bool:
            return True

        async def sign() -> None:
            while True:
                await signer.look()
                if signer.records.refused:
                    print("refused", signer._why, flush=True)
                await asyncio.sleep(0)

        signer._is_my_turn = always  # type: ignore[method-assign]
        print("begun", uuid4(), flush=True)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(Runner(RealWorld(), store, LogTiles()).run())
            tasks.create_task(log.grow(1_000_000))
            tasks.create_task(sign())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
