"""``kartejo profile``, ``erase`` and ``investigate``, as an operator uses them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from typer.testing import CliRunner

from engine.errors import KartejoError
from service.cli.app import app
from service.identity import Role
from tests.investigation.gathering import Party, id_of, indexed
from tests.service.harness import Running, running

NAME = "Ann [bold]Lee[/]"


class Beside:
    """A service on a thread of its own: commands want the main one."""

    def __init__(self, loop: asyncio.AbstractEventLoop, folder: Path) -> None:
        self._loop = loop
        self._folder = folder
        self.service: Running

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine beside the service."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    def command(self, subject: str, *arguments: str, role: Role = Role.PLAYER) -> str:
        """What a command prints for somebody; raises what it fails with."""
        file = self._folder / f"{subject}.token"
        file.touch(mode=0o600)
        file.write_text(self.service.token(subject, role))
        reach = ("--address", self.service.address, "--token-file", str(file))
        done = CliRunner().invoke(app, [*arguments, *reach], prog_name="kartejo")
        if done.exception is not None:
            raise done.exception
        return done.output

    def ann(self, *arguments: str) -> str:
        return self.command("ann", *arguments)

    def root(self, *arguments: str) -> str:
        return self.command("root", *arguments, role=Role.ADMIN)

    def root_json(self, *arguments: str) -> Any:
        return json.loads(self.root(*arguments, "--json"))


@contextmanager
def beside(dsn: str, folder: Path) -> Iterator[Beside]:
    """A running service, which the main thread may call; what it logs is not what commands say."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    one = Beside(loop, folder)
    context = running(dsn)
    try:
        with capture_logs():
            one.service = one.do(context.__aenter__())
            try:
                yield one
            finally:
                one.do(context.__aexit__(None, None, None))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def fails(reason: str, hint: str = "") -> Iterator[None]:
    """What is tried inside fails with a reason, and says what to do."""
    with pytest.raises(KartejoError) as failed:
        yield
    assert failed.value.reason == reason
    assert hint in str(getattr(failed.value, "hint", ""))


async def evening(service: Running) -> str:
    """Ann plays three hands with bob and cid; bob's id."""
    party = await Party.open(service, "palace_poker", ("ann", "bob", "cid"))
    await party.play(3)
    await party.leave()
    await indexed(service)
    return await id_of(service.client("bob"))


def test_a_person_is_named_found_and_forgotten(dsn: str, tmp_path: Path) -> None:
    """Bots play, an investigator looks, and what was known of a player is gone."""
    with beside(dsn, tmp_path) as here:
        lines = here.ann("profile", "set", "--name", NAME, "--contact", "ann@example.org")
        assert f"name     {NAME}\n" in lines
        ann = here.root_json("profile", "show", "ann")
        assert (ann["name"], ann["contact"]) == (NAME, "ann@example.org")
        with fails("MALFORMED"):
            here.ann("profile", "set", "--name", "A\u202enn")
        kept = json.loads(here.ann("profile", "set", "--contact", "", "--json"))
        assert (kept["name"], kept["contact"]) == (NAME, "")

        bob = here.do(evening(here.service))
        found = here.root_json("investigate", "hands", "--player", "ann")
        assert [hand["hand"] for hand in found] == [3, 2, 1]
        named = {each["player"]: each["name"] for each in found[0]["results"]}
        assert (named[ann["player"]], named[bob]) == (NAME, "")
        lines = here.root("investigate", "hands", "--since", "2026-01-01", "--most", "2")
        assert f"{NAME} ({ann['player'][:8]})" in lines
        assert "There are more" in lines
        assert "No such hand" in here.root("investigate", "hands", "--until", "2000-01-01")
        pair = here.root_json("investigate", "pair", "ann", "bob")
        assert [(each["game"], each["hands"]) for each in pair["games"]] == [("palace_poker", 3)]
        assert "palace_poker" in here.root("investigate", "pair", "ann", bob)
        lines = here.root("investigate", "pairs", "--least-hands", "3")
        assert NAME in lines
        assert "3 pairs judged; none of those shown are beyond" in lines
        ranked = here.root_json("investigate", "pairs", "--least-hands", "3")
        assert ranked["judged"] == len(ranked["pairs"]) == 3
        with fails("PERMISSION_DENIED"):
            here.ann("investigate", "pairs")

        with fails("NOT_CONFIRMED", "--yes"):
            here.root("erase", "ann")
        with fails("NOT_FOUND"):
            here.root("erase", "nobody", "--yes")
        here.root("account", "credit", "ann", "5")
        with fails("STILL_HAS_CHIPS", "--force"):
            here.root("erase", "ann", "--yes")
        here.root("account", "debit", "ann", "5")
        erased = here.root_json("erase", "ann", "--yes")
        assert erased == {"player": ann["player"], "balance": 0}
        with fails("NOT_FOUND"):
            here.root("profile", "show", "ann")
        found = here.root_json("investigate", "hands", "--player", ann["player"])
        assert {each["name"] for hand in found for each in hand["results"]} == {""}


@pytest.mark.parametrize(
    "arguments",
    [
        ("investigate", "hands", "--since", "yesterday"),
        ("investigate", "hands", "--least", "-1"),
        ("investigate", "pairs", "--most", "0"),
        ("profile", "set", "ann"),
    ],
)
def test_what_is_no_use_of_a_command(arguments: Sequence[str]) -> None:
    assert CliRunner().invoke(app, arguments, prog_name="kartejo").exit_code == 2
