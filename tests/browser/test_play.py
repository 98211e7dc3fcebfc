"""A hand of each game to its end, by clicking only; one by keyboard only."""

from __future__ import annotations

import re
from time import monotonic
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.visitor import Visitor

ENDS: Final = {
    "palace_poker": "The hand is over",
    "pontoon": "The deal is over",
    "royal_casino": "The cards are counted",
    "royal_flush": r"Won: exactly|Lost: \d+ cards?",
}
SECONDS: Final = 300


def sit_down(visitor: Visitor, game: str, bots: int) -> None:
    """A new table, with bots that think no longer than they must."""
    visitor.go(f"/new/{game}")
    if bots:
        visitor.page.get_by_label("Bots").fill(str(bots))
        if bots > 5:
            visitor.page.get_by_label("Max seats").fill(str(bots + 1))
        visitor.page.get_by_label("They play").select_option("at once")
    visitor.button("Open the table").click()
    expect(visitor.page.locator(".felt")).to_be_visible()


def click_once(visitor: Visitor, preferred: tuple[str, ...]) -> None:
    """Click what one would: begin, a card where one has to be chosen, then the best offer."""
    page = visitor.page
    start = page.locator("[data-action=start]:enabled")
    confirm = page.locator(".bar > .offers [data-confirm]:enabled")
    if start.count():
        start.click()
    elif confirm.count():
        confirm.first.click()
    elif (
        page.locator(".own button.card[aria-pressed=false]").count()
        and not page.locator(".offers button").count()
    ):
        page.locator(".own button.card").first.click()
    else:
        for action in (*preferred, ""):
            at = f"[data-action={action}]" if action else "[data-action]"
            found = page.locator(f".bar > .offers button{at}:enabled")
            if found.count():
                found.first.click()
                return
        page.wait_for_timeout(30)


@pytest.mark.parametrize(
    ("game", "bots", "preferred"),
    [
        ("palace_poker", 3, ("call", "buy", "muster", "bet", "stay")),
        ("pontoon", 4, ("declare_pontoon", "stick", "banker_stay", "twist_card")),
        ("royal_casino", 1, ("capture_cards", "trail_card")),
        ("royal_flush", 0, ("search_pile", "gather_piles", "deal_piles")),
    ],
)
def test_a_hand_is_played_to_its_end_by_clicking(visit: Visit, game, bots, preferred):
    """From the lobby's form to the last card: the page offers all that is needed."""
    visitor = visit(f"clicks {game}")
    sit_down(visitor, game, bots)
    ends = re.compile(ENDS[game])
    until = monotonic() + SECONDS
    while not any(ends.search(line) for line in visitor.log()):
        assert monotonic() < until, visitor.log()[-20:]
        click_once(visitor, preferred)
    assert visitor.page.locator(".refused").inner_text() == ""


def test_a_game_is_played_by_keyboard_alone(visit: Visit):
    """Tab and Enter lead from the lobby into the game, and from one decision to the next."""
    visitor = visit("types")
    page = visitor.page

    def reach(name: str, within: str = "body") -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            focused = page.locator(within).locator(":focus")
            if focused.count() and focused.inner_text().startswith(name):
                return
        raise AssertionError(f"Tab never comes to {name}")

    expect(page.get_by_role("heading", name="Royal Flush", level=2)).to_be_visible()
    reach("Play", "li:has-text('Royal Flush')")
    page.keyboard.press("Enter")
    expect(page.locator("[data-action=start]")).to_be_visible()
    reach("Begin a game")
    page.keyboard.press("Enter")
    expect(page.locator("[data-action=deal_piles]")).to_be_visible()
    reach("Deal the piles")
    page.keyboard.press("Enter")
    expect(page.locator("[data-action=search_pile]")).to_be_visible()
    reach("Play on by itself")
    page.keyboard.press("Enter")
    reach("game")
    page.keyboard.press("Space")
    expect(page.locator("button[aria-pressed=true]")).to_have_text("game")
    reach("Play on by itself")
    page.keyboard.press("Enter")
    expect(page.locator(".standing")).to_contain_text(re.compile("Won|Lost"))
