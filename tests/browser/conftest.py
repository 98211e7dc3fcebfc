"""A real Chromium before a real service.  Run by ``make test-browser``."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, sync_playwright
from psycopg.conninfo import make_conninfo

from service.store.embedded import EmbeddedServer
from tests.browser.service import Service, serving
from tests.browser.visitor import Visitor
from tests.pg import TEMPLATE, create

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser" in item.nodeid:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(scope="session")
def service(pg: EmbeddedServer) -> Iterator[Service]:
    create(pg, "browsers", TEMPLATE)
    with serving(make_conninfo(pg.conninfo, dbname="browsers", user="kartejo_service")) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = os.environ.get("KARTEJO_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.fail("no Chromium here: install one (Debian: apt install chromium)")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield made
        made.close()


Visit = Callable[..., Visitor]


@pytest.fixture
def visit(service: Service, browser: Browser) -> Iterator[Visit]:
    """Visitors with a browser of their own each: ``visit(subject)``; at the end none of their
    pages may have complained.  Further arguments are those of the browser's context."""
    visitors: list[Visitor] = []

    def come(subject: str | None = None, **settings: Any) -> Visitor:
        made = Visitor(service, browser.new_context(**settings))
        visitors.append(made)
        if subject is not None:
            made.come(subject)
        return made

    yield come
    for visitor in visitors:
        visitor.context.close()
    service.send_bots_home()
    assert [trouble for visitor in visitors for trouble in visitor.troubles] == []
