"""Small plots as SVG: lines and bars between two axes, coloured by the page they stand on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Final, NamedTuple

__all__ = ["Axis", "Series", "linear", "log_scale", "nines", "plot"]

WIDTH: Final = 720
HEIGHT: Final = 260
LEFT: Final = 64
RIGHT: Final = 24
TOP: Final = 14
BOTTOM: Final = 38


class Axis(NamedTuple):
    """``place``: from a value to 0 (the beginning of the axis) … 1; ``ticks``: values to name."""

    title: str
    place: Callable[[float], float]
    ticks: Sequence[tuple[float, str]]


class Series(NamedTuple):
    """Points of a line, or of ``bars``; ``tone`` 1 … 3 is its colour."""

    name: str
    points: Sequence[tuple[float, float]]
    tone: int = 1
    bars: bool = False


def _named(value: float) -> str:
    return f"{value:,.10g}"


def linear(title: str, high: float, low: float = 0.0) -> Axis:
    """From ``low`` up to ``high`` or somewhat beyond, in round steps.

    >>> [name for _, name in linear("", 1_730).ticks]
    ['0', '500', '1,000', '1,500', '2,000']
    """
    span = max(high - low, 1e-9)
    step = 10.0 ** math.floor(math.log10(span / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if factor * step * 4 >= span * 0.85)
    count = math.ceil(span / step - 1e-9)
    ticks = [(low + step * i, _named(round(low + step * i, 10))) for i in range(count + 1)]
    return Axis(title, lambda value: (value - low) / (step * count), ticks)


def log_scale(title: str, low: float, high: float) -> Axis:
    """From the power of ten under ``low`` to the one above ``high``.

    >>> [name for _, name in log_scale("ms", 0.7, 40).ticks]
    ['0.1', '1', '10', '100']
    """
    first = math.floor(math.log10(max(low, 1e-6)))
    last = max(first + 1, math.ceil(math.log10(max(high, 1e-6))))
    ticks = [(10.0**power, _named(10.0**power)) for power in range(first, last + 1)]
    return Axis(
        title,
        lambda value: (math.log10(max(value, 10.0**first)) - first) / (last - first),
        ticks,
    )


def nines(title: str, highest: float) -> Axis:
    """Percentiles by how little is left beyond them: 90, 99 and 99.9 are equally far apart.

    >>> [name for _, name in nines("", 99.95).ticks]
    ['0', '90', '99', '99.9', '99.99']
    """
    last = max(1, math.ceil(-math.log10(max(1 - highest / 100, 1e-9)) - 1e-9))
    ticks = [(100 * (1 - 10.0**-n), f"{100 * (1 - 10.0**-n):.10g}") for n in range(last + 1)]
    return Axis(title, lambda value: -math.log10(max(1 - value / 100, 1e-9)) / last, ticks)


def plot(title: str, across: Axis, up: Axis, series: Sequence[Series]) -> str:
    """A figure: its title, what its lines are, the picture."""
    keys = "".join(
        f'<span class="key tone{each.tone}">{escape(each.name)}</span>'
        for each in series
        if len(series) > 1
    )
    parts = [*_grid(across, up)]
    for each in series:
        parts += _bars(across, up, each) if each.bars else _line(across, up, each)
    return (
        f"<figure><figcaption>{escape(title)} {keys}</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg></figure>"
    )


def _x(axis: Axis, value: float) -> float:
    return round(LEFT + axis.place(value) * (WIDTH - LEFT - RIGHT), 1)


def _y(axis: Axis, value: float) -> float:
    return round(HEIGHT - BOTTOM - axis.place(value) * (HEIGHT - TOP - BOTTOM), 1)


def _grid(across: Axis, up: Axis) -> Iterable[str]:
    floor, middle = HEIGHT - BOTTOM, (LEFT + WIDTH - RIGHT) / 2
    for value, name in up.ticks:
        y = _y(up, value)
        yield f'<path class="grid" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>'
        yield f'<text class="end" x="{LEFT - 8}" y="{y + 4}">{escape(name)}</text>'
    for value, name in across.ticks:
        x = _x(across, value)
        yield f'<path class="grid" d="M{x} {TOP}V{floor}"/>'
        yield f'<text class="mid" x="{x}" y="{floor + 16}">{escape(name)}</text>'
    yield f'<text class="mid" x="{middle}" y="{HEIGHT - 4}">{escape(across.title)}</text>'
    turn = f'transform="translate(13 {(TOP + floor) / 2}) rotate(-90)"'
    yield f'<text class="mid" {turn}>{escape(up.title)}</text>'


def _line(across: Axis, up: Axis, series: Series) -> Iterable[str]:
    places = [(_x(across, x), _y(up, y)) for x, y in series.points]
    if not places:
        return
    path = "L".join(f"{x} {y}" for x, y in places)
    yield f'<path class="line tone{series.tone}" d="M{path}"/>'
    for (x, y), (value, height) in zip(places, series.points, strict=True):
        told = f"{series.name}: {_named(round(height, 3))} at {_named(round(value, 3))}"
        yield (
            f'<circle class="tone{series.tone}" cx="{x}" cy="{y}" r="3">'
            f"<title>{escape(told)}</title></circle>"
        )


def _bars(across: Axis, up: Axis, series: Series) -> Iterable[str]:
    floor = HEIGHT - BOTTOM
    wide = max(1.0, 0.8 * (_x(across, 1) - _x(across, 0)))  # each stands for one
    for value, height in series.points:
        x, y = _x(across, value), _y(up, height)
        told = f"{series.name}: {_named(height)} at {_named(value)}"
        yield (
            f'<rect class="tone{series.tone}" x="{round(x - wide / 2, 1)}" y="{y}" '
            f'width="{round(wide, 1)}" height="{round(max(0.0, floor - y), 1)}">'
            f"<title>{escape(told)}</title></rect>"
        )
