"""Think times as they are typed, and as they are drawn."""

from __future__ import annotations

from random import Random
from statistics import mean

import pytest

from service.load.think import BadThink, Think


@pytest.mark.parametrize(
    "text", ["constant:250", "uniform:100:400", "exponential:250", "lognormal:200:0.7"]
)
def test_what_is_drawn_has_the_mean_that_is_said(text):
    think = Think.parse(text)
    draw = think.sampler(Random(5))
    drawn = [draw() for _ in range(20_000)]
    assert min(drawn) > 0
    assert mean(drawn) == pytest.approx(think.mean_seconds, rel=0.03)
    assert Think.parse(str(think)) == think


def test_full_speed_is_no_time_at_all():
    assert Think.parse("none").mean_seconds == 0
    assert Think.parse("none").sampler(Random(1))() == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gamma:1",
        "exponential",
        "exponential:",
        "exponential:-5",
        "exponential:nan",
        "exponential:1e400",
        "exponential:0",
        "uniform:0:0",
        "uniform:5:4",
        "uniform:5",
        "none:1",
        "constant:3600001",
        "lognormal:0:1",
        "lognormal:100:5.1",
    ],
)
def test_what_is_no_think_time_is_said(text):
    with pytest.raises(BadThink):
        Think.parse(text)


def test_the_bounds_themselves_may_be():
    assert Think.parse("constant:3600000").mean_seconds == 3_600
    assert Think.parse("uniform:0:1").mean_seconds == 0.0005
    assert Think.parse("lognormal:100:5").numbers == (100.0, 5.0)
