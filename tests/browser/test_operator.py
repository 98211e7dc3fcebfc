"""The operator's page: figures as they come, for administrators."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from service.identity import Role
from tests.browser.conftest import Visit
from tests.browser.service import Service
from tests.cli.conftest import Served
from tests.cli.test_workers import workers_of
from tests.service.harness import Running
from tests.service.played import seated

CHARTS = [
    *("Calls", "Latency", "Commits", "Events", "Lag"),
    *("Event loop", "People", "Processor", "Memory"),
]


@pytest.mark.parametrize("settings", [{"color_scheme": "light"}, {"color_scheme": "dark"}])
def test_load_latency_and_lag_are_drawn_as_they_come(
    visit: Visit, service: Service, settings: dict[str, Any]
) -> None:
    """Hands are played; the charts have lines, and say in words what they show."""
    visitor = visit(None, viewport={"width": 360, "height": 740}, **settings)
    visitor.come_with(service.token("boss", Role.ADMIN))
    visitor.go("/operator")

    async def play(running: Running) -> None:
        await (await seated(running, "palace_poker")).hands(1)

    page = visitor.page
    expect(page.get_by_role("img", name=re.compile("^Calls: "))).to_be_visible()
    service.do(play)
    expect(page.get_by_role("img", name=re.compile("^People: now tables [1-9]"))).to_be_visible()
    for title in ("Calls", "Latency", "Commits"):  # a line through more than one reading
        line = page.locator(f".chart:has(h2:text-is('{title}')) path.line0")
        expect(line).to_have_attribute("d", re.compile("M.*[Lh]"))
    assert visitor.page.locator(".chart h2").all_inner_texts() == CHARTS
    assert (visitor.faults(), visitor.overhang()) == ([], 0)


def test_who_is_no_administrator_is_told_how_to_come_in(visit: Visit, service: Service) -> None:
    visitor = visit("ann")
    visitor.go("/operator")
    expect(visitor.page.locator(".trouble")).to_contain_text("--role admin")
    assert visitor.page.locator(".chart").count() == 0


def test_the_figures_of_several_workers_are_one(visit: Visit, pg_folder: Path) -> None:
    """All of them at once, whichever answers; one that stands still is named until it is back."""
    served = Served(pg_folder / "watched", "--workers", "2", "--listen", "127.0.0.1:0")
    try:
        visitor = visit(None)
        token = Path(served.told["admin_token"]).read_text().strip()
        visitor.come_with(token, served.told["web"])
        visitor.go("/operator")
        note = visitor.page.locator("header .note").first
        expect(note).to_have_text(
            re.compile(
                r"^It has run for \d minutes?\. The database answers\. "
                r"These figures are those of 2 of 2 workers\.$"
            )
        )
        limits = visitor.page.locator("tbody td:first-child").all_inner_texts()
        assert len(limits) == len(set(limits)) > 3
        dead = workers_of(served.pid).pop()
        os.kill(dead, signal.SIGSTOP)  # until it is killed for it, and another comes
        expect(note).to_contain_text(re.compile(r"1 of 2 workers\. WORKER [12] DOES NOT ANSWER\."))
        expect(note).to_contain_text("2 of 2 workers.")
    finally:
        served.kill()
