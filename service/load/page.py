"""The result of a run as one HTML page: figures, plots, everything in it, nothing fetched."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from typing import Any, Final

from service.load.plots import Series, linear, log_scale, nines, plot
from service.load.result import duration, words

__all__ = ["page"]

STYLE: Final = """
:root { color-scheme: light dark; --paper: #fbfaf7; --ink: #1d2327; --faint: #6b737a;
  --line: #e2e0da; --tone1: #1f6f8b; --tone2: #c4622d; --tone3: #8a8f2e; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --paper: #15191c; --ink: #e6e4df; --faint: #98a1a8;
  --line: #2b3237; --tone1: #6cc3dd; --tone2: #f0986a; --tone3: #c9ce6a; --bad: #ff8a80; } }
body { margin: 0 auto; max-width: 47rem; padding: 2rem 1rem 4rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .3rem 0; } .faint { color: var(--faint); } .bad { color: var(--bad); }
.figures { display: flex; flex-wrap: wrap; gap: 1rem 2.2rem; margin: 1.4rem 0; }
.figures b { display: block; font-size: 1.6rem; font-weight: 600; line-height: 1.2; }
table { border-collapse: collapse; } td { padding: .15rem 1.2rem .15rem 0; vertical-align: top; }
td:first-child { color: var(--faint); white-space: nowrap; }
figure { margin: 1.6rem 0; } figcaption { font-weight: 600; } svg { width: 100%; height: auto; }
.key { font-weight: 400; margin-left: .9rem; } .key::before { content: "■ "; }
.key.tone1::before { color: var(--tone1); } .key.tone2::before { color: var(--tone2); }
.key.tone3::before { color: var(--tone3); }
svg text { fill: var(--faint); font-size: 11px; } .mid { text-anchor: middle; }
.end { text-anchor: end; } .grid { stroke: var(--line); } .line { fill: none; stroke-width: 1.8; }
path.tone1 { stroke: var(--tone1); } path.tone2 { stroke: var(--tone2); }
path.tone3 { stroke: var(--tone3); } circle, rect { fill: var(--tone1); }
circle.tone2, rect.tone2 { fill: var(--tone2); } circle.tone3, rect.tone3 { fill: var(--tone3); }
details { margin-top: 2rem; } pre { overflow: auto; font-size: 12px; }
"""


Words = Callable[[Mapping[str, Any]], Iterable[tuple[str, str]]]
"""A document in rows of two columns."""


def page(told: Mapping[str, Any], title: str = "", words: Words = words) -> str:
    """The page of a document (:func:`service.load.result.document`)."""
    load = told["load"]
    title = title or f"{load['tables']} tables, {', '.join(load['games'])}"
    document = json.dumps(told, ensure_ascii=False, indent=1)
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Kartejo under load: {escape(title)}</title>",
            f"<style>{STYLE}</style></head><body>",
            f"<h1>Kartejo under load</h1><p>{escape(title)}</p>",
            f'<p class="faint">{escape(_how(told))}</p>',
            f'<div class="figures">{"".join(_figures(told))}</div>',
            *_verdict(told["verification"]),
            *_plots(told),
            "<h2>In words</h2><table>",
            *(f"<tr><td>{escape(a)}</td><td>{escape(b)}</td></tr>" for a, b in words(told)),
            "</table>",
            "<details><summary>Everything, as JSON</summary>",
            f"<pre>{escape(document, quote=False)}</pre></details>",
            "</body></html>",
            "",
        )
    )


def _how(told: Mapping[str, Any]) -> str:
    load = told["load"]
    calls = "Play streams" if load["calls"] == "play" else "unary calls and watches"
    pace = {
        "open": f"open loop, {load['offered']:,.10g} actions a second offered",
        "closed": "full speed (a closed loop)",
    }[load["loop"]]
    return (
        f"{told['started']} · {told['address']} · {told['seconds']:g} s · {calls} · {pace} · "
        f"watchers a table: {load['watchers']} · processes: {load['processes']} · "
        f"version {told['kartejo']}"
    )


def _figures(told: Mapping[str, Any]) -> Iterator[str]:
    latency = told["latency_ms"]
    figures = {
        "actions a second": f"{told['actions_per_second']:,}",
        "p50": f"{duration(latency['p50'])} ms",
        "p99": f"{duration(latency['p99'])} ms",
        "p99.9": f"{duration(latency['p99_9'])} ms",
        "max": f"{duration(latency['max'])} ms",
        "errors": f"{sum(told['errors'].values()):,}",
    }
    return (f"<div><b>{escape(b)}</b>{escape(a)}</div>" for a, b in figures.items())


def _verdict(found: Mapping[str, Any]) -> Iterator[str]:
    if found["holds"]:
        where = "in the commit table" if found["in_commit_table"] else "over the API"
        yield (
            f"<p>Verified {where}: {found['acknowledged']:,} acknowledged actions at "
            f"{found['tables']:,} tables are stored once, without a gap; chips conserved; "
            f"{found['watched']:,} commits watched as they are stored.</p>"
        )
        return
    yield f'<p class="bad">Not what was told, in {found["differences"]:,} places:</p><ul>'
    yield from (f'<li class="bad">{escape(each)}</li>' for each in found["first_differences"])
    yield "</ul>"


def _plots(told: Mapping[str, Any]) -> Iterator[str]:
    curve = [(percent, ms) for percent, ms in told["latency_curve"]]
    if curve:
        yield plot(
            "Latency by percentile",
            nines("percentile", curve[-1][0]),
            log_scale("ms", curve[0][1], curve[-1][1]),
            [Series("latency, ms", curve)],
        )
    # What is answered after the end is no second of the run.
    seconds = [each for each in told["over_time"] if each["second"] < told["load"]["seconds"]]
    if not seconds:
        return
    across = linear("seconds", seconds[-1]["second"] + 1)
    columns = {
        name: [(each["second"] + 0.5, float(each[name])) for each in seconds]
        for name in ("actions", "p50", "p99", "max", "errors")
    }
    most = max(y for _, y in columns["actions"])
    yield plot(
        "Actions a second",
        across,
        linear("actions", max(most, 1.0)),
        [Series("actions", columns["actions"])],
    )
    busy = [y for name in ("p50", "max") for _, y in columns[name] if y]
    if busy:
        yield plot(
            "Latency over time",
            across,
            log_scale("ms", min(busy), max(busy)),
            [
                Series(name, [point for point in columns[name] if point[1]], tone)
                for tone, name in enumerate(("p50", "p99", "max"), 1)
            ],
        )
    yield plot(
        "Errors a second",
        across,
        linear("errors", max(4.0, *(y for _, y in columns["errors"]))),
        [Series("errors", columns["errors"], 2, bars=True)],
    )
    batches = told["commit_batches"]
    if batches is not None:
        sizes = [(float(size), float(times)) for size, times in batches["sizes"].items()]
        yield plot(
            "Commits in a transaction",
            linear("commits", batches["max"] + 1),
            linear("transactions", max(times for _, times in sizes)),
            [Series("transactions", sizes, 3, bars=True)],
        )
