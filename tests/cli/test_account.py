"""``kartejo account``: what enters and leaves the house, and what tables do to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Commands


def test_credit_debit_and_history(kartejo: Commands) -> None:
    """The balance after each, in words and as JSON."""
    assert kartejo("account", "show", "carl").ok().out == "0 chips\n"
    assert kartejo("account", "entries", "carl").ok().out == (
        "Nothing has happened to this account.\n"
    )
    told = kartejo("account", "credit", "carl", "500", "--note", "at the desk").ok().out
    assert told == "500 chips\n"
    assert kartejo("account", "debit", "carl", "499").ok().out == "1 chip\n"
    found = kartejo("account", "show", "carl", "--json").ok().json
    assert (found["balance"], found["version"]) == (1, 2)
    assert kartejo("account", "show", found["player"]).ok().out == "1 chip\n"
    rows = kartejo("account", "entries", "carl", "--json").ok().json
    assert sorted((row["kind"], row["change"], row["balance"]) for row in rows) == [
        ("credited", 500, 500),
        ("debited", -499, 1),
    ]
    lines = kartejo("account", "entries", "carl").ok().out
    assert "credited" in lines
    assert "+500" in lines
    assert "at the desk" in lines


@pytest.mark.parametrize("amount", ["500", str(2**63 - 1)])
def test_no_account_is_overdrawn(kartejo: Commands, amount: str) -> None:
    reason, told = kartejo.fails("account", "debit", "nobody yet", amount)
    assert reason == "INSUFFICIENT_CHIPS"
    assert "you do not have that many chips" not in told
    assert kartejo("account", "show", "nobody yet").ok().out == "0 chips\n"


@pytest.mark.parametrize("amount", ["0", "-5", str(2**63), "many"])
def test_what_is_no_amount(kartejo: Commands, amount: str) -> None:
    assert kartejo("account", "credit", "carl", "--", amount).code == 2


def test_a_player_sees_his_own_account_only(kartejo: Commands, tmp_path: Path) -> None:
    file = tmp_path / "dora.token"
    kartejo("token", "dora", "--output", str(file)).ok()
    kartejo("account", "credit", "dora", "70").ok()
    mine = ("--token-file", str(file))
    assert kartejo("account", "show", *mine).ok().out == "70 chips\n"
    assert kartejo.fails("account", "show", "carl", *mine)[0] == "PERMISSION_DENIED"
    assert kartejo.fails("account", "credit", "dora", "5", *mine)[0] == "PERMISSION_DENIED"


def test_a_table_takes_from_the_account_and_pays_back(kartejo: Commands, tmp_path: Path) -> None:
    """Sitting down and leaving on the terminal, both entries name the table."""
    file = tmp_path / "emil.token"
    kartejo("token", "emil", "--output", str(file)).ok()
    mine = ("--token-file", str(file))
    play = ("play", "palace_poker", "--bots", "0", "--house", "purse=account", *mine)
    reason, told = kartejo.fails(*play)
    assert reason == "INSUFFICIENT_CHIPS", told
    kartejo("account", "credit", "emil", "1500").ok()
    assert "You have left the table." in kartejo(*play, typed="leave\n").ok().out
    rows = kartejo("account", "entries", *mine, "--json").ok().json
    kinds = {row["kind"]: (row["change"], bool(row["table"]), row["seat"]) for row in rows}
    assert kinds["bought in"] == (-1000, True, 0)
    assert kinds["cashed out"] == (1000, True, 0)
    assert kartejo("account", "show", *mine).ok().out == "1500 chips\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("account", "credit", "", "5"),
        ("account", "debit", "", "5"),
        ("account", "show", ""),
        ("account", "entries", ""),
        ("account", "history", ""),
        ("profile", "show", ""),
        ("profile", "set", "", "--name", "Ann"),
        ("erase", "", "--yes"),
        ("investigate", "hands", "--player", ""),
        ("investigate", "pairs", "--player", ""),
    ],
)
def test_an_empty_name_is_nobodys(kartejo: Commands, arguments: tuple[str, ...]) -> None:
    """A script's variable that was not set meant the operator himself, or everybody."""
    reason, told = kartejo.fails(*arguments)
    assert reason == "MALFORMED"
    assert "not an empty text" in told
