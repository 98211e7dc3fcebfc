"""What README shows is what happens: its commands run, its client is the file, its client plays."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import ROOT, SECONDS, Commands, Served, environment

README = (ROOT / "README.md").read_text(encoding="utf-8")
CLIENT = ROOT / "docs" / "examples" / "client.py"


def blocks(language: str) -> list[str]:
    """The code blocks of a language, in order."""
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_client_in_readme_is_the_file() -> None:
    """One text, so that the test of the file is a test of README."""
    (shown,) = blocks("python")
    told = CLIENT.read_text(encoding="utf-8")
    assert told.endswith(shown)


def test_the_client_has_twelve_lines() -> None:
    """Besides its imports."""
    code = CLIENT.read_text(encoding="utf-8").split("TableServiceStub\n", 1)[1]
    assert len([line for line in code.splitlines() if line.strip()]) == 12


def test_the_commands_of_readme_run(service: Served, kartejo: Commands) -> None:
    """Each line of the second block, as it stands, against a running service."""
    first, second = blocks("sh")
    assert [line.split("#")[0].strip() for line in first.strip().splitlines()] == [
        "make serve",
        "make test",
    ]
    lines = [line.split("#")[0].strip() for line in second.strip().splitlines()]
    demo, play, token, client = lines
    assert demo == ".venv/bin/kartejo demo"
    assert kartejo("demo").ok().out.count("the fold agrees") == 2
    assert play == ".venv/bin/kartejo play royal_flush"
    assert kartejo("play", "royal_flush", typed="q\n").code == 0
    assert token == "export TOKEN=$(.venv/bin/kartejo token ann --role player)"
    made = kartejo("token", "ann", "--role", "player").ok().out.strip()
    assert client == ".venv/bin/python docs/examples/client.py"
    played = subprocess.run(
        [sys.executable, str(CLIENT)],
        capture_output=True,
        encoding="utf-8",
        env={**environment(kartejo.data), "TOKEN": made, "KARTEJO": service.address},
        timeout=SECONDS,
        check=True,
    )
    positions = played.stdout.strip().split("\n\n")
    assert len(positions) == 24
    assert positions[-1].startswith("phase GAME_OVER")


def test_every_file_that_readme_names_is_there() -> None:
    """Links of README and of the guides lead somewhere."""
    for page in (Path("README.md"), *(p.relative_to(ROOT) for p in ROOT.glob("docs/*.md"))):
        text = (ROOT / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
            assert (ROOT / page.parent / target).exists(), f"{page}: {target}"
