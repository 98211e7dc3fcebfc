"""What a table says and survives: hostile names, refusals, a line that breaks, two who play."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

from playwright.sync_api import expect

from engine.actions import TakeSeat
from service.pb import person_service_pb2 as person_pb
from service.pb import table_service_pb2 as pb
from tests.browser.conftest import Visit
from tests.browser.service import Service
from tests.browser.test_play import sit_down
from tests.service.harness import Running

SCRIPT = "<img src=x onerror=alert(1)>"


def seated(game: str, subjects: list[str], **fields: Any) -> Any:
    """Have a table made by the first of some players, at which they sit."""

    async def made(service: Running) -> str:
        found = await service.client(subjects[0]).create(game, **fields)
        for seat, subject in enumerate(subjects):
            await service.client(subject).act(found.table.table_id, seat, TakeSeat("", 1_000))
        return str(found.table.table_id)

    return made


def test_script_in_a_name_stays_text(visit: Visit, service: Service):
    """In the lobby, on the felt, in the log and at the top: a name is never read as HTML."""

    async def named(service: Running) -> str:
        eve = service.client("eve")
        await eve.call(eve.persons.SetProfile, person_pb.SetProfileRequest(name=SCRIPT))
        return str(await seated("palace_poker", ["eve"])(service))

    table = service.do(named)
    visitor = visit("mallory's friend")
    visitor.page.on("dialog", lambda dialog: visitor.troubles.append(dialog.message))
    expect(visitor.page.locator(".table .who").first).to_contain_text(SCRIPT)
    visitor.go(f"/table/{table}")
    expect(visitor.page.locator(".seat .name")).to_have_text(SCRIPT)
    expect(visitor.page.locator(".log")).to_contain_text(f"{SCRIPT} sits down")
    visitor.go("/you")
    visitor.page.get_by_label("Your name").fill(SCRIPT)
    visitor.button("Save").click()
    expect(visitor.page.locator("#who")).to_contain_text(SCRIPT)
    assert visitor.page.locator("img[src=x]").count() == 0


def test_what_is_refused_is_explained(visit: Visit, service: Service):
    """The rules' word becomes a sentence, the house's limits are said, and nothing is lost."""
    table = service.do(seated("palace_poker", ["zoe"], house_options={"min_buy_in": "100"}))
    visitor = visit("tries")
    visitor.go(f"/table/{table}")
    visitor.page.get_by_label("Chips to bring").fill("5")
    visitor.button("Take seat 3").click()
    expect(visitor.page.get_by_role("alert")).to_contain_text("The house takes other amounts")
    visitor.page.get_by_label("Chips to bring").fill("500")
    visitor.button("Take seat 3").click()
    expect(visitor.page.locator(".seat.mine .chips")).to_contain_text("500")
    expect(visitor.page.locator(".refused")).to_be_empty()


def test_a_table_that_is_not_there_is_said_to_be_so(visit: Visit):
    visitor = visit("errs")
    visitor.go("/table/nowhere")
    expect(visitor.page.get_by_role("alert")).to_contain_text("No such table")


def test_a_broken_line_loses_nothing(visit: Visit, service: Service):
    """While the browser is off the net the table goes on; afterwards the log has every line once,
    as a browser that was there all the time has it, and one can act."""
    table = service.do(seated("royal_flush", ["solo"]))
    player, other = visit("solo"), visit("onlooker")
    for visitor in (player, other):
        visitor.go(f"/table/{table}")
        expect(visitor.page.locator(".log")).to_contain_text("down with")

    async def played(service: Running) -> None:
        solo = service.client("solo")
        await solo.start(table)
        state = (await solo.get(table)).state
        request = pb.SubmitActionRequest(
            request_id=uuid4().hex,
            table_id=table,
            hand=state.decision.hand,
            decision=state.decision.number,
        )
        request.action.royal_flush.auto_play.scope = "round"
        await solo.call(solo.tables.SubmitAction, request)

    player.context.set_offline(True)
    service.do(played)
    expect(other.page.locator(".standing")).to_contain_text("round 2")
    player.context.set_offline(False)
    expect(player.page.locator(".standing")).to_contain_text("round 2")
    told = [line.replace("You sit", "Seat 0 sits") for line in player.log()]
    assert [line.replace("You add", "Seat 0 adds") for line in told] == other.log()
    player.page.locator("[data-action=deal_piles]").click()
    expect(other.page.locator(".log")).to_contain_text("Round 2")


def test_a_service_that_is_away_is_said_to_be_so(visit: Visit, service: Service):
    """What is asked meanwhile is asked again, and done once when it is back."""
    table = service.do(seated("royal_flush", ["patient"]))
    visitor = visit("patient")
    visitor.go(f"/table/{table}")
    visitor.page.route("**/kartejo.v1.*/**", lambda route: route.abort())
    visitor.button("Begin a game").click()
    expect(visitor.page.locator("#line")).to_contain_text("The service is away")
    visitor.page.unroute("**/kartejo.v1.*/**")
    expect(visitor.page.locator("[data-action=deal_piles]")).to_be_visible()
    expect(visitor.page.locator("#line")).to_be_empty()


def test_two_people_see_their_own_cards_only(visit: Visit, service: Service):
    """Each sees his palace and the other's backs; what one does the other reads."""
    table = service.do(seated("palace_poker", ["one", "two"]))
    one, two = visit("one"), visit("two")
    for visitor in (one, two):
        visitor.go(f"/table/{table}")
    one.button("Deal a hand").click()
    for visitor in (one, two):
        mine = visitor.page.locator(".seat.mine [aria-label=Palace] .card")
        expect(mine).to_have_count(3)
        assert all(" of " in (card.get_attribute("aria-label") or "") for card in mine.all())
        theirs = visitor.page.locator(".seat:not(.mine) [aria-label=Palace] .card")
        names = [card.get_attribute("aria-label") for card in theirs.all()]
        assert names == ["card face down"] * 3
    acting = one if one.page.locator(".offers").count() else two
    waiting = two if acting is one else one
    acting.page.locator("[data-action=fold]").click()
    expect(waiting.page.locator(".log")).to_contain_text(re.compile(r"Seat \d folds"))


