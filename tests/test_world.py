"""The injected world: real, and stepped."""

from __future__ import annotations

import asyncio
import doctest
import time
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

import service.world
from service.world import RealWorld, SteppedWorld, World, uuid7, uuid7_shaped


def test_the_examples_run() -> None:
    assert doctest.testmod(service.world).failed == 0


def test_both_worlds_are_worlds() -> None:
    """The protocol holds for the type checker and when it runs."""
    worlds: list[World] = [RealWorld(), SteppedWorld()]
    for world in worlds:
        assert len(world.entropy(32)) == 32
        assert world.monotonic() <= world.monotonic()


def test_the_real_world_tells_utc_in_microseconds() -> None:
    before = time.time_ns() // 1_000
    now = RealWorld().now()
    assert before <= now <= time.time_ns() // 1_000


def test_the_real_world_runs_timers_and_takes_them_back() -> None:
    async def run() -> list[str]:
        world, seen = RealWorld(), list[str]()
        done = asyncio.Event()
        world.call_later(0.01, lambda: seen.append("cancelled")).cancel()
        world.call_later(-5, lambda: seen.append("at once"))
        world.call_later(0.02, done.set)
        await done.wait()
        await world.sleep(0)
        return seen

    assert asyncio.run(run()) == ["at once"]


def test_a_stepped_world_stands_still() -> None:
    world = SteppedWorld(now=5)
    assert [world.now() for _ in range(3)] == [5, 5, 5]
    assert world.monotonic() == 0.0


def test_timers_run_in_the_order_they_fall_due_each_at_its_own_time() -> None:
    """Equal times in the order of setting."""
    world, seen = SteppedWorld(now=0), list[tuple[str, int]]()
    for name, due in [("c", 3.0), ("a", 1.0), ("b1", 2.0), ("b2", 2.0), ("late", 9.0)]:
        world.call_later(due, lambda name=name: seen.append((name, world.now())))  # type: ignore[misc]
    world.advance(3)
    assert seen == [("a", 1_000_000), ("b1", 2_000_000), ("b2", 2_000_000), ("c", 3_000_000)]
    assert world.due_in() == 6.0


def test_timers_of_one_moment_run_in_the_order_of_setting() -> None:
    """Among many, too: a heap alone would not keep their order."""
    world, seen = SteppedWorld(), list[int]()
    for number in range(100):
        world.call_later(1 + number % 3, lambda number=number: seen.append(number))  # type: ignore[misc]
    world.advance(3)
    assert seen == sorted(range(100), key=lambda number: (number % 3, number))


def test_a_timer_set_by_a_timer_runs_within_the_same_step() -> None:
    world, seen = SteppedWorld(now=0), list[float]()

    def tick() -> None:
        seen.append(world.monotonic())
        world.call_later(1, tick)

    world.call_later(1, tick)
    world.advance(3.5)
    assert seen == [1.0, 2.0, 3.0]
    assert world.monotonic() == 3.5


def test_a_cancelled_timer_never_runs() -> None:
    world, seen = SteppedWorld(), list[int]()
    later = world.call_later(2, lambda: seen.append(2))
    world.call_later(1, later.cancel)
    world.advance(10)
    assert seen == []
    assert world.due_in() is None
    later.cancel()


def test_an_error_in_a_timer_comes_out_and_the_rest_stays_set() -> None:
    world, seen = SteppedWorld(), list[int]()

    def fail() -> None:
        raise LookupError

    world.call_later(1, fail)
    world.call_later(2, lambda: seen.append(2))
    with pytest.raises(LookupError):
        world.advance(5)
    world.advance(5)
    assert seen == [2]


def test_the_time_of_day_may_jump_without_moving_timers() -> None:
    """A clock set back an hour neither delays nor hastens a deadline."""
    world, seen = SteppedWorld(now=10_000_000_000), list[float]()
    world.call_later(5, lambda: seen.append(world.monotonic()))
    world.advance(1)
    world.set_now(6_400_000_000)
    assert world.now() == 6_400_000_000
    world.advance(4)
    assert seen == [5.0]
    assert world.now() == 6_404_000_000


def test_time_does_not_run_backwards() -> None:
    with pytest.raises(ValueError, match="backwards"):
        SteppedWorld().advance(-1)


def test_sleepers_wake_when_time_has_passed_and_may_be_cancelled() -> None:
    async def run() -> None:
        world = SteppedWorld()
        sleeper, other = (asyncio.ensure_future(world.sleep(s)) for s in (2, 3))
        await world.sleep(0)
        world.advance(1.9)
        await world.sleep(0)
        assert not sleeper.done()
        other.cancel()
        await asyncio.wait([other])
        world.advance(0.1)
        await sleeper
        assert world.due_in() is None
        assert other.cancelled()

    asyncio.run(run())


def test_a_sleeper_cancelled_in_the_step_that_wakes_him_harms_nobody() -> None:
    async def run() -> None:
        world = SteppedWorld()
        sleeper = asyncio.ensure_future(world.sleep(1))
        await world.sleep(0)
        world.call_later(0.5, sleeper.cancel)
        world.advance(1)
        await asyncio.wait([sleeper])
        assert sleeper.cancelled()

    asyncio.run(run())


def test_equal_seeds_give_equal_entropy_and_no_draw_repeats() -> None:
    one, two, other = SteppedWorld(seed=b"a"), SteppedWorld(seed=b"a"), SteppedWorld(seed=b"b")
    draws = [one.entropy(32) for _ in range(100)]
    assert draws == [two.entropy(32) for _ in range(100)]
    assert len(set(draws) | {other.entropy(32)}) == 101


@given(st.integers(0, (1 << 48) * 1_000 - 1), st.binary(min_size=10, max_size=32))
def test_a_uuid7_keeps_its_milliseconds_and_all_its_noise(at: int, noise: bytes) -> None:
    """RFC 9562, 5.7: version 7, variant 2, 74 bits of noise."""
    made = uuid7_shaped(at, noise)
    assert (made.version, made.variant) == (7, "specified in RFC 4122")
    assert made.int >> 80 == at // 1_000
    bits = int.from_bytes(noise[:10], "big")
    assert made.int >> 64 & 0xFFF == bits >> 68
    assert made.int & (1 << 62) - 1 == bits & (1 << 62) - 1


def test_uuid7s_of_one_moment_differ() -> None:
    world = SteppedWorld()
    assert len({uuid7(world) for _ in range(1_000)}) == 1_000
    assert uuid7(SteppedWorld()) == uuid7(SteppedWorld())
    assert isinstance(uuid7(RealWorld()), UUID)


@pytest.mark.parametrize(("at", "noise"), [(0, bytes(9)), (-1, bytes(10)), (1 << 60, bytes(10))])
def test_a_uuid7_refuses_short_noise_and_times_that_do_not_fit(at: int, noise: bytes) -> None:
    with pytest.raises(ValueError, match="UUIDv7"):
        uuid7_shaped(at, noise)
