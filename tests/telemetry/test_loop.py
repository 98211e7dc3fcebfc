"""The loop monitor tells a loop that is held up, and a clock that jumps, each in one line."""

from __future__ import annotations

import asyncio
import gc

import pytest
from structlog.testing import capture_logs

from service.telemetry.garbage import GarbagePauses
from service.telemetry.loop import LoopMonitor
from service.world import SteppedWorld


def told(logs: list[dict[str, object]]) -> list[tuple[object, object]]:
    return [(line["event"], line["seconds"]) for line in logs]


def test_what_is_late_by_more_than_50_ms_is_a_stall() -> None:
    monitor = LoopMonitor(SteppedWorld())
    with capture_logs() as logs:
        for late in (0.0, 0.02, 0.05, 0.0501, 0.3, -0.001):
            monitor.woke(late)
    assert told(logs) == [("loop_stalled", 0.05), ("loop_stalled", 0.3)]
    assert monitor.stalls == 2
    assert monitor.late.count == 6
    assert monitor.late.counts[0] == 2  # a wake-up before its time is not late


def test_a_loop_that_is_held_up_is_told_with_how_long() -> None:
    """By a clock of the test, which stands at two moments: it was to wake after 0.02 s."""
    moments = [100.42, 100.0]
    monitor = LoopMonitor(SteppedWorld(), moments.pop)
    with capture_logs() as logs, pytest.raises(IndexError):
        asyncio.run(monitor.run())
    assert told(logs) == [("loop_stalled", 0.4)]
    assert monitor.stalls == 1


@pytest.mark.parametrize("jump", [3600, -3600, 1.5])
def test_a_clock_that_jumps_is_told_once_with_how_far(jump: float) -> None:
    """Time that passes is no jump, however much; corrections of less than a second are none."""
    world = SteppedWorld()
    monitor = LoopMonitor(world)
    with capture_logs() as logs:
        world.advance(86_400)
        monitor.woke(0.0)
        world.set_now(world.now() + 900_000)
        monitor.woke(0.0)
        assert not logs
        world.set_now(world.now() + round(jump * 1e6))
        monitor.woke(0.0)
        monitor.woke(0.0)
    assert told(logs) == [("clock_jumped", pytest.approx(jump))]
    assert monitor.jumps == 1


def test_collections_are_timed_while_somebody_looks() -> None:
    with GarbagePauses() as garbage:
        gc.collect(0)
        gc.collect(2)
    before = {word: spread.count for word, spread in garbage.pauses.each.items()}
    assert before["2"] == 1
    assert before["0"] >= 1
    gc.collect(2)
    assert garbage.pauses.each["2"].count == 1
