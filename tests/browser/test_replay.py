"""A recorded hand: by its link, step by step, as everybody may see it; verified in the browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Route, expect

from service.identity import Role
from service.transparency.notes import SignerKey
from service.verify import verify
from tests.browser.conftest import Visit
from tests.browser.service import Service
from tests.browser.visitor import Visitor
from tests.service.harness import Running
from tests.service.played import seated

OTHER_KEY: Final = SignerKey("kartejo.example/log", bytes(32)).verifier.told()


@pytest.fixture(scope="session")
def played(service: Service) -> dict[str, str]:
    """A table of each game with two hands, by game; "GAME 0" is its host, others play there too."""

    async def work(running: Running) -> dict[str, str]:
        found = {}
        for game in ("palace_poker", "pontoon", "royal_casino", "royal_flush"):
            table = await seated(running, game)
            await table.hands(2)
            found[game] = table.table
        return found

    return service.do(work, 120)


def auditor(visit: Visit, service: Service) -> Visitor:
    visitor = visit()
    visitor.come_with(service.token("auditor", Role.AUDITOR))
    return visitor


def step(visitor: Visitor) -> int:
    """The step that is shown."""
    told = visitor.page.locator(".where").inner_text()
    found = re.match(r"Step (\d+) of", told)
    assert found, told
    return int(found[1])


def results(visitor: Visitor) -> dict[str, str]:
    """How each check ended, by what it asks."""
    expect(visitor.page.locator(".verdict")).to_be_visible()
    rows = visitor.page.locator(".checks li")
    return {
        row.locator("strong").inner_text(): row.get_attribute("class") or "" for row in rows.all()
    }


@pytest.mark.parametrize("game", ["palace_poker", "pontoon", "royal_casino", "royal_flush"])
def test_a_hand_of_each_game_is_replayed_and_verified_by_an_auditor(
    visit: Visit, service: Service, played: dict[str, str], game: str
) -> None:
    """From the first step to the last; every check of the complete record holds."""
    visitor = auditor(visit, service)
    visitor.go(f"/replay/{played[game]}/1?as=auditor")
    expect(visitor.page.locator(".felt")).to_be_visible()
    steps = visitor.page.locator(".steps li").count()
    for expected in range(2, min(steps, 12) + 1):
        visitor.page.keyboard.press("ArrowRight")
        assert step(visitor) == expected
    visitor.page.keyboard.press("End")
    assert step(visitor) == steps
    visitor.button("Verify").click()
    assert set(results(visitor).values()) == {"holds"}
    expect(visitor.page.locator(".verdict h3")).to_contain_text("Everything")


def test_a_player_verifies_the_cards_that_he_saw(visit: Visit, played: dict[str, str]) -> None:
    """What he was shown, proofs of his cards in one answer, his hand's place in the signed log."""
    visitor = visit("palace_poker 1")
    hand = visitor.page.get_by_role("link", name="Palace Poker, hand 1")
    while not hand.count():  # the list follows the log
        visitor.go("/verify")
        visitor.go("/replays")
        expect(visitor.page.locator("td, .sheet .note").first).to_be_visible()
    hand.first.click()
    expect(visitor.page.locator(".felt")).to_be_visible()
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    visitor.button("Verify").click()
    found = results(visitor)
    assert sum(url.endswith("/GetCardProofs") for url in asked) == 1
    assert "broken" not in found.values()
    assert found["Cards lay where the published roots say"] == "holds"
    assert found["The commits are in the log that was signed"] == "holds"


def test_steps_are_taken_by_keys_slider_list_and_by_themselves(
    visit: Visit, service: Service, played: dict[str, str]
) -> None:
    visitor = visit("palace_poker 1")
    page = visitor.page
    visitor.go(f"/replay/{played['palace_poker']}/1?step=3")
    assert step(visitor) == 3
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Home")
    assert step(visitor) == 1
    page.get_by_label("Step", exact=True).fill("4")
    assert step(visitor) == 4
    assert page.url.endswith(f"/replay/{played['palace_poker']}/1?step=4")
    page.locator(".steps button").nth(1).click()
    assert step(visitor) == 2
    expect(page.locator(".steps [aria-current=step]")).to_have_count(1)
    expect(page.locator(".script [aria-current=step]")).to_contain_text("> ")
    page.locator("main").focus()
    page.keyboard.press("Space")
    expect(page.locator(".where")).to_contain_text("Step 3 of")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_a_link_shows_everybody_what_he_may_see(
    visit: Visit, service: Service, played: dict[str, str]
) -> None:
    """A player sees his own cards, others no face of them; and nobody sees with other eyes."""
    table = played["palace_poker"]
    faces = []
    for name in ("palace_poker 1", "palace_poker 2", "nobody"):
        visitor = visit(name)
        visitor.go(f"/replay/{table}/1?step=2")
        expect(visitor.page.locator(".felt")).to_be_visible()
        shown: set[str] = set()
        for _ in range(visitor.page.locator(".steps li").count()):
            cards = visitor.page.locator(".felt .card:not(.back)")
            shown |= set(cards.evaluate_all("all => all.map(each => each.ariaLabel)"))
            visitor.page.keyboard.press("ArrowRight")
        faces.append(shown)
        visitor.go(f"/replay/{table}/1?as=auditor")
        expect(visitor.page.locator(".trouble")).to_contain_text("Only auditors see")
    mine, theirs, public = faces
    assert mine > public < theirs
    assert mine - theirs
    assert theirs - mine


