"""What players add to shuffles: made by the page, typed by hand, found again by Verify."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

from playwright.sync_api import Request, expect

from tests.browser.conftest import Visit
from tests.browser.service import Service
from tests.browser.test_table import seated
from tests.browser.visitor import Visitor

MADE: Final = re.compile(r"\b[0-9a-f]{64}\b")
NONE: Final = "You have added nothing to the coming shuffle yet"


def at_table(visit: Visit, service: Service, subject: str, game: str = "royal_flush") -> Visitor:
    """Somebody who sits at a table of his own, before the first game."""
    table = service.do(seated(game, [subject], house_options={"reveal": "public"}))
    visitor = visit(subject)
    visitor.go(f"/table/{table}")
    visitor.page.get_by_text("Your part of the shuffle").click()
    return visitor


def play_out(visitor: Visitor) -> None:
    """A whole game of Royal Flush, and the beginning of the next one."""
    page = visitor.page
    visitor.button("Begin a game").click()
    page.locator("[data-action=auto_play]").click()
    page.get_by_role("button", name="game", exact=True).click()
    page.locator("[data-confirm=auto_play]").click()
    expect(page.locator(".outcome")).to_be_visible()


def test_randomness_is_made_shown_and_added_by_itself(visit: Visit, service: Service):
    """Different for every shuffle; the record has both, and Verify says so."""
    visitor = at_table(visit, service, "shares")
    page = visitor.page
    expect(page.locator(".given code")).to_have_text(MADE)
    first = page.locator(".given code").inner_text()
    following = page.get_by_label("For the next shuffle").input_value()
    assert MADE.fullmatch(following)
    assert following != first
    play_out(visitor)
    expect(page.locator(".given code")).to_have_text(following)
    assert visitor.log().count("You add randomness to the next shuffle.") == 2
    page.get_by_role("link", name="Replay and verify this game").click()
    visitor.button("Verify").click()
    expect(page.locator(".verdict")).to_contain_text("unchanged: 2 contributions")
    for asks in ("What players added went into the shuffles", "Every shuffle is the one"):
        expect(page.locator(".checks .holds", has_text=asks)).to_be_visible()


def test_one_may_add_words_of_ones_own_or_nothing(visit: Visit, service: Service):
    """By hand nothing goes before it is sent; other text than digits goes by its SHA-256."""
    visitor = visit("own words")
    page = visitor.page
    page.evaluate("localStorage.setItem('kartejo.entropy.by-hand', 'yes')")
    visitor = at_table(lambda _: visitor, service, "own words")
    expect(page.locator(".given")).to_contain_text(NONE)
    field = page.get_by_label("For the coming shuffle")
    field.fill("  ")
    visitor.button("Add it").click()
    expect(page.locator("details .refused")).to_contain_text("Type something")
    words = "two sixes and a four"
    field.fill(words)
    visitor.button("Add it").click()
    expect(page.locator(".given code")).to_have_text(sha256(words.encode()).hexdigest())
    expect(visitor.button("Add it")).to_have_count(0)
    play_out(visitor)
    expect(page.locator(".given")).to_contain_text(NONE)
    page.get_by_label("For the coming shuffle").fill("00ff")
    visitor.button("Add it").click()
    expect(page.locator(".given code")).to_have_text("00ff")


def test_what_comes_too_late_is_no_trouble(visit: Visit, service: Service):
    """A deal waits for what was sent before it; what the shuffle takes no more is let go."""
    visitor = at_table(visit, service, "late")
    sent: list[str] = []

    def heard(request: Request) -> None:
        if "SubmitAction" in request.url or "StartHand" in request.url:
            sent.append("add" if "contributeEntropy" in (request.post_data or "") else "other")

    visitor.page.on("request", heard)
    play_out(visitor)
    expect(visitor.page.locator(".given code")).to_have_text(MADE)
    assert sent[-1] == "add"
    assert visitor.page.locator("details .refused").count() == 0


def test_who_looks_on_adds_nothing(visit: Visit, service: Service):
    table = service.do(seated("royal_flush", ["plays alone"]))
    visitor = visit("looks on")
    visitor.go(f"/table/{table}")
    expect(visitor.page.locator(".felt")).to_be_visible()
    assert visitor.page.get_by_text("Your part of the shuffle").count() == 0
