"""Pages of other sites get nothing, unless the operator says so; nor do names that point here."""

from __future__ import annotations

import pytest

from engine.errors import Malformed
from service.web.origins import Origins, checked_origin
from service.web.settings import WebSettings
from tests.service.harness import Running
from tests.web.http import Answer, Line, post, scene, told

GAMES = "/kartejo.v1.GameService/ListGames"
FRIEND = "https://cards.example"


async def ask(service: Running, method: str, path: str, **headers: str) -> Answer:
    async with Line.to(service) as line:
        line.ask(method, path, b"{}" if method == "POST" else b"", **headers)
        return await line.answer()


def test_pages_of_other_sites_are_not_answered(dsn):
    """Whatever they send, simple or asked before, to calls, to the login and to pages."""

    async def play(service: Running) -> None:
        assert service.web is not None
        port = service.web.url.rstrip("/").rpartition(":")[2]
        token = f"Bearer {service.token('ann')}"
        for origin in (
            "https://evil.example",
            "null",
            "http://localhost:3000",
            f"https://127.0.0.1:{port}",  # another scheme
            "http://127.0.0.1",  # another port
            f"http://127.0.0.1:{port}.evil.example",
            f"HTTP://127.0.0.1:{port}",
            "x" * 300,
        ):
            for method, path in (
                ("POST", GAMES),
                ("OPTIONS", GAMES),
                ("POST", "/login"),
                ("GET", "/"),
            ):
                answer = await ask(
                    service,
                    method,
                    path,
                    origin=origin,
                    content_type="application/json",
                    authorization=token,
                    access_control_request_method="POST",
                )
                assert (answer.status, told(answer.json).reason) == (403, "FOREIGN_ORIGIN")
                assert not any(name.startswith("access-control") for name in answer.headers)
        answer = await post(
            service, GAMES, {}, service.token("ann"), origin=f"http://127.0.0.1:{port}"
        )
        assert answer.status == 200
        assert not any(name.startswith("access-control") for name in answer.headers)

    scene(dsn, play)


def test_a_form_of_another_site_does_nothing_even_without_an_origin(dsn):
    """Its content types are none that a call is read in, and it has no token."""

    async def play(service: Running) -> None:
        before = await service.commits()
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            answer = await post(
                service,
                "TableService/CreateTable",
                b'{"game":"royal_flush","requestId":"1"}',
                service.token("ann"),
                content_type=kind,
            )
            assert answer.status == 415
        assert await service.commits() == before

    scene(dsn, play)


def test_a_named_origin_may_call_and_no_other(dsn):
    """It is asked before, answered with its own name, and may read why a call failed."""

    async def play(service: Running) -> None:
        answer = await ask(
            service, "OPTIONS", GAMES, origin=FRIEND, access_control_request_method="POST"
        )
        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["access-control-allow-origin"] == FRIEND
        assert answer.headers["access-control-allow-methods"] == "POST"
        assert "authorization" in answer.headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in answer.headers
        for key, number in ((service.token("ann"), 200), (None, 401)):
            answer = await post(service, GAMES, {}, key, origin=FRIEND)
            assert answer.status == number
            assert answer.headers["access-control-allow-origin"] == FRIEND
            assert "Origin" in answer.headers["vary"]
        for other in (
            "https://cards.example.evil",
            "http://cards.example",
            "https://Cards.example",
        ):
            answer = await post(service, GAMES, {}, service.token("ann"), origin=other)
            assert answer.status == 403

    scene(dsn, play, web=WebSettings("127.0.0.1:0", origins=(FRIEND,)))


def test_a_name_that_was_made_to_point_here_is_not_served(dsn):
    """DNS rebinding: the browser thinks that it is the hostile site's own."""

    async def play(service: Running) -> None:
        assert service.web is not None
        port = service.web.url.rstrip("/").rpartition(":")[2]
        token = service.token("ann")
        for host in (
            f"evil.example:{port}",
            "evil.example",
            "localhost.evil.example",
            "10.0.0.1",
            "x y",
        ):
            answer = await post(service, GAMES, {}, token, host=host, origin=f"http://{host}")
            assert (answer.status, told(answer.json).reason) == (421, "FOREIGN_HOST"), host
            answer = await ask(service, "GET", "/", host=host)
            assert answer.status == 421
        for host in (
            f"localhost:{port}",
            "LOCALHOST",
            "127.0.0.1:8080",
            f"[::1]:{port}",
            "127.0.0.2",
        ):
            assert (await post(service, GAMES, {}, token, host=host)).status == 200, host
        # A proxy in front passes its own name on.
        assert (await post(service, GAMES, {}, token, host="cards.example")).status == 200

    scene(dsn, play, web=WebSettings("127.0.0.1:0", origins=(FRIEND,)))


NONE = "* x https:// https://a/b https://a?b https://a#b null ftp://a https://*.a http://u@a"


@pytest.mark.parametrize("text", [*NONE.split(), "", "https://a:x", "https://a:99999"])
def test_what_is_no_origin_is_refused(text):
    with pytest.raises(Malformed, match="expected an origin such as"):
        checked_origin(text)


def test_origins_are_read_as_browsers_send_them():
    """In lower case, without the port that stands for itself."""
    assert checked_origin("HTTPS://Cards.Example:443") == "https://cards.example"
    assert checked_origin("http://a:80") == "http://a"
    assert checked_origin("http://[::1]:8080") == "http://[::1]:8080"
    far = Origins((), is_near=False)
    assert far.knows_host("anything.example")
    assert far.allows("https://anything.example", "https", "anything.example")
    assert not far.allows("https://other.example", "https", "anything.example")
