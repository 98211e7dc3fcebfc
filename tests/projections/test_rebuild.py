"""Whatever interrupts a projection, its rows end equal to those of a rebuild from zero."""

from __future__ import annotations

import asyncio
import random
import sys
import types
from collections.abc import Coroutine, Generator, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from service.projections import runner as module
from service.projections.projection import AnyProjection, project
from service.projections.runner import Runner
from service.store import progress as progress_module
from service.store.postgres import Store
from service.store.progress import Build
from service.world import RealWorld
from tests.projections.log import PROJECTIONS, builds, rows_of, served, size_of
from tests.service.harness import run
from tests.store.lines import fast

ROOT = Path(__file__).parents[2]
EACH = pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda each: each.NAME)


def untold(_: Build) -> None:
    """Nobody looks."""


async def rebuilt(store: Store, projection: AnyProjection) -> Build:
    return await Runner(RealWorld(), store, projection).rebuild(untold)


@EACH
@pytest.mark.parametrize(
    "batch",
    [7, pytest.param(1, marks=pytest.mark.long), pytest.param(250, marks=pytest.mark.long)],
)
def test_followed_live_or_rebuilt_in_any_portions_it_is_the_same(
    dsn: str, admin_dsn: str, projection: AnyProjection, batch: int, monkeypatch: Any
) -> None:
    """And what it replaces is gone: no build leaves rows behind."""
    monkeypatch.setattr(module, "BATCH", batch)
    live, size = rows_of(admin_dsn, projection.NAME), size_of(admin_dsn, projection.NAME)

    async def scenario() -> None:
        async with fast(dsn) as store:
            first = await rebuilt(store, projection)
            second = await rebuilt(store, projection)
            assert (first.number, second.number) == (2, 3)
            assert second.position == await store.position()

    run(scenario())
    assert rows_of(admin_dsn, projection.NAME) == live
    assert size_of(admin_dsn, projection.NAME) == size
    assert len(builds(admin_dsn, projection.NAME)) == 1


@EACH
def test_a_fold_asks_nobody_and_does_not_depend_on_portions(
    dsn: str, projection: AnyProjection
) -> None:
    """The whole log at once, commit by commit, and stream by stream give the same."""

    async def scenario() -> None:
        async with fast(dsn) as store:
            commits = [
                commit
                for commit in await anext(store.follow_batches(0))
                if commit.kind == projection.KIND
            ]
        whole = {one.stream for one in commits}
        known: dict[Any, Any] = {}
        for commit in commits:
            known.update(project(projection, known, [commit]))
        assert project(projection, {}, commits) == known
        for stream in whole:
            mine = [commit for commit in commits if commit.stream == stream]
            assert project(projection, {}, mine) == {stream: known[stream]}

    run(scenario())


@types.coroutine
def cancelled_at(work: Coroutine[Any, Any, Any], nth: int) -> Generator[Any, None, Any]:
    """Awaits some work, and cancels its task at the ``nth`` suspension."""
    task = asyncio.current_task()
    assert task is not None
    number, step = 0, partial(work.send, None)
    while True:
        try:
            waits_for = step()
        except StopIteration as done:
            return done.value
        number += 1
        if number == nth:
            task.cancel()
        try:
            yield waits_for
            step = partial(work.send, None)
        except BaseException as error:  # noqa: BLE001 the work decides what becomes of it
            step = partial(work.throw, error)


async def interrupted(
    dsn: str, admin_dsn: str, projection: AnyProjection, places: Iterable[int]
) -> None:
    """Cancel a rebuild at each of these awaits, and let the next one go on where it stopped."""
    live = rows_of(admin_dsn, projection.NAME)
    async with fast(dsn) as store:
        for nth in places:
            task = asyncio.ensure_future(as_coroutine(rebuilt(store, projection), nth))
            with suppress(asyncio.CancelledError):
                await task
            assert rows_of(admin_dsn, projection.NAME) == live
        await rebuilt(store, projection)
    assert rows_of(admin_dsn, projection.NAME) == live
    assert len(builds(admin_dsn, projection.NAME)) == 1


@pytest.fixture
def nobody_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who was interrupted is followed at once."""
    monkeypatch.setattr(module, "WAIT_SECONDS", 0.001)
    monkeypatch.setattr(progress_module, "HOLD_SECONDS", 0.0)


@pytest.mark.usefixtures("nobody_holds")
def test_cancelled_anywhere_it_goes_on_where_it_stopped(
    dsn: str, admin_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At awaits of all kinds; all of them: see the next test."""
    monkeypatch.setattr(module, "BATCH", 60)
    run(interrupted(dsn, admin_dsn, PROJECTIONS.hands, range(2, 180, 18)))


@pytest.mark.long
@pytest.mark.usefixtures("nobody_holds")
@EACH
def test_cancelled_at_every_await_it_goes_on_where_it_stopped(
    dsn: str, admin_dsn: str, projection: AnyProjection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 60)
    run(interrupted(dsn, admin_dsn, projection, range(1, 500)), seconds=600)


async def as_coroutine(work: Coroutine[Any, Any, Any], nth: int) -> Any:
    return await cancelled_at(work, nth)


def test_killed_at_random_it_goes_on_where_it_stopped(dsn: str, admin_dsn: str) -> None:
    """A real process, SIGKILL, a commit a transaction; the last one comes to the end."""
    live = {each.NAME: rows_of(admin_dsn, each.NAME) for each in PROJECTIONS}
    source = random.Random(7)

    async def scenario() -> None:
        killed = 0
        while True:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.projections.rebuilder", dsn),
                cwd=ROOT,
                stdout=asyncio.subprocess.PIPE,
            )
            assert process.stdout is not None
            steps = source.randrange(60, 180)
            while steps and await process.stdout.readline():
                steps -= 1
            if steps:
                assert await process.wait() == 0
                break
            process.kill()
            await process.wait()
            killed += 1
        assert killed > 1

    run(scenario())
    assert {each.NAME: rows_of(admin_dsn, each.NAME) for each in PROJECTIONS} == live
    for each in PROJECTIONS:
        assert [number for number, *_ in builds(admin_dsn, each.NAME)] == [2]


@pytest.mark.parametrize(
    "projection",
    [
        pytest.param(each, marks=[pytest.mark.long] if each.NAME in {"tables", "hands"} else [])
        for each in PROJECTIONS
    ],
    ids=lambda each: each.NAME,
)
def test_several_at_once_take_every_commit_once(
    dsn: str, admin_dsn: str, projection: AnyProjection, monkeypatch: Any
) -> None:
    """Though nobody respects who holds a build: the position decides."""
    monkeypatch.setattr(module, "BATCH", 5)
    monkeypatch.setattr(module, "WAIT_SECONDS", 0.001)
    monkeypatch.setattr(progress_module, "HOLD_SECONDS", 0.0)
    live = rows_of(admin_dsn, projection.NAME)

    async def scenario() -> None:
        async with fast(dsn) as one, fast(dsn) as other:
            await asyncio.gather(
                *(rebuilt(store, projection) for store in (one, other, one, other))
            )
            assert rows_of(admin_dsn, projection.NAME) == live
            await served(one, projection.NAME, await one.position())

    run(scenario())
