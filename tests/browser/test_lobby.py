"""Coming in, the lobby, a new table."""

from __future__ import annotations

import re
from uuid import uuid4

from playwright.sync_api import expect

from service.pb import table_service_pb2 as pb
from tests.browser.conftest import Visit
from tests.browser.service import Service
from tests.browser.visitor import Visitor
from tests.service.harness import Running


def test_a_link_lets_in_and_its_code_does_not_stay(visit: Visit):
    """The address bar keeps no code; a reload finds the session, another tab none."""
    visitor = visit("ann")
    assert "code" not in visitor.page.url
    visitor.page.reload()
    expect(visitor.button("Log out")).to_be_visible()
    other = Visitor(visitor.service, visitor.context)
    other.page.goto(visitor.service.url)
    expect(other.page.get_by_role("heading", name="Come in")).to_be_visible()
    visitor.button("Log out").click()
    expect(visitor.page.get_by_role("heading", name="Come in")).to_be_visible()


def test_a_link_that_does_not_work_says_why(visit: Visit, service: Service):
    """Expired, and no link of this service: in words, with what to do."""
    for link, why in (
        (service.link("ann", seconds=-1), "has expired"),
        (f"{service.url}#code=AAAA", "not of this service, or not whole"),
    ):
        visitor = visit()
        visitor.page.goto(link)
        expect(visitor.page.get_by_role("alert")).to_contain_text(why)
        expect(visitor.page.get_by_role("alert")).to_contain_text("kartejo link")


def test_a_token_lets_in_too(visit: Visit, service: Service):
    """For operators, whose token is in a file; what is no token is refused."""
    visitor = visit()
    visitor.page.goto(service.url)
    visitor.page.get_by_text("I have a token").click()
    field = visitor.page.get_by_label("Token")
    for text in ("nonsense", "a.b.c"):
        field.fill(text)
        visitor.button("Come in").click()
        expect(visitor.page.get_by_role("alert")).not_to_be_empty()
    field.fill(service.do(_token))
    visitor.button("Come in").click()
    expect(visitor.page.locator("#who")).to_contain_text("olga")


async def _token(service: Running) -> str:
    return service.token("olga")


def test_the_lobby_is_live(visit: Visit, service: Service):
    """A table that somebody else opens appears, and goes when it is closed; filters hold."""
    visitor = visit("looks on")
    visitor.go("/tables")

    async def opened(service: Running) -> str:
        made = await service.client("host").create("pontoon", options={"min_bet": "7"})
        return str(made.table.table_id)

    async def closed(service: Running) -> None:
        client = service.client("host")
        request = pb.CloseTableRequest(request_id=uuid4().hex, table_id=table)
        await client.call(client.tables.CloseTable, request)

    table = service.do(opened)
    entry = visitor.page.locator(f"li:has(a[href='#/table/{table}'])")
    expect(entry).to_contain_text("stakes 7 to 100")
    expect(entry).to_contain_text("8 seats free")
    visitor.page.get_by_label("Game").select_option("Royal Flush")
    expect(entry).to_have_count(0)
    visitor.page.get_by_label("Game").select_option("Pontoon")
    expect(entry).to_have_count(1)
    service.do(closed)
    expect(entry).to_have_count(0)
    visitor.page.get_by_label("Closed ones too").check()
    expect(entry).to_contain_text("closed")


def test_a_table_is_opened_with_options_that_are_explained(visit: Visit, service: Service):
    """Each field says what it means; what is chosen is what the table has; nothing else is sent."""
    visitor = visit("opens")
    visitor.go("/new/palace_poker")
    page = visitor.page
    expect(page.get_by_label("Small bet")).to_have_accessible_description(
        re.compile("price of a card", re.IGNORECASE)
    )
    page.get_by_label("Small bet").fill("25")
    page.get_by_label("Max seats").fill("3")
    page.get_by_text("More rules of the game").click()
    page.get_by_label("Ace low straight").uncheck()
    page.get_by_text("Rules of the house").click()
    page.get_by_label("Max buy in").fill("500")
    page.get_by_label("Your chips").fill("400")
    page.get_by_label("Bots").fill("1")
    visitor.button("Open the table").click()
    expect(page.locator(".seat")).to_have_count(2)

    async def looked(service: Running) -> pb.GetTableResponse:
        found: pb.GetTableResponse = await service.client("opens").get(visitor.table_id)
        return found

    found = service.do(looked)
    options = {option.name: option.value for option in found.table.options}
    assert options["small_bet"] == "25"
    assert options["big_bet"] == "50", "what follows from others is left to follow"
    assert options["ace_low_straight"] == "false"
    assert found.table.seat_count == 3
    assert [seat.chips for seat in found.table.seats] == [400, 500]


def test_more_bots_than_seats_are_refused_and_no_table_is_left(visit: Visit, service: Service):
    visitor = visit("crowds")
    visitor.go("/new/palace_poker")
    visitor.page.get_by_label("Bots").fill("3")
    visitor.page.get_by_label("Max seats").fill("3")
    visitor.button("Open the table").click()
    expect(visitor.page.get_by_role("alert")).to_contain_text("no room for so many (free 2)")

    async def hosted(service: Running) -> list[bool]:
        client = service.client("crowds")
        request = pb.ListTablesRequest(include_closed=True, page_size=200)
        me = (await client.create("royal_flush")).table.host
        tables = (await client.call(client.tables.ListTables, request)).tables
        return [
            table.closed for table in tables if table.host == me and table.game != "royal_flush"
        ]

    assert service.do(hosted) == [True]


def test_a_table_that_cannot_be_is_refused_in_words(visit: Visit):
    """The rules' reason, beside the form, which keeps what was filled in."""
    visitor = visit("errs")
    visitor.go("/new/palace_poker")
    visitor.page.get_by_text("More rules of the game").click()
    visitor.page.get_by_label("Big bet").fill("1")
    visitor.button("Open the table").click()
    answer = visitor.page.get_by_role("alert")
    expect(answer).to_contain_text("The table cannot have these options")
    expect(answer).to_contain_text("big_bet")
    expect(visitor.page.get_by_label("Big bet")).to_have_value("1")
