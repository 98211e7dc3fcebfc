"""What the pages of the documentation say to do works: every block, top to bottom, on a service."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

import kartejo_client
from tests.commands import ROOT
from tests.docs.blocks import blocks
from tests.docs.conftest import House
from tests.docs.reader import Reader

Stands = Mapping[str, Callable[[House], str]]
"""What a reader would put for words of a page, in this house."""


def log_key(house: House) -> str:
    """The log's key, as the first look of a witness prints it."""
    folder = house.kartejo.data.parent / "witness of docs"
    for _ in range(60):  # a log that has just begun is signed in a few seconds
        looked = house.kartejo("witness", str(folder), "--once")
        key = looked.err.split()[-1]
        if key.count("+") >= 2:
            return key
        time.sleep(1)
    raise AssertionError(looked.err)


def finished(house: House) -> str:
    """A tournament that is over."""
    told = house.kartejo("tournament", "list", "--over", "--json").ok().json
    return next(each["tournament"] for each in told if each["phase"] == "finished")


@cache
def led(house: House) -> tuple[str, str]:
    """A tournament that its host may start, and one of its players."""
    tournament = house.tournament()
    told = house.kartejo("tournament", "show", tournament, "--json").ok().json
    return tournament, told["standings"][0]["player"]


def bot_of_solitaire(house: House) -> str:
    """The bot at a new table of Royal Flush, which it may play alone and without chips."""
    address = house.served.address
    with kartejo_client.Client(address, house.token("ann", "player")) as ann:
        table = ann.create_table("royal_flush").table.table_id
    bot = ROOT / "clients" / "python" / "examples" / "bot.py"
    return f"KARTEJO_ADDRESS={address} python {bot} {table} 0 0"


RUN: Final[Mapping[str, Stands]] = {
    "CONTRIBUTING.md": {},
    "clients/python/README.md": {"127.0.0.1:50100": lambda house: house.served.address},
    "clients/verifier/README.md": {"node ": lambda _: "cd clients/verifier; node "},
    "docs/auditing.md": {
        "TABLE": lambda house: house.table,
        "0191d2a4-5c0e-8d21-9f3b-1c2d3e4f5a6b": lambda house: house.table,
        "cards.example/log+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k": log_key,
        "cards.example/log+1f2e3d4c+AQ…": log_key,
        '"$KEY"': log_key,
        "https://cards.example:443": lambda house: house.served.address,
        "me.token": lambda house: f"{house.token_file('me')} --once",
        "--jobs 4": lambda _: "--jobs 1",  # processes of its own take their time to start
        "witnessed.note": lambda _: "~/cards/checkpoint",
        "--from-store -o store.jsonl": lambda _: "--from-store -o again.jsonl",
    },
    "docs/clients.md": {
        "ID": lambda house: house.table,
        "127.0.0.1:50100": lambda house: house.served.address,
        "python clients/python/examples/bot.py TABLE 0 500": bot_of_solitaire,
    },
    "docs/first-hand.md": {"http://127.0.0.1:50180/": lambda house: house.served.told["web"]},
    "docs/odds.md": {},
    "docs/operating.md": {
        "ann.token": lambda house: house.token_file("ann"),
        "kartejo erase ann": lambda _: "kartejo erase ann --yes --force",
    },
    "docs/packaging.md": {},
    "docs/tournaments.md": {
        "lead TOURNAMENT": lambda house: f"lead {led(house)[0]}",
        "PLAYER": lambda house: led(house)[1],
        "TOURNAMENT": finished,
    },
}
"""The pages with something to run."""


@pytest.mark.long  # `make docs` runs it
@pytest.mark.timeout(600)  # a command is a second's work, and some pages have twenty
@pytest.mark.parametrize("page", RUN)
def test_a_page_works_from_top_to_bottom(page: str, house: House, tmp_path: Path) -> None:
    token = house.token("host", "player", "host")
    python_env = {"KARTEJO_ADDRESS": house.served.address, "KARTEJO_TOKEN": token}
    reader = Reader(tmp_path, house.kartejo.data, python_env)
    stands = RUN[page]
    for block in blocks(page):
        if block.is_run or block.mark == "output":
            text = block.text
            for word in sorted(stands, key=len, reverse=True):
                if word in text and block.is_run:
                    text = text.replace(word, stands[word](house))
            reader.read(block._replace(text=text))
    reader.close()
    for word in stands:
        assert any(word in block.text for block in blocks(page)), f"{page} has no {word}"
