"""A service, a line, a tab, a machine or a token that went away: said, and nothing is missed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from engine.actions import TakeSeat
from service.identity import Role
from service.pb import table_service_pb2 as pb
from tests.browser.conftest import Visit
from tests.browser.line import Wire, wire
from tests.browser.service import Service
from tests.browser.test_table import seated
from tests.browser.visitor import Visitor
from tests.service.harness import Running

CALLS = "**/kartejo.v1.*/**"
HOUR_MS = 3_600_000


@pytest.fixture
def line(service: Service) -> Iterator[Wire]:
    with wire(service.url) as made:
        yield made


def play_round(service: Service, table: str, subject: str) -> None:
    """A round of Royal Flush by the player of a table, beside the browser."""

    async def played(running: Running) -> None:
        solo = running.client(subject)
        state = (await solo.get(table)).state
        if not state.HasField("decision"):
            state = (await solo.start(table)).state
        request = pb.SubmitActionRequest(
            request_id=uuid4().hex,
            table_id=table,
            hand=state.decision.hand,
            decision=state.decision.number,
        )
        request.action.royal_flush.auto_play.scope = "round"
        await solo.call(solo.tables.SubmitAction, request)

    service.do(played)


def come_by(visitor: Visitor, service: Service, line: Wire, subject: str, path: str) -> None:
    """Come in by a wire, with a clock that the test moves."""
    visitor.page.clock.install()
    visitor.page.goto(service.link(subject).replace(service.url, line.url))
    expect(visitor.button("Log out")).to_be_visible()
    visitor.go(path)


@pytest.mark.parametrize("asleep", ["machine", "tab"])
def test_who_sleeps_for_an_hour_misses_nothing_and_gets_nothing_twice(
    visit: Visit, service: Service, line: Wire, asleep: str
) -> None:
    """The line died without a word.  A machine that sleeps hides no tab: the clock alone tells."""
    table = service.do(seated("royal_flush", [f"sleeps {asleep}"]))
    sleeper, other = visit(), visit("is awake")
    come_by(sleeper, service, line, f"sleeps {asleep}", f"/table/{table}")
    other.go(f"/table/{table}")
    for visitor in (sleeper, other):
        expect(visitor.page.locator(".log")).to_contain_text("down with")
    cdp = sleeper.context.new_cdp_session(sleeper.page)
    if asleep == "tab":
        cdp.send("Page.setWebLifecycleState", {"state": "frozen"})
    line.die()
    play_round(service, table, f"sleeps {asleep}")
    expect(other.page.locator(".standing")).to_contain_text("round 2")
    if asleep == "tab":
        cdp.send("Page.setWebLifecycleState", {"state": "active"})
    expect(sleeper.page.locator(".log")).not_to_contain_text("Game 1")
    sleeper.page.clock.fast_forward(HOUR_MS)
    # The browser may first take lines that are dead as well, which it had kept for later.
    while not sleeper.page.locator(".standing:has-text('round 2')").count():
        sleeper.page.clock.fast_forward(10_000)
        sleeper.page.wait_for_timeout(200)
    expect(sleeper.page.locator(".standing")).to_contain_text("round 2")
    told = [
        each.replace("You sit", "Seat 0 sits").replace("You add", "Seat 0 adds")
        for each in sleeper.log()
    ]
    assert told == other.log()
    sleeper.page.locator("[data-action=deal_piles]").click()
    expect(other.page.locator(".log")).to_contain_text("Round 2")


def test_the_lobby_waits_for_a_service_that_is_away_and_goes_on(
    visit: Visit, service: Service
) -> None:
    """For minutes, where a call of a person is given up after seconds; lists and pages go on."""
    visitor = visit()
    page = visitor.page
    page.clock.install()
    visitor.come("waits")
    for path, shown in (("/", ".game"), ("/tables", ".filters"), ("/tournaments", ".filters")):
        visitor.go(path)
        expect(page.locator(shown).first).to_be_visible()
        page.route(CALLS, lambda route: route.abort())
        page.clock.fast_forward(5_000)
        expect(page.locator("#line")).to_contain_text("The service is away")
        for _ in range(12):
            page.clock.fast_forward(10_000)
            page.wait_for_timeout(20)
        expect(page.locator(shown).first).to_be_visible()
        assert page.locator(".trouble").count() == 0
        page.unroute(CALLS)
        page.clock.fast_forward(10_000)
        expect(page.locator("#line")).to_be_empty()
    # A page that was asked for meanwhile says that it cannot be shown, and may be asked again.
    page.route(CALLS, lambda route: route.abort())
    visitor.page.evaluate("location.hash = '/replays'")
    while not page.locator(".trouble").count():
        page.clock.fast_forward(5_000)
        page.wait_for_timeout(20)
    expect(page.locator(".trouble")).to_contain_text("cannot be reached")
    page.unroute(CALLS)
    visitor.button("Try again").click()
    expect(page.get_by_role("heading", name="Your hands")).to_be_visible()


def test_a_table_that_cannot_be_looked_at_for_a_minute_goes_on(
    visit: Visit, service: Service
) -> None:
    """Somebody sits down, and the service is away before the page has asked who."""
    table = service.do(seated("palace_poker", ["keeps"]))
    visitor = visit()
    page = visitor.page
    page.clock.install()
    visitor.come("keeps")
    visitor.go(f"/table/{table}")
    expect(page.locator(".log")).to_contain_text("down with")
    asked: list[str] = []

    def away(route: Any) -> None:
        asked.append(route.request.url)
        route.abort()

    page.route("**/*TableService/GetTable", away)

    async def sits(running: Running) -> None:
        await running.client("joins").act(table, 1, TakeSeat("", 500))

    service.do(sits)
    while len(asked) < 6:
        page.clock.fast_forward(10_000)
        page.wait_for_timeout(50)
    page.unroute("**/*TableService/GetTable")
    page.clock.fast_forward(10_000)
    expect(page.locator(".log")).to_contain_text("Seat 1 sits down with 500")
    expect(page.locator(".seat")).to_have_count(2)
    assert page.locator(".trouble").count() == 0


def test_whose_token_ends_in_the_middle_is_told_and_comes_back_to_where_he_was(
    visit: Visit, service: Service
) -> None:
    """What happened and what to do is said; a link in the same tab leads back to the table."""
    table = service.do(seated("royal_flush", ["ends"]))
    over = f"Bearer {service.token('ends', Role.PLAYER, lifetime=1)}"
    visitor = visit("ends")
    page = visitor.page
    visitor.go(f"/table/{table}")
    expect(page.locator(".felt")).to_be_visible()

    def ended(route: Any) -> None:
        route.continue_(headers={**route.request.headers, "authorization": over})

    page.route("**/*TableService/WatchTable", ended)
    while not page.get_by_role("alert").count():  # the watch is opened again, until it is refused
        page.evaluate("dispatchEvent(new Event('online'))")
        page.wait_for_timeout(300)
    expect(page.get_by_role("alert")).to_contain_text("Your time here is over")
    expect(page.locator(".trouble")).to_contain_text("kartejo link")
    assert visitor.button("Log out").count() == 0
    page.unroute("**/*TableService/WatchTable")
    page.evaluate("link => { location.href = link }", service.link("ends"))
    visitor.button("Begin a game").click()
    expect(page.locator("[data-action=deal_piles]")).to_be_visible()
    for _ in range(3):
        assert "code=" not in page.url
        page.go_back()


def test_whose_day_is_over_by_his_own_clock_is_told_so(visit: Visit, service: Service) -> None:
    """Twelve hours later, wherever he goes next."""
    visitor = visit()
    visitor.page.clock.install()
    visitor.come("stays")
    visitor.page.clock.fast_forward(13 * HOUR_MS)
    visitor.go("/you")
    expect(visitor.page.get_by_role("alert")).to_contain_text("Your time here is over")


def test_an_old_link_says_that_it_is_old_and_what_makes_a_new_one(
    visit: Visit, service: Service
) -> None:
    visitor = visit()
    visitor.page.goto(service.link("late", seconds=-1))
    expect(visitor.page.get_by_role("alert")).to_contain_text("This link has expired")
    visitor.page.goto(service.url)
    visitor.page.goto(service.link("late")[:-3])
    expect(visitor.page.get_by_role("alert")).to_contain_text("not whole")
    assert visitor.faults() == []
    assert "code=" not in visitor.page.url
