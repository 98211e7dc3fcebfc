"""The fault plan's own report: what was survived, and how long it took to be back."""

from __future__ import annotations

import time
from typing import Any

import pytest

KEY = "fault plan"


class Plan:
    """Where a case writes what it measured; the table stands at the end of the run."""

    def __init__(self, rows: list[tuple[str, object]]) -> None:
        self._rows = rows

    def told(self, fault: str, found: str) -> None:
        """A line of the table."""
        self._rows.append((KEY, (fault, found)))

    async def recovery(self, fault: str, party: Any) -> float:
        """Called at the moment of healing: seconds until the next acknowledged action."""
        healed = time.monotonic()
        await party.acknowledged(1)
        seconds = time.monotonic() - healed
        self.told(fault, f"recovered in {seconds:.1f} s, {party.pulse.count} acknowledged before")
        return seconds


@pytest.fixture
def plan(request: pytest.FixtureRequest) -> Plan:
    """The report of this run."""
    return Plan(request.node.user_properties)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table, whoever ran the cases."""
    rows = [
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        for key, value in getattr(report, "user_properties", ())
        if key == KEY and report.when == "call"
    ]
    if not rows:
        return
    terminalreporter.section("the fault plan")
    width = max(len(fault) for fault, _ in rows)
    for fault, found in rows:
        terminalreporter.write_line(f"{fault:<{width}}  {found}")
