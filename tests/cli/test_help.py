"""The command line explains itself, and quickly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import engine
from service.cli.app import app
from tests.cli.conftest import Commands
from tests.commands import ROOT, environment

COMMANDS = (
    "serve",
    "demo",
    "play",
    "tables",
    "replay",
    "export",
    "verify",
    "access",
    "proof",
    "load",
    "token",
    "link",
    "migrate",
    "rebuild",
    "witness",
    "account show",
    "account credit",
    "account debit",
    "account entries",
    "account history",
    "keys show",
    "keys rotate",
    "profile show",
    "profile set",
    "erase",
    "investigate hands",
    "investigate pair",
    "investigate pairs",
    "odds royal_flush",
    "odds palace_poker",
    "odds pontoon",
    "odds royal_casino",
    "tournament run",
    "tournament list",
    "tournament show",
    "tournament watch",
    "tournament lead",
    "tournament enter",
    "tournament demo",
    "script run",
    "script export",
)


def test_version_tells_where_the_engine_lies(alone: Commands) -> None:
    first, second = alone("--version").ok().out.splitlines()
    assert first.startswith("kartejo ")
    assert Path(second) == Path(str(engine.__file__))


def test_help_and_version_load_neither_grpc_nor_the_database_driver() -> None:
    """Who asks for help does not wait for what the command would need."""
    check = (
        "import sys, service.cli.app; "
        "print(sorted({'grpc', 'psycopg', 'cryptography', 'uvloop'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", check],
        capture_output=True,
        text=True,
        env=environment(None),
        cwd=ROOT,
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_teaches_by_examples(command: str) -> None:
    told = CliRunner().invoke(app, [*command.split(), "--help"], prog_name="kartejo").output
    assert "Examples" in told
    assert f"kartejo {command}" in told.partition("Examples")[2]


def test_without_a_command_the_commands_are_listed(alone: Commands) -> None:
    told = alone().out
    assert all(command.split()[0] in told for command in COMMANDS)


def test_a_mistyped_command_is_a_usage_error(alone: Commands) -> None:
    assert alone("sevre").code == 2