def test_a_token_for_one_seat_opens_its_table_and_no_other(
    visit: Visit, service: Service, played: dict[str, str]
) -> None:
    """It knows no names; replay and verification it has."""
    visitor, table = visit(), played["pontoon"]
    visitor.come_with(service.token("pontoon 1", Role.PLAYER, table=table, seat=1))
    visitor.go(f"/replay/{table}/1")
    expect(visitor.page.locator(".felt")).to_be_visible()
    visitor.button("Verify").click()
    assert "broken" not in results(visitor).values()
    visitor.go(f"/replay/{played['royal_casino']}/1")
    expect(visitor.page.locator(".trouble")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/replay/{table}/99", "No hand 99 was played at this table"),
        ("/replay/{table}/one", "does not name a hand"),
        ("/replay/{table}/1?as=god", "does not name a hand and whose eyes"),
        ("/replay/01890a5d-ac96-774b-bcce-b302099a8057/1", "table"),
        ("/replay/x/1", "table"),
    ],
)
def test_a_wrong_link_says_what_is_wrong(
    visit: Visit, played: dict[str, str], path: str, said: str
) -> None:
    visitor = visit("lost")
    visitor.go(path.format(table=played["royal_flush"]))
    expect(visitor.page.locator(".trouble")).to_contain_text(said)


def saved(visitor: Visitor, folder: Path) -> Path:
    """The record that a verification offers to save."""
    visitor.button("Verify").click()
    with visitor.page.expect_download() as found:
        visitor.page.get_by_role("link", name="Save the record").click()
    path = folder / found.value.suggested_filename
    found.value.save_as(path)
    return path


