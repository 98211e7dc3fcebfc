"""What came of a run: as a document for programs, and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from service.load.fleet import Measured
from service.load.latency import Latencies
from service.load.plan import Load
from service.load.reading import Checked

__all__ = [
    "Result",
    "document",
    "duration",
    "measurements",
    "of_latencies",
    "row",
    "verification",
    "words",
]

BUSY: Final = 0.85
"""A process that uses more of a processor is itself what an action waits for."""

LATE_SECONDS: Final = 0.01
LATE_PART: Final = 0.25
"""So is one whose loop is later than that at the 99th percentile, where it makes up so much of the
latency there."""

MILLISECONDS: Final = 1_000


class Result(NamedTuple):
    """A run that is over.

    ``started``: the time of day, ISO 8601.  ``batches``: how many transactions appended how many
    commits, of everybody's while it ran; None where the database could not be asked.
    """

    load: Load
    address: str
    started: str
    version: str
    measured: Measured
    checked: Checked
    batches: Mapping[int, int] | None = None

    @property
    def latencies(self) -> Latencies:
        """Free of coordinated omission: a closed loop's are corrected for what it left out."""
        if self.load.is_open or not self.measured.actions:
            return self.measured.latencies
        return self.measured.latencies.corrected(
            self.measured.elapsed * self.load.tables / self.measured.actions
        )


def generator_is_the_limit(measured: Measured, latencies: Latencies) -> bool:
    """Whether it was not the service that was measured."""
    late = measured.lags.percentile(99)
    matters = late > max(LATE_SECONDS, LATE_PART * latencies.percentile(99))
    return matters or measured.cpu_share > BUSY


def of_latencies(found: Latencies) -> dict[str, float]:
    """Their percentiles, in milliseconds."""
    names = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p99_9": 99.9}
    told = {name: found.percentile(percent) for name, percent in names.items()}
    told |= {"max": found.worst, "mean": found.mean}
    return {name: round(seconds * MILLISECONDS, 3) for name, seconds in told.items()}


def document(result: Result) -> dict[str, Any]:
    """Everything, for programs; times in milliseconds, rates by the second."""
    load = result.load
    return {
        "kartejo": result.version,
        "started": result.started,
        "address": result.address,
        "load": {
            "games": list(load.games),
            "tables": load.tables,
            "processes": load.processes,
            "seconds": load.seconds,
            "watchers": load.watchers,
            "apart": load.apart,
            "calls": "play" if load.play else "unary",
            "think": str(load.think),
            "bot": load.bot,
            "loop": "open" if load.is_open else "closed",
            "offered": round(load.offered, 2),
        },
        **measurements(result.measured, result.latencies, result.batches),
        "verification": verification(result.checked),
    }


def measurements(
    measured: Measured, latencies: Latencies, batches: Mapping[int, int] | None
) -> dict[str, Any]:
    """What was measured; ``latencies``: free of coordinated omission."""
    elapsed = max(measured.elapsed, 1e-9)
    return {
        "seconds": round(elapsed, 3),
        "actions": measured.actions,
        "actions_per_second": round(measured.actions / elapsed, 1),
        "events_per_second": round(measured.events / elapsed, 1),
        "pushed_events_per_second": round(measured.pushed / elapsed, 1),
        "latency_ms": of_latencies(latencies),
        "latency_of_calls_ms": of_latencies(measured.latencies),
        "latency_curve": [
            [percent, round(seconds * MILLISECONDS, 3)] for percent, seconds in latencies.curve()
        ],
        "never_begun": measured.missed,
        "errors": dict(measured.errors.most_common()),
        "sent_again": measured.retries,
        "tables_given_up": dict(measured.gone.most_common()),
        "commit_batches": _batches(batches),
        "generator": {
            "cpu_share": round(measured.cpu_share, 3),
            "lag_ms": of_latencies(measured.lags),
            "bot_us": round(1e6 * measured.thought / max(1, measured.actions), 1),
            "is_the_limit": generator_is_the_limit(measured, latencies),
        },
        "over_time": [
            {
                "second": each.second,
                "actions": each.actions,
                "events": each.events,
                "pushed": each.pushed,
                "errors": each.errors,
                "p50": round(each.p50 * MILLISECONDS, 3),
                "p99": round(each.p99 * MILLISECONDS, 3),
                "max": round(each.worst * MILLISECONDS, 3),
            }
            for each in measured.seconds
        ],
    }


