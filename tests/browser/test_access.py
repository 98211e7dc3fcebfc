"""Pages for everybody: what axe finds, by day and by night, and on a narrow screen."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_play import click_once, sit_down

PAGES = ("/", "/tables", "/new/palace_poker", "/you", "/nowhere")
GAMES = {"palace_poker": 3, "pontoon": 4, "royal_casino": 1, "royal_flush": 0}
PHONE = {"width": 360, "height": 740}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_anybody_out(visit: Visit, scheme):
    """axe finds nothing serious on any page, nor at a table of any game."""
    visitor = visit("reads", color_scheme=scheme)
    faults = []
    for path in PAGES:
        visitor.go(path)
        visitor.page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
        faults += [(path, fault) for fault in visitor.faults()]
    for game, bots in GAMES.items():
        sit_down(visitor, game, bots)
        _until_asked(visitor)
        faults += [(game, fault) for fault in visitor.faults()]
    assert faults == []


def test_nobody_who_is_out_is_kept_out(visit: Visit, service):
    """The page that asks in, too."""
    visitor = visit()
    visitor.page.goto(service.url)
    expect(visitor.page.get_by_role("heading", name="Come in")).to_be_visible()
    assert visitor.faults() == []
    assert visitor.overhang() == 0


def test_a_narrow_screen_is_wide_enough(visit: Visit):
    """At 360 pixels nothing is beside the screen, at ten seats either."""
    visitor = visit("holds a phone", viewport=PHONE)
    for path in PAGES:
        visitor.go(path)
        assert visitor.overhang() == 0, path
    for game, bots in GAMES.items():
        sit_down(visitor, game, 9 if game == "palace_poker" else bots)
        _until_asked(visitor)
        opened = visitor.page.locator(".bar > .offers button[aria-expanded=false]")
        if opened.count():
            opened.first.click()
        assert visitor.overhang() == 0, game


def test_ten_seats_stand_clear_of_each_other(visit: Visit):
    """Around a full table on a usual screen no box hides a part of another."""
    visitor = visit("sees ten", viewport={"width": 1280, "height": 900})
    sit_down(visitor, "palace_poker", 9)
    _until_asked(visitor)
    boxes = [box.bounding_box() for box in visitor.page.locator(".seat").all()]
    assert len(boxes) == 10
    for n, a in enumerate(boxes):
        for b in boxes[:n]:
            is_apart = (
                a["x"] + a["width"] <= b["x"]
                or b["x"] + b["width"] <= a["x"]
                or a["y"] + a["height"] <= b["y"]
                or b["y"] + b["height"] <= a["y"]
            )
            assert is_apart, (a, b)


def _until_asked(visitor) -> None:
    """Begin, until something is offered."""
    offered = visitor.page.locator(".offers button, .own button.card")
    while not offered.count():
        click_once(visitor, ())
