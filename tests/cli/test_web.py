"""``kartejo serve --web`` and ``kartejo link``: from the line in the terminal to a call."""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from engine.errors import Malformed
from service.cli.browser import web_settings
from service.cli.failures import CommandError
from service.rpc.settings import Settings
from service.web.settings import STANDARD, WebSettings
from tests.cli.conftest import SECONDS, Background, Commands, Served
from tests.cli.test_serve import make_certificate
from tests.commands import environment, quick


def call(url: str, path: str, body: Any, token: str = "", certificate: Path | None = None) -> Any:
    """Status and JSON of an answer."""
    to = urlsplit(url)
    assert to.hostname is not None
    line = http.client.HTTPConnection(to.hostname, to.port, timeout=60)
    if to.scheme == "https":
        context = ssl.create_default_context(cafile=certificate)
        line = http.client.HTTPSConnection(to.hostname, to.port, timeout=60, context=context)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    line.request("POST", path, json.dumps(body), headers)
    answer = line.getresponse()
    try:
        return answer.status, json.loads(answer.read())
    finally:
        line.close()


def let_in(link: str, **more: Any) -> tuple[str, str]:
    """Follow a link as a page does: whom it lets in, and his token."""
    url, code = link.strip().split("#code=")
    status, told = call(url, "/login", {"code": code}, **more)
    assert status == 200
    status, games = call(url, "/kartejo.v1.GameService/ListGames", {}, told["token"], **more)
    assert status == 200
    assert len(games["games"]) == 4
    return told["subject"], told["token"]


@pytest.fixture
def taken() -> Iterator[None]:
    """The usual port is another's."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            other.bind(("127.0.0.1", int(STANDARD.rpartition(":")[2])))
            other.listen()
        except OSError:
            yield  # it was already: as good
        else:
            yield


def test_the_link_in_the_terminal_lets_you_in(alone: Commands, taken: None) -> None:
    """On another port where the usual one is taken; ``kartejo link`` makes more, for whom you
    like.  Who names a port is told that it is taken."""
    told = ""
    serve = ("serve", "--temporary-data", "--listen", "127.0.0.1:0")
    with Background(
        [*quick(), *serve],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=environment(alone.data),
    ) as process:
        assert process.stdout is not None
        while "Ctrl-C" not in told:
            line = process.stdout.readline()
            assert line, told
            told += line
        found = re.search(r"\n  browser      (http://127\.0\.0\.1:\d+/#code=[\w-]+)\n", told)
        assert found is not None, told
        assert STANDARD not in found[1]
        assert let_in(found[1])[0] == "you"
        assert let_in(alone("link", "ann").ok().out)[0] == "ann"
        made = alone("link", "--json").ok().json
        assert (let_in(made["link"])[0], made["seconds"]) == ("you", 900)
        assert alone.fails("link", "é")[0] == "BAD_SUBJECT"
        process.terminate()
        assert process.wait(SECONDS) == 0
    assert alone.fails("link")[0] == "NO_SERVICE"
    reason, words = alone.fails(*serve, "--web", STANDARD)
    assert (reason, "--web" in words) == ("UNAVAILABLE", True)


def test_there_may_be_no_pages(alone: Commands) -> None:
    served = Served(alone.data, "--listen", "127.0.0.1:0", "--no-web")
    assert served.told["web"] is None
    assert alone.fails("link")[0] == "NO_WEB"
    assert not served.stop()


def test_workers_share_the_port_and_speak_tls_as_grpc_does(alone: Commands, tmp_path: Path) -> None:
    """Each of them answers, with the same keys."""
    certificate, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    make_certificate(certificate, key)
    tls = ("--tls-cert", str(certificate), "--tls-key", str(key))
    here = ("--listen", "localhost:0", "--web", "localhost:0", "--workers", "2")
    served = Served(alone.data, *here, *tls)
    url = served.told["web"]
    assert url.startswith("https://localhost:")
    _, token = let_in(alone("link").ok().out, certificate=certificate)
    create = "/kartejo.v1.TableService/CreateTable"
    asked: dict[str, str] = {"game": "royal_flush", "requestId": "1"}
    status, made = call(url, create, asked, token, certificate)
    assert status == 200
    asked = {"tableId": made["table"]["tableId"]}
    for _ in range(12):  # that all come to one worker happens once in four thousand
        get = "/kartejo.v1.TableService/GetTable"
        status, found = call(url, get, asked, token, certificate)
        assert (status, found["table"]["game"]) == (200, "royal_flush")
    served.stop()


HERE = Settings()
FAR = Settings("0.0.0.0:443", Path("chain.pem"), Path("key.pem"))


def test_by_default_pages_are_served_on_this_machine_alone() -> None:
    assert web_settings(HERE, None, (), off=False) == WebSettings(STANDARD, or_any=True)
    assert web_settings(FAR, None, (), off=False) is None
    assert web_settings(HERE, None, (), off=True) is None
    origins = ("https://cards.example",)
    assert web_settings(HERE, "[::1]:1", origins, off=False) == WebSettings(
        "[::1]:1", False, origins
    )


@pytest.mark.parametrize(
    ("settings", "web", "origins", "off", "field"),
    [
        (HERE, "127.0.0.1:1", (), True, "no-web"),
        (HERE, None, ("https://a",), True, "no-web"),
        (HERE, "127.0.0.1", (), False, "web"),
        (HERE, "127.0.0.1:99999", (), False, "web"),
        (HERE, "0.0.0.0:80", (), False, "web"),
        (HERE, None, ("cards.example",), False, "web-origin"),
        (HERE, None, ("*",), False, "web-origin"),
        (FAR, None, ("https://a",), False, "web-origin"),
        (FAR, "0.0.0.0:444", (), False, "tls"),  # there is no such file
    ],
)
def test_what_cannot_be_is_refused(settings, web, origins, off, field) -> None:
    """Before a database is started, by the option's name."""
    with pytest.raises(Malformed) as caught:
        web_settings(settings, web, origins, off=off)
    assert caught.value.field == field


def test_without_its_packages_it_is_off_or_says_what_is_missing(monkeypatch) -> None:
    monkeypatch.delitem(sys.modules, "service.web.door", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for name in [name for name in sys.modules if name.startswith(("service.web.", "uvicorn."))]:
        monkeypatch.delitem(sys.modules, name)
    assert web_settings(HERE, None, (), off=False) is None
    with pytest.raises(CommandError, match="HTTP needs uvicorn") as caught:
        web_settings(HERE, STANDARD, (), off=False)
    assert (caught.value.reason, caught.value.hint) == ("NO_WEB", "pip install 'kartejo[web]'")
