"""Logging in by a link, and the pages that it opens."""

from __future__ import annotations

import re

import pytest

from service.identity import ISSUER, BadToken, KeyRing, Role, Tokens
from service.identity.links import LINK_SECONDS, BadLink
from service.rpc import door
from service.rpc.budget import Limits
from service.rpc.calls import Speed
from service.web.pages import pages_of, stored_pages
from service.world import SteppedWorld
from tests.service.harness import Running
from tests.service.test_clocks import until
from tests.web.http import Line, post, scene, told


def test_a_link_lets_its_player_in_and_nobody_else(dsn):
    """With the role player and no other, whoever it names."""

    async def play(service: Running) -> None:
        for subject in ("you", "admin", "Ann O'Hara <x>"):
            code = service.tokens.links.make(subject)
            answer = await post(service, "/login", {"code": code})
            assert answer.status == 200
            assert answer.headers["cache-control"] == "no-store"
            assert (answer.json["subject"], answer.json["seconds"]) == (subject, 43_200)
            claims = service.tokens.verify(answer.json["token"])
            assert (claims.subject, claims.roles, claims.lab) == (subject, {Role.PLAYER}, False)
            answer = await post(service, "GameService/ListGames", {}, answer.json["token"])
            assert answer.status == 200
            # The code itself opens nothing.
            answer = await post(service, "GameService/ListGames", {}, code)
            assert told(answer.json).reason == "TOKEN_MALFORMED"

    scene(dsn, play)


def test_a_link_for_a_host_lets_a_host_in(dsn):
    """So that whoever started the service may hold a tournament; no player becomes one."""

    async def play(service: Running) -> None:
        links = service.tokens.links
        codes = links.make("you", host=True), links.make("you")
        for code, roles in zip(codes, ({Role.PLAYER, Role.HOST}, {Role.PLAYER}), strict=True):
            answer = await post(service, "/login", {"code": code})
            assert answer.json["subject"] == "you"
            assert service.tokens.verify(answer.json["token"]).roles == roles
        with pytest.raises(ValueError, match="printable"):
            links.make("\x01you")

    scene(dsn, play)


def test_a_link_that_lets_nobody_in_says_why(dsn):
    """Old, not whole, made up, no code at all; and a token is none."""

    async def play(service: Running) -> None:
        world = service.world
        assert isinstance(world, SteppedWorld)
        code = service.tokens.links.make("you")
        token = service.token("you")
        for said in (
            code[:-1],
            code + "A",
            "B" + code[1:],
            "",
            "*",
            "x" * 5_000,
            token,
            code + "é",
            code + "\ud800",
        ):
            answer = await post(service, "/login", {"code": said})
            found = told(answer.json)
            assert (answer.status, found.reason) == (401, "LINK_UNKNOWN"), said
            assert "`kartejo link` makes a new one" in found.message
        for body in ({}, {"code": 1}, {"code": code, "more": 1}, {"token": code}):
            answer = await post(service, "/login", body)
            assert (answer.status, told(answer.json).field) == (400, "code")
        answer = await post(service, "/login", b"[")
        assert (answer.status, told(answer.json).field) == (400, "request")
        answer = await post(service, "/login", b'{"\\ud800": 1}')
        assert (answer.status, told(answer.json).field) == (400, "request")
        answer = await post(service, "/login", b" " * 70_000)
        assert (answer.status, told(answer.json).reason) == (429, "REQUEST_TOO_LARGE")
        world.advance(LINK_SECONDS - 1)
        assert (await post(service, "/login", {"code": code})).status == 200
        world.advance(1)
        answer = await post(service, "/login", {"code": code})
        found = told(answer.json)
        assert (answer.status, found.reason) == (401, "LINK_EXPIRED")
        assert found.message == "this link has expired; `kartejo link` makes a new one"

    scene(dsn, play, world=SteppedWorld())


def test_nobody_tries_links_without_end(dsn):
    """A connection's rate holds for them too."""

    async def play(service: Running) -> None:
        async with Line.to(service) as line:
            seen = []
            for _ in range(5):
                line.ask("POST", "/login", b'{"code":"x"}', content_type="application/json")
                seen.append(await line.answer())
            assert [answer.status for answer in seen] == [401] * 4 + [429]
            assert told(seen[-1].json).retry_ms == 500

    scene(dsn, play, speed=Speed(of_caller=0, of_connection=2), world=SteppedWorld())


