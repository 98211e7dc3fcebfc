"""Following the log: ask for what comes after the last position, believe no hint, skip nothing.

A process has many followers; what one of them has read near the end of the log serves all.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import nullcontext
from functools import partial
from typing import Final

from engine.errors import Corrupt, Unavailable
from service.store import log
from service.store.commit import Commit
from service.store.connection import Pool
from service.store.hints import Hints

__all__ = ["follow_log"]

IDLE_SECONDS: Final = 60.0
AWAY_SECONDS: Final = (0.05, 0.1, 0.2, 0.5, 1.0)


async def follow_log(
    pool: Pool, hints: Hints, after: int, poll: float | None, most: int
) -> AsyncGenerator[list[Commit], None]:
    """See ``Store.follow_batches``.

    Positions become visible in their order, because they are given out under the lane's row
    lock; so ``last + 1`` is either there or nothing after it is.
    """
    time = asyncio.get_running_loop().time
    failures = 0
    checked = False
    outages = hints.outages
    asked, asked_at = -1, time()
    more = False
    while True:
        generation = hints.generation
        if outages != hints.outages:
            # What comes back may be another server, or the same one restored from a backup.
            checked, outages = False, hints.outages
        if checked and (batch := hints.kept_after(after, most)):
            after = batch[-1].position
            yield batch
            continue
        wait = IDLE_SECONDS if poll is None else asked_at + poll - time()
        told = generation > asked and (hints.head > after or hints.blind > asked)
        if checked and not (told or more) and wait > 0:
            await hints.wait(generation, wait)
            continue
        try:
            if not checked:
                head = await pool.ask(log.head_position)
                if head < after:
                    raise Corrupt(f"the log ends at {head}, before {after} that was read earlier")
                checked = True
            # Near the end of the log one follower reads for all who come meanwhile.
            another_reads = hints.reading.locked()
            async with hints.reading if hints.is_near(after) else nullcontext():
                if another_reads and hints.kept_after(after, 1):
                    continue
                asked, asked_at = generation, time()
                batch = await pool.ask(partial(log.log_after, after=after, limit=most))
                if hints.is_near(after):
                    hints.keep(batch)
        except Unavailable:
            checked = False
            await asyncio.sleep(AWAY_SECONDS[min(failures, len(AWAY_SECONDS) - 1)])
            failures += 1
            continue
        failures = 0
        for expected, commit in enumerate(batch, after + 1):
            if commit.position != expected:
                raise Corrupt(f"position {expected} is missing from the log")
        more = len(batch) == most
        if batch:
            after = batch[-1].position
            yield batch
