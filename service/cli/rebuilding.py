"""What ``kartejo rebuild`` does: the database, the runners, and how far they are."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from engine.games import GAMES
from service.cli.failures import CommandError, of_database
from service.codec import Codec
from service.projections import Projections
from service.projections.projection import Follower
from service.projections.runner import Runner
from service.store.connection import parsed
from service.store.embedded import launch, running
from service.store.migrate import migrate
from service.store.postgres import Store
from service.store.progress import Build, Standing, standings
from service.transparency.tiles import LogTiles
from service.world import RealWorld

__all__ = ["database_of", "rebuild", "standings_at"]


@contextmanager
def database_of(database: str | None, home: Path) -> Iterator[str]:
    """A connection string: of the database that is named, else of the embedded one on ``home``.

    That one is started for as long as it is needed where no service runs.  Raises
    ``CommandError`` where there is none, ``LaunchError``.
    """
    with ExitStack() as stack:
        if database is not None:
            parsed(database)
            yield database
        elif (found := running(home)) is not None:
            yield found[1]
        elif not (home / "postgres").exists():
            hint = "name another folder by --data, or a server by --database"
            raise CommandError("NO_DATABASE", f"there is no database in {home}", hint)
        else:
            # The folder was good enough for a service; this makes none.
            server = stack.enter_context(launch(home, allow_temporary=True))
            with of_database():
                migrate(server.conninfo)
            yield server.service_conninfo


async def standings_at(dsn: str) -> list[Standing]:
    """How far every build has come."""
    with of_database():
        async with Store(dsn) as store:
            return await standings(store.pool)


async def rebuild(dsn: str, names: Sequence[str], *, quiet: bool) -> list[Standing]:
    """Make projections anew, side by side, with a bar for each on a terminal."""
    world = RealWorld()
    there: tuple[Follower, ...] = (*Projections.of(Codec(GAMES), GAMES), LogTiles())
    wanted = [each for each in there if each.NAME in names]
    with of_database(), _Bars(quiet=quiet) as bars:
        async with Store(dsn) as store:
            bars.head = await store.position()
            await _all(Runner(world, store, each).rebuild(bars.told) for each in wanted)
            found = await standings(store.pool)
    # What readers see of them now: another run may have made still newer rows meanwhile.
    return [one for one in found if one.build.name in names and one.build.state == "serving"]


async def _all(works: Iterable[Coroutine[Any, Any, Build]]) -> None:
    """Do works side by side; raises what the first one ends with."""
    try:
        async with asyncio.TaskGroup() as tasks:
            for work in works:
                tasks.create_task(work)
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None


class _Bars:
    """Progress bars on a terminal, on standard error; nothing in a pipe."""

    _COLUMNS: Final = (
        TextColumn("{task.description:<8}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("commits"),
        TimeRemainingColumn(),
    )

    def __init__(self, *, quiet: bool) -> None:
        console = Console(stderr=True)
        shown = console.is_terminal and not quiet
        self._progress = Progress(*self._COLUMNS, console=console, disable=not shown)
        self._bars: dict[str, TaskID] = {}
        self.head = 0

    def told(self, build: Build) -> None:
        """A build has come so far."""
        bar = self._bars.get(build.name)
        if bar is None:
            bar = self._bars[build.name] = self._progress.add_task(build.name, total=self.head)
        total = max(self.head, build.position)
        self._progress.update(bar, completed=build.position, total=total)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
