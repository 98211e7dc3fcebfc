"""Histograms of latencies."""

from __future__ import annotations

import pytest

from service.load.latency import Latencies


def test_values_are_kept_to_three_digits_from_a_microsecond_to_an_hour():
    for seconds in (1e-6, 17e-6, 0.001234, 0.5678, 12.34, 3_599.0):
        found = Latencies()
        found.record(seconds)
        for value in (found.percentile(50), found.worst, found.mean):
            assert value == pytest.approx(seconds, rel=0.001)


def test_beyond_the_ends_are_the_ends():
    found = Latencies()
    found.record(0.0)
    found.record(-1.0)
    found.record(1e9)
    assert found.count == 3
    assert found.percentile(1) == 1e-6
    assert found.worst == pytest.approx(3_600, rel=0.001)


def test_histograms_travel_and_add_up():
    one, other = Latencies(), Latencies()
    for number in range(1, 1_001):
        (one if number % 2 else other).record(number / 1_000)
    total = Latencies()
    total.add(Latencies.decode(one.encode()))
    total.add(Latencies.decode(other.encode()))
    assert total.count == 1_000
    assert total.percentile(50) == pytest.approx(0.5, rel=0.002)
    assert total.percentile(99.9) == pytest.approx(0.999, rel=0.002)


def test_the_curve_ends_at_the_percentile_of_one_value():
    found = Latencies()
    assert list(found.curve()) == []
    for number in range(1, 101):
        found.record(number / 1_000)
    curve = list(found.curve())
    assert curve[-1] == (99.0, pytest.approx(0.1, rel=0.001))
    assert [percent for percent, _ in curve] == sorted({percent for percent, _ in curve})
    heights = [seconds for _, seconds in curve]
    assert heights == sorted(heights)


def test_nothing_has_no_percentiles():
    found = Latencies()
    assert (found.count, found.percentile(99), found.worst, found.mean) == (0, 0.0, 0.0, 0.0)
