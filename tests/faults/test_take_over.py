"""Clocks of a process that has died: another one has them within two seconds (design 8)."""

from __future__ import annotations

import asyncio
import time
from uuid import UUID

import psycopg

from service.host import watchman
from tests.faults.process import Process
from tests.service.harness import run, running
from tests.service.parlour_room import Room
from tests.service.test_clocks import until

SLACK_SECONDS = 2.0
SLACK_LOOKS = 20
"""For a machine that does something else meanwhile: so many times what a look at it takes."""


def test_the_numbers_let_clocks_move_within_two_seconds() -> None:
    """A lease and a look, with a fifth of a second for the statements; and no lease is lost by a
    process that lives, though two of its signs come late.
    """
    assert watchman.MOVE_SECONDS == 2.0
    assert watchman.LEASE_SECONDS + watchman.BEAT_SECONDS <= watchman.MOVE_SECONDS - 0.2
    assert 3 * watchman.BEAT_SECONDS <= watchman.LEASE_SECONDS - 0.2
    assert watchman.BEAT_SECONDS <= watchman.TEND_SECONDS <= watchman.MOVE_SECONDS


def test_the_clocks_of_a_killed_process_move(dsn: str, admin_dsn: str) -> None:
    """kill -9: of a table that it held for long, and of one whose hand it had just begun.

    The second had no lease yet; nobody asks for either table afterwards.
    """

    def owners(tables: list[str]) -> list[UUID]:
        with psycopg.connect(admin_dsn) as db:
            rows = db.execute(
                "SELECT owner FROM kartejo.lease WHERE stream = ANY (%s)",
                ([UUID(table) for table in tables],),
            )
            return [row[0] for row in rows]

    async def scenario() -> tuple[float, float]:
        async with Process(dsn) as dying, Process(dsn):
            old, new = [await Room.open(dying, turn_seconds=600) for _ in range(2)]  # type: ignore[arg-type]
            await old.start()

            async def held() -> bool:
                return len(owners([old.table])) == 1

            await until(held, seconds=40)
            (killed,) = owners([old.table])
            await new.start()
            await dying.kill()
            began = time.monotonic()
            slowest = 0.0
            found: list[UUID] = []
            while len(found) != 2 or killed in found:
                looked = time.monotonic()
                await asyncio.sleep(0.01)
                found = owners([old.table, new.table])
                slowest = max(slowest, time.monotonic() - looked)
            return time.monotonic() - began, slowest

    seconds, slowest = run(scenario())
    print(f"clocks moved {seconds:.2f} s after kill -9; a look took {slowest:.2f} s at most")
    assert seconds < watchman.MOVE_SECONDS + SLACK_SECONDS + SLACK_LOOKS * slowest


def test_a_process_that_drains_is_followed_at_once(dsn: str) -> None:
    """It says that it leaves, before its streams have ended: within a sweep, not a lease."""

    async def scenario() -> None:
        async with running(dsn) as staying, running(dsn) as leaving:
            room = await Room.open(leaving, turn_seconds=600)
            await room.start()
            ours = leaving.server.watchman._leases
            theirs = staying.server.watchman._leases

            async def held() -> bool:
                return await ours.held() == {UUID(room.table)}

            await until(held, seconds=40)
            ended = asyncio.ensure_future(leaving.server.__aexit__())

            async def moved() -> bool:
                return await theirs.held() == {UUID(room.table)}

            await until(moved, seconds=40)
            assert ours.owner not in await theirs.living()
            await ended

    run(scenario())
