"""Write down for the pages what kinds of tournament there are.

``.venv/bin/python tools/page_structures.py`` makes service/web/pages/tournament/structures.js from
the files in docs/tournaments and the formats of the engine; with ``--check`` it only says whether
that is out of date.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from google.protobuf.json_format import MessageToDict

from engine.options import MAX_AMOUNT, Option
from engine.tournament.formats import FORMATS
from service.cli.structures import read_structure

ROOT: Final = Path(__file__).parents[1]
FILES: Final = ROOT / "docs" / "tournaments"
WRITTEN: Final = ROOT / "service" / "web" / "pages" / "tournament" / "structures.js"

HEAD: Final = """\
// Made by tools/page_structures.py from docs/tournaments and the engine's formats: do not edit.

/**
 * A tournament of each kind to begin with: what it is, and its structure for CreateTournament.
 * @type {{about: string, structure: Record<string, any>}[]}
 */
"""
SETTINGS: Final = """
/** Settings of each format, like OptionSpec. @type {Record<string, Record<string, any>[]>} */
"""
SEATS: Final = """
/**
 * Seats of a table, fewest and most, by format and game.
 * @type {Record<string, Record<string, number[]>>}
 */
"""


def _structure(path: Path) -> dict[str, Any]:
    about = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    return {"about": about, "structure": MessageToDict(read_structure(path))}


def _setting(option: Option) -> dict[str, Any]:
    told = {
        "name": option.name,
        "kind": option.kind.value,
        "defaultValue": str(option.default).lower(),
        "expected": option.expected,
        "meaning": option.meaning,
        "low": option.low,
        "high": min(option.high, MAX_AMOUNT),
        "words": list(option.words),
        "nullable": option.nullable,
    }
    return {name: value for name, value in told.items() if value not in ([], False)}


def structures() -> str:
    """The module."""
    # The simplest one comes first.
    found = sorted(map(_structure, FILES.glob("*.toml")), key=lambda each: len(str(each)))
    settings = {key: [_setting(each) for each in kind.SETTINGS] for key, kind in FORMATS.items()}
    seats = {key: dict(kind.GAMES) for key, kind in FORMATS.items()}

    return (
        HEAD
        + _export("STRUCTURES", "[]", (_line(each) for each in found))
        + SETTINGS
        + _export("SETTINGS", "{}", _entries(settings))
        + SEATS
        + _export("SEATS", "{}", _entries(seats))
    )


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _entries(values: Mapping[str, object]) -> Iterator[str]:
    return (f"{_line(key)}: {_line(value)}" for key, value in values.items())


def _export(name: str, brackets: str, lines: Iterable[str]) -> str:
    opened, closed = brackets
    written = "".join(f"  {line},\n" for line in lines)
    return f"export const {name} = {opened}\n{written}{closed};\n"


def main() -> None:
    """Write it, or say that it is out of date."""
    now = structures()
    if "--check" in sys.argv[1:]:
        if not WRITTEN.exists() or WRITTEN.read_text(encoding="utf-8") != now:
            raise SystemExit(f"{WRITTEN.name} is out of date: run tools/page_structures.py")
        return
    WRITTEN.write_text(now, encoding="utf-8")


if __name__ == "__main__":
    main()
