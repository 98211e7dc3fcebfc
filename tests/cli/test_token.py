"""Tokens from the command line, and how commands find them."""

from __future__ import annotations

import stat
from pathlib import Path

from service.cli.token import seconds_of
from tests.cli.conftest import Commands, Served


def test_a_token_says_who_calls(kartejo: Commands) -> None:
    told = kartejo("token", "ann", "--role", "player", "--role", "host", "--json").ok().json
    assert told["subject"] == "ann"
    assert told["roles"] == ["host", "player"]
    assert told["lifetime_seconds"] == 30 * 86_400
    made = kartejo("play", "royal_flush", typed="q\n", KARTEJO_TOKEN=told["token"]).ok()
    assert "waiting for the first game" in made.out


def test_a_token_goes_into_a_file_of_its_own(kartejo: Commands, tmp_path: Path) -> None:
    file = tmp_path / "keys" / "ann.token"
    assert "player" in kartejo("token", "ann", "--output", str(file)).ok().out
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert kartejo("tables", "--token-file", str(file), "--json").ok().json is not None


def test_a_token_that_others_may_read_is_not_used(kartejo: Commands, tmp_path: Path) -> None:
    file = tmp_path / "open.token"
    file.write_text(kartejo("token", "ann").ok().out)
    file.chmod(0o644)
    reason, told = kartejo.fails("tables", "--token-file", str(file))
    assert reason == "KEY_FILE"
    assert "chmod 600" in told


def test_a_remote_client_needs_an_address_and_a_token_only(
    service: Served, kartejo: Commands, alone: Commands
) -> None:
    token = kartejo("token", "ann").ok().out.strip()
    found = alone("tables", "--json", KARTEJO_ADDRESS=service.address, KARTEJO_TOKEN=token)
    assert isinstance(found.ok().json, list)
    assert alone.fails("tables", "--address", service.address)[0] == "TOKEN_MISSING"
    for wrong in ("nowhere", "here:0", "here:65536"):
        assert alone.fails("tables", "--address", wrong)[0] == "BAD_ADDRESS"


def test_tokens_that_are_refused(kartejo: Commands) -> None:
    assert kartejo.fails("tables", KARTEJO_TOKEN="nonsense")[0] == "TOKEN_MALFORMED"
    for wrong in (
        ["--role", "king"],
        ["--table", "nonsense"],
        ["--seat", "1"],
        ["--role", "admin", "--table", "5e1d0000-0000-8000-8000-000000000000"],
    ):
        assert kartejo.fails("token", "ann", *wrong)[0] == "BAD_TOKEN"
    assert kartejo("token", "ann", "--lifetime", "soon").code == 2
    assert kartejo.fails("token", "")[0] == "BAD_TOKEN"


def test_without_keys_there_are_no_tokens(alone: Commands) -> None:
    reason, told = alone.fails("token", "ann")
    assert reason == "NO_KEYS"
    assert "kartejo serve" in told
    assert not alone.data.exists()


def test_lengths_of_time() -> None:
    assert [seconds_of(text) for text in ("90s", "15m", "12h", "30d")] == [
        90,
        900,
        43_200,
        2_592_000,
    ]
