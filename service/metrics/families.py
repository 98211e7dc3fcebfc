"""The service's recorders as families of samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from service.telemetry import Histogram, Histograms, Tally

__all__ = [
    "counter",
    "counters",
    "gauge",
    "gauges",
    "histogram",
    "histograms",
    "tally",
]

PREFIX = "kartejo_"


def counter(name: str, told: str, value: float) -> Metric:
    """One count."""
    return CounterMetricFamily(PREFIX + name, told, value=value)


def counters(name: str, told: str, label: str, values: Mapping[str, float]) -> Metric:
    """A count for every word of a label."""
    family = CounterMetricFamily(PREFIX + name, told, labels=[label])
    for word, value in values.items():
        family.add_metric([word], value)
    return family


def gauge(name: str, told: str, value: float) -> Metric:
    """One value that goes up and down."""
    return GaugeMetricFamily(PREFIX + name, told, value=value)


def gauges(name: str, told: str, label: str, values: Mapping[str, float]) -> Metric:
    """Such a value for every word of a label."""
    family = GaugeMetricFamily(PREFIX + name, told, labels=[label])
    for word, value in values.items():
        family.add_metric([word], value)
    return family


def tally(name: str, told: str, counted: Tally) -> Metric:
    """Counts by the names of a tally."""
    family = CounterMetricFamily(PREFIX + name, told, labels=counted.names)
    for words, count in counted.counts.items():
        family.add_metric(words, count)
    return family


def histogram(name: str, told: str, spread: Histogram) -> Metric:
    """One distribution."""
    return _histogram(name, told, (), [((), spread)])


def histograms(name: str, told: str, spreads: Histograms) -> Metric:
    """A distribution for every word."""
    each = (((word,), spread) for word, spread in spreads.each.items())
    return _histogram(name, told, (spreads.name,), each)


def _histogram(
    name: str,
    told: str,
    labels: tuple[str, ...],
    spreads: Iterable[tuple[tuple[str, ...], Histogram]],
) -> Metric:
    family = HistogramMetricFamily(PREFIX + name, told, labels=labels)
    for words, spread in spreads:
        bounds = [*(str(float(bound)) for bound in spread.bounds), "+Inf"]
        buckets = list(zip(bounds, accumulate(spread.counts), strict=True))
        family.add_metric(words, buckets, spread.sum)
    return family