def test_codes_that_do_not_come_hold_few_places(dsn, monkeypatch):
    """Who has no token has no more of them than others; codes and calls that come whole go on."""
    monkeypatch.setattr(door, "BODIES", Limits(each=2, all=2))

    async def play(service: Running) -> None:
        async with Line.to(service) as one, Line.to(service) as other, Line.to(service) as late:
            half = {"content_type": "application/json", "content_length": "9"}
            for line in (one, other):
                line.ask("POST", "/login", b"{", **half)

            async def full() -> bool:
                return service.server.door.bodies.taken == 2

            await until(full)
            late.ask("POST", "/login", b"{", **half)
            answer = await late.answer()
            assert (answer.status, told(answer.json).reason) == (429, "RESOURCE_EXHAUSTED")
            code = service.tokens.links.make("ann")
            assert (await post(service, "/login", {"code": code})).status == 200
            answer = await post(service, "GameService/ListGames", {}, service.token("ann"))
            assert answer.status == 200

        async def free() -> bool:
            return service.server.door.bodies.taken == 0

        await until(free)

    scene(dsn, play)


def test_links_are_of_an_installation_and_outlive_its_newest_key():
    """Another ring's open nothing; after a rotation the old key's are still read."""
    world = SteppedWorld()
    ring = KeyRing.draw(world)
    code = Tokens(ring, world).links.make("ann")
    assert len(code) < 40
    assert re.fullmatch(r"[A-Za-z0-9_-]+", code)
    rotated = Tokens(ring.rotated(world), world)
    assert rotated.links.read(code).subject == "ann"
    assert rotated.links.make("ann") != code
    with pytest.raises(BadLink, match="not of this service"):
        Tokens(KeyRing.draw(world), world).links.read(code)
    with pytest.raises(BadToken):
        rotated.verify(code)
    for nobody in ("", "é", "x" * 129, "a\nb"):
        with pytest.raises(ValueError, match="1 to 128 printable"):
            rotated.links.make(nobody)
    assert rotated.links.read(rotated.links.make("x" * 128)).subject == "x" * 128
    key = ring.keys[0]
    assert key.derived(b"link") != key.derived(b"other")
    assert key.as_text() not in key.derived(b"link").hex()
    assert ring.issuer == ISSUER


def test_every_bit_of_a_link_counts():
    """What was changed anywhere opens nothing: not later, and for nobody else."""
    world = SteppedWorld()
    links = Tokens(KeyRing.draw(world), world).links
    code = links.make("anna")  # its last letter has bits to spare
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for at, old in enumerate(code):
        for bit in range(6):
            other = letters[letters.index(old) ^ (1 << bit)]
            with pytest.raises(BadLink):
                links.read(code[:at] + other + code[at + 1 :])
        with pytest.raises(BadLink):
            links.read(code[:at] + "*" + code[at:])


def test_pages_are_served_as_they_are(dsn):
    """With headers that hold the browser to them, and asked for once."""

    async def play(service: Running) -> None:
        pages = stored_pages()
        assert "/" in pages
        async with Line.to(service) as line:
            for path, page in pages.items():
                line.ask("GET", f"{path}?anything")
                answer = await line.answer()
                assert (answer.status, answer.body) == (200, page.body)
                assert answer.headers["content-type"] == page.kind
                policy = answer.headers["content-security-policy"]
                assert "default-src 'self'" in policy
                assert "frame-ancestors 'none'" in policy
                assert answer.headers["referrer-policy"] == "no-referrer"
                assert answer.headers["x-content-type-options"] == "nosniff"
                line.ask("GET", path, if_none_match=answer.headers["etag"])
                answer = await line.answer()
                assert (answer.status, answer.body) == (304, b"")
            line.ask("GET", "/", if_none_match='"other"')
            assert (await line.answer()).status == 200
            line.ask("HEAD", "/")
            status, headers = await line.head()
            assert (status, headers["content-length"]) == (200, str(len(pages["/"].body)))
            line.ask("GET", "/")
            assert (await line.answer()).body == pages["/"].body

    scene(dsn, play)


def test_a_folder_becomes_pages(tmp_path):
    """By their paths; what is of no kind that a browser shows is left out."""
    (tmp_path / "lobby").mkdir()
    for name in ("index.html", "app.js", "lobby/index.html", "lobby/more.css", "notes.md", "x.py"):
        (tmp_path / name).write_text(name)
    pages = pages_of(tmp_path)
    assert set(pages) == {"/", "/app.js", "/lobby/", "/lobby/more.css"}
    assert pages["/lobby/"].body == b"lobby/index.html"
    assert pages["/app.js"].kind == "text/javascript; charset=utf-8"
    assert len({page.tag for page in pages.values()}) == 4