@pytest.mark.parametrize("eyes", ["auditor", "self"])
def test_a_saved_record_holds_and_a_tampered_one_is_refused_by_line(
    visit: Visit, service: Service, played: dict[str, str], tmp_path: Path, eyes: str
) -> None:
    """What the browser saved is an export for everybody; one digit of it changed is found."""
    visitor = auditor(visit, service) if eyes == "auditor" else visit("pontoon 1")
    visitor.go(f"/replay/{played['pontoon']}/1?as={eyes}")
    path = saved(visitor, tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    report = verify(lines)
    assert report.ok
    assert report.counts["commits"] == len(lines) - 2
    visitor.go("/verify")
    visitor.page.get_by_label("Export (.jsonl)").set_input_files(path)
    assert "broken" not in results(visitor).values()
    number = next(i for i, line in enumerate(lines) if b'"hand":1,' in line)
    lines[number] = lines[number].replace(b'"hand":1,', b'"hand":2,')
    tampered = tmp_path / "tampered.jsonl"
    tampered.write_bytes(b"".join(lines))
    assert not verify(lines).ok
    visitor.page.get_by_label("Export (.jsonl)").set_input_files(tampered)
    expect(visitor.page.locator(".verdict h3")).to_have_text("This record does not hold")
    if eyes == "auditor":
        expect(visitor.page.locator(".refused").first).to_contain_text(f"Line {number + 1}: ")


def test_a_service_that_lies_about_a_commit_is_found_out(
    visit: Visit, service: Service, played: dict[str, str]
) -> None:
    """The record is changed on its way: one bit of what an auditor is sent."""
    visitor = auditor(visit, service)

    def lie(route: Route) -> None:
        answer = route.fetch()
        body = bytearray(answer.body())
        body[len(body) // 2] ^= 1
        route.fulfill(response=answer, body=bytes(body))

    visitor.page.route("**/*ExportService/ExportCommits", lie)
    visitor.go(f"/replay/{played['royal_flush']}/1?as=auditor")
    visitor.button("Verify").click()
    said = visitor.page.locator(".verify .refused").first
    expect(said).to_be_visible()
    assert visitor.page.locator(".verdict.holds").count() == 0


def test_a_log_whose_key_has_changed_is_not_believed(
    visit: Visit, service: Service, played: dict[str, str]
) -> None:
    """The key that this browser saw first is the one that everything is held against."""
    visitor = auditor(visit, service)
    visitor.page.evaluate(
        "key => localStorage.setItem('kartejo.log-key', JSON.stringify({ key, since: '2020' }))",
        OTHER_KEY,
    )
    visitor.go(f"/replay/{played['royal_flush']}/1?as=auditor")
    visitor.button("Verify").click()
    assert results(visitor)["The commits are in the log that was signed"] == "broken"
    said = f"signed by another key than the one that is trusted (expected {OTHER_KEY}"
    expect(visitor.page.locator(".verdict .refused").first).to_contain_text(said)


@pytest.mark.parametrize("game", ["palace_poker", "pontoon", "royal_casino", "royal_flush"])
def test_the_cards_of_every_game_are_proved_to_their_player(
    visit: Visit, played: dict[str, str], game: str
) -> None:
    visitor = visit(f"{game} 0")
    for hand in (1, 2):
        visitor.go(f"/replay/{played[game]}/{hand}")
        expect(visitor.page.locator(".felt")).to_be_visible()
        visitor.button("Verify").click()
        found = results(visitor)
        assert "broken" not in found.values(), (hand, visitor.page.locator(".verify").inner_text())


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        ("none", "no proof came of"),
        ("another card", "a proof of another card came"),
        ("another hand", "is of another epoch than the hand"),
    ],
)
def test_a_service_that_proves_something_else_is_found_out(
    visit: Visit, played: dict[str, str], lie: str, said: str
) -> None:
    """Nothing, the same card again and again, or the cards of another hand: each proof is true."""
    visitor = visit("royal_casino 0")

    def prove(route: Route) -> None:
        asked = route.request.post_data_json
        if lie == "none":
            route.fulfill(json={})
            return
        other = {**asked, "hand": "2"} if lie == "another hand" else {**asked, "card": first[0]}
        route.fulfill(response=route.fetch(post_data=other))

    first: list[int] = []

    def learn(route: Route) -> None:
        answer = route.fetch()
        if answer.status == 200 and not first:
            first.append(answer.json()["proofs"][0]["card"])
        route.fulfill(response=answer)

    page = visitor.page
    page.route("**/*GetCardProofs", learn)
    visitor.go(f"/replay/{played['royal_casino']}/1")
    visitor.button("Verify").click()
    assert results(visitor)["Cards lay where the published roots say"] == "holds"
    page.unroute("**/*GetCardProofs")
    page.route("**/*GetCardProofs", prove)
    visitor.button("Verify").click()
    expect(page.locator(".verdict h3")).to_have_text("This record does not hold")
    expect(page.locator(".verdict")).to_contain_text(said)


@pytest.mark.parametrize("eyes", ["auditor", "self"])
def test_a_service_that_names_no_key_any_more_is_not_believed(
    visit: Visit, service: Service, played: dict[str, str], eyes: str
) -> None:
    """Whoever signs with another key must not get around the one that this browser knows by
    saying that nothing is signed here."""
    visitor = auditor(visit, service) if eyes == "auditor" else visit("royal_flush 0")
    page = visitor.page

    def silent(route: Route) -> None:
        error = {"code": "not_found", "message": "this installation signs no checkpoints"}
        route.fulfill(status=404, json=error)

    page.route("**/*AuditService/GetLogKey", silent)
    if eyes == "self":
        page.route("**/*AuditService/GetInclusionProof", silent)
    page.evaluate(
        "key => localStorage.setItem('kartejo.log-key', JSON.stringify({ key, since: '2020' }))",
        OTHER_KEY,
    )
    visitor.go(f"/replay/{played['royal_flush']}/1?as={eyes}")
    visitor.button("Verify").click()
    assert results(visitor)["The commits are in the log that was signed"] == "broken"
    expect(page.locator(".verdict")).to_contain_text(OTHER_KEY)


@pytest.mark.parametrize("settings", [{"color_scheme": "light"}, {"color_scheme": "dark"}])
def test_the_pages_keep_nobody_out(
    visit: Visit, service: Service, played: dict[str, str], settings: dict[str, Any]
) -> None:
    """Nothing serious for axe, in light and dark; no page is wider than a phone."""
    visitor = visit("royal_casino 1", viewport={"width": 360, "height": 740}, **settings)
    for path in (
        "/replays",
        f"/replays/{played['royal_casino']}",
        f"/replay/{played['royal_casino']}/1",
        "/verify",
    ):
        visitor.go(path)
        if path.endswith("/1"):
            visitor.button("Verify").click()
            results(visitor)
        assert (path, visitor.faults(), visitor.overhang()) == (path, [], 0)
