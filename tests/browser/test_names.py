"""Names and titles that somebody chose to do harm: texts on every page, and nothing else."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import expect

from service.identity import Role
from service.pb import person_service_pb2 as person_pb
from tests.browser.conftest import Visit
from tests.browser.service import Service
from tests.browser.test_tournament import made
from tests.browser.visitor import Visitor
from tests.service.harness import Running
from tests.service.played import seated

NAMES: Final = (
    "</script><svg onload=harm=1>",
    "\" onmouseover='harm=1' x=\"",
    "javascript:harm=1",
    "__proto__",
    "constructor",
    "\u05e9\u05dc\u05d5\u05dd 12",
    "under_score & <b>bold</b>",
)

HARM: Final = """() => [
  ...(window.harm === undefined ? [] : ["a script ran"]),
  ...Object.keys(Object.prototype).map(name => `Object.prototype has ${name}`),
  ...[...document.querySelectorAll("main *, header *")].flatMap(node =>
    node.getAttributeNames().filter(name => name.startsWith("on"))),
  ...[...document.querySelectorAll("a[href]")].map(link => link.getAttribute("href"))
    .filter(href => !/^(#|blob:)/.test(href)),
  ...[...document.querySelectorAll("main b, main script, main img, main iframe, main svg[onload]")]
    .map(node => node.outerHTML.slice(0, 80)),
]"""


def shown(visitor: Visitor, names: tuple[str, ...], within: str = "main") -> None:
    """Every one of the names stands there as it was given, and none did any harm."""
    for name in names:
        expect(visitor.page.locator(within)).to_contain_text(name)
    assert visitor.page.evaluate(HARM) == []


@pytest.fixture(scope="session")
def named(service: Service) -> str:
    """A table of Palace Poker with a hand, whose players have such names."""

    async def work(running: Running) -> str:
        for seat, name in enumerate(NAMES[:3]):
            client = running.client(f"palace_poker {seat}")
            request = person_pb.SetProfileRequest(name=name)
            await client.call(client.persons.SetProfile, request)
        table = await seated(running, "palace_poker")
        await table.hands(1)
        return table.table

    return service.do(work)


def test_names_stay_texts_on_every_page_of_a_table(
    visit: Visit, service: Service, named: str
) -> None:
    """In lists, on the felt, in the log, in replays and in the choice of whose eyes see them."""
    visitor = visit()
    visitor.page.on("dialog", lambda dialog: visitor.troubles.append(dialog.message))
    visitor.come_with(service.token("reads them", Role.AUDITOR, Role.PLAYER))
    shown(visitor, NAMES[:3])
    for path in ("/tables", f"/table/{named}", f"/replays/{named}", f"/replay/{named}/1"):
        visitor.go(path)
        shown(visitor, NAMES[:3])
    shown(visitor, NAMES[:3], "select")
    for _ in range(5):
        visitor.page.keyboard.press("ArrowRight")
    visitor.page.locator(".steps button").first.hover()
    shown(visitor, ())


def test_names_and_titles_stay_texts_in_tournaments(visit: Visit, service: Service) -> None:
    """Of those that are the names of what every object has, too."""
    entrants = [f"named {at}" for at in range(len(NAMES))]

    async def name(running: Running) -> None:
        for subject, text in zip(entrants, NAMES, strict=True):
            client = running.client(subject)
            await client.call(client.persons.SetProfile, person_pb.SetProfileRequest(name=text))

    service.do(name)
    title = "<iframe srcdoc='<script>harm=1</script>'>"
    made(service, title, *entrants)
    visitor = visit("looks on")
    for path in ("/", "/tournaments"):
        visitor.go(path)
        shown(visitor, (title,))
    visitor.page.get_by_role("link", name=title).click()
    shown(visitor, NAMES)
    assert visitor.page.title() == f"{title} · Kartejo"
    # What is written from right to left is set apart, so that it moves no number beside it.
    leftward = visitor.page.locator("td", has_text=NAMES[5]).inner_text()
    assert leftward == f"\u2068{NAMES[5]}\u2069"


def test_a_name_with_a_low_line_is_whole_in_the_list_of_hands(
    visit: Visit, service: Service
) -> None:
    async def work(running: Running) -> str:
        client = running.client("royal_casino 1")
        await client.call(client.persons.SetProfile, person_pb.SetProfileRequest(name="a_b_c"))
        table = await seated(running, "royal_casino")
        await table.hands(1)
        return table.table

    visitor = visit("reads lists")
    visitor.go(f"/replays/{service.do(work)}")
    expect(visitor.page.locator("tbody td").last).to_have_text("Seat 0 and a_b_c")
