"""A tournament by its page: entered, led, followed; also by a tab that was away for long."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import expect

from service.identity import Role
from tests.browser.conftest import Visit
from tests.browser.service import Service
from tests.browser.visitor import Visitor
from tests.service.harness import Running
from tests.service.test_accounts import Bank
from tests.service.tournament import STRUCTURE, Event
from tests.service.tournament_desk import ask, create, rich

SCRIPT = "<img src=x onerror=alert(1)>"


def made(service: Service, name: str, *entrants: str, **facts: Any) -> str:
    """A tournament of "lead", with some who have entered and money for "ann"."""

    async def work(running: Running) -> str:
        host = running.client("lead", Role.HOST)
        structure = STRUCTURE._replace(name=name, **facts)
        tournament = await create(host, structure, request_id=name)
        await Bank(running, running.client("house", Role.HOST)).credit(
            "ann", 1_000, request_id=f"for ann {name}"
        )
        for client in await rich(running, *entrants):
            await ask(client, "Register", tournament.tournament_id)
        return str(tournament.tournament_id)

    return service.do(work)


def leader(visit: Visit, service: Service, **settings: Any) -> Visitor:
    visitor = visit(None, **settings)
    visitor.come_with(service.token("lead", Role.HOST, Role.PLAYER))
    return visitor


def test_a_player_enters_and_its_host_leads(visit: Visit, service: Service) -> None:
    """Register, take it back, register; start, pause, go on, cancel: everybody sees it at once."""
    tournament = made(service, "by clicks", "bob", "cid", "dan")
    ann, host = visit("ann"), leader(visit, service)
    for visitor in (ann, host):
        visitor.go(f"/tournament/{tournament}")
        expect(visitor.page.get_by_role("heading", name="by clicks")).to_be_visible()
    ann.button("Register for 110").click()
    expect(ann.page.locator(".tournament")).to_contain_text("You have entered")
    ann.button("Unregister").click()
    expect(ann.page.locator(".tournament")).to_contain_text("taken back")
    ann.button("Register for 110").click()
    expect(ann.button("Unregister")).to_be_visible()
    expect(host.page.locator(".facts")).to_contain_text("Entries4")
    host.button("Start").click()
    expect(ann.page.locator(".felt")).to_be_visible()  # she is led to her table
    ann.page.locator(".way a").click()
    expect(ann.page.locator(".tournament")).to_contain_text(re.compile(r"You play, with \d+ chips"))
    expect(ann.page.get_by_role("link", name="To your table")).to_be_visible()
    expect(ann.page.locator(".map > li")).to_have_count(2)
    expect(ann.page.locator(".lines [aria-current=step]")).to_contain_text("small bet 20")
    host.button("Pause").click()
    expect(ann.page.locator(".tag").first).to_have_text("paused")
    host.button("Go on").click()
    expect(ann.page.locator(".tag").first).to_have_text("being played")
    host.button("Cancel…").click()
    host.page.get_by_label("Why?").fill(SCRIPT)
    host.button("Cancel the tournament").click()
    expect(ann.page.locator(".tag").first).to_have_text("cancelled")
    expect(ann.page.locator(".news")).to_contain_text(f"Cancelled: {SCRIPT}")
    assert ann.page.locator(".news img").count() == 0


def test_what_is_refused_is_said_and_changes_nothing(visit: Visit, service: Service) -> None:
    """An account that is too poor; a start with too few."""
    tournament = made(service, "refusals")
    poor, host = visit("somebody poor"), leader(visit, service)
    poor.go(f"/tournament/{tournament}")
    poor.button("Register for 110").click()
    expect(poor.page.locator(".refused")).to_contain_text("chips")
    host.go(f"/tournament/{tournament}")
    host.button("Start").click()
    expect(host.page.locator(".refused")).to_be_visible()
    expect(host.page.locator(".facts")).to_contain_text("Entries0")
    assert poor.button("Cancel…").count() == 0


def test_a_tab_that_was_away_catches_up(visit: Visit, service: Service) -> None:
    """The line is down while the tournament is played to its end; then nothing is missing."""
    tournament = made(service, "while away", "p0", "p1", "p2", "p3")
    visitor = visit("looker")
    visitor.go(f"/tournament/{tournament}")
    expect(visitor.page.locator(".facts")).to_contain_text("Entries4")
    visitor.context.set_offline(True)

    async def play(running: Running) -> None:
        event = Event(running, UUID(tournament), 4)
        await event.know()
        await ask(running.client("lead", Role.HOST), "StartTournament", tournament)
        await event.play()

    service.do(play, 120)
    visitor.context.set_offline(False)
    expect(visitor.page.locator(".tag").first).to_have_text("finished")
    news = visitor.page.locator(".news")
    expect(news).to_contain_text("Play begins, with 4 in it.")
    expect(news).to_contain_text("Every place is known.")
    versions = news.locator("li").evaluate_all("all => all.map(each => each.dataset.key)")
    assert len(versions) == len(set(versions))
    expect(visitor.page.locator("tbody tr").first).to_contain_text("1st")
    visitor.troubles.clear()  # Chromium complains of the line that was down


@pytest.mark.parametrize(
    "path", ["/tournament/x", "/tournament/01890a5d-ac96-774b-bcce-b302099a8057"]
)
def test_a_tournament_that_is_not_there(visit: Visit, path: str) -> None:
    visitor = visit("lost")
    visitor.go(path)
    expect(visitor.page.locator(".trouble")).to_contain_text("tournament")


@pytest.mark.parametrize("settings", [{"color_scheme": "light"}, {"color_scheme": "dark"}])
def test_its_page_keeps_nobody_out(
    visit: Visit, service: Service, settings: dict[str, Any]
) -> None:
    tournament = made(service, f"for all {settings['color_scheme']}", "e0", "e1", "e2", "e3", "e4")
    host = leader(visit, service, viewport={"width": 360, "height": 740}, **settings)
    host.go(f"/tournament/{tournament}")
    host.button("Start").click()
    expect(host.page.locator(".map > li")).to_have_count(2)
    host.button("Cancel…").click()
    expect(host.page.get_by_label("Why?")).to_be_visible()
    assert (host.faults(), host.overhang()) == ([], 0)


def test_who_has_no_table_yet_is_told_so(visit: Visit, service: Service) -> None:
    """Solitaires one at a time: the second one to enter waits."""
    tournament = made(
        service,
        "in flights",
        "bob",
        game="royal_flush",
        format="series",
        table_size=1,
        stack=0,
        levels=(),
        options=(),
        settings=(("games", "1"), ("tables_at_once", "1")),
    )
    ann, host = visit("ann"), leader(visit, service)
    for visitor in (ann, host):
        visitor.go(f"/tournament/{tournament}")
        expect(visitor.page.get_by_role("heading", name="in flights")).to_be_visible()
    ann.button("Register for 110").click()
    expect(ann.page.locator(".tournament")).to_contain_text("You have entered")
    expect(host.page.locator(".facts")).to_contain_text("Entries2")
    host.button("Start").click()
    expect(ann.page.locator(".tournament")).to_contain_text("No table of yours is open now")
    expect(ann.page.locator(".facts")).to_contain_text("at 1 table, 1 at a time")
    expect(ann.page.locator(".map > li")).to_have_count(1)
