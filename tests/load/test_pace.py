"""The moments of actions, and that no pause of a service takes any of them away."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import pytest

from service.load.latency import Latencies
from service.load.pace import FixedRate, FullSpeed, Pace, Thinking


def test_a_rate_has_its_moments_whoever_is_ready():
    pace = FixedRate[str](rate=10.0, start=100.0)
    assert pace.wakes() is None  # nobody is ready
    pace.ready("a", 100.0)
    assert pace.wakes() == 100.0
    assert list(pace.due(99.9)) == []
    assert list(pace.due(100.0)) == [("a", 100.0)]
    # Nobody was ready for three moments: they are taken up in their order, as late as they are.
    pace.ready("b", 100.35)
    pace.ready("a", 100.36)
    assert list(pace.due(100.36)) == [("b", 100.1), ("a", 100.2)]
    pace.ready("b", 100.37)
    assert list(pace.due(100.37)) == [("b", pytest.approx(100.3))]
    pace.ready("a", 100.38)
    assert list(pace.due(100.38)) == []
    assert pace.wakes() == pytest.approx(100.4)


def test_moments_that_nobody_took_are_told_at_the_end():
    pace = FixedRate[str](rate=10.0, start=0.0)
    pace.ready("a", 0.0)
    assert list(pace.due(0.0)) == [("a", 0.0)]
    assert list(pace.missed(0.4)) == pytest.approx([0.1, 0.2, 0.3])
    assert list(pace.missed(0.4)) == []


def test_a_thinking_table_does_not_wait_for_its_answers():
    """Its moments are sums of think times; an answer that comes late moves none of them."""
    pace = Thinking[str](lambda: 1.0, start=10.0)
    pace.ready("a", 10.0)
    assert pace.wakes() == 11.0
    assert list(pace.due(10.9)) == []
    assert list(pace.due(11.0)) == [("a", 11.0)]
    pace.ready("a", 13.5)  # the answer took two and a half seconds
    assert list(pace.due(13.5)) == [("a", 12.0)]
    pace.ready("a", 13.6)
    assert list(pace.due(13.6)) == [("a", 13.0)]
    pace.ready("a", 13.7)
    assert list(pace.due(13.7)) == []
    assert list(pace.missed(15.5)) == [14.0, 15.0]


def test_thinking_tables_act_in_the_order_of_their_moments():
    times = iter([3.0, 1.0, 2.0, *[9.0] * 9])
    pace = Thinking[str](lambda: next(times), start=0.0)
    for table in "abc":
        pace.ready(table, 0.0)
    assert list(pace.due(5.0)) == [("b", 1.0), ("c", 2.0), ("a", 3.0)]
    pace.drop("a")
    assert list(pace.missed(10.5)) == [10.0]  # the moment of b; c comes at 11


def test_full_speed_has_no_moments_of_its_own():
    pace = FullSpeed[str]()
    assert pace.wakes() is None
    pace.ready("a", 5.0)
    assert pace.wakes() == 5.0
    assert list(pace.due(5.0)) == [("a", 5.0)]
    assert list(pace.missed(9.0)) == []


# --- coordinated omission -------------------------------------------------------------------------

TABLES = 4
CALL_SECONDS = 0.001
PAUSE = (2.0, 3.0)


def played(pace: Pace[int], seconds: float) -> Iterator[tuple[float, float, float]]:
    """Moment, beginning and end of every action on a clock that jumps from event to event.

    The service answers in a millisecond, except that it stands still for one second.
    """
    answers: list[tuple[float, int]] = []
    now = 0.0
    for table in range(TABLES):
        pace.ready(table, now)
    while now < seconds:
        for table, intended in pace.due(now):
            end = now + CALL_SECONDS
            if PAUSE[0] < end < PAUSE[1]:
                end = PAUSE[1] + CALL_SECONDS
            heapq.heappush(answers, (end, table))
            yield intended, now, end
        wakes = pace.wakes()
        now = min(
            [each for each in (wakes, answers[0][0] if answers else None) if each is not None]
        )
        while answers and answers[0][0] <= now:
            _, table = heapq.heappop(answers)
            pace.ready(table, now)


@pytest.mark.parametrize(
    "pace",
    [FixedRate[int](100.0, 0.0), Thinking[int](lambda: TABLES / 100, 0.0)],
    ids=["rate", "think"],
)
def test_a_pause_of_a_second_shows_in_the_percentiles(pace):
    """A hundred actions were due in it, though no more than four calls were under way."""
    honest, naive = Latencies(), Latencies()
    for intended, begun, end in played(pace, 6.0):
        honest.record(end - intended)
        naive.record(end - begun)
    assert honest.count == pytest.approx(600, abs=8)
    # A sixth of all moments lay in the pause: latencies from nothing to a second, evenly.
    assert honest.percentile(99) == pytest.approx(0.94, abs=0.03)
    assert honest.percentile(91.7) == pytest.approx(0.5, abs=0.06)
    assert honest.percentile(80) < 0.01
    assert honest.worst == pytest.approx(1.0, abs=0.02)
    # What counts from where the client got to it sees four slow calls and nothing else.
    assert naive.percentile(99) < 0.01


def test_a_closed_loop_is_corrected_for_what_it_left_out():
    found = Latencies()
    elapsed = 0.0
    for _, begun, end in played(FullSpeed[int](), 6.0):
        found.record(end - begun)
        elapsed = max(elapsed, end)
    assert found.percentile(99.9) < 0.01
    corrected = found.corrected(elapsed * TABLES / found.count)
    # A sixth of the time the service stood still.
    assert corrected.percentile(99) == pytest.approx(0.94, abs=0.03)
    assert corrected.percentile(80) < 0.01


def test_a_backlog_that_is_never_worked_off_is_counted_as_it_stands():
    """A service that stops for good answers nothing: its silence is a latency all the same."""
    pace = FixedRate[int](100.0, 0.0)
    found = Latencies()
    for table in range(TABLES):
        pace.ready(table, 0.0)
    assert len(list(pace.due(0.1))) == TABLES  # under way, for ever
    for moment in pace.missed(10.0):
        found.record(10.0 - moment)
    assert found.count == 1_000 - TABLES
    assert found.percentile(50) == pytest.approx(5.0, abs=0.1)