def test_chips_are_chosen_by_slider_and_by_number(visit: Visit):
    """Both fields agree; what is out of range cannot be sent, and says why."""
    visitor = visit("bets")
    sit_down(visitor, "pontoon", 4)
    page = visitor.page
    while not page.locator("[data-confirm=place_bet]").count():
        start = page.locator("[data-action=start]:enabled")
        if start.count():
            start.click()
        deal = page.locator(".bar > .offers [data-action=start_deal]:enabled")
        if deal.count():
            # The bank is this player's own: he passes it on, and is a punter then.
            page.locator("[data-action=resign_bank]").click()
        page.wait_for_timeout(50)
    number = page.get_by_label("Amount", exact=True)
    slider = page.get_by_label("Amount, slider")
    number.fill("55")
    expect(slider).to_have_value("55")
    slider.press("ArrowRight")
    expect(number).to_have_value("56")
    expect(page.locator("[data-confirm=place_bet]")).to_have_text("Bet: 56")
    for text in ("5", "101", "10.5", ""):
        number.fill(text)
        expect(page.locator("[data-confirm=place_bet]")).to_be_disabled()
        expect(page.locator(".bar > .offers .fields small")).to_have_text(
            "Say a number from 10 to 100."
        )
    number.fill("20")
    number.press("Enter")
    expect(page.locator(".log")).to_contain_text("You bet 20.")


def test_what_one_clicks_in_two_tabs_happens_once(visit: Visit, service: Service):
    """The click that comes second answers a decision that is over: both tabs show the same game."""
    table = service.do(seated("royal_flush", ["twin"]))
    first, second = visit("twin"), visit("twin")
    for visitor in (first, second):
        visitor.go(f"/table/{table}")
    first.button("Begin a game").click()
    for visitor in (first, second):
        expect(visitor.page.locator("[data-action=deal_piles]")).to_be_visible()

    def late(route: Any) -> None:
        first.page.locator("[data-action=deal_piles]").click()
        expect(first.page.locator("[data-action=search_pile]")).to_be_visible()
        route.continue_()

    second.page.route("**/*TableService/SubmitAction", late)
    # The news may be there before the answer is.
    with second.page.expect_response("**/*TableService/SubmitAction") as answered:
        second.page.locator("[data-action=deal_piles]").click()
    assert answered.value.status == 409
    for visitor in (first, second):
        expect(visitor.page.locator("[data-action=search_pile]")).to_be_visible()
    assert first.log() == second.log()