def verification(checked: Checked) -> dict[str, Any]:
    """What was found in the store."""
    return {
        "holds": not checked.faults,
        "tables": checked.tables,
        "commits": checked.commits,
        "acknowledged": checked.acknowledged,
        "in_commit_table": checked.in_store,
        "watched": checked.watched,
        "unknown": checked.unknown,
        "differences": len(checked.faults),
        "first_differences": list(checked.faults[:100]),
    }


def _batches(batches: Mapping[int, int] | None) -> dict[str, Any] | None:
    if not batches:
        return None
    count = sum(batches.values())
    commits = sum(size * times for size, times in batches.items())
    return {
        "transactions": count,
        "commits": commits,
        "mean": round(commits / count, 2),
        "p50": _quantile(batches, 0.5),
        "p99": _quantile(batches, 0.99),
        "max": max(batches),
        "sizes": {str(size): times for size, times in sorted(batches.items())},
    }


def _quantile(batches: Mapping[int, int], part: float) -> int:
    """The size that this part of the batches does not exceed.

    >>> _quantile({1: 90, 7: 10}, 0.5), _quantile({1: 90, 7: 10}, 0.99)
    (1, 7)
    """
    left = part * sum(batches.values())
    for size, times in sorted(batches.items()):
        left -= times
        if left <= 0:
            return size
    return max(batches)


def words(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """A document in rows of two columns: what, and how much."""
    load, latency = told["load"], told["latency_ms"]
    rate = f"{told['actions']:,}, {told['actions_per_second']:,} a second"
    if load["offered"]:
        rate += f" of {load['offered']:,.10g} offered"
    yield "actions", rate
    stored, pushed = told["events_per_second"], told["pushed_events_per_second"]
    yield "events", f"{stored:,} a second stored, {pushed:,} pushed over watches"
    yield "latency", row(latency)
    if load["loop"] == "closed":
        yield "", f"of the calls alone: {row(told['latency_of_calls_ms'])}"
    if told["never_begun"]:
        yield (
            "",
            f"{told['never_begun']:,} actions were due and never begun: they count as they stood",
        )
    yield "errors", ", ".join(f"{n:,} {reason}" for reason, n in told["errors"].items()) or "none"
    if told["sent_again"]:
        yield "sent again", f"{told['sent_again']:,} requests"
    if told["tables_given_up"]:
        left = (f"{n:,} {reason}" for reason, n in told["tables_given_up"].items())
        yield "replaced", "tables: " + ", ".join(left)
    batches = told["commit_batches"]
    if batches is not None:
        sizes = f"p50 {batches['p50']}, p99 {batches['p99']}, max {batches['max']}"
        mean = f"{batches['mean']:g} commits each"
        yield "batches", f"{batches['transactions']:,} transactions, {mean}; {sizes}"
    generator = told["generator"]
    lag = f"its loop late by {duration(generator['lag_ms']['p99'])} ms at p99"
    bot = f"a bot takes {generator['bot_us']:g} µs"
    yield "generator", f"{generator['cpu_share']:.0%} of a processor, {lag}; {bot}"
    if generator["is_the_limit"]:
        yield "", "the generator is the limit: more --processes, or a machine of its own"


def duration(milliseconds: float) -> str:
    """With three digits, which is as exact as a histogram is.

    >>> duration(0.4567), duration(12.345), duration(5_447.68)
    ('0.457', '12.3', '5,448')
    """
    digits = 3 if milliseconds < 1 else 2 if milliseconds < 10 else 1 if milliseconds < 100 else 0
    return f"{milliseconds:,.{digits}f}"


def row(latency: Mapping[str, float]) -> str:
    """Percentiles in words."""
    names = {"p50": "p50", "p99": "p99", "p99_9": "p99.9", "max": "max"}
    return ", ".join(f"{name} {duration(latency[key])}" for key, name in names.items()) + " ms"
