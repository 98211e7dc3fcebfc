"""A hand of each game to its end by keyboard alone, magnified four times, without motion."""

from __future__ import annotations

import re
from time import monotonic

import pytest

from tests.browser.conftest import Visit
from tests.browser.test_play import ENDS, SECONDS, sit_down
from tests.browser.visitor import Visitor

FARTHEST = 150
FOCUSED = "wanted => document.activeElement !== null && document.activeElement.matches(wanted)"
FOUR_TIMES = {"width": 320, "height": 256}
"""What is left of 1280 x 1024 pixels at 400 %: nothing may be beside it (WCAG 1.4.10)."""


def wanted(visitor: Visitor, preferred: tuple[str, ...]) -> str:
    """What one would choose now; empty: nothing is offered."""
    offers = ".bar > .offers"
    each = [f"{offers} button[data-action={action}]:enabled" for action in preferred]
    chosen = [
        "[data-action=start]:enabled",
        f"{offers} [data-confirm]:enabled",
        *each,
        f"{offers} button[data-action]:enabled",
        ".own button.card[aria-pressed=false]",
    ]
    return next((each for each in chosen if visitor.page.locator(each).count()), "")


def press(visitor: Visitor, target: str) -> None:
    """Go there by Tab and press Enter; nothing, if it has gone meanwhile."""
    page = visitor.page
    for _ in range(FARTHEST):
        if page.evaluate(FOCUSED, target):
            page.keyboard.press("Enter")
            return
        if not page.locator(target).count():
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {target}")


@pytest.mark.parametrize(
    ("game", "bots", "preferred"),
    [
        ("palace_poker", 2, ("call", "fold", "stay")),
        ("pontoon", 4, ("declare_pontoon", "stick", "banker_stay", "twist_card")),
        ("royal_casino", 1, ("capture_cards", "trail_card")),
        ("royal_flush", 0, ("search_pile", "gather_piles", "deal_piles")),
    ],
)
def test_a_hand_is_played_to_its_end_by_keyboard(
    visit: Visit, game: str, bots: int, preferred: tuple[str, ...]
) -> None:
    """Focus stays where the offers are; at four times the size nothing is beside the screen."""
    visitor = visit(f"types {game}", viewport=FOUR_TIMES, reduced_motion="reduce")
    sit_down(visitor, game, bots)
    ends = re.compile(ENDS[game])
    until = monotonic() + SECONDS
    while not any(ends.search(line) for line in visitor.log()):
        assert monotonic() < until, visitor.log()[-20:]
        target = wanted(visitor, preferred)
        if target:
            press(visitor, target)
        else:
            visitor.page.wait_for_timeout(30)
        assert visitor.overhang() == 0
    assert visitor.page.evaluate("document.getAnimations().length") == 0
