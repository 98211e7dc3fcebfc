"""The operator's page and dashboard name the metrics that there are, and no other."""

from __future__ import annotations

import json
import re
from pathlib import Path

from service.metrics.page import Page
from service.telemetry import Tally
from service.telemetry.garbage import GarbagePauses
from service.telemetry.loop import LoopMonitor
from tests.service.harness import run, running

DOCS = Path(__file__).parents[2] / "docs"


def shown(dsn: str) -> set[str]:
    """The names of all metrics, as they are scraped."""

    async def scenario() -> set[str]:
        async with running(dsn) as service:
            lines = Tally("event", "level")
            page = Page(service.server, LoopMonitor(service.world), GarbagePauses(), lines)
            return {
                metric.name + ("_total" if metric.type == "counter" else "")
                for metric in page.collect()
            }

    names = run(scenario())
    assert isinstance(names, set)
    return names


def named(text: str) -> set[str]:
    """Metrics that a text names, without what a histogram's samples have at their end."""
    found = set(re.findall(r"\bkartejo_\w+", text))
    return {re.sub(r"_(bucket|count|sum)$", "", name) for name in found}


def test_the_docs_name_every_metric_and_no_other(dsn: str) -> None:
    text = (DOCS / "operating.md").read_text(encoding="utf-8")
    section = text.partition("### Metrics")[2].partition("### What the log says")[0]
    table = "\n".join(line for line in section.splitlines() if line.startswith("| `"))
    rows = [row.split("|")[1] for row in table.splitlines()]
    listed = {f"kartejo_{name}" for row in rows for name in re.findall(r"`(\w+)`", row)}
    there = shown(dsn)
    assert listed == there
    assert named(section) - {"kartejo_", "kartejo_worker_up"} <= there
    assert named((DOCS / "grafana.json").read_text(encoding="utf-8")) <= there


def test_the_dashboard_is_one() -> None:
    """Every panel has a place of its own, and asks for something."""
    dashboard = json.loads((DOCS / "grafana.json").read_text(encoding="utf-8"))
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in dashboard["panels"]]
    assert len(set(places)) == len(places) >= 10
    for panel in dashboard["panels"]:
        assert all(target["expr"] for target in panel["targets"])
