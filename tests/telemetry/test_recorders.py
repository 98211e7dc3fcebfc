"""Recorders count exactly and never grow without a bound."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from service.telemetry import Histogram, Histograms, Tally


@given(st.lists(st.floats(0, 100)))
def test_a_histogram_counts_every_value_once(values: list[float]) -> None:
    """At the lowest bound that it does not exceed; the bound itself belongs below."""
    bounds = (0.5, 1.0, 10.0)
    spread = Histogram(bounds)
    for value in values:
        spread.observe(value)
    assert spread.count == len(values)
    assert spread.sum == sum(values)
    for i, bound in enumerate(bounds):
        assert sum(spread.counts[: i + 1]) == sum(value <= bound for value in values)


def test_the_words_of_a_tally_stay_within_their_bound() -> None:
    """Those that were there first go on being counted; all that come later are one."""
    told = Tally("method", "reason", most=3)
    for number in range(100):
        told.add(f"method {number}", "OK")
    told.add("method 1", "OK", times=2)
    assert told.counts == {
        ("method 0", "OK"): 1,
        ("method 1", "OK"): 3,
        ("method 2", "OK"): 1,
        ("other", "other"): 97,
    }


def test_the_words_of_histograms_stay_within_their_bound() -> None:
    seen = Histograms("game", (1,), most=2)
    for word in ("a", "b", "c", "d", "a"):
        seen.observe(word, 0.5)
    assert {word: spread.count for word, spread in seen.each.items()} == {
        "a": 2,
        "b": 1,
        "other": 2,
    }
