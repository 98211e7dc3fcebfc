"""Addresses, links and what a browser keeps: every way into the pages, and what may go wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.service import Service
from tests.browser.test_table import seated
from tests.browser.test_tournament import made
from tests.service.harness import Running
from tests.service.played import seated as hands_seated

NOWHERE = [
    ("/table/%E0%A4%A", "No such table"),
    ("/new/__proto__", "No game is called __proto__"),
    ("/table/%", "No such table"),
    ("/new/constructor", "No game is called constructor"),
    ("/replays/%2e%2e%2flogin", "No such table"),
    ("/table/", "Nothing is here"),
    ("/replay/%00/1", "No such table"),
    ("javascript:alert(1)", "There is no page javascript:alert(1)."),
    ("//evil.example/", "There is no page //evil.example/."),
]
DENIED = """for (const name of ["sessionStorage", "localStorage"]) {
  Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });
}"""


def test_every_link_leads_to_a_page(visit: Visit, service: Service) -> None:
    """From the lobby on, wherever one may click; one link of each kind."""

    async def played(running: Running) -> None:
        table = await hands_seated(running, "royal_flush")
        await table.hands(1)

    service.do(played)
    made(service, "linked")
    visitor = visit("royal_flush 0")
    waiting, seen = ["/"], set()
    while waiting:
        path = waiting.pop()
        visitor.go(path)
        visitor.page.wait_for_load_state("networkidle")
        expect(visitor.page.locator("main h1")).not_to_have_text("Nothing is here")
        links = visitor.page.locator("a[href^='#/']")
        for href in links.evaluate_all("all => all.map(each => each.getAttribute('href'))"):
            kind = re.sub("[0-9a-f]{8}-[0-9a-f-]{27}", "ID", href)
            kind = re.sub(r"/[0-9]+\b|/new/\w+", "/N", kind)
            if kind not in seen:
                seen.add(kind)
                waiting.append(href[1:])
    wanted = {"#/", "#/table/ID", "#/replays/ID", "#/replay/ID/N", "#/tournament/ID", "#/verify"}
    assert wanted <= seen


def test_an_address_that_names_nothing_is_said_to_name_nothing(visit: Visit) -> None:
    """Escapes that stand for nothing, names that every object has, addresses of elsewhere."""
    visitor = visit("errs")
    for path, said in NOWHERE:
        visitor.go(path)
        expect(visitor.page.locator("main")).to_contain_text(said)


def test_who_is_here_stays_where_an_old_link_is_opened(visit: Visit, service: Service) -> None:
    """And is told that it let nobody in; a good one lets in whom it names."""
    visitor = visit("was here")
    page = visitor.page
    page.evaluate("link => { location.href = link }", service.link("late", seconds=-1))
    expect(page.locator("#line")).to_contain_text("This link has expired")
    expect(page.locator("#who")).to_contain_text("was here")
    page.evaluate("link => { location.href = link }", service.link("comes now"))
    expect(page.locator("#who")).to_contain_text("comes now")
    assert "code=" not in page.url


def test_a_browser_that_keeps_nothing_is_enough(visit: Visit, service: Service) -> None:
    """With cookies blocked pages get no storage: one comes in, plays, and is gone on reload."""
    visitor = visit()
    visitor.context.add_init_script(DENIED)
    visitor.come("keeps nothing")
    visitor.page.locator("li:has-text('Royal Flush')").get_by_role("button", name="Play").click()
    visitor.button("Begin a game").click()
    expect(visitor.page.locator("[data-action=deal_piles]")).to_be_visible()
    visitor.page.reload()
    expect(visitor.page.get_by_role("heading", name="Come in")).to_be_visible()


def test_a_code_is_in_no_history_no_storage_and_no_request_but_its_own(
    visit: Visit, service: Service
) -> None:
    visitor = visit()
    asked: list[str] = []
    visitor.page.on(
        "request",
        lambda found: asked.append(f"{found.url} {found.all_headers()} {found.post_data}"),
    )
    link = service.link("comes once")
    code = link.partition("=")[2]
    visitor.page.goto(link)
    expect(visitor.button("Log out")).to_be_visible()
    visitor.go("/tables")
    assert [each.partition(" ")[0] for each in asked if code in each] == [f"{service.url}login"]
    kept = visitor.page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}])")
    assert code not in kept
    for _ in range(2):
        visitor.page.go_back()
        assert "code" not in visitor.page.url


def test_who_goes_away_and_back_finds_his_table_alive(visit: Visit, service: Service) -> None:
    """Whether the browser kept the page or loads it anew."""
    table = service.do(seated("royal_flush", ["goes back"]))
    visitor = visit("goes back")
    visitor.go(f"/table/{table}")
    expect(visitor.page.locator(".felt")).to_be_visible()
    visitor.page.goto("about:blank")
    visitor.page.go_back()
    visitor.button("Begin a game").click()
    expect(visitor.page.locator("[data-action=deal_piles]")).to_be_visible()
    expect(visitor.page.locator(".log")).to_contain_text("Game 1")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the export ends in the middle"),
        (b"\xff\xfe\x00" * 2_000_000, "Line 1: "),
        (b"[" * 5_000_000 + b"\n", "Line 1: not a line of JSON"),
        (b'{"type":"export","format":1,"kind":"__proto__"}\n', "an export of an unknown kind"),
        (b'{"type":"constructor"}\n' * 3, "Line 1: not the first line"),
    ],
)
def test_a_file_that_is_no_export_is_refused_in_words(
    visit: Visit, tmp_path: Path, data: bytes, said: str
) -> None:
    """Whatever its size; and the next one is checked as if there had been none."""
    path = tmp_path / "some.jsonl"
    path.write_bytes(data)
    visitor = visit()
    visitor.page.goto(f"{visitor.service.url}#/verify")
    visitor.page.get_by_label("Export (.jsonl)").set_input_files(path)
    expect(visitor.page.locator(".verdict h3")).to_have_text("This record does not hold")
    expect(visitor.page.locator(".verdict")).to_contain_text(said)
    visitor.page.get_by_label("Key of the log").fill("no key")
    visitor.page.get_by_label("Key of the log").blur()
    expect(visitor.page.locator(".verdict h3")).to_have_text("This record does not hold")
