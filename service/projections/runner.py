"""Moves one projection on: follows the log, builds anew beside the old rows, switches.

Any number of processes may run it.  Rows and position are stored in one transaction, which keeps
nothing unless the build stands where its writer believed: so every commit has its effect exactly
once, whoever is interrupted wherever.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Final, NoReturn

import structlog

from engine.errors import Unavailable
from service.projections.projection import Follower
from service.store.commit import Commit
from service.store.errors import ProgressConflict
from service.store.postgres import Store
from service.store.progress import Build, Progress
from service.world import World, uuid7

__all__ = ["Runner"]

log = structlog.get_logger(__name__)

BATCH: Final = 1_000
"""Commits in a transaction."""

PACE_SECONDS: Final = 0.25
MOST_PACE_SECONDS: Final = 1.0
FEW: Final = 50
"""Pause after a few commits, so that those that follow them come together; the longer the more
there were: a transaction costs as much as fifty commits, and a table that has many is one row."""

WAIT_SECONDS: Final = 0.25
"""Between two looks at a rebuild that another process is at."""

IDLE_SECONDS: Final = 1.0
"""Between two looks at a projection that another process keeps up."""

LEAVE_SECONDS: Final = 1.0

CLEAR_ROWS: Final = 2_000
"""Rows of a retired build removed in one transaction."""


class Runner:
    """One projection in one process.  Raises ``Unavailable``; what was begun is gone on with."""

    def __init__(self, world: World, store: Store, projection: Follower) -> None:
        self._world = world
        self._store = store
        self._projection = projection
        self._progress = Progress(store.pool, uuid7(world))
        self.name = projection.NAME
        self.caught_up = asyncio.Event()
        """Set once readers see everything that was stored when this process began."""

    async def run(self) -> NoReturn:
        """Keep up with the log, without end."""
        head = await self._store.position()

        def look(build: Build) -> None:
            if build.state == "serving" and build.position >= head:
                self.caught_up.set()

        while True:
            builds = await self._progress.builds(self.name)
            await self._clear_away(builds)
            build = self._to_keep_up(builds)
            if build is None and self._is_outdated(builds):
                self.caught_up.set()
                await asyncio.sleep(IDLE_SECONDS)
            elif build is None:
                await self._progress.begin(self.name, self._projection.REVISION)
            elif await self._progress.hold(build):
                # A new build replaces others, whose rows go before it is kept up.
                until = "serving" if build.state == "building" else None
                await self._move(build, look, until)
            else:
                look(build)
                await asyncio.sleep(IDLE_SECONDS)

    async def rebuild(self, told: Callable[[Build], None]) -> Build:
        """Make all rows anew and let readers see them; the build that they see then.

        A build that was begun and not finished is gone on with, and one that another process is
        at is waited for.  ``told`` hears how far it is.
        """
        revision = self._projection.REVISION
        unfinished = self._of_mine(await self._progress.builds(self.name), "building")
        if not unfinished:
            await self._progress.begin(self.name, revision)
            # Another process may have begun it in the same moment, and have finished it by now.
            builds = await self._progress.builds(self.name)
            unfinished = [each for each in builds if each.revision == revision][-1:]
        number = unfinished[0].number
        while True:
            builds = await self._progress.builds(self.name)
            found = [each for each in builds if each.number == number]
            if not found or found[0].state != "building":
                await self._clear_away(builds)
                (serving,) = [each for each in builds if each.state == "serving"]
                return serving
            told(found[0])
            if await self._progress.hold(found[0]):
                await self._move(found[0], told, until="serving")
            else:
                await asyncio.sleep(WAIT_SECONDS)

    # --- builds -------------------------------------------------------------------------------

    def _of_mine(self, builds: Sequence[Build], state: str) -> list[Build]:
        revision = self._projection.REVISION
        return [each for each in builds if each.revision == revision and each.state == state]

    def _is_outdated(self, builds: Sequence[Build]) -> bool:
        """Whether readers see what newer code made, which this code could only spoil."""
        revision = self._projection.REVISION
        return any(each.state == "serving" and each.revision > revision for each in builds)

    def _to_keep_up(self, builds: Sequence[Build]) -> Build | None:
        """The build that readers see, else the one that they will see."""
        if self._is_outdated(builds):
            return None
        mine = self._of_mine(builds, "serving") or self._of_mine(builds, "building")
        return mine[0] if mine else None

    async def _clear_away(self, builds: Sequence[Build]) -> None:
        """Remove the rows of builds that nobody sees any more."""
        for build in builds:
            if build.state != "retired":
                continue
            removed = CLEAR_ROWS
            while removed:
                async with self._store.pool.transaction() as db:
                    removed = await self._projection.clear(db, build.number, CLEAR_ROWS)
            await self._progress.forget(build)

    # --- moving one on ------------------------------------------------------------------------

    async def _move(
        self, build: Build, told: Callable[[Build], object], until: str | None = None
    ) -> None:
        """Move a build on: until another process does, or it has come to a state."""
        try:
            async with aclosing(self._steps(build)) as steps:
                async for moved in steps:
                    told(moved)
                    if moved.state in {until, "retired"}:
                        return
        except ProgressConflict:
            log.debug("projection_moved_elsewhere", projection=self.name, build=build.number)
        finally:
            await self._let_go(build)

    async def _steps(self, build: Build) -> AsyncGenerator[Build, None]:
        """The build as it stands, and after each of its steps."""
        goal = await self._store.position()
        async with aclosing(self._store.follow_batches(build.position, most=BATCH)) as batches:
            while True:
                if build.state == "building" and build.position >= goal:
                    build, goal = await self._shown(build)
                yield build
                commits = await anext(batches)
                await self._advance(build, commits)
                build = build._replace(position=commits[-1].position)
                if build.state == "serving" and len(commits) < BATCH:
                    pause = PACE_SECONDS * (1 + len(commits) / FEW)
                    await self._world.sleep(min(pause, MOST_PACE_SECONDS))

    async def _shown(self, build: Build) -> tuple[Build, int]:
        """Let readers see a build that has caught up; if it has not, where it has to come."""
        head = await self._store.position()
        if head - build.position > BATCH:
            return build, head
        return build._replace(state=await self._progress.switch(build)), head

    async def _advance(self, build: Build, commits: Sequence[Commit]) -> None:
        """Take commits that follow the build's position into its rows."""
        async with self._progress.moving(build, commits[-1].position) as db:
            await self._projection.advance(db, build.number, commits)

    async def _let_go(self, build: Build) -> None:
        try:
            async with asyncio.timeout(LEAVE_SECONDS):
                await self._progress.leave(build)
        except (Unavailable, TimeoutError):  # it runs out by itself
            log.debug("projection_not_left", projection=self.name, build=build.number)
