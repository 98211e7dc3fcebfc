"""Time what somebody does who sees Kartejo for the first time: from the clone to a finished hand.

``.venv/bin/python tools/first_run.py`` clones the repository, says ``make serve``, opens the link
that it prints in a real Chromium, plays a hand against bots by clicking what the page offers,
replays it and has the browser verify it.  It prints the seconds of each step.  Everything is made
in a directory of its own, with an empty home, and is gone afterwards.

``--link LINK`` begins with a service that runs; ``--pictures`` draws docs/pictures on the way, of
the first moment at which there is something to see.

Wanted beside what ``make serve`` wants: ``make test-browser``'s packages, and a Chromium, found as
there (or named by KARTEJO_CHROMIUM).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic
from typing import Final

from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

ROOT: Final = Path(__file__).parents[1]
NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
TITLES: Final = {
    "palace_poker": "Palace Poker",
    "pontoon": "Pontoon",
    "royal_casino": "Royal Casino",
    "royal_flush": "Royal Flush",
}
CALM: Final = (
    *("call", "muster", "buy", "bet", "stay"),
    *("declare_pontoon", "stick", "twist_card", "banker_stay", "place_bet"),
    *("capture_cards", "trail_card", "search_pile", "gather_piles", "deal_piles"),
)
"""What a beginner clicks, the better first; else whatever is offered."""
SECONDS: Final = 600
PICTURES: Final = ROOT / "docs" / "pictures"
SIZE: Final = ViewportSize(width=1200, height=880)


class Watch:
    """Prints how long each step took."""

    def __init__(self) -> None:
        self._began = self._last = monotonic()

    def passed(self, what: str) -> None:
        """Say that a step is done."""
        now = monotonic()
        print(f"{what:34} {now - self._last:6.1f} s   {now - self._began:6.1f} s", flush=True)
        self._last = now


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def _environment(home: Path) -> dict[str, str]:
    """Of somebody with an empty home, who has activated nothing."""
    own = {"VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME"}
    kept = {name: value for name, value in os.environ.items() if name not in own}
    return kept | {"HOME": str(home), "XDG_DATA_HOME": str(home / "data")}


@contextmanager
def _served(folder: Path, watch: Watch) -> Iterator[str]:
    """The link that ``make serve`` prints in a fresh clone, for as long as it runs."""
    home = folder / "home"
    home.mkdir()
    folder.chmod(0o711)  # for root, PostgreSQL runs as somebody else
    subprocess.run(["git", "clone", "-q", ROOT, folder / "kartejo"], check=True)
    watch.passed("git clone")
    ports = f"--listen 127.0.0.1:{_free_port()} --web 127.0.0.1:{_free_port()}"
    data = f"--data {home / 'kartejo'} --temporary-data"
    making = subprocess.Popen(
        ["make", "serve", f"ARGS={ports} {data}"],
        cwd=folder / "kartejo",
        env=_environment(home),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert making.stdout is not None
    try:
        for line in making.stdout:
            if found := re.search(r"http://\S+#code=\S+", line):
                watch.passed("make serve, to its link")
                yield found[0]
                return
        sys.exit("make serve printed no link")
    finally:
        making.terminate()
        making.wait(60)


def _click_once(page: Page) -> None:
    """Deal, send what was chosen, choose a card, or take the calmest offer."""
    for wanted in (
        ".bar:not(:has(.outcome)) [data-action=start]:enabled",
        ".bar > .offers [data-confirm]:enabled",
        *(f".bar > .offers [data-action={each}]:enabled" for each in CALM),
        ".bar > .offers [data-action]:enabled",
        ".own button.card[aria-pressed=false]",
    ):
        found = page.locator(wanted)
        if found.count():
            found.first.click()
            return
    page.wait_for_timeout(50)


def _is_rich(page: Page) -> bool:
    """Whether one is to act, with a soldier of one's own, and somebody else is in."""
    mine = page.locator(".seat.mine.acting .soldiers .card").count()
    is_free = page.locator("[data-action=bet]").count() > 0
    return is_free and mine > 0 and page.locator(".seat:not(.mine, .faded) .hand").count() > 0


def _draw(page: Page) -> None:
    """The table by day and by night."""
    page.evaluate("scrollTo(0, 0)")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=PICTURES / f"table-{scheme}.jpg", type="jpeg", quality=80)


def _play(page: Page, game: str, watch: Watch, *, draws: bool) -> None:
    card = page.locator("li.game", has_text=TITLES[game])
    expect(card).to_be_visible()
    watch.passed("the link, to the lobby")
    card.get_by_role("button", name=re.compile("^Play")).click()
    expect(page.locator(".felt")).to_be_visible()
    watch.passed("one click, to a table with bots")
    until = monotonic() + SECONDS
    while not page.locator(".outcome").count():
        if monotonic() > until:
            sys.exit(f"no hand was over after {SECONDS} seconds")
        if draws and _is_rich(page):
            _draw(page)
            draws = False
        _click_once(page)
    watch.passed("a hand, to its end")
    page.locator(".outcome a").click()
    page.get_by_role("button", name="Last step").click()
    watch.passed("its replay, to the last step")
    page.get_by_role("button", name="Verify").click()
    expect(page.locator(".verdict h3")).to_contain_text("holds")
    watch.passed("verified in the browser")


def main() -> None:
    """Print the seconds of each step, and of all so far."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--game", choices=TITLES, default="palace_poker", help="what is played")
    parser.add_argument("--link", help="of a service that runs, instead of a new one")
    parser.add_argument("--pictures", action="store_true", help="draw docs/pictures on the way")
    asked = parser.parse_args()
    path = os.environ.get("KARTEJO_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        sys.exit("no Chromium here: install one (Debian: apt install chromium)")
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        watch = Watch()
        link = asked.link or stack.enter_context(_served(Path(folder), watch))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        expect.set_options(timeout=60_000)
        page.goto(link)
        _play(page, asked.game, watch, draws=asked.pictures)
        browser.close()


if __name__ == "__main__":
    main()
