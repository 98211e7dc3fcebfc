"""The end of a hand: who won what, on the felt and in words, and the way to its replay."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.service import Service
from tests.browser.test_table import seated

ADDED = re.compile(r"[+−±][\d\u202f]+")


def number(text: str) -> int:
    """ "+1 000" or "−30" as a number."""
    return int(text.replace("−", "-").replace("±", "").replace("\u202f", ""))


def test_both_see_who_won_and_how_much(visit: Visit, service: Service):
    """Gains of all seats come to nothing in all; the winner's seat shines for both."""
    table = service.do(seated("palace_poker", ["left", "right"]))
    left, right = visit("left"), visit("right")
    for visitor in (left, right):
        visitor.go(f"/table/{table}")
    left.button("Deal a hand").click()
    loser = left if left.page.locator(".offers").count() else right
    expect(left.page.locator(".seat.acting")).to_be_visible()
    for visitor in (left, right):
        if visitor.page.locator("[data-action=fold]").count():
            loser = visitor
    loser.page.locator("[data-action=fold]").click()
    winner = right if loser is left else left
    expect(winner.page.locator(".outcome h2")).to_have_text(re.compile(r"^You win \d+ chips$"))
    expect(loser.page.locator(".outcome h2")).to_have_text(re.compile(r"^Seat \d wins \d+ chips$"))
    expect(winner.page.locator(".outcome.won")).to_be_visible()
    expect(loser.page.locator(".outcome.won")).to_have_count(0)
    for visitor in (left, right):
        gains = visitor.page.locator(".outcome strong").all_inner_texts()
        assert all(ADDED.fullmatch(each) for each in gains)
        assert sum(map(number, gains)) == 0
        expect(visitor.page.locator(".seat.winner .gain.up")).to_have_count(1)
        assert visitor.faults() == []
    expect(winner.page.locator(".seat.mine.winner")).to_be_visible()
    winner.page.get_by_role("link", name="Replay and verify this hand").click()
    expect(winner.page.get_by_role("heading", name="Palace Poker, hand 1")).to_be_visible()


def test_the_next_hand_leaves_a_line_of_the_last(visit: Visit, service: Service):
    """And a page that is loaded anew between two hands knows how the last one ended."""
    table = service.do(seated("palace_poker", ["first", "second"]))
    first, second = visit("first"), visit("second")
    for visitor in (first, second):
        visitor.go(f"/table/{table}")
    first.button("Deal a hand").click()
    expect(first.page.locator(".seat.acting")).to_be_visible()
    acts = first if first.page.locator(".seat.mine.acting").count() else second
    acts.page.locator("[data-action=fold]").click()
    expect(first.page.locator(".outcome")).to_be_visible()
    told = first.page.locator(".outcome h2").inner_text()
    first.page.reload()
    expect(first.page.locator(".outcome h2")).to_have_text(told)
    first.button("Deal a hand").click()
    expect(first.page.locator(".last")).to_contain_text(f"Before: {told}")
    expect(first.page.locator(".outcome")).to_have_count(0)


def test_past_hands_are_a_click_away(visit: Visit, service: Service):
    """The link beside the table leads to its hands."""
    table = service.do(seated("royal_flush", ["looks back"]))
    visitor = visit("looks back")
    visitor.go(f"/table/{table}")
    visitor.button("Begin a game").click()
    expect(visitor.page.locator("[data-action=deal_piles]")).to_be_visible()
    visitor.page.get_by_role("link", name="Past hands of this table").click()
    expect(visitor.page.get_by_role("heading", name="Hands of a table")).to_be_visible()


def test_every_link_of_the_head_leads_somewhere(visit: Visit):
    """None of them to a page that there is not."""
    visitor = visit("walks about")
    for link in visitor.page.locator("nav a").all():
        link.click()
        expect(visitor.page.locator("main h1")).to_be_visible()
        expect(visitor.page.locator("main h1")).not_to_have_text("Nothing is here")
        expect(link).to_have_attribute("aria-current", "page")
