"""Full collections look at what is new only, and nothing is kept for ever."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from service.cold_storage import LOOK_SECONDS, PATIENCE_SECONDS, THAW_SECONDS, ColdStorage
from service.world import SteppedWorld


class Node:
    """Something that can hold itself."""

    def __init__(self) -> None:
        self.other: Node | None = None


def a_cycle() -> Node:
    one, two = Node(), Node()
    one.other, two.other = two, one
    return one


@pytest.fixture
def world() -> SteppedWorld:
    return SteppedWorld()


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """No test leaves the process's collector changed."""
    thresholds, callbacks = gc.get_threshold(), list(gc.callbacks)
    yield
    assert (gc.get_threshold(), gc.callbacks) == (thresholds, callbacks)
    assert gc.get_freeze_count() == 0


def test_what_survives_is_not_looked_at_again(world):
    with ColdStorage(world, lambda: False):
        table = a_cycle()
        gc.collect()
        assert not any(each is table for each in gc.get_objects())
        assert len(gc.get_objects(2)) < 1_000
        assert gc.get_freeze_count() > 10_000


@pytest.mark.parametrize("thawed", [False, True])
def test_no_collection_looks_at_many_objects(world, thawed):
    """Though hundreds of thousands stay, each of them in a moment in which somebody may wait."""
    looked: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            young = range(info["generation"] + 1)
            looked.append(sum(len(gc.get_objects(generation)) for generation in young))

    there = [Node() for _ in range(200_000)]
    with ColdStorage(world, lambda: False) as storage:
        if thawed:
            storage.thaw()
        gc.callbacks.append(note)
        kept = [Node() for _ in range(700_000)]
        gc.callbacks.remove(note)
    assert (len(there), len(kept)) == (200_000, 700_000)
    assert looked
    assert max(looked) < 50_000


def test_garbage_that_was_never_frozen_is_found(world):
    with ColdStorage(world, lambda: False):
        call = a_cycle()
        gone = weakref.ref(call)
        del call
        gc.collect()
        assert gone() is None


def steps(world: SteppedWorld, cold: ColdStorage, seconds: list[float], gone: object) -> list[bool]:
    """Whether garbage is still there after each of some stretches of time."""

    async def scenario() -> list[bool]:
        keeping = asyncio.create_task(cold.keep())
        left = []
        for stretch in seconds:
            for _ in range(int(stretch / LOOK_SECONDS)):
                await asyncio.sleep(0)
                world.advance(LOOK_SECONDS)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            left.append(gone() is not None)
        keeping.cancel()
        return left

    return asyncio.run(scenario())


def test_frozen_garbage_is_found_in_an_idle_moment(world):
    """Not before its time, though the process be idle."""
    with ColdStorage(world, lambda: True) as cold:
        stream = a_cycle()
        gc.collect()
        gone = weakref.ref(stream)
        del stream
        gc.collect()
        assert gone() is not None
        assert steps(world, cold, [THAW_SECONDS - 60, 120], gone) == [True, False]


def test_a_process_that_never_rests_is_looked_through_at_last(world):
    with ColdStorage(world, lambda: False) as cold:
        stream = a_cycle()
        gc.collect()
        gone = weakref.ref(stream)
        del stream
        assert steps(world, cold, [PATIENCE_SECONDS - 60, 120], gone) == [True, False]
