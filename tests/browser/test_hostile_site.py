"""A page of another site in the same browser: what it tries to have of a service beside it."""

from __future__ import annotations

from typing import Any, Final

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.service import Service
from tests.browser.test_table import seated
from tests.service.harness import Running

EVIL: Final = "http://evil.example/"

TRIES: Final = """async ([url, token]) => {
  const json = { "Content-Type": "application/json" };
  const call = `${url}kartejo.v1.TableService/CreateTable`;
  const body = JSON.stringify({ requestId: "evil", game: "royal_flush" });
  const tries = {
    read: () => fetch(url).then(answer => answer.text()),
    call: () => fetch(call, { method: "POST", headers: json, body }).then(answer => answer.text()),
    token: () => fetch(call, { method: "POST", body,
      headers: { ...json, Authorization: `Bearer ${token}` } }).then(answer => answer.text()),
    figures: () => fetch(`${url}metrics`).then(answer => answer.text()),
    module: () => import(`${url}core/rpc.js`),
    frame: () => new Promise((resolve, reject) => {
      const frame = document.createElement("iframe");
      frame.src = url;
      frame.onload = () => {
        try { resolve(frame.contentWindow.document.title || Promise.reject(Error("empty"))); }
        catch (error) { reject(error); }
      };
      document.body.append(frame);
    }),
  };
  for (const kind of ["text/plain", "application/x-www-form-urlencoded"]) {
    // Nobody may read the answer; it is what the service does that counts.
    await fetch(call, { method: "POST", mode: "no-cors", body, headers: { "Content-Type": kind } })
      .catch(() => null);
    await fetch(`${url}login`, { method: "POST", mode: "no-cors", body: '{"code": "x"}',
      headers: { "Content-Type": kind } }).catch(() => null);
  }
  const got = [];
  for (const [name, work] of Object.entries(tries)) {
    await work().then(found => got.push(`${name}: ${String(found).slice(0, 80)}`), () => null);
  }
  return got;
}"""


def evil(page: Page) -> None:
    page.route(
        f"{EVIL}**",
        lambda route: route.fulfill(content_type="text/html", body="<title>evil</title><body>"),
    )
    page.goto(EVIL)


def test_another_site_gets_nothing_and_changes_nothing(visit: Visit, service: Service) -> None:
    """It reads no page, makes no call even with a token it stole, and has us in no frame."""

    async def commits(running: Running) -> int:
        return await running.commits()

    before = service.do(commits)
    visitor = visit()
    evil(visitor.page)
    got = visitor.page.evaluate(TRIES, [service.url, service.token("victim")])
    assert got == []
    assert service.do(commits) == before
    visitor.troubles.clear()  # Chromium says of each try why it failed


def test_a_form_of_another_site_that_leads_here_does_nothing(
    visit: Visit, service: Service
) -> None:
    visitor = visit()
    evil(visitor.page)
    visitor.page.evaluate(
        """url => {
          const form = document.createElement("form");
          const field = document.createElement("input");
          Object.assign(form, { method: "post", enctype: "text/plain", action: `${url}login` });
          Object.assign(field, { name: '{"code":"', value: 'x"}' });
          form.append(field);
          document.body.append(form);
          form.submit();
        }""",
        service.url,
    )
    expect(visitor.page.locator("body")).to_contain_text("FOREIGN_ORIGIN")
    visitor.troubles.clear()


def test_a_site_that_opened_the_pages_has_no_hand_on_them(visit: Visit, service: Service) -> None:
    """Neither by its window nor by what the pages send on."""
    table = service.do(seated("royal_flush", ["opened"]))
    visitor = visit("opened")
    evil(visitor.page)
    heard: list[dict[str, Any]] = []
    visitor.context.on("request", lambda found: heard.append(found.headers))
    with visitor.context.expect_page() as opening:
        visitor.page.evaluate(
            "url => { window.hand = window.open(url) }", f"{service.url}#/table/{table}"
        )
    opened = opening.value
    expect(opened.locator(".felt")).to_be_visible()
    assert opened.evaluate("window.opener") is None
    assert visitor.page.evaluate("window.hand.closed")
    assert len(heard) > 1  # and tells nobody where it was
    assert not [each for each in heard if each.get("referer", "").startswith(service.url)]
    visitor.troubles.clear()
