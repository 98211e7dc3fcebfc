"""A tournament held from the browser: created, entered by bots, played, from table to table."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from service.identity import Role
from tests.browser.conftest import Visit
from tests.browser.service import Service
from tests.browser.visitor import Visitor


def host(visit: Visit, service: Service, subject: str) -> Visitor:
    visitor = visit()
    visitor.come_with(service.token(subject, Role.HOST, Role.PLAYER))
    return visitor


def begin_with(visitor: Visitor, kind: str) -> None:
    """The form of a kind of tournament."""
    visitor.page.get_by_role("link", name="Tournaments", exact=True).click()
    visitor.page.get_by_role("link", name="Hold a tournament").click()
    visitor.page.locator(".kind", has_text=kind).locator("input").check()


@pytest.mark.parametrize(
    "kind",
    ["all play all", "knock out", "swiss", "rounds", "choice", "series", "elimination"],
)
def test_a_tournament_of_each_kind_is_created_as_the_form_proposes_it(
    visit: Visit, service: Service, kind: str
):
    """What the form begins with is valid; the tournament is what the form said."""
    visitor = host(visit, service, f"proposes {kind}")
    begin_with(visitor, kind)
    name = f"A try: {kind}"
    visitor.page.get_by_role("textbox", name="Name", exact=True).fill(name)
    assert visitor.faults() == []
    visitor.button("Open it for entries").click()
    expect(visitor.page.get_by_role("heading", name=name)).to_be_visible()
    expect(visitor.page.locator("header .note")).to_contain_text(kind)
    visitor.go("/tournaments")
    expect(visitor.page.get_by_role("link", name=name)).to_be_visible()


def test_what_cannot_be_is_refused_with_its_field(visit: Visit, service: Service):
    """The form stays as it was filled in."""
    visitor = host(visit, service, "asks too much")
    begin_with(visitor, "swiss")
    visitor.page.get_by_label("Fewest players").fill("9")
    visitor.page.get_by_label("Most players").fill("4")
    visitor.button("Open it for entries").click()
    expect(visitor.page.locator(".refused")).to_contain_text("max entrants")
    expect(visitor.page.get_by_label("Most players")).to_have_value("4")


def test_levels_are_edited_as_a_table(visit: Visit, service: Service):
    """Added ones double the stakes; they are told on the tournament's page."""
    visitor = host(visit, service, "levels")
    begin_with(visitor, "elimination")
    page = visitor.page
    visitor.button("Add a level").click()
    expect(page.get_by_label("Small bet, level 6")).to_have_value("640")
    for _ in range(5):
        visitor.button("Remove the last").click()
    page.get_by_label("Small bet, level 1").fill("6")
    page.get_by_label("Big bet, level 1").fill("12")
    page.locator("summary", has_text="Entries and money").click()
    page.get_by_label("Late levels").fill("0")
    page.get_by_label("Re-entries").fill("0")
    visitor.button("Open it for entries").click()
    expect(page.locator(".lines")).to_contain_text("1. small bet 6, big bet 12")


def test_a_player_who_is_no_host_is_told_so(visit: Visit):
    visitor = visit("no host")
    visitor.go("/tournaments")
    assert visitor.page.get_by_role("link", name="Hold a tournament").count() == 0
    visitor.go("/new-tournament")
    expect(visitor.page.locator("main")).to_contain_text("kartejo link NAME --host")


def test_it_is_played_with_bots_to_the_last_place(visit: Visit, service: Service):
    """Bots enter; the start leads to one's table, and the table tells how it goes, to the end."""
    visitor = host(visit, service, "holds and plays")
    begin_with(visitor, "series")
    page = visitor.page
    page.get_by_role("spinbutton", name="Games").fill("1")
    visitor.button("Open it for entries").click()
    visitor.button("Let bots enter…").click()
    page.get_by_label("How many bots in all?").fill("2")
    visitor.button("Let them enter").click()
    expect(page.locator(".tournament")).to_contain_text("2 bots will play")
    visitor.button("Register").click()
    expect(page.locator(".facts")).to_contain_text("Entries3")
    visitor.button("Start").click()
    expect(page.locator(".felt")).to_be_visible()
    expect(page.locator(".way")).to_contain_text("of 3 are in")
    page.locator("[data-action=auto_play]").click()
    page.get_by_role("button", name="game", exact=True).click()
    page.locator("[data-confirm=auto_play]").click()
    expect(page.locator(".way")).to_contain_text("it is over")
    expect(page.locator(".way")).to_contain_text(re.compile(r"you came \d"))
    page.locator(".way a").click()
    expect(page.locator(".tag").first).to_have_text("finished")


@pytest.mark.long
def test_who_is_moved_is_led_to_the_next_table(visit: Visit, service: Service):
    """Match by match one sits at another table: the page goes along, and nobody clicks."""
    visitor = host(visit, service, "is moved")
    begin_with(visitor, "all play all")
    page = visitor.page
    page.locator("summary", has_text="Rules of Royal Casino").click()
    page.get_by_label("Turn seconds").fill("5")
    visitor.button("Open it for entries").click()
    visitor.button("Let bots enter…").click()
    page.get_by_label("How many bots in all?").fill("3")
    visitor.button("Let them enter").click()
    expect(page.locator(".facts")).to_contain_text("Entries3")
    visitor.button("Register").click()
    expect(page.locator(".facts")).to_contain_text("Entries4")
    visitor.button("Start").click()
    expect(page.locator(".felt")).to_be_visible()
    first = page.url
    page.wait_for_url(lambda url: "/table/" in url and url != first, timeout=300_000)
    expect(page.locator(".way")).to_be_visible()
