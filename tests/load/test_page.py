"""The page: everything in it, nothing fetched, and plots that say what was measured."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from service.load.fleet import Measured
from service.load.page import page
from service.load.plan import Load
from service.load.plots import Series, linear, log_scale, nines, plot
from service.load.reading import Checked
from service.load.result import Result, document, words
from service.load.tally import Tally


def measured(seconds: int) -> Measured:
    """So many seconds of a hundred actions each, the last one with errors."""
    found = Measured()
    tally = Tally()
    for second in range(seconds):
        for number in range(100):
            tally.latencies.record((number + 1) * (second + 1) / 10_000)
            tally.lags.record(0.001)
        tally.actions, tally.events = 100, 250
        if second == seconds - 1:
            tally.errors["UNAVAILABLE"] = 7
        found.take(tally.sample(second, second + 1.0, 0.1 * (second + 1)))
    list(found.close_all())
    return found


def result(seconds: int = 3, **fields: object) -> Result:
    load = Load(("pontoon",), tables=2, seconds=float(seconds), rate=100.0)
    checked = Checked(2, 310, 310, 310, 620)
    made = Result(load, "127.0.0.1:1", "2026-01-01T00:00:00Z", "1", measured(seconds), checked)
    return made._replace(batches={1: 10, 4: 30}, **fields)


def test_the_document_adds_up():
    told = document(result())
    assert told["actions"] == 300
    assert told["actions_per_second"] == 100.0
    assert told["events_per_second"] == 250.0
    assert told["errors"] == {"UNAVAILABLE": 7}
    assert told["generator"]["cpu_share"] == 0.1
    assert told["generator"]["is_the_limit"] is False
    assert [each["max"] for each in told["over_time"]] == pytest.approx([10, 20, 30], rel=0.01)
    assert told["latency_ms"]["max"] == pytest.approx(30, rel=0.01)
    batches = told["commit_batches"]
    assert (batches["transactions"], batches["commits"]) == (40, 130)
    assert (batches["mean"], batches["p50"], batches["p99"], batches["max"]) == (3.25, 4, 4, 4)


def test_words_name_the_limit_and_what_was_never_begun():
    slow = result()
    slow.measured.cpu_share = 0.97
    slow.measured.missed = 12
    told = dict.fromkeys(value for _, value in words(document(slow)))
    assert any("the generator is the limit" in value for value in told)
    assert any("12 actions were due and never begun" in value for value in told)
    assert not any("the generator is" in value for _, value in words(document(result())))


def test_a_late_generator_is_the_limit_where_its_lateness_makes_up_the_latency():
    late = result()  # the 99th percentile is about 30 ms
    for _ in range(300):
        late.measured.lags.record(0.02)
    assert document(late)["generator"]["is_the_limit"] is True
    slow = result(30)  # ten times as long: the same lateness is no matter
    for _ in range(3_000):
        slow.measured.lags.record(0.02)
    assert document(slow)["generator"]["is_the_limit"] is False


def test_the_page_is_whole_and_fetches_nothing():
    text = page(document(result()))
    assert not re.findall(r"(?:src|href|url|@import)\s*[=(]", text)
    assert "://" not in text
    assert "prefers-color-scheme: dark" in text
    pictures = re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL)
    assert len(pictures) == 5
    for picture in pictures:
        tree = ElementTree.fromstring(picture)
        assert len(list(tree.iter("text"))) > 6
        for place in tree.iter("circle"):
            assert 0 <= float(place.attrib["cx"]) <= 720
            assert 0 <= float(place.attrib["cy"]) <= 260
        for bar in tree.iter("rect"):
            assert float(bar.attrib["height"]) >= 0
    told = [each.text or "" for each in ElementTree.fromstring(pictures[1]).iter("title")]
    assert told == [f"actions: 100 at {second}.5" for second in range(3)]


def test_differences_stand_on_the_page_as_text():
    checked = Checked(1, 1, 1, 1, 0, 0, ("pontoon t: <b>version 7</b> & more",))
    text = page(document(result(checked=checked)))
    assert "Not what was told, in 1 places" in text
    assert "&lt;b&gt;version 7&lt;/b&gt; &amp; more" in text
    assert "<b>version" not in text


def test_a_run_in_which_nothing_happened_has_a_page_too():
    load = Load(("pontoon",))
    empty = Result(load, "a:1", "t", "1", Measured(), Checked())
    told = document(empty)
    assert told["commit_batches"] is None
    assert told["latency_curve"] == []
    assert "<svg" not in page(told)


@pytest.mark.parametrize("high", [0.3, 1, 7, 10, 99, 100, 101, 12_345])
def test_an_axis_holds_its_highest_value(high):
    axis = linear("", high)
    assert 0 < axis.place(high) <= 1.0000001
    assert 3 <= len(axis.ticks) <= 12
    assert axis.place(axis.ticks[-1][0]) == pytest.approx(1)


def test_axes_of_percentiles_and_powers():
    axis = nines("", 99.9)
    assert [axis.place(value) for value in (0, 90, 99, 99.9)] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    axis = log_scale("", 1, 1_000)
    assert [axis.place(value) for value in (1, 10, 1_000)] == pytest.approx([0, 1 / 3, 1])
    assert axis.place(0) == 0


def test_a_line_goes_through_its_points():
    axis = linear("", 10)
    picture = plot("t", axis, axis, [Series("s", [(0, 0), (10, 10)])])
    assert 'd="M64.0 222.0L696.0 14.0"' in picture
