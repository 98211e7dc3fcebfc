"""Somebody at a browser: goes to pages, clicks, types, reads."""

from __future__ import annotations

import re
from typing import Any, Final

from axe_core_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.service import Service

__all__ = ["PATIENCE_MS", "Visitor"]

PATIENCE_MS: Final = 90_000
SERIOUS: Final = {"serious", "critical"}


class Visitor:
    """One tab.  ``troubles`` is what its console complained of."""

    def __init__(self, service: Service, context: BrowserContext) -> None:
        self.service = service
        self.context = context
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        self.troubles: list[str] = []
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("console", self._heard)

    def _heard(self, message: Any) -> None:
        # A call that is refused is no trouble of the page, which says so in words.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.troubles.append(message.text)

    def come(self, subject: str) -> None:
        """Come in by a link."""
        self.page.goto(self.service.link(subject))
        expect(self.page.get_by_role("button", name="Log out")).to_be_visible()

    def come_with(self, token: str, url: str = "") -> None:
        """Come in with a token that somebody was given, if it is said to another service."""
        self.page.goto(url or self.service.url)
        self.page.get_by_text("I have a token").click()
        self.page.get_by_label("Token").fill(token)
        self.page.get_by_role("button", name="Come in").click()
        expect(self.page.get_by_role("button", name="Log out")).to_be_visible()

    def go(self, path: str) -> None:
        """Go to a page, as a link on the page would lead there."""
        self.page.evaluate("path => { location.hash = path }", path)
        expect(self.page.locator("main h1")).to_be_visible()

    def button(self, name: str | re.Pattern[str]) -> Locator:
        return self.page.get_by_role("button", name=name)

    @property
    def table_id(self) -> str:
        """The table whose page this is."""
        return self.page.url.rpartition("/")[2]

    def log(self) -> list[str]:
        """What the log of the table says, line by line."""
        return self.page.locator(".log > *").all_inner_texts()

    def faults(self) -> list[str]:
        """What axe finds that would keep somebody out, each with what it is about."""
        found = Axe().run(self.page, options={"resultTypes": ["violations"]})
        return [
            f"{fault['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
            for fault in found["violations"]
            if fault["impact"] in SERIOUS
            for node in fault["nodes"]
        ]

    def overhang(self) -> int:
        """How many pixels of the page are beside the screen."""
        wide: int = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return wide
