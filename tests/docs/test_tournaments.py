"""docs/tournaments.md lists the formats and settings that there are, with what they mean."""

from __future__ import annotations

from engine.tournament.formats import FORMATS
from tests.commands import ROOT

PAGE = (ROOT / "docs" / "tournaments.md").read_text(encoding="utf-8")


def rows(head: str) -> list[list[str]]:
    """The cells of the table with that head, without backticks."""
    lines = PAGE.partition(head)[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip().replace("`", "") for cell in line.split("|")[1:-1]] for line in lines]


def test_every_setting_is_there_as_the_format_has_it() -> None:
    """A row without formats is about those of the row before."""
    found: dict[str, dict[str, tuple[str, str]]] = {key: {} for key in FORMATS}
    formats: list[str] = []
    for names, setting, default, meaning in rows("| format | setting "):
        formats = names.split(", ") if names else formats
        for name in formats:
            found[name][setting] = (default, meaning)
    for key, game_format in FORMATS.items():
        assert found[key] == {
            option.name: (str(option.default).lower(), option.meaning)
            for option in game_format.SETTINGS
        }


def test_every_format_has_its_file() -> None:
    listed = {row[0]: row[3] for row in rows("| format | game ")}
    assert listed.keys() == FORMATS.keys()
    for name, link in listed.items():
        path = ROOT / "docs" / link.partition("](")[2].rstrip(")")
        assert f'format = "{name}"' in path.read_text(encoding="utf-8")
